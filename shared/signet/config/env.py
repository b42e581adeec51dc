"""Signet's environment variables: names, defaults and bounds.

Blank means unset. The environment sets the address and the logs, and never overrides agent.yaml. Hooks avoid
dataclasses, whose import takes as long as the rest of this module.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from signet.config.storage import storage_url
from signet.config.values import Accept, Unfit, from_text, number, web_address, words

DEFAULT_PORT = 3850
LOOPBACK = "127.0.0.1"
OLLAMA_URL = "http://localhost:11434"
OLLAMA_PORT = 11434
#: Variables of shells in which agents run commands: Claude Code, Codex, OpenCode, Gemini, Cursor, OpenClaw, and the
#: common name (agents.md).
AGENT_SHELLS = (
    "CLAUDECODE", "CODEX_SANDBOX", "CODEX_THREAD_ID", "OPENCODE", "GEMINI_CLI", "CURSOR_AGENT",
    "OPENCLAW_SHELL", "AI_AGENT",
)  # fmt: skip
HOST = re.compile(r"[A-Za-z0-9._:-]{1,253}")


class ListenAddress(NamedTuple):
    """The daemon's address for clients (`host`) and for listening (`bind`)."""

    host: str
    port: int
    bind: str

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"


def _host(value: object, where: str, warnings: list[str]) -> object:
    if not isinstance(value, str) or not HOST.fullmatch(value.strip()):
        raise Unfit("a host name or an address")
    return LOOPBACK if value.strip().lower() in ("localhost", "::1") else value.strip()


def _ollama(value: object, where: str, warnings: list[str]) -> object:
    """Read Ollama's format: a host, `host:port` or a URL; 0.0.0.0 is only its listening address."""
    found = re.fullmatch(r"(?:(https?)://)?([^/\s:@]+)(?::(\d{1,5}))?/?", str(value).strip())
    if not found:
        raise Unfit("a host, host:port or an address")
    scheme, host, port = found.groups()
    usual = {None: OLLAMA_PORT, "http": 80, "https": 443}[scheme]
    host = LOOPBACK if host == "0.0.0.0" else host
    return f"{scheme or 'http'}://{host}:{port or usual}"


class Environment(NamedTuple):
    """Settings from the environment of this process."""

    #: None if unset.
    port: int | None = None
    host: str = LOOPBACK
    bind: str | None = None
    daemon_url: str | None = None
    token: str | None = None
    session_start_timeout_ms: int = 15_000
    prompt_submit_timeout_ms: int = 5_000
    fetch_timeout_ms: int = 10_000
    agent_id: str | None = None
    max_llm_concurrency: int = 4
    openai_api_key: str | None = None
    anthropic_api_key: str | None = None
    #: Ollama's address if agent.yaml sets none.
    ollama_url: str = OLLAMA_URL
    #: The address of the PostgreSQL server if agent.yaml has none.
    storage_url: str | None = None

    def __repr__(self) -> str:
        """Omit all values, because some are secrets."""
        return "Environment(...)"

    @property
    def address(self) -> ListenAddress:
        return ListenAddress(
            host=self.host, port=self.port or DEFAULT_PORT, bind=self.bind or self.host
        )


def _whole(low: int, high: int, *, strict: bool = False) -> Accept:
    return number(low, high, whole=True, parse=from_text, strict=strict)


#: Variable and reader of each field.
_VARIABLES: Mapping[str, tuple[str, Accept]] = {
    "port": ("SIGNET_PORT", _whole(1, 65_535, strict=True)),
    "host": ("SIGNET_HOST", _host),
    "bind": ("SIGNET_BIND", _host),
    "daemon_url": ("SIGNET_DAEMON_URL", web_address),
    "token": ("SIGNET_TOKEN", words),
    "session_start_timeout_ms": ("SIGNET_SESSION_START_TIMEOUT", _whole(1, 600_000)),
    "prompt_submit_timeout_ms": ("SIGNET_PROMPT_SUBMIT_TIMEOUT", _whole(1, 600_000)),
    "fetch_timeout_ms": ("SIGNET_FETCH_TIMEOUT", _whole(1, 600_000)),
    "agent_id": ("SIGNET_AGENT_ID", words),
    "max_llm_concurrency": ("SIGNET_MAX_LLM_CONCURRENCY", _whole(1, 64)),
    "openai_api_key": ("OPENAI_API_KEY", words),
    "anthropic_api_key": ("ANTHROPIC_API_KEY", words),
    "ollama_url": ("OLLAMA_HOST", _ollama),
    "storage_url": ("SIGNET_STORAGE_URL", storage_url),
}


def read_environment(environ: Mapping[str, str]) -> tuple[Environment, tuple[str, ...]]:
    """Return the environment's settings, and one warning per invalid variable."""
    usual, found = Environment(), dict[str, Any]()
    warnings: list[str] = []
    for name, (variable, accept) in _VARIABLES.items():
        said = environ.get(variable, "")
        if not said.strip():
            continue
        try:
            found[name] = accept(said, variable, warnings)
        except Unfit as problem:
            default = getattr(usual, name) or "the default"
            warnings.append(f"{variable}: {problem} is expected; using {default}")
    return usual._replace(**found), tuple(warnings)


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach the host."""
    if host == LOOPBACK or host.lower() == "localhost":
        return True
    import ipaddress  # no hook needs it

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
