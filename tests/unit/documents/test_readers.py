"""From bytes to text: HTML, XML, PDF, JSON, Markdown, plain text, in whatever letters (PIP-54, DOC-9)."""

import sys

import pytest

from signet.domain.documents import readers
from signet.domain.documents.readers.files import DocumentText, Raw
from signet.errors import PermanentJobError
from support.pdf import a_pdf


def read(data: bytes | str, content_type: str = "", name: str = "") -> DocumentText:
    raw = data.encode() if isinstance(data, str) else data
    return readers.read(Raw(data=raw, content_type=content_type, name=name))


PAGE = """<!DOCTYPE html>
<html><head><title>Tides &amp;
  moons</title><style>p { color: red }</style><script>if (a < b) alert("x")</script></head>
<body>
<nav><ul><li><a href="/">Home</a></ul></nav>
<header><h1>Spring <b>tides</b></h1></header>
<p>They come   twice
a month.<br>High &ndash; and low&hellip; 5&#x2009;m&nbsp;more</p>
<div>First<div>second</div></div>
<h2>Reasons</h2>
<ul><li>Moon<li>Sun</ul>
<table><tr><th>Port</th><td>4 m</td></tr><tr><th>Bay</th><td>9 m</td></tr></table>
<pre>a
  b</pre>
<noscript>Switch it on</noscript><template><p>hidden</p></template>
<svg><title>a drawing</title><text>label</text></svg>
<footer>Imprint</footer>
</body></html>"""


@pytest.mark.parametrize(
    "page",
    [
        "<div>" * 50_000,
        "<div>" * 50_000 + "</div>" * 50_000,
        "<foo/>" * 30_000 + "<hr>" * 30_000,
        "<p>" + "".join(f"<b a={n}>" for n in range(1_000)) + "</p>" + "<p>x</p>" * 3_000,
    ],
    ids=["open", "closed", "self-closed", "formatting"],
)
def test_a_page_that_would_take_hours_or_gigabytes_is_refused(page: str) -> None:
    with pytest.raises(PermanentJobError, match="nested too deeply"):
        read(page, "text/html")


@pytest.mark.parametrize(
    "page",
    [
        "<div>" * 500 + "Low tide" + "</div>" * 500,
        "<p><a name=x><font color=red>Low tide" * 3_000,
        "<svg>" + "<path d='M 0 0'/>" * 60_000 + "</svg><p>Low tide",
        "<ul>" + "<li><a href=x><b>Low tide</b></a>" * 20_000 + "</ul>",
    ],
    ids=["nested", "careless", "drawn", "long"],
)
def test_a_page_that_is_only_long_or_careless_is_read(page: str) -> None:
    assert "Low tide" in read(page, "text/html").text


def test_a_page_becomes_its_text_with_headings_and_paragraphs_and_nothing_around_it() -> None:
    page = read(PAGE, "text/html")
    assert (page.title, page.content_type) == ("Tides & moons", "text/html")
    assert [line.rstrip() for line in page.text.splitlines()] == [
        "# Spring tides",
        "",
        "They come twice a month.",
        "High – and low… 5 m more",
        "",
        "First",
        "",
        "second",
        "",
        "## Reasons",
        "",
        "- Moon",
        "- Sun",
        "",
        "Port 4 m",
        "Bay 9 m",
        "",
        "a",
        "  b",
    ]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<nav>only this is here", "only this is here"),
        ("no markup at all", "no markup at all"),
        ("<b>bold</b><i>slant</i>", "boldslant"),
        ("<p>a < b and c > d", "a < b and c > d"),
        ("", ""),
        ("<script>var a = '<p>text</p>'", ""),
    ],
)
def test_pages_that_nobody_checked_are_read_as_browsers_do(page: str, text: str) -> None:
    assert read(page, "text/html").text == text


@pytest.mark.parametrize("unit", ["<a ", "<!--", "<div>", "</", "&", "<![CDATA[", "<b><p>"])
def test_a_hostile_page_is_read_or_not_but_never_for_long(unit: str) -> None:
    assert read(unit * 20_000, "text/html").content_type == "text/html"


