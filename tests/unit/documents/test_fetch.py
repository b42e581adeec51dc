"""Fetching a page: every hop checked, everything bounded, over real HTTP (DOC-9)."""

import gzip
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

import httpx
import pytest

from signet.net.addresses import AddressNotAllowed
from signet.net.fetch import FetchRequest, Unfetchable, fetch
from signet.net.http import Broken, HttpError, TimedOut, Unreachable
from signet.net.transport import Deadline, Transport
from support.pages import Page, Site, a_site, html, moved
from support.ports import free_port

WANTED = FetchRequest(max_bytes=1_000, seconds=10.0, accepts=lambda kind: True, may_be_private=True)
PUBLIC_ONLY = replace(WANTED, may_be_private=False)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with a_site() as running:
        yield running


def loopback(host: str) -> Sequence[str]:
    """Find every name on this machine."""
    return ["127.0.0.1"]


def test_a_page_comes_with_its_type_and_our_name_is_told(site: Site) -> None:
    site.pages["/a?b=c"] = html("<p>Tides")
    page = fetch(site.url("/a?b=c#part"), WANTED)
    assert (page.body, page.content_type) == (b"<p>Tides", "text/html; charset=utf-8")
    path, headers = site.asked[-1]
    assert path == "/a?b=c"
    assert headers["user-agent"] == "Signet/1.0 (document-ingest)"
    assert headers["host"] == f"127.0.0.1:{site.port}"


def test_the_connection_goes_to_the_address_that_was_checked(site: Site) -> None:
    site.pages["/a"] = html("here")
    asked: list[str] = []

    def once(host: str) -> Sequence[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["127.0.0.99"]

    page = fetch(site.url("/a", "tides.test"), WANTED, resolve=once)
    assert (page.body, asked) == (b"here", ["tides.test"])
    assert site.asked[-1][1]["host"] == f"tides.test:{site.port}"


def test_a_second_address_is_tried_when_nobody_listens_at_the_first(site: Site) -> None:
    site.pages["/a"] = html("here")
    page = fetch(site.url("/a", "two.test"), WANTED, resolve=lambda host: ["::1", "127.0.0.1"])
    assert page.body == b"here"


def test_nothing_is_sent_when_the_connected_peer_is_not_allowed(site: Site) -> None:
    """0.0.0.0 connects to 127.0.0.1: the address that was checked is not the one that answers."""
    deadline = Deadline()
    transport = Transport(
        deadline,
        tls=False,
        proxy=None,
        find=lambda host: ["0.0.0.0"],
        allow=lambda peer: peer != "127.0.0.1",
    )
    before = len(site.asked)
    with deadline.within(10.0), pytest.raises(httpx.ConnectError, match="not allowed"):
        transport.handle_request(httpx.Request("GET", site.url("/a", "tides.test")))
    assert len(site.asked) == before


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.1", "2130706433", "[::1]"])
def test_this_machine_is_refused_unless_it_is_allowed(site: Site, host: str) -> None:
    before = len(site.asked)
    with pytest.raises(AddressNotAllowed, match="not on the public internet"):
        fetch(site.url("/a", host), PUBLIC_ONLY)
    assert len(site.asked) == before


def test_a_redirect_to_a_private_address_is_refused_before_it_is_asked(site: Site) -> None:
    """The first host counts as public here, so only the second hop can be what is refused."""
    names = {"public.test": "127.0.0.1", "inside.test": "169.254.169.254"}
    site.pages["/a"] = moved(site.url("/secret", "inside.test"))
    with pytest.raises(AddressNotAllowed, match=r"inside\.test"):
        fetch(site.url("/a", "public.test"), WANTED, resolve=lambda host: [names[host]])
    assert site.asked[-1][0] == "/a"


@pytest.mark.parametrize(
    "location",
    ["file:///etc/passwd", "ftp://127.0.0.1/a", "http://user:word@127.0.0.1/", "http://[", "//"],
)
def test_a_redirect_leads_only_to_addresses_that_could_be_asked_for(
    site: Site, location: str
) -> None:
    site.pages["/a"] = moved(location)
    with pytest.raises(Unfetchable):
        fetch(site.url("/a"), WANTED)


def test_five_redirects_are_followed_and_six_are_not(site: Site) -> None:
    for number, status in enumerate((301, 302, 303, 307, 308, 302)):
        site.pages[f"/{number}"] = moved(f"{number + 1}", status)
    site.pages["/6"] = html("the end")
    assert fetch(site.url("/1"), WANTED).body == b"the end"
    with pytest.raises(Unfetchable, match="more than 5 redirects"):
        fetch(site.url("/0"), WANTED)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 304])
