"""The guard on addresses: which ones are public, however they are written (DOC-9)."""

import threading
from collections.abc import Sequence

import pytest

from signet.net import addresses
from signet.net.addresses import AddressNotAllowed, find, is_allowed

PUBLIC = [
    "8.8.8.8",
    "1.1.1.1",
    "192.0.1.1",
    "192.88.98.1",
    "168.63.129.17",
    "198.20.0.1",
    "172.32.0.1",
    "223.255.255.1",
    "2606:4700::1111",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2a00:1450::1",
    "3ffe::1",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
]
PRIVATE = [
    "127.0.0.1",
    "127.8.8.8",
    "10.1.2.3",
    "172.31.0.1",
    "192.168.0.1",
    "100.64.0.1",
    "::1",
    "fd12:3456::1",
    "198.18.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
]
#: Not public and not allowed by the setting either: metadata services, link-local, tunnels, documentation, reserved.
NEVER = [
    "0.0.0.0",
    "0.1.2.3",
    "::",
    "169.254.0.1",
    "169.254.169.254",
    "169.254.170.2",
    "::ffff:169.254.169.254",
    "::ffff:0:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::a9fe:a9fe",
    "2001:67c:2b0:db32::a9fe:a9fe",
    "2a01:4f8:c0c::a83f:8110",
    "100.100.100.200",
    "168.63.129.16",
    "::ffff:168.63.129.16",
    "64:ff9b::a83f:8110",
    "192.0.0.1",
    "192.0.0.192",
    "::ffff:192.0.0.192",
    "192.0.0.9",
    "192.0.2.1",
    "192.88.99.1",
    "198.51.100.1",
    "203.0.113.1",
    "240.0.0.1",
    "255.255.255.255",
    "fd00:ec2::254",
    "fd00:ec2::254%1",
    "fd20:ce::254",
    "fe80::1",
    "fe80::1%eth0",
    "fe80::a9fe:a9fe",
    "224.0.0.1",
    "ff02::1",
    "::127.0.0.1",
    "::8.8.8.8",
    "2002:7f00:1::",
    "2002:a9fe:a9fe::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:2::1",
    "2001:10::1",
    "2001:20::1",
    "2001:db8::1",
    "3fff::1",
    "3fff:fff:ffff::1",
    "5f00::1",
    "64:ff9b:1::7f00:1",
    "100::1",
    "fec0::1",
    "4000::1",
    "localhost",
    "127.0.0.1 ",
    "",
]


@pytest.mark.parametrize("text", PUBLIC)
def test_public_addresses_are_always_allowed(text: str) -> None:
    assert is_allowed(text, may_be_private=False)
    assert is_allowed(text, may_be_private=True)


@pytest.mark.parametrize("text", PRIVATE)
def test_private_addresses_are_allowed_only_by_the_setting(text: str) -> None:
    assert not is_allowed(text, may_be_private=False)
    assert is_allowed(text, may_be_private=True)


@pytest.mark.parametrize("may_be_private", [False, True])
@pytest.mark.parametrize("text", NEVER)
def test_special_addresses_are_refused_whatever_the_setting(
    text: str, may_be_private: bool
) -> None:
    assert not is_allowed(text, may_be_private=may_be_private)


@pytest.mark.parametrize(
    "host", ["metadata.google.internal", "METADATA.google.internal.", "instance-data", "metadata"]
)
def test_names_of_metadata_services_are_refused_before_a_lookup(host: str) -> None:
    def lookup(name: str) -> Sequence[str]:
        raise AssertionError(f"{name} was looked up")

    with pytest.raises(AddressNotAllowed, match="metadata service"):
        find(host, may_be_private=True, lookup=lookup, seconds=5.0)


@pytest.mark.parametrize(
    "host", ["127.1", "0x7f.0.0.1", "2130706433", "017700000001", "localhost", "0"]
)
def test_odd_ways_to_write_this_machine_are_judged_after_the_lookup(host: str) -> None:
    with pytest.raises(AddressNotAllowed):
        find(host, may_be_private=False, lookup=addresses.resolve, seconds=5.0)


def test_one_private_address_among_public_ones_is_enough_to_refuse() -> None:
    def mixed(host: str) -> Sequence[str]:
        return ["8.8.8.8", "10.0.0.1"]

    with pytest.raises(AddressNotAllowed, match=r"mixed\.test is not on the public internet"):
        find("mixed.test", may_be_private=False, lookup=mixed, seconds=5.0)
    assert find("mixed.test", may_be_private=True, lookup=mixed, seconds=5.0) == mixed("")


def test_a_name_without_address_and_one_that_is_no_name_are_not_found() -> None:
    with pytest.raises(OSError, match="no address"):
        find("nothing.test", may_be_private=False, lookup=lambda host: [], seconds=5.0)
    with pytest.raises(OSError):
        find("a" * 64 + ".test", may_be_private=False, lookup=addresses.resolve, seconds=5.0)


def test_a_lookup_that_hangs_is_given_up() -> None:
    hang = threading.Event()

    def hanging(host: str) -> Sequence[str]:
        hang.wait()
        return []

    with pytest.raises(TimeoutError):
        find("slow.test", may_be_private=False, lookup=hanging, seconds=0.01)
    hang.set()