def test_a_feed_is_read_with_its_character_data() -> None:
    feed = read(
        '<?xml version="1.0" encoding="ISO-8859-1"?><rss><channel><title>News</title><link/>'
        "<item><description><![CDATA[<p>Ebb at noon</p>]]></description></item></channel></rss>",
        "application/rss+xml",
    )
    assert feed.title == "News"
    assert "Ebb at noon" in feed.text and "CDATA" not in feed.text


@pytest.mark.parametrize(
    ("data", "content_type"),
    [
        ("Gezeiten – Größe".encode(), "text/plain"),
        ("Gezeiten – Größe".encode("utf-8-sig"), "text/plain; charset=latin-1"),
        ("Gezeiten – Größe".encode("utf-16"), "text/plain"),
        ("Gezeiten – Größe".encode("utf-16-be"), "text/plain; charset=UTF-16BE"),
        ("Gezeiten – Größe".encode("cp1252"), 'text/plain; charset="windows-1252"'),
        ("Gezeiten – Größe".encode("cp1252"), "text/plain; charset=ISO-8859-1"),
        (b"<meta charset='windows-1252'>" + "Gezeiten – Größe".encode("cp1252"), "text/html"),
        (
            b'<meta http-equiv="Content-Type" content="text/html; charset=cp1252">'
            + "Gezeiten – Größe".encode("cp1252"),
            "text/html",
        ),
        (b"<meta charset=utf-16>" + "Gezeiten – Größe".encode(), "text/html"),
        ("Gezeiten – Größe".encode(), "text/plain; charset=base64"),
        ("Gezeiten – Größe".encode(), "text/plain; charset=martian"),
    ],
)
def test_letters_are_read_in_the_encoding_that_is_named(data: bytes, content_type: str) -> None:
    assert read(data, content_type).text == "Gezeiten – Größe"


def test_wrong_letters_are_replaced_and_the_rest_stays() -> None:
    assert read(b"caf\xe9 au lait").text == "caf\ufffd au lait"


def test_json_is_written_with_its_letters_and_what_is_none_stays() -> None:
    assert read('{"caf\\u00e9":\n [1]}', "application/json").text == '{"café": [1]}'
    assert read('{"half": "\\ud83d"}', "application/ld+json").text == '{"half": "\ufffd"}'
    for broken in ('{"a": ', "[" * 50_000):
        assert read(broken, name="a.json").text == broken


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.md", "text/markdown"),
        ("A.HTM", "text/html"),
        ("a.json", "application/json"),
        ("a.py", "text/plain"),
        ("README", "text/plain"),
    ],
)
def test_a_file_is_what_its_name_ends_with(name: str, kind: str) -> None:
    assert read("{}", name=name).content_type == kind


def test_what_nobody_named_is_what_it_looks_like() -> None:
    assert read(" <!doctype HTML><p>Hi").text == "Hi"
    assert read(a_pdf("Tides"), "text/plain").content_type == "application/pdf"


@pytest.mark.parametrize(
    ("data", "content_type"),
    [(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", ""), (b"a\0b", "text/html"), (b"x", "image/png")],
)
def test_what_is_no_text_is_refused_for_good(data: bytes, content_type: str) -> None:
    with pytest.raises(PermanentJobError, match=r"not a text|unsupported content type"):
        read(data, content_type)


def test_a_pdf_gives_the_text_of_its_pages_and_its_title() -> None:
    found = read(a_pdf("Spring tides", "Neap tides", title="On tides"), "application/pdf")
    assert (found.text, found.title) == ("Spring tides\n\nNeap tides", "On tides")


def test_a_damaged_or_locked_pdf_is_refused_for_good() -> None:
    for data in (b"%PDF-1.7\nnothing", a_pdf("Tides")[:200], b"%PDF-"):
        with pytest.raises(PermanentJobError, match="the PDF cannot be read"):
            read(data)
    with pytest.raises(PermanentJobError, match="the PDF needs a password"):
        read(a_pdf("Tides", password="moon"))


def test_without_the_extra_a_pdf_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(PermanentJobError, match=r"pip install 'signetai\[pdf\]'"):
        read(a_pdf("Tides"))
