"""One home with a daemon and a model, shared by the tests of a harness: those of a file run one after the other."""

from collections.abc import Iterator

import pytest

from harnesses.real.place import Place, running_place


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Give the home; each harness has files of its own in it."""
    with running_place(tmp_path_factory.mktemp("real")) as found:
        yield found


@pytest.fixture(scope="module", autouse=True)
def _no_requests_of_others(place: Place) -> None:
    """Forget what other harnesses asked the model: their sessions have the same prompts."""
    place.model.requests.clear()
