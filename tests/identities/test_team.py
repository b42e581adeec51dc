"""Team mode: whoever calls needs a token, on this machine too."""

import pytest

from identities.asked import Asked
from identities.conftest import Stores
from identities.identities import KNOWN, STRANGERS, Identity
from identities.matrix import check_known, check_stranger


@pytest.mark.parametrize("identity", STRANGERS, ids=lambda one: one.name)
def test_a_stranger_gets_nothing(stores: Stores, asked: Asked, identity: Identity) -> None:
    check_stranger(stores, asked, identity, "team")


@pytest.mark.parametrize("identity", [one for one in KNOWN if one.role], ids=lambda one: one.name)
def test_a_caller_sees_and_changes_nothing_of_others(
    stores: Stores, asked: Asked, identity: Identity
) -> None:
    check_known(stores, asked, identity, "team", every=False)
