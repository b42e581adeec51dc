"""Which package indexes count: what people write for pip and for uv, and PyPI only where they wrote nothing."""

from pathlib import Path

import pytest

from signet.net.indexes import PYPI, IndexSources, configured


@pytest.fixture
def environ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return an environment whose machine has no settings of pip and uv but those that a test writes."""
    monkeypatch.setattr("sys.prefix", str(tmp_path / "prefix"))
    return {
        "HOME": str(tmp_path),
        "XDG_CONFIG_DIRS": str(tmp_path / "xdg"),
        "PIP_CONFIG_FILE": str(tmp_path / "own.conf"),
        # Only /etc/pip.conf of this very machine is left; these go before it.
        "PIP_CERT": "/own.pem",
        "PIP_FIND_LINKS": "/own",
        "PIP_EXTRA_INDEX_URL": "https://more.example/simple",
    }


def written(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def test_where_nothing_is_set_up_pypi_is_asked() -> None:
    assert configured({"PIP_CONFIG_FILE": "/dev/null", "UV_NO_CONFIG": "1"}) == IndexSources(
        indexes=(PYPI,)
    )


def test_the_variables_of_pip(environ: dict[str, str]) -> None:
    own = environ | {
        "PIP_INDEX_URL": " https://own.example/simple/ ",
        "PIP_TRUSTED_HOST": "own.example:8443 other.example",
        "PIP_PROXY": "http://proxy.example:3128",
    }
    found = configured(own)
    assert found.indexes == ("https://own.example/simple/", "https://more.example/simple")
    assert found.links == ("file:///own",)
    assert found.bundles[0] == "/own.pem"
    assert found.unchecked == {"own.example", "other.example"}
    assert found.proxy == "http://proxy.example:3128"


def test_of_the_files_of_pip_the_last_one_counts(environ: dict[str, str], tmp_path: Path) -> None:
    written(
        tmp_path / ".config/pip/pip.conf", "[global]\nindex-url = https://user.example/simple\n"
    )
    assert configured(environ).indexes[0] == "https://user.example/simple"
    written(tmp_path / "own.conf", "[install]\nindex_url = https://named.example/simple\n")
    assert configured(environ).indexes[0] == "https://named.example/simple"
    written(tmp_path / "own.conf", "no section")
    assert configured(environ).indexes[0] == "https://user.example/simple"


def test_uv_s_file_with_a_password_that_its_variables_hold(
    environ: dict[str, str], tmp_path: Path
) -> None:
    written(
        tmp_path / ".config/uv/uv.toml",
        '[[index]]\nname = "second"\nurl = "https://second.example/simple"\n'
        '[[index]]\nname = "our-own"\nurl = "https://first.example/simple"\ndefault = true\n',
    )
    own = environ | {"UV_INDEX_OUR_OWN_USERNAME": "ana", "UV_INDEX_OUR_OWN_PASSWORD": "p@ss"}
    assert configured(own).indexes == (
        "https://ana:p%40ss@first.example/simple",
        "https://more.example/simple",
        "https://second.example/simple",
    )


def test_a_variable_of_uv_goes_before_a_file_of_pip(
    environ: dict[str, str], tmp_path: Path
) -> None:
    written(tmp_path / "own.conf", "[global]\nindex-url = https://pip.example/simple\n")
    own = environ | {
        "UV_DEFAULT_INDEX": "https://uv.example/simple",
        "UV_INDEX": "x=https://x.example",
    }
    assert configured(own).indexes == (
        "https://uv.example/simple",
        "https://pip.example/simple",
        "https://more.example/simple",
        "https://x.example",
    )


@pytest.mark.parametrize("name", ["PIP_NO_INDEX", "UV_NO_INDEX"])
def test_where_no_index_may_be_asked_there_is_none(environ: dict[str, str], name: str) -> None:
    found = configured(environ | {name: "1"})
    assert (found.indexes, found.links) == ((), ("file:///own",))
