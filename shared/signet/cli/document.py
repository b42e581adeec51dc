"""`signet document …`: add, list, show and delete long texts, files and web pages."""

import contextlib
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from signet.cli import identify, output
from signet.cli.command import Output, StatusAnswer, arg, command, confirmed, opt
from signet.cli.options import AgentOption, OffsetOption, ReasonOption, YesOption
from signet.client import Signet
from signet.errors import Invalid, NotFound

if TYPE_CHECKING:
    from signet.client.answers import Document

app = typer.Typer(
    help="Add, list and delete long texts, files and web pages.",
    no_args_is_help=True,
)

#: Documents searched for an ID prefix or a title.
MOST = 500
_PAGE = re.compile(r"https?://", re.IGNORECASE)

DocumentArgument = Annotated[str, arg("ID, first characters of the ID, or title.", "DOCUMENT")]


@command(app)
def add(
    signet: Signet,
    source: Annotated[str, arg("File, address of a web page, or - for stdin.", "SOURCE")],
    title: Annotated[str | None, "Title; default: the heading or file name."] = None,
    wait: Annotated[bool, opt("Wait until it is read.", "--wait/--no-wait")] = True,
    agent: AgentOption = None,
    as_json: bool = False,
) -> Output:
    """Add a text, a file or a web page as a document. Recall finds its chunks.

    Reads text, Markdown, HTML, JSON, XML, and PDF with pip install 'signetai[pdf]'. To keep a whole folder in sync:
    signet connector add FOLDER

    Examples: signet document add minutes.md · signet document add https://example.com/guide --title Guide
    """
    if _PAGE.match(source):
        added = signet.add_document(source_type="url", url=source, title=title, agent_id=agent)
    else:
        text, kind, name = _read(source)
        added = signet.add_document(
            text, content_type=kind, title=title or name or None, agent_id=agent
        )
    masked = output.masked(added.get("masked", ()))
    if not wait:
        yield added
        said = f"Added {added['id']}" if "jobId" in added else f"Already added as {added['id']}"
        output.say(said + masked)
        output.hint(f"Progress: signet document show {added['id'][:8]}")
        return
    with output.Passing(quiet=as_json) as passing:
        if passing.is_live:
            passing.show("Reading …")
        found = signet.wait_for_document(added["id"], agent_id=agent)
    yield StatusAnswer(found, status=1 if found["status"] == "failed" else 0)
    output.say(_line(found) + masked)
    if found["status"] not in ("done", "failed"):
        output.hint("Reading in the background; watch with: signet jobs watch")


@command(app, "list")
def list_documents(
    signet: Signet,
    limit: Annotated[int, opt("Maximum number of results.", "-l", min=1, max=MOST)] = 20,
    offset: OffsetOption = 0,
    status: Annotated[str | None, "Only those in this state, such as done or failed."] = None,
    agent: AgentOption = None,
) -> Output:
    """List documents, newest first.

    Examples: signet document list · signet document list --status failed
    """
    page = signet.documents(status=status, limit=limit, offset=offset, agent_id=agent)
    yield page
    yield from output.listed(map(_line, page["documents"]), "No documents")
    more = f"signet document list -l {limit}{output.flags({'status': status, 'agent': agent})}"
    output.rest(offset, len(page["documents"]), page["total"], more)


@command(app)
def show(signet: Signet, document: DocumentArgument, agent: AgentOption = None) -> Output:
    """Show a document and its chunks, as recall finds them.

    Examples: signet document show minutes.md · signet document show 3f2a91c0 --json
    """
    one = _find(signet, document, agent)
    pieces = signet.chunks(one["id"], agent_id=agent)
    yield {**one, "chunks": pieces}
    output.say(_line(one))
    for piece in pieces:
        output.say("")
        yield from (f"  {line}" for line in output.paragraphs(piece["content"], 2))


@command(app, forgets=True)
def delete(
    signet: Signet,
    document: DocumentArgument,
    reason: ReasonOption = "deleted on the command line",
    yes: YesOption = False,
    agent: AgentOption = None,
    as_json: bool = False,
) -> Output:
    """Delete a document and forget the chunks that belong only to it.

    Examples: signet document delete minutes.md · signet document delete 3f2a91c0 --yes
    """
    one = _find(signet, document, agent)
    if not yes and not confirmed(f"Delete {_name(one)}?", as_json=as_json, instead="--yes"):
        output.say("Nothing deleted")
        raise typer.Exit(1)
    gone = signet.delete_document(one["id"], reason=reason, agent_id=agent)
    yield {**gone, "id": one["id"]}
    output.say(f"Deleted {_name(one)}; forgot {output.count(gone['memoriesRemoved'], 'piece')}")


def _read(source: str) -> tuple[str, str | None, str]:
    """Return the text of a file or of standard input (`-`), its format if that has headings, and its name.

    The daemon may be remote and reads no files outside its folders, so text files are read here.
    """
    from signet.domain.documents import readers
    from signet.domain.documents.readers import files
    from signet.domain.documents.readers.files import Raw

    if source == "-":
        raw = Raw(data=sys.stdin.buffer.read())
    else:
        path = Path(source).expanduser()
        if not path.exists():
            raise NotFound(f"{path} does not exist")
        if not path.is_file():
            raise Invalid(f"{path} is not a file; for a folder: signet connector add {source}")
        raw = Raw(data=path.read_bytes(), name=path.name)
    kind = readers.kind_of(raw)
    if (form := readers.form_of(kind)) is not None:
        return files.decode(raw.data, "", declares=True), form, raw.name
    found = readers.read(raw)
    return found.text, None, found.title or raw.name


def _find(signet: Signet, named: str, agent: str | None) -> "Document":
    if len(named) == identify.UUID_CHARS:
        with contextlib.suppress(NotFound):  # it may also be a title
            return signet.document(named, agent_id=agent)
    known = signet.documents(limit=MOST, agent_id=agent)["documents"]
    return identify.one(
        (one for one in known if one["status"] != "deleted"),
        named,
        noun="document",
        see="document list",
        name=lambda one: one["title"] or "",
    )


def _line(one: "Document") -> str:
    ink = output.ink(sys.stdout)
    color = {"failed": ink.bad, "done": ink.dim, "deleted": ink.dim}.get(one["status"], ink.name)
    pieces = f"  {output.count(one['chunk_count'], 'piece')}" if one["chunk_count"] else ""
    error = f"  {output.plain(one['error'])}" if one["error"] else ""
    when = ink.dim(output.local(one["created_at"]))
    return f"{one['id'][:8]}  {ink.bold(_name(one))}  {color(one['status'])}{pieces}  {when}{error}"


def _name(one: "Document") -> str:
    return output.plain(one["title"] or one["source_url"] or "untitled")
