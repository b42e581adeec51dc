# /// script
# dependencies = ["signetai", "llama-index-core>=0.13", "llama-index-llms-openai"]
# ///
"""LlamaIndex: use Signet as a memory block that recalls for each message and stores older messages.

python examples/llama_index_memory.py "Which cache does Atlas use?"
"""

import asyncio
import os
import sys
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import BaseMemoryBlock, Memory
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai import OpenAI

from signet.client import AsyncSignet

MODEL = os.environ.get("MODEL", "gpt-5-mini")


class SignetBlock(BaseMemoryBlock[str]):
    """Recall for the newest message, and store messages that leave the window as a session."""

    name: str = "signet"
    session: str = "llama-index"

    async def _aget(self, messages: list[ChatMessage] | None = None, **_: Any) -> str:
        questions = [one.content or "" for one in messages or () if one.role == "user"]
        async with AsyncSignet() as signet:
            return str(await signet.context_for(questions[-1])) if questions else ""

    async def _aput(self, messages: list[ChatMessage]) -> None:
        transcript = "\n".join(f"{one.role.value.capitalize()}: {one.content}" for one in messages)
        async with AsyncSignet() as signet:
            await signet.end_turn("llama-index", session_key=self.session, transcript=transcript)


async def memory_search(query: str) -> str:
    """Search long-term memory."""
    async with AsyncSignet() as signet:
        return await signet.run_tool("memory_search", {"query": query})


async def answer(prompt: str) -> str:
    """Return the agent's answer to a prompt."""
    memory = Memory.from_defaults(session_id="example", memory_blocks=[SignetBlock()])
    agent = FunctionAgent(
        tools=[FunctionTool.from_defaults(async_fn=memory_search)],
        llm=OpenAI(model=MODEL),
        system_prompt="Answer briefly.",
        streaming=False,
    )
    return str(await agent.run(prompt, memory=memory))


if __name__ == "__main__":
    print(asyncio.run(answer(sys.argv[1])))
