# /// script
# dependencies = ["signetai", "pydantic-ai-slim[openai]"]
# ///
"""PydanticAI: put memories into the instructions, and give the agent Signet's tools.

python examples/pydantic_ai_agent.py "Which cache does Atlas use?"
"""

import os
import sys
from functools import partial

from pydantic_ai import Agent, Tool

from signet.client import Signet, openai_tools

MODEL = os.environ.get("MODEL", "gpt-5-mini")


def answer(prompt: str) -> str:
    """Return the agent's answer to a prompt."""
    signet = Signet()

    def run(name: str, **arguments: object) -> str:
        return signet.run_tool(name, arguments)

    tools = [
        Tool.from_schema(
            partial(run, one["function"]["name"]),
            name=one["function"]["name"],
            description=one["function"]["description"],
            json_schema=one["function"]["parameters"],
        )
        for one in openai_tools()
    ]
    instructions = f"Answer briefly.\n\n{signet.context_for(prompt)}"
    agent = Agent(f"openai-chat:{MODEL}", instructions=instructions, tools=tools)
    return agent.run_sync(prompt).output


if __name__ == "__main__":
    print(answer(sys.argv[1]))
