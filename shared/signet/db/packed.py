"""Vectors packed to one bit for each dimension, in memory: a million of 384 dimensions in 64 MB.

The sign of each number is kept. How many signs differ orders vectors by angle well enough to choose some hundreds
whose stored numbers are then compared (design/retrieval.md §4); between the two the question's own numbers, summed
with the signs of a few thousand, choose three times better than counting alone. Measured on 36,000 MiniLM vectors,
share of the true 50 nearest among 300 chosen: 97.6 % by counting, 99.3 % with the second look.

Rows are only ever added, or marked as gone. Any thread may search while one adds.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

#: Rows in one block: its intermediate results fit into a core's cache, and memory stays flat however many there are.
BLOCK = 32_768

#: Rows that get the second look, for each row wanted.
LOOKS = 6

#: The owner of a row that is gone.
GONE = -1


#: The eight bits of each byte, the first sign highest, as `numpy.packbits` sets them.
_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float32)


class _Block:
    """Some rows: their signs as planes of 64, and whose they are."""

    __slots__ = ("keys", "owners", "planes")

    def __init__(self, planes: int) -> None:
        self.planes = np.zeros((planes, BLOCK), dtype=np.uint64)
        self.keys = np.zeros(BLOCK, dtype=np.int64)
        self.owners = np.full(BLOCK, GONE, dtype=np.int64)


class Packed:
    """Signs of vectors of one width, each with a key (ascending, unique) and an owner (0 or more)."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.count = 0
        self.gone = 0
        self._planes = -(-width // 64)
        self._blocks: list[_Block] = []

    def add(self, keys: Numbers, owners: Numbers, vectors: Floats) -> None:
        """Add rows behind the others; `vectors` is (rows, width). One thread at a time."""
        signs = self._pack(vectors)
        done = 0
        while done < len(keys):
            place = self.count % BLOCK
            if place == 0:
                self._blocks.append(_Block(self._planes))
            block, room = self._blocks[-1], min(BLOCK - place, len(keys) - done)
            block.planes[:, place : place + room] = signs[done : done + room].T
            block.keys[place : place + room] = keys[done : done + room]
            block.owners[place : place + room] = owners[done : done + room]
            done += room
            self.count += room  # last: whoever searches now sees whole rows

    def forget(self, keys: Numbers) -> None:
        """Mark rows as gone; unknown keys are ignored."""
        for block, rows in self._filled():
            places = np.searchsorted(block.keys[:rows], keys)
            places = places[places < rows]
            gone = places[np.isin(block.keys[places], keys) & (block.owners[places] != GONE)]
            block.owners[gone] = GONE
            self.gone += len(np.unique(gone))

    def nearest(
        self, vector: Floats, wanted: int, allowed: Flags | None = None
    ) -> tuple[Numbers, Numbers]:
        """Return keys and owners of the `wanted` nearest rows, best first.

        With `allowed`, only rows whose owner it holds True for; owners beyond its end are not allowed.
        """
        keys, owners, planes = self._by_count(vector, LOOKS * wanted, allowed)
        if len(keys) > wanted:
            best = np.argsort(-self._sums(vector, planes), kind="stable")[:wanted]
            keys, owners = keys[best], owners[best]
        return keys, owners

    def _sums(self, vector: Floats, planes: npt.NDArray[np.uint64]) -> Floats:
        """Return for each row the sum of the numbers of `vector` where its sign is set, 8 at a time by a table."""
        whole = np.zeros(64 * self._planes, dtype=np.float32)
        whole[: self.width] = vector
        # einsum, because a product of matrices would start the threads of a BLAS library.
        table = np.einsum("bi,vi->bv", whole.reshape(-1, 8), _BITS)
        places = 256 * np.arange(len(table)) + planes.T.copy().view(np.uint8)
        sums: Floats = table.ravel()[places].sum(axis=1)
        return sums

    def _by_count(
        self, vector: Floats, wanted: int, allowed: Flags | None
    ) -> tuple[Numbers, Numbers, npt.NDArray[np.uint64]]:
        """Return keys, owners and planes of the rows with the fewest different signs."""
        asked = self._pack(vector[None, :])[0][:, None]
        differ = np.empty((self._planes, BLOCK), dtype=np.uint64)
        counts = np.empty((self._planes, BLOCK), dtype=np.uint8)
        most = 64 * self._planes
        found: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.uint16], _Block]] = []
        total = 0
        for block, rows in self._filled():
            np.bitwise_xor(block.planes[:, :rows], asked, out=differ[:, :rows])
            np.bitwise_count(differ[:, :rows], out=counts[:, :rows])
            distance = np.add.reduce(counts[:, :rows], axis=0, dtype=np.uint16)
            near = np.flatnonzero(distance <= most)
            near = near[_may(block.owners[near], allowed)]
            found.append((near, distance[near], block))
            total += len(near)
            if total > 2 * wanted:
                most, found = _cut(found, wanted)
                total = sum(len(rows) for rows, _, _ in found)
        if total > wanted:
            _, found = _cut(found, wanted)
        if not found:
            empty = np.empty(0, dtype=np.int64)
            return empty, empty, np.empty((self._planes, 0), dtype=np.uint64)
        order = np.argsort(np.concatenate([part[1] for part in found]), kind="stable")
        order = order[:wanted]
        return (
            np.concatenate([block.keys[rows] for rows, _, block in found])[order],
            np.concatenate([block.owners[rows] for rows, _, block in found])[order],
            np.concatenate([block.planes[:, rows] for rows, _, block in found], axis=1)[:, order],
        )

    def _filled(self) -> Iterator[tuple[_Block, int]]:
        count = self.count
        for number, block in enumerate(self._blocks[: -(-count // BLOCK)]):
            yield block, min(BLOCK, count - number * BLOCK)

    def _pack(self, vectors: Floats) -> npt.NDArray[np.uint64]:
        """Return the signs of (rows, width) as (rows, planes)."""
        signs = np.packbits(vectors > 0, axis=1)
        packed = np.zeros((len(vectors), 8 * self._planes), dtype=np.uint8)
        packed[:, : signs.shape[1]] = signs
        return packed.view(np.uint64)


def _may(owners: Numbers, allowed: Flags | None) -> Flags:
    """Return which rows are there and allowed."""
    if allowed is None:
        present: Flags = owners != GONE
        return present
    # The last flag stands for every owner beyond the end, and for those that are gone (index -1).
    with_rest: Flags = np.append(allowed, False)
    return with_rest[np.minimum(owners, len(allowed))]


def _cut(
    found: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.uint16], _Block]], wanted: int
) -> tuple[int, list[tuple[npt.NDArray[np.int64], npt.NDArray[np.uint16], _Block]]]:
    """Return the distance of the `wanted`-nearest row, and the rows that are no further."""
    every = np.concatenate([distances for _, distances, _ in found])
    most = int(np.partition(every, wanted - 1)[wanted - 1])
    return most, [
        (rows[distances <= most], distances[distances <= most], block)
        for rows, distances, block in found
    ]