def test_what_will_not_be_there_later_is_unfetchable(site: Site, status: int) -> None:
    site.pages["/a"] = Page(status=status)
    with pytest.raises(Unfetchable, match=f"answered {status}"):
        fetch(site.url("/a"), WANTED)


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503])
def test_what_may_be_there_later_can_be_tried_again(site: Site, status: int) -> None:
    site.pages["/a"] = Page(status=status)
    with pytest.raises(HttpError, match=f"answered {status}"):
        fetch(site.url("/a"), WANTED)


def test_only_media_types_that_are_wanted_are_read(site: Site) -> None:
    site.pages["/a"] = Page(body=b"\x89PNG", headers={"Content-Type": "image/png"})
    with pytest.raises(Unfetchable, match="unsupported content type: image/png"):
        fetch(site.url("/a"), replace(WANTED, accepts=lambda kind: kind.startswith("text/")))


@pytest.mark.parametrize(
    "page",
    [
        Page(body=b"x" * 1_001),
        Page(body=b"x" * 64, is_endless=True),
        Page(headers={"Content-Length": "1001"}),
        Page(body=gzip.compress(b"x" * 5_000_000), headers={"Content-Encoding": "gzip"}),
    ],
)
def test_a_page_that_is_too_large_is_left(site: Site, page: Page) -> None:
    site.pages["/a"] = page
    with pytest.raises(Unfetchable, match="larger than 1000 bytes"):
        fetch(site.url("/a"), WANTED)


@pytest.mark.parametrize(
    ("packing", "body"),
    [("gzip", gzip.compress(b"Tides")), ("deflate", zlib.compress(b"Tides")), ("", b"Tides")],
)
def test_a_packed_page_is_unpacked(site: Site, packing: str, body: bytes) -> None:
    site.pages["/a"] = Page(body=body, headers={"Content-Encoding": packing} if packing else {})
    assert fetch(site.url("/a"), WANTED).body == b"Tides"


def test_what_is_not_packed_as_it_says_cannot_be_read(site: Site) -> None:
    site.pages["/a"] = Page(body=b"Tides", headers={"Content-Encoding": "gzip"})
    with pytest.raises(Broken):
        fetch(site.url("/a"), WANTED)
    site.pages["/a"] = Page(body=b"Tides", headers={"Content-Encoding": "br"})
    with pytest.raises(Unfetchable, match="content encoding: br"):
        fetch(site.url("/a"), WANTED)


def test_the_time_counts_for_the_whole_page(site: Site) -> None:
    site.pages["/slow"] = Page(body=b"x" * 100_000, is_slow=True)
    site.pages["/a"] = moved("/slow")
    with pytest.raises(TimedOut, match=r"within 0\.3 s"):
        fetch(site.url("/a"), replace(WANTED, seconds=0.3))


def test_a_page_that_ends_too_early_is_broken(site: Site) -> None:
    site.pages["/a"] = Page(body=b"half", headers={"Content-Length": "8"})
    with pytest.raises(Broken):
        fetch(site.url("/a"), WANTED)
    packed = gzip.compress(b"Tides come and go")[:-12]
    site.pages["/a"] = Page(body=packed, headers={"Content-Encoding": "gzip"})
    with pytest.raises(Broken, match="incomplete"):
        fetch(site.url("/a"), WANTED)


def test_nobody_there_is_unreachable() -> None:
    with pytest.raises(Unreachable):
        fetch(f"http://127.0.0.1:{free_port()}/a", WANTED)
    with pytest.raises(Unreachable, match="no address"):
        fetch("http://nobody.test/a", WANTED, resolve=lambda host: [])


@pytest.mark.parametrize(
    "url", ["ftp://a.test/", "http://", "http:///a", "http://me:word@a.test/", "http://a.test:x/"]
)
def test_an_address_that_makes_no_sense_is_not_tried(url: str) -> None:
    with pytest.raises(Unfetchable):
        fetch(url, WANTED, resolve=loopback)
