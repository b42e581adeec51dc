"""Find the user and process at the other end of a local TCP connection.

Linux answers an exact socket query over netlink (sock_diag(7), 12 µs); without netlink the same table is read from
/proc/net in a thread. macOS has `lsof`, which lists our own user's sockets. A closed socket shows user 0 and inode
0, which means unknown, not root.
"""

import asyncio
import errno
import ipaddress
import os
import socket
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import NamedTuple

#: TCP states in which the peer's end is still open: ESTABLISHED, FIN_WAIT1, FIN_WAIT2, CLOSE_WAIT.
_OPEN = frozenset({1, 4, 5, 8})
_MAPPED = bytes(10) + b"\xff\xff"
_SOCK_DIAG, _BY_FAMILY, _REQUEST, _ERROR = 4, 20, 1, 2
_LSOF_SECONDS = 5.0
#: Slow lookups are serialized, so that many connections use only one thread.
_ONE_THREAD = ThreadPoolExecutor(1, "peer-uid")


class End(NamedTuple):
    """An address in network byte order, and a port."""

    address: bytes
    port: int


class Ends(NamedTuple):
    """A connection from its peer's perspective."""

    peer: End
    ours: End

    @property
    def family(self) -> int:
        return socket.AF_INET if len(self.peer.address) == 4 else socket.AF_INET6


class Owner(NamedTuple):
    """The user ID of a socket, and its inode; 0 if only the user is known."""

    uid: int
    inode: int = 0


Lookup = asyncio.Future[Owner | None] | Owner | None


def find(accepted: socket.socket) -> Lookup:
    """Return the owner of a connection's other end, None if unknown, or a future of the result."""
    try:
        ends = Ends(_end(accepted.getpeername()), _end(accepted.getsockname()))
    except (OSError, ValueError):  # closed, or the address belongs to another machine
        return None
    if (table := _netlink()) is not None:
        try:
            return table.owner(ends)
        except OSError:
            pass
    slow = of_proc if sys.platform == "linux" else of_lsof
    return asyncio.get_running_loop().run_in_executor(_ONE_THREAD, slow, ends)


def _end(name: tuple[str, int]) -> End:
    address = ipaddress.ip_address(name[0])
    mapped = getattr(address, "ipv4_mapped", None)
    return End((mapped or address).packed, name[1])


class SocketTable:
    """The kernel's TCP socket table over netlink; raises OSError if unavailable."""

    def __init__(self) -> None:
        self._netlink = socket.socket(
            socket.AF_NETLINK, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK, _SOCK_DIAG
        )
        self._sequence = 0

    def close(self) -> None:
        self._netlink.close()

    def owner(self, ends: Ends) -> Owner | None:
        """Return the owner of the peer's end, None if no process holds it; raises OSError."""
        self._sequence = (self._sequence + 1) & 0xFFFFFFFF
        key = struct.pack("!HH16s16s", ends.peer.port, ends.ours.port, *_padded(ends))
        asked = struct.pack("=BBBxI", ends.family, socket.IPPROTO_TCP, 0, 0xFFFFFFFF)
        asked += key + struct.pack("=III", 0, 0xFFFFFFFF, 0xFFFFFFFF)
        head = struct.pack("=IHHII", 16 + len(asked), _BY_FAMILY, _REQUEST, self._sequence, 0)
        self._netlink.sendto(head + asked, (0, 0))
        while True:  # the kernel has answered before `sendto` returned
            answer = self._netlink.recv(4_096)
            _, kind, _, sequence, _ = struct.unpack_from("=IHHII", answer)
            if sequence == self._sequence:
                break
        if kind == _ERROR:
            code = -struct.unpack_from("=i", answer, 16)[0]
            if code == errno.ENOENT:
                return None
            raise OSError(code, os.strerror(code))
        state, sport, dport, source, target, uid, inode = struct.unpack_from(
            "=xB2x2s2s16s16s24xII", answer, 16
        )
        found = struct.pack("!2s2s16s16s", sport, dport, _plain(source), _plain(target))
        # Without an exact match the kernel returns a listener on the port, whose owner is irrelevant.
        return _owner(uid, inode) if state in _OPEN and found == key else None


def of_proc(ends: Ends) -> Owner | None:
    """Return the owner of the peer's end from /proc/net, None if no process holds it or it is unreadable."""
    forms = [("tcp6", _MAPPED), ("tcp", b"")] if ends.family == socket.AF_INET else [("tcp6", b"")]
    for table, prefix in reversed(forms):
        key = " ".join(_hexed(prefix + end.address, end.port) for end in ends) + " "
        try:
            text = Path("/proc/net", table).read_text("ascii")
        except OSError:
            continue
        if (start := text.find(key)) >= 0:
            state, _, _, _, uid, _, inode = text[start + len(key) :].split(maxsplit=7)[:7]
            return _owner(int(uid), int(inode)) if int(state, 16) in _OPEN else None
    return None


def of_lsof(ends: Ends) -> Owner | None:
    """Return our own user if one of its processes holds the peer's end, else None."""
    wanted = "n{}->{}".format(*(_shown(end) for end in ends))
    own = os.geteuid()
    command = ["lsof", "-nP", "-a", "-u", str(own), f"-iTCP:{ends.peer.port}", "-Fn"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, timeout=_LSOF_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return None
    return Owner(own) if wanted in listed.stdout.splitlines() else None


@cache
def _netlink() -> SocketTable | None:
    """Return the kernel's table if available; containers may forbid it, kernels may lack it."""
    if sys.platform != "linux":
        return None
    try:
        table = SocketTable()
    except OSError:
        return None
    try:
        with (
            socket.create_server(("127.0.0.1", 0)) as server,
            socket.create_connection(server.getsockname()) as client,
        ):
            ends = Ends(_end(client.getsockname()), _end(server.getsockname()))
            if table.owner(ends) is not None:
                return table
    except OSError:
        pass
    table.close()
    return None


@cache
def _nobody() -> int | None:
    """Return the ID of users unknown in our user namespace."""
    try:
        return int(Path("/proc/sys/kernel/overflowuid").read_text("ascii"))
    except (OSError, ValueError):
        return None


def _owner(uid: int, inode: int) -> Owner | None:
    return Owner(uid, inode) if inode and uid != _nobody() else None


def _padded(ends: Ends) -> list[bytes]:
    return [end.address.ljust(16, b"\0") for end in ends]


def _plain(address: bytes) -> bytes:
    """Return an address without the IPv4-mapped form of IPv6 sockets."""
    return address[12:].ljust(16, b"\0") if address.startswith(_MAPPED) else address


def _hexed(address: bytes, port: int) -> str:
    words = struct.unpack(f"={len(address) // 4}I", address)
    return "".join(f"{word:08X}" for word in words) + f":{port:04X}"


def _shown(end: End) -> str:
    address = ipaddress.ip_address(end.address)
    return f"[{address}]:{end.port}" if address.version == 6 else f"{address}:{end.port}"
