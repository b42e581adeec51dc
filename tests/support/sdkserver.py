"""A tool server made with the official SDK: over stdio, or over HTTP at a port, answering as JSON or as events."""

import sys

from mcp.server import MCPServer

server = MCPServer("compass")


@server.tool()
def bearing(degrees: int) -> dict[str, str]:
    """Name the point of the compass."""
    if degrees > 360:
        raise ValueError("there are only 360 degrees")
    return {"point": "NESW"[degrees // 90 % 4]}


def main() -> None:
    """Serve until the input ends or the process is killed."""
    if len(sys.argv) == 1:
        server.run("stdio")
        return
    port, form = int(sys.argv[1]), sys.argv[2]
    server.run(
        "streamable-http",
        port=port,
        json_response=form == "json",
        stateless_http=form == "stateless",
    )


if __name__ == "__main__":
    main()
