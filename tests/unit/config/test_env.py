"""The environment variables: blank, bounds, the address, and who may be listened to."""

import pytest

from signet.config import (
    read_environment,
)
from signet.config.env import ListenAddress


def test_without_variables_the_daemon_is_on_loopback_at_its_usual_port() -> None:
    found, warnings = read_environment({"PATH": "/bin", "SIGNET_OTHER": "x"})
    assert found.address == ListenAddress(host="127.0.0.1", port=3850, bind="127.0.0.1")
    assert found.address.url == "http://127.0.0.1:3850"
    assert warnings == ()


@pytest.mark.parametrize("blank", ["", "  ", "\t\n"])
def test_blank_counts_as_unset(blank: str) -> None:
    names = ("SIGNET_PORT", "SIGNET_HOST", "SIGNET_BIND", "SIGNET_LOG_DIR", "OLLAMA_HOST")
    assert read_environment(dict.fromkeys(names, blank)) == read_environment({})


@pytest.mark.parametrize(("text", "port"), [("1", 1), ("65535", 65_535), (" 4000 ", 4_000)])
def test_a_port_is_read(text: str, port: int) -> None:
    found, warnings = read_environment({"SIGNET_PORT": text})
    assert (found.port, warnings) == (port, ())


@pytest.mark.parametrize("text", ["0", "65536", "-1", "http", "nan", "inf", "3850x", "9" * 5_000])
def test_a_port_that_cannot_be_counts_as_unset_with_a_warning(text: str) -> None:
    found, warnings = read_environment({"SIGNET_PORT": text})
    assert (found.port, found.address.port) == (None, 3850)
    said = "SIGNET_PORT: a whole number from 1 to 65535 is expected; using the default"
    assert warnings == (said,)


@pytest.mark.parametrize("name", ["localhost", "LOCALHOST", "::1", "127.0.0.1"])
def test_names_of_this_machine_are_one_address(name: str) -> None:
    found, _ = read_environment({"SIGNET_HOST": name})
    assert found.address.host == found.address.bind == "127.0.0.1"


def test_the_listen_address_follows_the_host_unless_it_is_given() -> None:
    found, _ = read_environment({"SIGNET_HOST": "10.0.0.5"})
    assert found.address.bind == "10.0.0.5"
    found, _ = read_environment({"SIGNET_BIND": "0.0.0.0"})
    assert (found.address.host, found.address.bind) == ("127.0.0.1", "0.0.0.0")


@pytest.mark.parametrize("host", ["http://x", "a b", "x/y", "a\nb"])
def test_a_host_that_is_none_is_loopback_with_a_warning(host: str) -> None:
    found, warnings = read_environment({"SIGNET_HOST": host})
    assert (found.host, len(warnings)) == ("127.0.0.1", 1)


def test_a_time_limit_is_clamped() -> None:
    found, warnings = read_environment(
        {"SIGNET_PROMPT_SUBMIT_TIMEOUT": "0", "SIGNET_FETCH_TIMEOUT": "2500"}
    )
    assert (found.prompt_submit_timeout_ms, found.fetch_timeout_ms) == (1, 2_500)
    assert len(warnings) == 1


@pytest.mark.parametrize(
    ("value", "url"),
    [
        ("", "http://localhost:11434"),
        ("box", "http://box:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("box:99", "http://box:99"),
        ("https://box", "https://box:443"),
        ("http://box:11434/", "http://box:11434"),
        ("ftp://box", "http://localhost:11434"),
    ],
)
def test_the_address_of_ollama_is_read_as_ollama_reads_it(value: str, url: str) -> None:
    assert read_environment({"OLLAMA_HOST": value})[0].ollama_url == url


def test_keys_and_tokens_are_not_printed() -> None:
    found, _ = read_environment({"OPENAI_API_KEY": "sk-1", "SIGNET_TOKEN": "tok-1"})
    assert (found.openai_api_key, found.token) == ("sk-1", "tok-1")
    assert "sk-1" not in repr(found) and "tok-1" not in repr(found)
