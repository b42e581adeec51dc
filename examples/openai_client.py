# /// script
# dependencies = ["signetai", "openai"]
# ///
"""OpenAI's client: put memories into the system prompt, give the model the tools, and store the conversation.

python examples/openai_client.py "Which cache does Atlas use?"
"""

import os
import sys
from uuid import uuid4

from openai import OpenAI

from signet.client import Signet, openai_tools

MODEL = os.environ.get("MODEL", "gpt-5-mini")


def answer(prompt: str) -> str:
    """Return the model's answer to a prompt, and store the conversation in Signet."""
    signet, client = Signet(), OpenAI()
    messages = [
        {"role": "system", "content": f"Answer briefly.\n\n{signet.context_for(prompt)}"},
        {"role": "user", "content": prompt},
    ]
    while True:
        reply = client.chat.completions.create(model=MODEL, messages=messages, tools=openai_tools())
        message = reply.choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        if not message.tool_calls:
            break
        for call in message.tool_calls:
            result = signet.run_tool(call.function.name, call.function.arguments)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    transcript = f"User: {prompt}\nAssistant: {message.content}"
    signet.end_session("openai-client", session_key=str(uuid4()), transcript=transcript)
    return message.content


if __name__ == "__main__":
    print(answer(sys.argv[1]))
