"""The tools of `signet.mcp` for programs that call a model directly.

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
from signet.mcp.answers import AnswerView
from signet.mcp.tools import TOOLS, Tool

#: Default tools: memory, without those that run programs.
USUAL = tuple(name for name in TOOLS if name.startswith(("memory_", "knowledge_")))


def openai_tools(names: Sequence[str] = USUAL) -> list[dict[str, Any]]:
    """Return the tools in the format of OpenAI's chat completions; raises Invalid for an unknown name.

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
    """Return the tools in the format of Anthropic's messages; raises Invalid for an unknown name.

    >>> sorted(anthropic_tools(["memory_search"])[0])
    ['description', 'input_schema', 'name']
    """
    return [
        {"name": tool.name, "description": tool.text, "input_schema": tool.described["inputSchema"]}
        for tool in map(_tool, names)
    ]


def call_for(name: str, arguments: Mapping[str, object] | str | None) -> Call[Any] | str:
    """Return the call for a model's tool use, or an error text for the model."""
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


def answer_text(name: str, answer: object) -> str:
    """Return an answer as text for the model, with complete IDs."""
    return answers.text(answer, TOOLS[name].shape, AnswerView())


def failed(name: str, error: SignetError) -> str:
    return f"{TOOLS[name].failed}: {error.message}"


def _plain(given: object) -> object:
    return dict(given) if isinstance(given, Mapping) else given


def _tool(name: str) -> Tool:
    if name not in TOOLS:
        raise Invalid(f"Unknown tool: {name}")
    return TOOLS[name]
