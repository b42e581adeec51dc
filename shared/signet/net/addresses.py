"""Decide which addresses a page may be fetched from: public ones, and private ones if the settings allow it.

Anyone can publish a host name that resolves to this machine or its network, where services answer without asking who
calls. So a name is resolved once, its addresses are checked here, and the connection goes to a checked address.
Checking after the lookup makes every spelling (`127.1`, `0x7f000001`, `[::ffff:127.0.0.1]`) the same.

The tables follow the IANA special-purpose registries of 2025. `ipaddress.is_global` of Python 3.11 is older than their
corrections and lets 192.0.0.0/24, 192.88.99.0/24 and 3fff::/20 pass.
"""

import queue
import socket
import threading
from collections.abc import Callable, Sequence
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

from signet.errors import PermanentJobError

#: From a host name to its addresses as text; raises OSError.
Resolve = Callable[[str], Sequence[str]]

Address = IPv4Address | IPv6Address


Network = IPv4Network | IPv6Network


def _networks(text: str) -> tuple[Network, ...]:
    return tuple(map(ip_network, text.split()))


#: This machine and networks behind a router, which a setting can allow. VPN clients use 198.18.0.0/15.
_PRIVATE = _networks(
    "10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 172.16.0.0/12 192.168.0.0/16 198.18.0.0/15 ::1/128 fc00::/7"
)
#: Other IPv4 addresses that are not public: this network, link-local, IETF protocols, documentation, the former 6to4
#: relays, multicast, reserved.
_SPECIAL = _networks(
    "0.0.0.0/8 169.254.0.0/16 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3"
)
#: The only public IPv6 addresses, and the parts of them that are not: IETF protocols with Teredo, documentation, 6to4.
_GLOBAL_UNICAST = ip_network("2000::/3")
_SPECIAL_6 = _networks("2001::/23 2001:db8::/32 2002::/16 3fff::/20")
#: IPv6 addresses that carry an IPv4 address in their last four bytes (RFC 6052, RFC 4291 §2.5.5, RFC 2765).
_EMBEDDING = _networks("64:ff9b::/96 ::ffff:0:0/96 ::ffff:0:0:0/96")

#: Metadata services, which give credentials to every caller inside a cloud: of most clouds, Azure, Alibaba and Oracle;
#: then AWS, Google and Scaleway.
_METADATA_4 = frozenset(
    map(IPv4Address, ("169.254.169.254", "168.63.129.16", "100.100.100.200", "192.0.0.192"))
)
_METADATA_6 = frozenset(map(IPv6Address, ("fd00:ec2::254", "fd20:ce::254", "fd00:42::42")))
#: Host names of the same services, whatever address they resolve to.
_METADATA_NAMES = frozenset(
    "metadata metadata.google.internal metadata.goog instance-data instance-data.ec2.internal"
    " metadata.azure.internal metadata.tencentyun.com metadata.platformequinix.com metadata.packet.net"
    " rancher-metadata".split()
)


class AddressNotAllowed(PermanentJobError, code="address_not_allowed"):
    """This address is not on the public internet."""


class PrivateAddress(AddressNotAllowed):
    """This address is on this machine or its network, which a setting can allow."""


def resolve(host: str) -> list[str]:
    """Return the addresses that the operating system finds for a host; raises OSError."""
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def is_allowed(text: str, *, may_be_private: bool) -> bool:
    """Return whether a connection to this numeric address is allowed; never to metadata, link-local and multicast."""
    address = _parsed(text)
    if address is None or _is_metadata(address):
        return False
    return _is_public(address) or (may_be_private and _is_in(address, _PRIVATE))


def find(host: str, *, may_be_private: bool, lookup: Resolve, seconds: float) -> list[str]:
    """Return the addresses to connect to for a host.

    Raises AddressNotAllowed unless all of them are allowed (a name with both kinds is an attack), and OSError for a
    name without addresses or a lookup longer than `seconds`.
    """
    if host.rstrip(".").lower() in _METADATA_NAMES:
        raise AddressNotAllowed(f"address not allowed: {host} is a cloud metadata service")
    found = list(_within(seconds, lambda: lookup(host)))
    if not found:
        raise OSError("no address")
    refused = [one for one in found if not is_allowed(one, may_be_private=may_be_private)]
    if refused:
        can_be_allowed = all(is_allowed(one, may_be_private=True) for one in refused)
        error = PrivateAddress if can_be_allowed else AddressNotAllowed
        raise error(f"address not allowed: {host} is not on the public internet")
    return found


def _parsed(text: str) -> Address | None:
    """Return an address without its zone, or the IPv4 address inside an IPv6 one that only carries it."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and _is_in(address, _EMBEDDING):
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address


def _is_metadata(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return address in _METADATA_4
    return address in _METADATA_6 or IPv4Address(int(address) & 0xFFFF_FFFF) in _METADATA_4


def _is_public(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return not _is_in(address, _PRIVATE + _SPECIAL)
    return address in _GLOBAL_UNICAST and not _is_in(address, _SPECIAL_6)


def _is_in(address: Address, networks: tuple[Network, ...]) -> bool:
    return any(address in network for network in networks)


def _within(seconds: float, work: Callable[[], Sequence[str]]) -> Sequence[str]:
    """Return what `work` returns, run in its own thread: the system's lookup takes no deadline."""
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
        raise TimeoutError("the name was not resolved in time") from None
    if isinstance(found, OSError):
        raise found
    return found
