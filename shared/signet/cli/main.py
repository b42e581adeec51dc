"""Entry point of the `signet` command: from arguments to an exit status.

0 success, 1 failure, 2 wrong usage, 130 interrupted. Loads the command tree only on demand; `signet --version` and
hooks do without it.
"""

import gc
import io
import os
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, NoReturn

from signet import __version__, cli

if TYPE_CHECKING:
    from typer.exceptions import TyperException

INTERRUPTED = 130
#: Objects before the garbage collector runs: most belong to a loaded command and stay.
_OBJECTS = 50_000
_COMPLETION = ("--install-completion", "--show-completion")
#: Set by a shell that completes a command; the words are in other variables.
_COMPLETES = "_SIGNET_COMPLETE"


def run() -> NoReturn:
    """Run the command of this process, and end the process at once.

    Python's normal shutdown takes a quarter of a command's time, and no command needs it.
    """
    gc.set_threshold(_OBJECTS)
    status = main()
    if sys.stderr is not None:
        sys.stderr.flush()
    os._exit(status)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if (passphrase := os.environ.pop(cli.PASSPHRASE, None)) is not None:
        cli.withheld[cli.PASSPHRASE] = passphrase
    if given[:1] != ["hook"]:
        from signet.cli import rows

        given = rows.renamed(given)
    _set_streams(is_hook=given[:1] == ["hook"])
    try:
        if given in (["--version"], ["-V"]):
            sys.stdout.write(f"{__version__}\n")
            status = 0
        elif given in ([], ["--help"], ["-h"]) and _COMPLETES not in os.environ:
            from signet.cli import overview

            overview.show(options=bool(given))
            status = 0
        elif len(given) > 1 and given[0] == "hook" and not {"-h", "--help"} & {*given}:
            status = _hook(given[1:])
        else:
            status = _run(given)
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
    except KeyboardInterrupt:  # while the commands were loaded
        return INTERRUPTED
    except BrokenPipeError:
        # The reader closed the pipe (`signet recall x | head`); prevent Python's error when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _set_streams(*, is_hook: bool) -> None:
    """Read UTF-8, whatever the locale; a hook writes it too, and other output has `?` for what it cannot encode."""
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if not isinstance(stream, io.TextIOWrapper) or (name == "stdin" and stream.isatty()):
            continue
        if name == "stdin":
            stream.reconfigure(encoding="utf-8-sig", errors="strict")
        else:
            stream.reconfigure(encoding="utf-8" if is_hook else None, errors="replace")


def _noting_completion(given: Sequence[str]) -> AbstractContextManager[None]:
    """Return a wrapper that records shell files changed by completion, so that uninstall can restore them."""
    if _COMPLETION[0] not in given:
        return nullcontext()
    from pathlib import Path

    from signet.care import completion

    return completion.noted(Path.home())


def _hook(given: list[str]) -> int:
    from signet.cli import hook

    return hook.run(given)


def _run(given: list[str]) -> int:
    from signet.cli import output, words
    from signet.errors import SignetError

    as_json = "--json" in given
    try:
        run = None if _COMPLETES in os.environ else words.ready(given)
        return run() if run else _called(given)
    except KeyboardInterrupt:
        return _interrupted()
    except SignetError as error:
        output.failed(error.message, error.code, as_json=as_json)
        if (hint := error.facts.get("hint")) and not as_json:
            output.hint(str(hint))
        return 1
    except BrokenPipeError:
        raise
    except UnicodeDecodeError:
        output.failed("The input is not UTF-8 text", "invalid_input", as_json=as_json)
        return 1
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        output.failed(f"{where}{error.strerror or error}", "system", as_json=as_json)
        return 1
    except Exception as error:
        if (status := _ended(error, given)) is not None:
            return status
        if "-vv" in given:
            raise
        output.failed(f"unexpected {type(error).__name__}: {error}", "internal", as_json=as_json)
        if not as_json:
            output.hint(f"For the stack trace: signet -vv {' '.join(given)}")
        return 1


def _called(given: list[str]) -> int:
    """Run a command by the command-line library."""
    from signet.cli import tree

    if len(given) == 2 and given[0] in _COMPLETION:
        # A named shell: the library accepts the name only with its own detection disabled.
        os.environ["_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION"] = "1"
    with _noting_completion(given):
        status = int(tree.command()(given, prog_name="signet", standalone_mode=False) or 0)
    return _interrupted() if status == INTERRUPTED else status


def _ended(error: Exception, given: list[str]) -> int | None:
    """Return the status of a command that the library's exceptions end, None for another exception."""
    import typer
    from typer.exceptions import TyperException

    if isinstance(error, typer.Exit):
        return int(error.exit_code)
    if isinstance(error, typer.Abort):  # Ctrl-C or end of input at a prompt
        return _interrupted()
    if isinstance(error, TyperException):
        _wrong_usage(error, given)
        return int(error.exit_code)
    return None


def _interrupted() -> int:
    from signet.cli import output

    output.hint("Interrupted. Completed steps are kept.")
    return INTERRUPTED


#: Parts of the library's and of pydantic's messages in plain words.
_PLAIN = {
    "Value error, ": "",
    "is not a valid int range": "is not a whole number",
    "is not a valid float range": "is not a number",
    "Got unexpected extra argument(s)": "Unexpected argument (quote a text of several words):",
}


def _wrong_usage(error: "TyperException", given: list[str]) -> None:
    from signet.cli import output

    as_json = "--json" in given
    message, context = error.format_message(), getattr(error, "ctx", None)
    if context is not None and message == context.get_help():
        # A group without a command: its help is the message.
        if not as_json:
            output.tell(message)
            return
        message = f"{context.command_path} needs a command"
    for text, plain in _PLAIN.items():
        message = message.replace(text, plain)
    output.failed(message, "usage", as_json=as_json)
    if not as_json:
        output.hint(f"See: {context.command_path if context else f'signet {given[0]}'} --help")


if __name__ == "__main__":
    run()
