"""SQL of `provider_usage`: calls and tokens of model providers per hour."""

from typing import NamedTuple

from signet.db.transaction import ReadTx, WriteTx

_USED = "SELECT calls, tokens FROM provider_usage WHERE provider = ? AND hour = ?"
_ADD = """
INSERT INTO provider_usage (provider, hour, calls, tokens) VALUES (?, ?, ?, ?)
ON CONFLICT (provider, hour) DO UPDATE SET calls = calls + excluded.calls, tokens = tokens + excluded.tokens"""
_DELETE_OLD = "DELETE FROM provider_usage WHERE hour < ?"


class ProviderUsage(NamedTuple):
    """A provider's usage in one hour: calls, and tokens read and written."""

    calls: int = 0
    tokens: int = 0


def used(tx: ReadTx, provider: str, hour: str) -> ProviderUsage:
    return tx.row(ProviderUsage, _USED, (provider, hour)) or ProviderUsage()


def add(tx: WriteTx, provider: str, hour: str, usage: ProviderUsage) -> None:
    tx.run(_ADD, (provider, hour, *usage))


def delete_old(tx: WriteTx, before_hour: str) -> None:
    """Delete the usage of hours before this one."""
    tx.run(_DELETE_OLD, (before_hour,))
