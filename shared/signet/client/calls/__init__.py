"""All requests to the daemon: each method describes the call of its name.

`Signet` and `AsyncSignet` have all of them, so the docstrings describe the answer. Parameters that are None are not
sent, and the daemon's defaults apply.
"""

from signet.client.calls.agents import AgentCalls
from signet.client.calls.auth import TokenCalls
from signet.client.calls.backfill import BackfillCalls
from signet.client.calls.connectors import ConnectorCalls
from signet.client.calls.daemon import DaemonCalls
from signet.client.calls.documents import DocumentCalls
from signet.client.calls.embeddings import EmbeddingCalls
from signet.client.calls.knowledge import KnowledgeCalls
from signet.client.calls.learning import LearningCalls
from signet.client.calls.machine import MachineCalls
from signet.client.calls.memory import MemoryCalls
from signet.client.calls.operation import OperationCalls
from signet.client.calls.recall import RecallCalls
from signet.client.calls.sessions import SessionCalls
from signet.client.calls.skills import SkillCalls
from signet.client.calls.transfer import TransferCalls
from signet.client.calls.upkeep import UpkeepCalls


class Calls(
    AgentCalls,
    TokenCalls,
    BackfillCalls,
    ConnectorCalls,
    DaemonCalls,
    DocumentCalls,
    EmbeddingCalls,
    KnowledgeCalls,
    LearningCalls,
    MachineCalls,
    MemoryCalls,
    OperationCalls,
    RecallCalls,
    SessionCalls,
    SkillCalls,
    TransferCalls,
    UpkeepCalls,
):
    """All requests of both clients."""
