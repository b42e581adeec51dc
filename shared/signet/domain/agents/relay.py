"""Handing a message to an agent elsewhere, over the Agent Communication Protocol: `POST /runs` of its server.

It makes the daemon call an address that a caller names, so it happens only where agent.yaml allows it.
"""

from signet.net import http

#: Patience with the relay, and the most that a caller may ask for.
SECONDS, MOST_SECONDS = 5.0, 10.0
#: An answer is not read further.
_MOST_BYTES = 1_048_576


def send(base_url: str, agent_name: str, content: str, *, seconds: float) -> str | None:
    """Hand a message over and return None, or why that failed."""
    client = http.Client(base_url, max_body_bytes=_MOST_BYTES)
    part = {"content_type": "text/plain", "content": content}
    body = {
        "agent_name": agent_name,
        "input": [{"role": "user", "parts": [part]}],
        "mode": "async",
    }
    try:
        reply = client.send("POST", "/runs", json=body, timeout_seconds=seconds)
    except http.HttpError as error:
        return error.message
    finally:
        client.close()
    return None if reply.status < 300 else f"the relay answered {reply.status}"
