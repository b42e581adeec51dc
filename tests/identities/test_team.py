"""Team mode: whoever calls needs a token, on this machine too."""

import pytest

from identities.asked import Asked
from identities.conftest import Stores
from identities.identities import KNOWN, STRANGERS, Identity
from identities.matrix import check_known, check_stranger

#: A role, an agent, and a user with a project and a space. A token names the same caller in both modes: the mode only
#: decides about those without one (signet_api/callers.py), so the others are in test_hybrid.py.
SOME = [one for one in KNOWN if one.name in ("readonly", "alice", "shed-kim")]


@pytest.mark.parametrize("identity", STRANGERS, ids=lambda one: one.name)
def test_a_stranger_gets_nothing(stores: Stores, asked: Asked, identity: Identity) -> None:
    check_stranger(stores, asked, identity, "team")


@pytest.mark.parametrize("identity", SOME, ids=lambda one: one.name)
def test_a_caller_sees_and_changes_nothing_of_others(
    stores: Stores, asked: Asked, identity: Identity
) -> None:
    check_known(stores, asked, identity, "team", every=False)
