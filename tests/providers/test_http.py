"""The HTTP client by itself."""

import gc
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from signet.net import http
from support.models import Raw, Status, fake_ollama

ASK = {"model": "qwen3:4b", "prompt": "x", "options": {}}


def post(client: http.Client, *, timeout_seconds: float = 5.0) -> http.Reply:
    return client.send("POST", "/api/generate", json=ASK, timeout_seconds=timeout_seconds)


def test_nothing_heavy_is_loaded_before_the_first_request() -> None:
    code = (
        "import sys, signet.providers.registry, signet.providers.registry, signet.net.http;"
        "sys.exit(any(m in sys.modules for m in ('httpx', 'httpcore', 'numpy', 'onnxruntime', 'tokenizers')))"
    )
    environ = {"PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run([sys.executable, "-c", code], env=environ, check=False).returncode == 0


def test_a_body_over_the_limit_is_not_read_to_its_end() -> None:
    with fake_ollama(Raw("x" * 50_000)) as server:
        client = http.Client(server.url, max_body_bytes=10_000)
        with pytest.raises(http.Broken, match="larger than 10000 bytes"):
            post(client)


def test_an_error_page_is_cut_instead() -> None:
    with fake_ollama(Status(500, "x" * 50_000)) as server:
        reply = post(http.Client(server.url, max_body_bytes=10))
    assert (reply.status, len(reply.body)) == (500, http.MAX_ERROR_BYTES)


def test_a_redirect_is_an_answer_and_is_not_followed() -> None:
    with fake_ollama(Status(307, "", location="/api/tags")) as server:
        assert post(http.Client(server.url)).status == 307
    assert len(server.requests) == 1


def test_this_machine_is_never_reached_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with fake_ollama() as server:
        assert post(http.Client(server.url)).status == 200
    assert http.proxy_for("http://models.example/v1") == "http://127.0.0.1:9"
    assert http.proxy_for("http://localhost:11434") is None


def test_another_machine_is_reached_through_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with fake_ollama() as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        reply = http.Client("http://models.invalid").send("GET", "/x", timeout_seconds=60)
    assert reply.status == 404
    assert proxy.requests[0].path == "http://models.invalid/x"
    assert proxy.requests[0].headers["host"] == "models.invalid"


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:9", "http://127.0.0.1:1"])
def test_a_proxy_that_cannot_be_used_is_not_gone_around(
    proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", proxy)
    with pytest.raises(http.Unreachable):
        http.Client("http://models.invalid").send("GET", "/", timeout_seconds=5)


@pytest.mark.parametrize(
    ("url", "is_loopback"),
    [
        ("http://localhost:11434", True),
        ("http://127.0.0.1/v1", True),
        ("http://127.9.9.9", True),
        ("http://[::1]:80", True),
        ("http://localhost.example", False),
        ("http://localhost@models.example", False),
        ("http://0.0.0.0", False),
        ("http://192.168.0.2", False),
        ("http://[bad", False),
        ("", False),
    ],
)
def test_only_this_machine_is_loopback(url: str, is_loopback: bool) -> None:
    assert http.is_loopback(url) is is_loopback


@pytest.mark.parametrize(
    "url", ["localhost:11434", "ftp://localhost", "http://", "http://[bad", ""]
)
def test_an_address_that_is_none_cannot_be_reached(url: str) -> None:
    with pytest.raises(http.Unreachable):
        http.Client(url).send("GET", "/", timeout_seconds=1)


def test_no_time_left_is_a_timeout() -> None:
    with fake_ollama() as server, pytest.raises(http.TimedOut, match="timeout"):
        post(http.Client(server.url), timeout_seconds=0.0)


def test_threads_share_a_client_each_with_its_own_deadline() -> None:
    with fake_ollama(lambda prompt: prompt) as server, ThreadPoolExecutor(8) as pool:
        client = http.Client(server.url)
        replies = list(pool.map(lambda _: post(client), range(40)))
        assert {reply.status for reply in replies} == {200}
        assert server.connections <= 8
        client.close()


def test_a_client_that_nobody_holds_closes_its_connections() -> None:
    with fake_ollama() as server:
        post(http.Client(server.url))
        gc.collect()
        assert server.connections == 1
        assert server.wait_until_idle()
