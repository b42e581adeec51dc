"""The one writer thread of a process: all waiting writes become one transaction.

Callers pass functions; each runs as `function(tx)` in the transaction of a group, and gets its result after the group's
commit. A function that raises before it has written does not affect the others. If one raises after writing, or SQLite
ends the whole transaction (disk full, I/O error), the group is rolled back and the others run again. So a function may
run twice, but its rows are written once. (There is no savepoint for each function: it would make FTS5 write its pending
index after every memory, measured at a fifth of the work.)

A `CommitHook` may add statements to every transaction and request an extra one. The queue uses it to claim the next
jobs in the commit that completes the last ones.

Durability is chosen per transaction: a group is synced to disk (synchronous=FULL) if one of its members asks for it;
otherwise a power cut may undo it, though never a process kill (https://sqlite.org/pragma.html#pragma_synchronous).
"""

import asyncio
import contextlib
import itertools
import os
import random
import threading
import time
from collections import deque
from collections.abc import Callable
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from signet.db.driver import BUSY, FULL, Connection, primary_code, says_damage, sqlite
from signet.db.gate import WriteGate
from signet.db.operation import Done, WriteOperation
from signet.db.transaction import PartFailed, ReadTx, WriteTx
from signet.errors import (
    SignetError,
    StorageBusy,
    StorageDamaged,
    StorageFull,
    StorageMoved,
    of_system,
)
from signet.observe import logs, metrics

if TYPE_CHECKING:
    from signet.db.postgres.database import NoGate

log = logs.get("system")

T = TypeVar("T")

#: A group takes at most this many functions and starts none after this many seconds, so that other processes get their
#: turn. People wait for the API, which may take longer turns (measured: a limit of 5 ms closes a group after a third of
#: 32 waiting saves, and each group costs one sync).
GROUP_SIZE = 256
GROUP_SECONDS = 0.005
INTERACTIVE_SECONDS = 0.02
#: How long a caller waits for its turn before it gets StorageBusy.
WAIT_SECONDS = 5.0


class _RunAgain(Exception):
    """Roll back the transaction and run its functions again, because another process changed the same rows."""


class _Undo(Exception):
    """Roll back the transaction, because a function failed after it had written."""


class CommitHook(Protocol):
    """A hook that adds statements to the writer's transactions."""

    def wants_commit(self, tx: ReadTx) -> bool:
        """Return whether to open a transaction for this hook alone."""

    def before_commit(self, tx: WriteTx) -> None:
        """Add statements to a transaction that is about to commit."""

    def after_commit(self, committed: bool) -> None:
        """Called with whether the transaction of the last `before_commit` was committed."""


