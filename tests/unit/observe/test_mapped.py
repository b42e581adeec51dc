"""Values in mapped files: their room is taken at once, and where there is none they live in memory."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from prometheus_client.mmap_dict import MmapedDict

from signet.observe import mapped


@contextmanager
def no_file_longer_than(size: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def fill(values: Any, count: int) -> None:
    for number in range(count):
        values.write_value(f"name-{number:05}-{'x' * 200}", float(number), 0.0)


def made(path: Path) -> Any:  # the library ships no types
    return mapped.MappedValues(str(path))


def read(path: Path) -> int:
    library: Any = MmapedDict
    return len([*library.read_all_values_from_file(str(path))])


def test_a_file_takes_its_room_when_it_is_made_and_grows_with_it(tmp_path: Path) -> None:
    path = tmp_path / "counter_1.db"
    values = made(path)
    assert path.stat().st_blocks * 512 >= path.stat().st_size == 1 << 16
    fill(values, 600)
    assert path.stat().st_blocks * 512 >= path.stat().st_size == 1 << 18
    assert read(path) == 600
    assert [value for _, value, _ in values.read_all_values()] == [float(n) for n in range(600)]
    values.close()
    again = made(path)
    assert again.read_value(f"name-00007-{'x' * 200}") == (7.0, 0.0)
    again.close()


def test_where_there_is_no_room_to_grow_values_go_on_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "counter_1.db"
    values = made(path)
    with no_file_longer_than(1 << 16):
        fill(values, 600)
    assert len([*values.read_all_values()]) == 600
    assert 200 < read(path) < 600, "what others see ends where the room did"
    values.close()


def test_where_there_is_no_room_at_all_no_torn_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "counter_1.db"
    with no_file_longer_than(1_000):
        values = made(path)
        memory = mapped.reserved(tmp_path / "memory", 10_000)
        fill(values, 600)
    assert len([*values.read_all_values()]) == 600
    assert len(memory) == 10_000
    assert [*tmp_path.iterdir()] == []
    values.close()
