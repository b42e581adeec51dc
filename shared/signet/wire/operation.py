"""An operation of the HTTP interface, declared once.

The server registers its handler (`signet_api.serving.serves`), whose signature declares query and body. The clients'
methods name it (`client/calls.py`); their signatures are generated from both. The type checker compares handlers and
callers with its `reply`. Permissions and OpenAPI's answers derive from it too.
"""

from functools import partial
from typing import Generic, Literal, TypeVar

from signet.wire import access
from signet.wire.access import AccessRule, Permission

Reply = TypeVar("Reply")

JSON = "application/json"
#: Permissions about the whole machine that do not describe a change.
_VAGUE = frozenset({Permission.ADMIN, Permission.LOCAL, Permission.CONNECTORS})


class Operation(Generic[Reply]):
    """A method and path; `reply` is the type of its JSON answer, or a tuple of several possible ones.

    An answer of another `media_type` is text, with `str` as reply. `status` is the success status, `also` are further
    ones. Raises TypeError for a change of the machine that does not state whether it is in the programs class.
    """

    def __init__(
        self,
        method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"],
        path: str,
        rule: AccessRule,
        reply: type[Reply] | tuple[type[Reply], ...],
        *,
        status: int = 200,
        also: tuple[int, ...] = (),
        media_type: str = JSON,
    ) -> None:
        self.method, self.path, self.rule, self.reply = method, path, rule, reply
        self.status, self.also, self.media_type = status, also, media_type
        is_stated = rule.permission not in _VAGUE or rule is access.SETTINGS
        if method != "GET" and not is_stated:
            raise TypeError(
                f"{method} {path} changes the machine: give it access.programs(...) if it can run a program "
                "or change who is trusted, else access.OPERATOR"
            )

    @property
    def replies(self) -> tuple[type[Reply], ...]:
        return self.reply if isinstance(self.reply, tuple) else (self.reply,)


get = partial(Operation, "GET")
post = partial(Operation, "POST")
put = partial(Operation, "PUT")
patch = partial(Operation, "PATCH")
delete = partial(Operation, "DELETE")
