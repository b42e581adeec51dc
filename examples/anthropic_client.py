# /// script
# dependencies = ["signetai", "anthropic"]
# ///
"""Anthropic's client: put memories into the system prompt, give the model the tools, and store the conversation.

python examples/anthropic_client.py "Which cache does Atlas use?"
"""

import os
import sys
from uuid import uuid4

from anthropic import Anthropic

from signet.client import Signet, anthropic_tools

MODEL = os.environ.get("MODEL", "claude-sonnet-4-5")


def answer(prompt: str) -> str:
    """Return the model's answer to a prompt, and store the conversation in Signet."""
    signet, client = Signet(), Anthropic()
    system = f"Answer briefly.\n\n{signet.context_for(prompt)}"
    messages = [{"role": "user", "content": prompt}]
    while True:
        reply = client.messages.create(
            model=MODEL, max_tokens=1024, system=system, messages=messages, tools=anthropic_tools()
        )
        messages.append({"role": "assistant", "content": reply.content})
        results = [
            {
                "type": "tool_result",
                "tool_use_id": block.id,
                "content": signet.run_tool(block.name, block.input),
            }
            for block in reply.content
            if block.type == "tool_use"
        ]
        if not results:
            break
        messages.append({"role": "user", "content": results})
    text = "".join(block.text for block in reply.content if block.type == "text")
    transcript = f"User: {prompt}\nAssistant: {text}"
    signet.end_session("anthropic-client", session_key=str(uuid4()), transcript=transcript)
    return text


if __name__ == "__main__":
    print(answer(sys.argv[1]))
