"""The API process: one event loop on the supervisor's socket."""

import gc
import os
import socket
import sys
from functools import partial
from pathlib import Path

from signet.errors import SignetError
from signet.process.boot import Booted, boot, open_database
from signet.process.memory import give_back
from signet.process.program import Program

#: Seconds that open requests may continue after a stop.
GRACE_SECONDS = 3
#: Each reader uses one core; BLAS threads would compete with the others.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
#: Seconds a thread runs before another gets its turn.
SWITCH_SECONDS = 0.0005
#: New objects per garbage collection. Requests rarely create cycles; with the default 700, collection took 4 % of a
#: save (`loadtests/run.py remember`: 601 and 578 µs, means of three turns).
CYCLES_EACH = 10_000
#: File descriptor of an inherited listening socket.
SOCKET_FD = "SIGNET_SOCKET_FD"


def main() -> int:
    """Serve until stopped; return 1, after a one-line reason, if this workspace cannot be served."""
    gc.disable()  # until everything is loaded: a sixth of the time
    for name, value in ONE_THREAD.items():
        os.environ.setdefault(name, value)
    booted = boot(Program.API)
    from signet.observe import logs

    try:
        return serve(booted)
    except SignetError as error:
        logs.get("api").error("api.refused", code=error.code, detail=error.message)
        sys.stderr.write(f"signet: {error.message}\n")
        return 1


def serve(booted: Booted) -> int:
    import uvicorn

    from signet.config import check_start
    from signet.domain.secrets.vault import Vault
    from signet.observe import logs
    from signet.observe.tracing import TRACES
    from signet.process.coordination import join
    from signet.process.memory import Thrift
    from signet.process.settings_reload import LiveSettings
    from signet_api import connections
    from signet_api.app import ACCEPTED_AT_ONCE, Server, create_app
    from signet_api.authority import Authority
    from signet_api.background import EachSecond
    from signet_api.deps import State
    from signet_api.health import Health
    from signet_api.vectors import QueryVectors, read_ahead

    workspace, loaded = booted.workspace, booted.loaded
    check_start(loaded, workspace)
    # The writer thread releases the interpreter lock at each statement and would wait up to the default 5 ms to get it
    # back from the event loop (measured: a tenth more saves per second).
    sys.setswitchinterval(SWITCH_SECONDS)
    TRACES.start(Program.API, loaded.settings.pipeline.telemetry.otlp_endpoint)
    authority = Authority.from_settings(loaded.settings, workspace, loaded.address.bind)
    db = open_database(workspace, interactive=True)
    coordination = join(db, workspace, "api")
    coordination.announce()
    live = LiveSettings(workspace, loaded, Vault(workspace.vault).find)
    live.start()
    vectors = QueryVectors(live, _keep)
    connections.limit()
    listening = listener(loaded.address.bind, loaded.address.port)
    private = private_listener(workspace.api_socket)
    state = State(
        db=db,
        live=live,
        workspace=workspace,
        vectors=vectors,
        health=Health(db, workspace),
        port=listening.getsockname()[1],
        authority=authority,
        pulse=booted.pulse,
    )
    server = Server(
        uvicorn.Config(
            create_app(state),
            http=connections.NamingConnections,
            ws="none",
            lifespan="on",
            backlog=ACCEPTED_AT_ONCE,
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=True,
            proxy_headers=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
        ),
        EachSecond(state),
        partial(setattr, state, "is_stopping", True),
    )
    booted.stop.then(server.end)
    _keep()
    logs.get("api").info("api.ready", port=state.port, owner=coordination.owner)
    vectors.warm()
    read_ahead(db, vectors.model)
    state.flusher.start()

    def rest() -> None:
        vectors.rest()
        db.rest()

    thrift = Thrift(rest)
    thrift.start()
    server.run(sockets=[listening, private])
    workspace.api_socket.unlink(missing_ok=True)
    thrift.stop()
    vectors.close()
    state.flusher.stop()
    state.uses.finish()
    state.injections.finish()
    state.seen.finish()
    state.audits.finish()
    live.stop()
    state.commits.close()
    coordination.withdraw()
    db.close()
    coordination.close()
    authority.close(workspace)
    TRACES.stop()
    return 0


def _keep() -> None:
    """Exclude loaded objects from full collections, which would stop every thread."""
    give_back()
    gc.freeze()
    gc.set_threshold(CYCLES_EACH)
    gc.enable()


def listener(host: str, port: int) -> socket.socket:
    """Return the listening socket: the supervisor's, else a new one.

    Its protocol is explicit, because asyncio checks it before disabling Nagle's algorithm; otherwise answers on
    persistent connections arrive 40 ms late.
    """
    given = os.environ.get(SOCKET_FD)
    if given:
        return socket.socket(fileno=os.dup(int(given)))
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    own = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    own.bind((host, port))
    own.listen()
    return own


def private_listener(path: Path) -> socket.socket:
    """Return a socket accessible only to programs of the daemon's user, replacing one of an earlier run."""
    path.unlink(missing_ok=True)
    own = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    own.bind(str(path))
    path.chmod(0o600)  # before listening, so that no one can connect earlier
    own.listen()
    return own


if __name__ == "__main__":
    sys.exit(main())
