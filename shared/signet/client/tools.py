"""The tools of `signet.mcp` for programs that call a model themselves: described as its interface wants them, and run.

tools = anthropic_tools()
...
text = signet.run_tool(block.name, block.input)
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from signet.client.call import Call
from signet.errors import Invalid, SignetError
from signet.mcp import answers
from signet.mcp.answers import View
from signet.mcp.tool import Tool
from signet.mcp.tools import TOOLS

#: What is offered when no names are given: memory, and nothing that runs programs or speaks to other agents.
USUAL = tuple(name for name in TOOLS if name.startswith(("memory_", "knowledge_")))


def openai_tools(names: Sequence[str] = USUAL) -> list[dict[str, Any]]:
    """Return the tools as `tools` of OpenAI's chat completions; raises Invalid for a name that is none.

    >>> [tool["function"]["name"] for tool in openai_tools(["memory_search", "memory_store"])]
    ['memory_search', 'memory_store']
    """
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.text,
                "parameters": tool.described["inputSchema"],
            },
        }
        for tool in map(_tool, names)
    ]


def anthropic_tools(names: Sequence[str] = USUAL) -> list[dict[str, Any]]:
    """Return the tools as `tools` of Anthropic's messages; raises Invalid for a name that is none.

    >>> sorted(anthropic_tools(["memory_search"])[0])
    ['description', 'input_schema', 'name']
    """
    return [
        {
            "name": tool.name,
            "description": tool.text,
            "input_schema": tool.described["inputSchema"],
        }
        for tool in map(_tool, names)
    ]


def asked(name: str, arguments: Mapping[str, object] | str | None) -> Call[Any] | str:
    """Return the call that a model's use of a tool means, or the words that tell it what is wrong."""
    try:
        tool = _tool(name)
    except Invalid as error:
        return error.message
    try:
        given = json.loads(arguments or "{}") if isinstance(arguments, str) else arguments
        wanted = tool.operation(None if given is None else _plain(given))
    except ValueError:
        return f"{tool.failed}: arguments are not JSON"
    except Invalid as error:
        return f"{tool.failed}: {error.message}"
    return Call(
        method=wanted.method,
        path=wanted.path,
        body=json.loads(wanted.body) if wanted.body else None,
        is_safe=tool.reads_only,
    )


def told(name: str, answer: object) -> str:
    """Return an answer of the daemon as the text that the model reads, ids whole."""
    return answers.text(answer, TOOLS[name].shape, View())


def failed(name: str, error: SignetError) -> str:
    """Return a refusal as the text that the model reads."""
    return f"{TOOLS[name].failed}: {error.message}"


def _plain(given: object) -> object:
    return dict(given) if isinstance(given, Mapping) else given


def _tool(name: str) -> Tool:
    if name not in TOOLS:
        raise Invalid(f"Unknown tool: {name}")
    return TOOLS[name]
