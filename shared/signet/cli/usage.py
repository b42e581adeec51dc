"""How the help shows a command."""

from typing import Any

from typer.core import TyperCommand


class PlainUsage(TyperCommand):
    """A command whose usage shows required arguments as its examples do: `NAME` instead of `{NAME}`."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]
