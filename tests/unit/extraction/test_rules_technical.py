"""Talk about code: remarks leave nothing, and what a team will need again leaves one whole sentence."""

import pytest

from signet.domain.extraction import rules


def kept(text: str, who: str = "User") -> list[str]:
    return [fact.content for fact in rules.extract(f"{who}: {text}").facts if fact.confidence > 0.7]


@pytest.mark.parametrize(
    "remark",
    [
        "I just ran `ruff` on `queue/lease.py`.",
        "I saw that `test_lease_py312.py` got a bunch of updates.",
        "I also saw `f41aa07` for `lease_many` getting tests.",
        "I have seen some libraries use bytearrays when exact lengths are critical.",
        "I'm using `lease.many` quite a bit on some deeply nested jobs.",
        "I measured with the new probe.",
        "I ran into a case where a power cut caused some lost rows.",
        "The `lease` support was tricky.",
        "The ERP import mangled our part numbers again.",
        "Our exports have inconsistent plurals.",
        "Our discount stacking is wrong.",
        "The argument handling for `lease` needs to remain robust.",
        "`lease_many` just needs to be reliable for its own output.",
        "The `lease` function now accepts a `limit` parameter.",
        "The `Queue` implementation uses a heap for priorities.",
        "`queue.lease` should definitely be `broker.lease`.",
        "My use case is basically `open()` -> `seek(0)` -> `read()`.",
        "The crash was caused by a stale value.",
        "The e2e test fails because the browser is created after the page.",
        "We rolled our own lighter memoization for once-only semantics.",
        "Page load of the dashboard is 4.8 s.",
        "Never drop silently.",
        "The linter complains about unused imports in importer.py.",
        "Our customers keep complaining about the slow search.",
    ],
)
def test_a_remark_leaves_nothing(remark: str) -> None:
    assert kept(remark) == []


@pytest.mark.parametrize(
    "said",
    [
        "The `__future__` import helps bridge the gap in Python 2.",
        "The hashability check is a fundamental invariant for managing tasks in the `Queue`.",
        "The sync queue currently keeps 500 entries in memory.",
        "Postgres supports thousands of schemas.",
        "The product import has 12,000 rows.",
        "Both `__copy__` and `__deepcopy__` are implemented to simply return `self`.",
        "The underlying `except` clauses target `Exception` by default.",
    ],
)
def test_what_an_assistant_reads_in_the_code_leaves_nothing(said: str) -> None:
    assert kept(said, "Assistant") == []


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("Run `make plates` whenever the menu changes, otherwise CI compares old menus.",
         "Run `make plates` whenever the menu changes, otherwise CI compares old menus."),
        ("The contact at Eastwind is Maren Tveit, her files come every Monday.",
         "The contact at Eastwind is Maren Tveit, her files come every Monday."),
        ("Salman Reza is our owner for checkout, he signs off on each change.",
         "Salman Reza is the team's owner for checkout, he signs off on each change."),
        ("Phone numbers must not be used as a key, the council refused them in 2022.",
         "Phone numbers must not be used as a key, the council refused them in 2022."),
        ("Jobs above 50 GB need approval from Salman Reza.",
         "Jobs above 50 GB need approval from Salman Reza."),
        ("We freeze deployments from December 20 until January 4, so all has to be out before that.",
         "The team freezes deployments from December 20 until January 4, so all has to be out before that."),
        ("We agreed with the kitchen that changes happen on Mondays only.",
         "The team agreed with the kitchen that changes happen on Mondays only."),
        ("RAM budget for pictures is 6 MB.", "RAM budget for pictures is 6 MB."),
        ("Ovens are limited to 3 per site.", "Ovens are limited to 3 per site."),
        ("The ERP import runs at 3:15 every night.", "The ERP import runs at 3:15 every night."),
        ("We use Zig 0.13 and don't upgrade before the release.",
         "The team uses Zig 0.13 and doesn't upgrade before the release."),
        ("The app must work offline for a whole shift, that is 9 hours.",
         "The app must work offline for a whole shift, that is 9 hours."),
        ("XSLT was dropped because it can't stream.", "XSLT was dropped because it can't stream."),
        ("iOS is built on Bitrise.", "iOS is built on Bitrise."),
    ],
)  # fmt: skip
def test_what_a_team_will_need_again_is_kept(said: str, fact: str) -> None:
    assert fact in kept(said)
