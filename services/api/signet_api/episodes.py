"""What earlier sessions and commits say of a prompt, for a session that was not given it yet."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from signet.db import ReadTx
from signet.domain.auth import caller
from signet.domain.episodes import brief, search
from signet.domain.episodes.models import Match
from signet.domain.hooks.progress import Call
from signet.domain.injections.models import Item, Kind, Reason
from signet.observe import logs
from signet_api.deps import State

log = logs.get("hooks")


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """The block that is injected, empty for nothing; `given` names its episodes, for the session to remember.

    `room` is how many characters are left for memories beside it.
    """

    text: str = ""
    room: int
    given: Sequence[str] = ()
    #: What the record of the session says of it, what was left out included.
    items: Sequence[Item] = ()


async def brief_of(call: Call, message: str, given: Collection[str], state: State) -> Brief:
    """Return the episodes that a message is about, without those in `given`. Never raises: a prompt goes on."""
    rules = state.settings.hooks.user_prompt_submit
    is_first = not any(map(_is_episode, given))
    chars = rules.max_brief_chars if is_first else rules.max_later_chars
    none = Brief(room=rules.max_inject_chars)
    if not rules.enabled or chars <= brief.FRAME_CHARS:
        return none
    try:
        vector = await state.vectors.of(message)

        far: list[Match] = []

        def read(tx: ReadTx) -> tuple[list[Match], list[brief.Stretch]]:
            found = search.find(
                tx,
                message,
                vector=vector(),
                agent_id=call.agent_id,
                project=caller.current().scope.project or call.project,
                but=call.key,
                commits=state.settings.hooks.session_start.read_commits,
                far=far,
            )
            new = [match for match in found if _name(match) not in given]
            return found, brief.stretches(tx, message, new, chars=chars - brief.FRAME_CHARS)

        found, stretches = await state.db.aread(read)
    except Exception as error:
        log.error("prompt.without_episodes", exc_info=error)
        return none
    text = brief.told(stretches, is_first=is_first)
    return Brief(
        text=text,
        given=tuple(_name(stretch.match) for stretch in stretches),
        items=_items(found, stretches, far, given),
        room=min(rules.max_inject_chars, max(0, chars - len(text))),
    )


def _items(
    found: Sequence[Match],
    stretches: Sequence[brief.Stretch],
    far: Sequence[Match],
    given: Collection[str],
) -> list[Item]:
    """Return the stretches that were given, then what was left out of what was found, then what was too far away."""
    told = {stretch.match.source for stretch in stretches}
    items = [
        _item(
            one.match,
            Reason.SAME_MATTER if one.match.is_same_matter else Reason.MATCH,
            text=one.text,
        )
        for one in stretches
    ]
    items += [
        _item(match, Reason.SAID if _name(match) in given else Reason.BUDGET)
        for match in found
        if match.source not in told
    ]
    return items + [_item(match, Reason.FLOOR) for match in far]


def _item(match: Match, reason: Reason, text: str = "") -> Item:
    return Item(
        kind=Kind(match.source.type),
        id=match.source.id,
        reason=reason,
        is_given=bool(text),
        text=text,
        chars=len(text),
        score=round(match.score, 3),
        said_at=match.said_at,
    )


def _name(match: Match) -> str:
    return f"episode:{match.source.type}:{match.source.id}"


def _is_episode(given: str) -> bool:
    return given.startswith("episode:")
