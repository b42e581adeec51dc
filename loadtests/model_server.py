"""A model server for load tests: Ollama's protocol, a fixed time per call, and call counts.

    model_server.py MILLISECONDS

Prints `ready PORT`. Answers depend only on the request, so runs are comparable. `GET /stats` returns the calls of
each sort and the maximum number of open ones, and resets both.
"""

import asyncio
import hashlib
import json
import re
import sys
from collections import Counter

#: Words that identify the sort of a request; others are texts to be read.
SORTS = {"decide": "compared with memories", "hints": "months later", "classify": "File each"}
SORTS["depend"] = "it depends"
NUMBERED = re.compile(r"^(\d+)\. ", re.MULTILINE)


class Model:
    """Answers after a fixed time."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._calls: Counter[str] = Counter()
        self._open = self._most = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        while head := await reader.readuntil(b"\r\n\r\n"):
            found = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
            body = await reader.readexactly(int(found[1])) if found else b""
            path = head.split(b" ", 2)[1].decode()
            answer = json.dumps(await self._answer(path, body)).encode()
            length = str(len(answer)).encode()
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: " + length + b"\r\n\r\n" + answer)
            await writer.drain()

    async def _answer(self, path: str, body: bytes) -> dict[str, object]:
        if path == "/stats":
            told = {**self._calls, "most_at_once": self._most}
            self._calls, self._most = Counter(), 0
            return dict(told)
        if path == "/api/tags":
            return {"models": [{"name": "qwen3:4b"}]}
        prompt = json.loads(body)["prompt"]
        sort = next((name for name, words in SORTS.items() if words in prompt), "read")
        self._calls[sort] += 1
        self._open += 1
        self._most = max(self._most, self._open)
        await asyncio.sleep(self._seconds)
        self._open -= 1
        return {"response": _written(sort, prompt), "done": True}


def _written(sort: str, prompt: str) -> str:
    digest = hashlib.sha256(prompt.encode()).hexdigest()
    if sort == "decide":
        return json.dumps({"action": "add", "confidence": 0.9, "reason": "it is new"})
    if sort == "hints":
        return f"What was told of {digest[:8]}?\nWhen did {digest[8:16]} come up?\n"
    if sort == "classify":
        results = [
            {"i": int(n), "aspect": "events", "kind": "attribute"} for n in NUMBERED.findall(prompt)
        ]
        return json.dumps({"results": results})
    if sort == "depend":
        results = [{"i": int(n), "dependencies": []} for n in NUMBERED.findall(prompt)]
        return json.dumps({"results": results})
    name, other = f"Proj{digest[:6]}", f"Tool{digest[6:12]}"
    content = f"{name} keeps {digest[12:20]} in {other}"
    triple = {"source": name, "relationship": "uses", "target": other, "confidence": 0.9}
    fact = {"content": content, "type": "fact", "confidence": 0.9}
    return json.dumps({"facts": [fact], "entities": [triple]})


async def main(milliseconds: float) -> None:
    """Serve until the process is terminated."""
    model = Model(milliseconds / 1000)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await model.serve(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):  # the caller disconnected
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(f"ready {server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1])))
