# /// script
# dependencies = ["signetai", "openai-agents"]
# ///
"""OpenAI Agents SDK: put memories into the instructions, and use the tools of `signet-mcp`.

python examples/openai_agents_sdk.py "Which cache does Atlas use?"
"""

import asyncio
import os
import sys

from agents.mcp import MCPServerStdio

from agents import Agent, Runner, set_tracing_disabled
from signet.client import AsyncSignet

MODEL = os.environ.get("MODEL", "gpt-5-mini")


async def answer(prompt: str) -> str:
    """Return the agent's answer to a prompt."""
    set_tracing_disabled(True)
    environ = {
        key: one for key, one in os.environ.items() if key.startswith(("SIGNET_", "HOME", "PATH"))
    }
    async with (
        AsyncSignet() as signet,
        MCPServerStdio(params={"command": "signet-mcp", "env": environ}) as tools,
    ):
        context = await signet.context_for(prompt)
        agent = Agent(
            name="Assistant",
            instructions=f"Answer briefly.\n\n{context}",
            model=MODEL,
            mcp_servers=[tools],
        )
        found = await Runner.run(agent, prompt)
    return str(found.final_output)


if __name__ == "__main__":
    print(asyncio.run(answer(sys.argv[1])))
