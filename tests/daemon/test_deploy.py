"""The files under deploy/ and the Procfile agree with each other and with what reads them."""

import configparser
import plistlib
import re

from signet.process.program import Program
from signet.resources import deploy_dir

PROCFILE = deploy_dir().parent / "Procfile"


def supervised() -> dict[str, str]:
    """Return the module of each program in the supervisor's configuration."""
    parser = configparser.RawConfigParser()
    parser.read(deploy_dir() / "supervisord.conf")
    programs = (name for name in parser.sections() if "program:" in name)
    return {
        name.partition(":")[2]: parser[name]["command"].removeprefix('"%(ENV_SIGNET_PYTHON)s" ')
        for name in programs
    }


def test_the_procfile_runs_the_same_programs_as_the_supervisor() -> None:
    lines = dict(line.split(": python ") for line in PROCFILE.read_text().splitlines())
    assert lines == supervised()
    assert set(lines) == set(Program)


def test_every_program_restarts_for_ever_and_stops_within_the_budget() -> None:
    parser = configparser.RawConfigParser()
    parser.read(deploy_dir() / "supervisord.conf")
    for name in (name for name in parser.sections() if "program:" in name):
        assert parser[name]["autorestart"] == "true"
        assert int(parser[name]["startretries"]) > 10_000
        assert int(parser[name]["stopwaitsecs"]) < 5


def test_the_supervisor_takes_orders_on_a_private_socket_alone() -> None:
    parser = configparser.RawConfigParser()
    parser.read(deploy_dir() / "supervisord.conf")
    assert parser["unix_http_server"]["chmod"] == "0600"
    assert not [name for name in parser.sections() if name.startswith("inet_http_server")]
    listens = "tcp://%(ENV_SIGNET_LISTEN)s:%(ENV_SIGNET_PORT)s"
    assert parser["fcgi-program:api"]["socket"] == listens


def test_both_login_services_run_the_daemon_in_the_foreground() -> None:
    unit = (deploy_dir() / "signet.service").read_text()
    assert re.search(r"^ExecStart=.*/signet daemon start --foreground$", unit, re.MULTILINE)
    agent = plistlib.loads((deploy_dir() / "ai.signet.daemon.plist").read_bytes())
    assert agent["Label"] == "ai.signet.daemon"
    assert 'signet" daemon start --foreground' in agent["ProgramArguments"][-1]


def test_prometheus_scrapes_the_default_port_on_loopback() -> None:
    assert 'targets: ["127.0.0.1:3850"]' in (deploy_dir() / "prometheus.yml").read_text()
