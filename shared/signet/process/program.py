"""The programs of a daemon, and what their supervisor passes to them in the environment."""

from enum import StrEnum


class Program(StrEnum):
    """The name that supervision, logs and metrics use."""

    API = "api"
    WORKER = "worker"
    SCHEDULER = "scheduler"


#: The supervisor's own process id.
SUPERVISOR_PID = "SIGNET_SUPERVISOR_PID"
#: `1` when a person or a container reads the daemon's stdout.
LOG_STDOUT = "SIGNET_LOG_STDOUT"
