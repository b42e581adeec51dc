"""Which addresses a page may be fetched from: those of the public internet, others only when that is allowed.

A name that somebody else chose can stand for any address, and anything on this machine or in its network answers
there without asking who comes. So a name is looked up once, what it stands for is judged here, and the connection goes
to what was judged. Addresses are judged after the lookup, so every way to write one (`127.1`, `0x7f000001`,
`[::ffff:127.0.0.1]`) is the same.
"""

import queue
import socket
import threading
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from signet.errors import PermanentJobError

#: From a host name to its addresses as text; raises OSError.
Resolve = Callable[[str], Sequence[str]]

Address = IPv4Address | IPv6Address

#: Where clouds hand out keys to whoever asks from inside; not all of them are link-local.
_METADATA = frozenset(map(ip_address, ("169.254.169.254", "100.100.100.200", "fd00:ec2::254")))
#: IPv6 addresses whose last four bytes are the IPv4 address that is meant (RFC 6052, RFC 4291 §2.5.5).
_EMBEDDING = tuple(map(ip_network, ("64:ff9b::/96", "::ffff:0:0/96", "::ffff:0:0:0/96")))


class AddressNotAllowed(PermanentJobError):
    """This address is not on the public internet."""

    code = "address_not_allowed"


def resolve(host: str) -> list[str]:
    """Return the addresses of a host as the operating system finds them; raises OSError."""
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def is_allowed(text: str, *, may_be_private: bool) -> bool:
    """Return whether this numeric address may be connected to.

    Private ones are those of this machine and of networks that the internet does not reach. Link-local, multicast
    and metadata addresses are never allowed: no document is there.
    """
    try:
        address = _meant(ip_address(text))
    except ValueError:
        return False
    if address in _METADATA or address.is_link_local or address.is_multicast:
        return False
    if may_be_private and not address.is_global:
        return not address.is_unspecified
    return address.is_global and not address.is_reserved and not _is_tunnel(address)


def find(host: str, *, may_be_private: bool, lookup: Resolve, seconds: float) -> list[str]:
    """Return the addresses to connect to for a host.

    Raises AddressNotAllowed when any of them is not allowed (a name that stands for both is a trick), OSError when
    there is none or the lookup takes longer than `seconds`.
    """
    found = _within(seconds, lambda: lookup(host))
    if not found:
        raise OSError("no address")
    if not all(is_allowed(address, may_be_private=may_be_private) for address in found):
        raise AddressNotAllowed(f"address not allowed: {host} is not on the public internet")
    return list(found)


def _meant(address: Address) -> Address:
    """Return the IPv4 address inside an IPv6 one that only carries it."""
    if isinstance(address, IPv6Address) and any(address in network for network in _EMBEDDING):
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address


def _is_tunnel(address: Address) -> bool:
    """Return whether the address ends at another one that it names: 6to4, Teredo, site-local."""
    return isinstance(address, IPv6Address) and bool(
        address.sixtofour or address.teredo or address.is_site_local
    )


def _within(seconds: float, work: Callable[[], Sequence[str]]) -> Sequence[str]:
    """Return what `work` returns; the lookup of the operating system knows no deadline, so it has its own thread."""
    done: queue.SimpleQueue[Sequence[str] | OSError] = queue.SimpleQueue()

    def run() -> None:
        try:
            done.put(work())
        except (OSError, UnicodeError) as error:  # UnicodeError: a label that is too long
            done.put(error if isinstance(error, OSError) else OSError(str(error)))

    threading.Thread(target=run, name="lookup", daemon=True).start()
    try:
        found = done.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError("the name was not found in time") from None
    if isinstance(found, OSError):
        raise found
    return found