class Writer:
    """Owns the write connection of this process and the thread that uses it."""

    def __init__(
        self,
        connection: Connection,
        gate: "WriteGate | NoGate",
        *,
        wait_seconds: float = WAIT_SECONDS,
        group_seconds: float = GROUP_SECONDS,
        inline: bool = True,
        check: Callable[[], None] = lambda: None,
        translate: Callable[[BaseException], BaseException] | None = None,
        begin_apart: Callable[[], None] | None = None,
    ) -> None:
        """Start the thread. With `inline` a caller may do the work itself while the thread is idle, which saves the
        hand-over; not in the worker, whose jobs run at a lower priority than its writing thread.

        `check` raises before a transaction if writing is not allowed; `translate` replaces the function below;
        `begin_apart` begins a transaction for the hook alone, which then adds nothing to those of groups.
        """
        self._connection = connection
        self._check = check
        self._translate_error = translate or globals()["translate"]
        self._begin_apart = begin_apart
        #: Why the newest transaction failed, None after a committed one.
        self.fault: SignetError | None = None
        self._gate = gate
        self._wait_seconds = wait_seconds
        self._group_seconds = group_seconds
        self._inline = inline
        #: Held by the thread that uses the connection.
        self._turn = threading.Lock()
        self._waiting: deque[WriteOperation] = deque()
        self._condition = threading.Condition()
        self._stopping = False
        self._awake = False
        self._synchronous: str | None = None
        self._hook: CommitHook | None = None
        self._listener: Callable[[set[str]], None] | None = None
        connection.execute("PRAGMA busy_timeout = 0")
        self._thread = threading.Thread(target=self._run, name="db-writer", daemon=True)
        self._thread.start()

    # -- callers ------------------------------------------------------------------------------

    def call(self, function: Callable[[WriteTx], Any], *, durable: bool) -> Any:
        """Run a function in a transaction and return its result after the commit; blocks the caller.

        Raises the function's errors, StorageBusy if no turn came in time, StorageFull if the disk refused.
        """
        operation = WriteOperation(_in_context(function), durable)
        self._submit(operation, inline=self._inline)
        if not operation.wait(self._wait_seconds):
            if operation.abandon():
                raise StorageBusy()
            operation.wait(None)
        return operation.outcome()

    async def acall(self, function: Callable[[WriteTx], Any], *, durable: bool) -> Any:
        """Call without blocking the event loop."""
        loop = asyncio.get_running_loop()
        operation = WriteOperation(_in_context(function), durable, loop=loop)
        assert operation.future is not None
        self._submit(operation)
        patience = loop.call_later(self._wait_seconds, operation.expire)
        try:
            return await operation.future
        finally:
            patience.cancel()

    def later(self, function: Callable[[WriteTx], Any], done: Done) -> None:
        """Run a function in an unsynced transaction soon; `done` is called by the thread that does the work."""
        self._submit(WriteOperation(function, False, done=done))

    def _submit(self, operation: WriteOperation, *, inline: bool = False) -> None:
        with self._condition:
            if self._stopping:
                raise StorageBusy("The database is closed")
            self._waiting.append(operation)
            if not (inline and self._turn.acquire(blocking=False)):
                self._condition.notify()
                return
        try:
            # Only if the gate is free too: a caller's waiting time is limited, the thread's is not.
            if self._gate.try_enter():
                try:
                    self._one_pass()
                finally:
                    self._gate.leave()
        finally:
            self._turn.release()
        with self._condition:
            if self._waiting or self._awake:
                self._condition.notify()

    def add_hook(self, hook: CommitHook) -> None:
        """Add a hook to all later transactions."""
        with self._condition:
            self._hook = hook
            self._awake = True
            self._condition.notify()

    def listen(self, listener: Callable[[set[str]], None]) -> None:
        """Call `listener` with the signals of each committed transaction, from the thread that committed it."""
        self._listener = listener

    def wake(self) -> None:
        """Make the writer check whether its hook wants a transaction."""
        with self._condition:
            self._awake = True
            self._condition.notify()

    def alone(self, function: Callable[[Connection], T]) -> T:
        """Run a function with the connection, outside of a transaction, while none of our processes writes."""
        with self._turn, self._gate:
            return function(self._connection)

    def stop(self) -> None:
        """Finish the waiting writes and end the thread; safe to call twice."""
        with self._condition:
            self._stopping = True
            self._condition.notify()
        self._thread.join()
        with self._turn:  # work that a caller was doing itself, or has put back
            while self._waiting:
                self._one_pass()

    # -- the thread ---------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            with self._condition:
                while not (self._waiting or self._awake or self._stopping):
                    self._condition.wait()
                self._awake = False
                if self._stopping and not self._waiting:
                    return
            with self._turn:
                self._one_pass()

    def _one_pass(self) -> None:
        hook = self._hook
        try:
            if self._begin_apart is not None:
                if self._waiting:
                    self._one_group(None)
                if hook and hook.wants_commit(ReadTx(self._connection)):
                    self._commit_apart(hook, self._begin_apart)
            elif self._waiting or (hook and hook.wants_commit(ReadTx(self._connection))):
                self._one_group(hook)
        except Exception as error:  # the writer must outlive a bug in a hook or listener
            if getattr(error, "is_lost", False):
                log.warning("writer.hook_waits", error=str(error))
            else:
                log.exception("writer.failed")

    def _one_group(self, hook: CommitHook | None) -> None:
        group: list[WriteOperation] = []
        signals: set[str] = set()
        try:
            with self._gate, metrics.GATE_HELD.time():
                self._transact(group, signals, hook)
        except _Undo:
            self._roll_back()
            signals.clear()
            group = self._put_back(group)
        except Exception as error:
            may_run_again = self._may_run_again()
            self._roll_back()
            signals.clear()
            if may_run_again:
                group = self._put_back_young(group)
            else:
                self._recover(group, self._translate(error), signals)
        except BaseException:  # Ctrl-C, in a caller that does the work itself
            self._roll_back()
            self._answer(self._put_back(group))
            raise
        self._answer(group)
        if signals and self._listener is not None:
            self._listener(signals)

    def _commit_apart(self, hook: CommitHook, begin: Callable[[], None]) -> None:
        """Run the hook's statements in a separate transaction."""
        tx = WriteTx(self._connection)
        committed = False
        try:
            self._sync_for(False)
            begin()
            hook.before_commit(tx)
            self._connection.execute("COMMIT")
            committed = True
        except Exception as error:
            if self._may_run_again():
                log.warning("writer.hook_waits", error=str(error))
            else:
                log.exception("writer.hook_failed")
            self._roll_back()
        finally:
            self._tell_hook(hook, committed)
        if tx.signals and self._listener is not None:
            self._listener(tx.signals)

    def _put_back(self, group: list[WriteOperation]) -> list[WriteOperation]:
        """Put members of an undone group without an error back, first in line; return the others."""
        again = [operation for operation in group if operation.error is None]
        with self._condition:
            self._waiting.extendleft(reversed(again))
            self._awake = True
        return [operation for operation in group if operation.error is not None]

    def _may_run_again(self) -> bool:
        """Return whether the open transaction met a conflict with another one (on a server)."""
        return getattr(self._connection, "has_conflict", False)

    def _put_back_young(self, group: list[WriteOperation]) -> list[WriteOperation]:
        """Put back the young operations; the others are busy."""
        for operation in group:
            is_late = time.monotonic() - operation.since > self._wait_seconds
            operation.error = StorageBusy() if is_late else None
        time.sleep(random.uniform(0.0005, 0.003))
        return self._put_back(group)

    def _transact(
        self, group: list[WriteOperation], signals: set[str], hook: CommitHook | None
    ) -> None:
        """Open a transaction, run the waiting functions (moving them to `group`), commit."""
        with self._condition:
            durable = any(op.durable for op in itertools.islice(self._waiting, GROUP_SIZE))
        self._sync_for(durable)
        self._begin()
        until = time.monotonic() + self._group_seconds
        while self._waiting and len(group) < GROUP_SIZE and time.monotonic() < until:
            if self._waiting[0].durable and not durable:
                break  # it came after the transaction was opened, and needs a synced one
            operation = self._waiting.popleft()
            if operation.start():
                if not group:  # no other member has waited longer
                    metrics.WRITE_WAIT.observe(time.monotonic() - operation.since)
                group.append(operation)
                self._run_one(operation, signals)
        metrics.GROUP_SIZE.observe(len(group))
        committed = hook_ran = False
        try:
            hook_ran = hook is not None and self._run_hook(hook, signals)
            self._connection.execute("COMMIT")
            committed = True
            self.fault = None
        finally:
            if hook is not None:
                self._tell_hook(hook, committed and hook_ran)

    def _recover(
        self, group: list[WriteOperation], error: BaseException, signals: set[str]
    ) -> None:
        """Resolve a failed group: a busy or single one with the error, else run each member alone."""
        if not group:  # no transaction could be opened: all waiting functions get the error
            while self._waiting:
                operation = self._waiting.popleft()
                if operation.start():
                    group.append(operation)
        alone = len(group) == 1 or isinstance(error, StorageBusy)
        for operation in group:
            if alone:
                operation.error = operation.error or error
            elif operation.error is None:
                self._run_alone(operation, signals)

    def _run_alone(self, operation: WriteOperation, signals: set[str]) -> None:
        mine: set[str] = set()
        try:
            with self._gate:
                self._sync_for(operation.durable)
                self._begin()
                self._run_one(operation, mine)
                self._connection.execute("COMMIT")
                self.fault = None
            signals |= mine
        except _Undo:
            self._roll_back()
            if operation.error is None:  # without its failed part
                self._run_alone(operation, signals)
        except Exception as error:
            is_young = time.monotonic() - operation.since < self._wait_seconds
            may_run_again = self._may_run_again() and is_young
            self._roll_back()
            if may_run_again:
                self._run_alone(operation, signals)
            elif isinstance(error, _RunAgain):
                operation.error = StorageBusy()
            else:
                operation.error = operation.error or self._translate(error)

    def _run_one(self, operation: WriteOperation, signals: set[str]) -> None:
        """Run one function; raises _Undo if its writes must be undone, StorageFull if the transaction is lost."""
        connection = self._connection
        tx = WriteTx(connection, operation.skipped)
        before = connection.total_changes
        try:
            operation.result = operation.function(tx)
            signals |= tx.signals
        except PartFailed as failure:
            if self._may_run_again():
                raise _RunAgain from failure
            log.warning("write.part_failed", part=failure.part, exc_info=failure.__cause__)
            if failure.__cause__ is not None:
                self._translate(failure.__cause__)
            operation.skipped |= {failure.part}
            raise _Undo from failure
        except BaseException as error:
            if self._may_run_again():
                raise _RunAgain from error
            operation.error = self._translate(error)
            if connection.in_transaction and connection.total_changes != before:
                raise _Undo from error
        if not connection.in_transaction:
            # SQLite rolled the whole group back; a next statement would autocommit.
            raise operation.error or StorageFull()

    def _run_hook(self, hook: CommitHook, signals: set[str]) -> bool:
        """Let the hook add its statements; a failure is undone and does not affect the group."""
        tx = WriteTx(self._connection)
        tx.run("SAVEPOINT hook")
        try:
            hook.before_commit(tx)
        except Exception:
            if not self._connection.in_transaction:
                raise
            log.exception("writer.hook_failed")
            tx.run("ROLLBACK TO hook")
            tx.run("RELEASE hook")
            return False
        tx.run("RELEASE hook")
        signals |= tx.signals
        return True

    @staticmethod
    def _tell_hook(hook: CommitHook, committed: bool) -> None:
        try:
            hook.after_commit(committed)
        except Exception:  # the group is committed: it must not run again
            log.exception("writer.hook_failed")

    def _begin(self) -> None:
        """BEGIN IMMEDIATE; waits for a writer outside the gate, at most `wait_seconds`."""
        self._check()
        until = time.monotonic() + self._wait_seconds
        while True:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                # A first statement does not know a table from another process if its trigger names it: only running a
                # statement updates the schema (1.6 µs).
                self._connection.execute("SELECT 1 FROM sqlite_master LIMIT 0")
                return
            except sqlite.OperationalError as error:
                if primary_code(error) not in BUSY or time.monotonic() > until:
                    raise
                time.sleep(random.uniform(0.0005, 0.003))

    def _translate(self, error: BaseException) -> BaseException:
        found = self._translate_error(error)
        if isinstance(found, (StorageBusy, StorageFull, StorageDamaged, StorageMoved)):
            self.fault = found
        return found

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            with contextlib.suppress(sqlite.Error):
                self._connection.execute("ROLLBACK")

    def _sync_for(self, durable: bool) -> None:
        wanted = "FULL" if durable else "NORMAL"
        if wanted != self._synchronous:
            self._connection.execute(f"PRAGMA synchronous = {wanted}")
            self._synchronous = wanted

    def _answer(self, operations: list[WriteOperation]) -> None:
        by_loop: dict[asyncio.AbstractEventLoop, list[WriteOperation]] = {}
        for operation in operations:
            if operation.loop is None:
                operation.resolve()
            else:
                by_loop.setdefault(operation.loop, []).append(operation)
        for loop, group in by_loop.items():
            with contextlib.suppress(RuntimeError):  # the loop is closed: no caller is left
                loop.call_soon_threadsafe(_resolve_all, group)


def _in_context(function: Callable[[WriteTx], Any]) -> Callable[[WriteTx], Any]:
    """Return a function that runs in its requester's context in any thread: caller, request, trace.

    Without it a transaction would run with the rights of the daemon (domain/auth/caller.py).
    """
    context = copy_context()
    return lambda tx: context.run(function, tx)


def _resolve_all(operations: list[WriteOperation]) -> None:
    for operation in operations:
        operation.resolve()


def translate(error: BaseException) -> BaseException:
    """Return the SignetError for a storage error of the driver; any other error unchanged."""
    if isinstance(error, sqlite.Error):
        code = primary_code(error)
        mapped: SignetError | None = None
        if says_damage(error):
            mapped = StorageDamaged()
        elif code in BUSY:
            is_lost = getattr(error, "is_lost", False)  # perhaps for want of a socket
            mapped = (_lack_of_files() if is_lost else None) or StorageBusy()
        elif code in FULL:
            mapped = _lack_of_files() or StorageFull()
        if mapped is not None:
            mapped.__cause__ = error
            return mapped
    return error


def _lack_of_files() -> SignetError | None:
    """Return the error if the process or machine cannot open another file, else None."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        return of_system(error)
    return None
