"""Types of the daemon's answers: JSON objects of the HTTP interface, plain `dict`s at run time.

A newer daemon may send further fields. `NotRequired` fields may be absent.
"""

from signet.wire.agents import *
from signet.wire.analytics import *
from signet.wire.audit import *
from signet.wire.auth import *
from signet.wire.backfill import *
from signet.wire.config import *
from signet.wire.connectors import *
from signet.wire.diagnostics import *
from signet.wire.documents import *
from signet.wire.done import *
from signet.wire.embeddings import *
from signet.wire.evaluation import *
from signet.wire.git import *
from signet.wire.harnesses import *
from signet.wire.hooks import *
from signet.wire.injections import *
from signet.wire.jobs import *
from signet.wire.knowledge import *
from signet.wire.memory import *
from signet.wire.pipeline import *
from signet.wire.predictor import *
from signet.wire.recall import *
from signet.wire.repair import *
from signet.wire.secrets import *
from signet.wire.sessions import *
from signet.wire.skills import *
from signet.wire.spaces import *
from signet.wire.status import *
from signet.wire.tasks import *
from signet.wire.telemetry import *
from signet.wire.transfer import *
from signet.wire.update import *
