"""The environment variables that Signet reads: every name, default and bound, in one place.

Blank is unset. The environment decides the address and the logs; nothing here overrides agent.yaml.
"""

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from signet.config.fields import Section, read, section, setting
from signet.config.values import Unfit, from_text, web_address

DEFAULT_PORT = 3850
LOOPBACK = "127.0.0.1"
OLLAMA_URL = "http://localhost:11434"
OLLAMA_PORT = 11434
HOST = re.compile(r"[A-Za-z0-9._:-]{1,253}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where clients call the daemon (`host`), and where it listens (`bind`)."""

    host: str
    port: int
    bind: str

    @property
    def url(self) -> str:
        """Return the address for clients."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"


def _host(value: object, where: str, warnings: list[str]) -> object:
    if not isinstance(value, str) or not HOST.fullmatch(value.strip()):
        raise Unfit("a host name or an address")
    return LOOPBACK if value.strip().lower() in ("localhost", "::1") else value.strip()


def _is_set(value: object, where: str, warnings: list[str]) -> object:
    return value == "1"


def _ollama(value: object, where: str, warnings: list[str]) -> object:
    """Read what Ollama itself accepts: a host, `host:port` or an address; 0.0.0.0 is where it listens."""
    found = re.fullmatch(r"(?:(https?)://)?([^/\s:@]+)(?::(\d{1,5}))?/?", str(value).strip())
    if not found:
        raise Unfit("a host, host:port or an address")
    scheme, host, port = found.groups()
    usual = {None: OLLAMA_PORT, "http": 80, "https": 443}[scheme]
    host = LOOPBACK if host == "0.0.0.0" else host
    return f"{scheme or 'http'}://{host}:{port or usual}"


@section
class Environment(Section):
    """What the environment of this process says."""

    OPEN: ClassVar[bool] = True

    port: int = setting(DEFAULT_PORT, 1, 65_535, key="SIGNET_PORT", parse=from_text, strict=True)
    host: str = setting(LOOPBACK, accept=_host, key="SIGNET_HOST")
    bind: str | None = setting(None, accept=_host, key="SIGNET_BIND")
    daemon_url: str | None = setting(None, accept=web_address, key="SIGNET_DAEMON_URL")
    token: str | None = setting(None, key="SIGNET_TOKEN", is_secret=True)
    log_file: str | None = setting(None, key="SIGNET_LOG_FILE")
    log_dir: str | None = setting(None, key="SIGNET_LOG_DIR")
    log_level: str | None = setting(None, key="SIGNET_LOG_LEVEL")
    bypass: bool = setting(False, accept=_is_set, key="SIGNET_BYPASS")
    no_hooks: bool = setting(False, accept=_is_set, key="SIGNET_NO_HOOKS")
    session_start_timeout_ms: int = setting(
        15_000, 1, 600_000, key="SIGNET_SESSION_START_TIMEOUT", parse=from_text
    )
    prompt_submit_timeout_ms: int = setting(
        5_000, 1, 600_000, key="SIGNET_PROMPT_SUBMIT_TIMEOUT", parse=from_text
    )
    fetch_timeout_ms: int = setting(10_000, 1, 600_000, key="SIGNET_FETCH_TIMEOUT", parse=from_text)
    agent_id: str | None = setting(None, key="SIGNET_AGENT_ID")
    harness: str | None = setting(None, key="SIGNET_HARNESS")
    channel: str | None = setting(None, key="SIGNET_CHANNEL")
    mcp_proxy_refresh_ms: int = setting(
        15_000, 1_000, 86_400_000, key="SIGNET_MCP_PROXY_REFRESH_MS", parse=from_text
    )
    max_llm_concurrency: int = setting(4, 1, 64, key="SIGNET_MAX_LLM_CONCURRENCY", parse=from_text)
    openai_api_key: str | None = setting(None, key="OPENAI_API_KEY", is_secret=True)
    anthropic_api_key: str | None = setting(None, key="ANTHROPIC_API_KEY", is_secret=True)
    #: Where Ollama is when agent.yaml gives no address.
    ollama_url: str = setting(OLLAMA_URL, accept=_ollama, key="OLLAMA_HOST")
    no_color: str | None = setting(None, key="NO_COLOR")

    @property
    def address(self) -> Address:
        """Return where the daemon is and where it listens."""
        return Address(host=self.host, port=self.port, bind=self.bind or self.host)


def read_environment(environ: Mapping[str, str]) -> tuple[Environment, tuple[str, ...]]:
    """Return what the environment says and one warning for each variable that does not fit."""
    warnings: list[str] = []
    found = read(Environment, environ, warnings)
    return found, tuple(warnings)


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach the host."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
