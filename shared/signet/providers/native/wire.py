"""Encode an ONNX model as protobuf by hand: the few messages and fields it needs.

Field numbers are those of onnx.proto3 (ONNX 1.x, IR version 8 and later, never renumbered). A message is bytes;
`number`, `text` and `block` append fields.
"""

import struct
from collections.abc import Sequence
from enum import IntEnum
from typing import TypeAlias

Attribute: TypeAlias = int | float | Sequence[int]

#: The format version for OPSET.
IR_VERSION = 9
#: The first operator set with Gelu; supported by every onnxruntime since 1.17.
OPSET = 20


class Type(IntEnum):
    """Element types of tensors."""

    FLOAT = 1
    INT8 = 3
    INT64 = 7


def _varint(value: int) -> bytes:
    out = bytearray()
    value &= 0xFFFF_FFFF_FFFF_FFFF
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _block(field: int, content: bytes | str) -> bytes:
    raw = content.encode() if isinstance(content, str) else content
    return _varint(field << 3 | 2) + _varint(len(raw)) + raw


def _attribute(name: str, value: Attribute) -> bytes:
    head = _block(1, name)
    match value:
        case float():
            return head + b"\x15" + struct.pack("<f", value) + _number(20, 1)
        case int():
            return head + _number(3, value) + _number(20, 2)
        case _:
            return head + b"".join(_number(8, item) for item in value) + _number(20, 7)


def node(
    operator: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    attributes: dict[str, Attribute],
) -> bytes:
    """Return one step of a graph."""
    return b"".join(
        [_block(1, name) for name in inputs]
        + [_block(2, name) for name in outputs]
        + [_block(4, operator)]
        + [_block(5, _attribute(name, value)) for name, value in attributes.items()]
    )


def tensor(name: str, kind: Type, shape: Sequence[int], raw: bytes) -> bytes:
    """Return a constant stored in the model file, little-endian."""
    return _constant(name, kind, shape) + _block(9, raw)


def outside_tensor(
    name: str, kind: Type, shape: Sequence[int], *, file: str, offset: int, length: int
) -> bytes:
    """Return a constant stored in another file of the same folder."""
    entries = {"location": file, "offset": str(offset), "length": str(length)}
    places = (_block(13, _block(1, key) + _block(2, value)) for key, value in entries.items())
    return _constant(name, kind, shape) + b"".join(places) + _number(14, 1)


def _constant(name: str, kind: Type, shape: Sequence[int]) -> bytes:
    return b"".join(_number(1, size) for size in shape) + _number(2, kind) + _block(8, name)


def port(name: str, kind: Type, shape: Sequence[str | int]) -> bytes:
    """Return the declaration of an input or output; a size given as text is free."""
    sizes = (_block(2, size) if isinstance(size, str) else _number(1, size) for size in shape)
    dimensions = b"".join(_block(1, size) for size in sizes)
    return _block(1, name) + _block(2, _block(1, _number(1, kind) + _block(2, dimensions)))


def model(
    *,
    nodes: Sequence[bytes],
    constants: Sequence[bytes],
    inputs: Sequence[bytes],
    outputs: Sequence[bytes],
) -> bytes:
    """Return a complete model file."""
    fields = [(1, nodes), (5, constants), (11, inputs), (12, outputs)]
    graph = [_block(2, "encoder")] + [
        _block(field, item) for field, items in fields for item in items
    ]
    operators = _block(1, "") + _number(2, OPSET)
    return (
        _number(1, IR_VERSION)
        + _block(2, "signet")
        + _block(7, b"".join(graph))
        + _block(8, operators)
    )
