"""The order of versions, and which may reach an installer."""

from itertools import pairwise

import pytest

from signet.domain.updates.check import exact, is_major, newer, newest_of
from signet.errors import Invalid

#: Each comes before the next (PEP 440), however it is written.
ORDER = [
    "0.9.9",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.1",
    "1.2.0",
    "1.10.0rc1",
    "1.10.0rc2",
    "1.10.0",
    "2.0.0",
]


def test_versions_come_in_their_order() -> None:
    assert all(
        newer(later, earlier) and not newer(earlier, later) for earlier, later in pairwise(ORDER)
    )
    assert not newer("1.0.0rc1", "1.0.0-rc.1") and not newer("1.0.0-rc.1", "1.0.0rc1")
    assert not newer("1.0.0+build", "1.0.0")
    assert not newer("nonsense", "1.0.0") and not newer(None, "1.0.0")


def test_the_newest_leaves_prereleases_out_unless_they_are_wanted() -> None:
    there = ["0.1.0", "0.3.0rc1", "0.2.0", "latest", "0.10.0.dev3"]
    assert newest_of(there, prereleases=False) == "0.2.0"
    assert newest_of(there, prereleases=True) == "0.10.0.dev3"
    assert newest_of(["latest"], prereleases=True) is None


def test_a_major_version_is_known_by_its_first_number() -> None:
    assert is_major("2.0.0", "1.9.9") and not is_major("1.10.0", "1.9.9")


@pytest.mark.parametrize(
    "text", ["1.2", "v1.2.3", "1.2.3;x", "1.2.3 --index-url=x", "-r", "1.2.3-", "١.2.3", "1.2.3\n"]
)
def test_only_a_version_reaches_an_installer(text: str) -> None:
    with pytest.raises(Invalid):
        exact(text)
    assert exact("1.2.3-rc.1") == "1.2.3-rc.1"
