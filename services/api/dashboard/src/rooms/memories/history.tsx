/** What happened to a memory: who changed what, and why. */
import { change, paths } from "../../api/calls";
import type { Change, History as Changes } from "../../api/types";
import { useResource } from "../../lib/resource";
import { brief, whole } from "../../lib/time";
import { Diff } from "../../ui/diff";
import { Empty, Shown } from "../../ui/states";
import { changed } from "./panel";

const EVENTS: Readonly<Record<string, string>> = {
  created: "Remembered", updated: "Changed", deleted: "Forgotten", recovered: "Recovered", merged: "Merged", superseded: "Corrected", none: "Looked at, not changed",
};

export function History({ id, isForgotten, version }: { id: string; isForgotten: boolean; version: number }) {
  const found = useResource<Changes>(paths.history(id), ["memory"]);
  return <Shown of={found} what="the history">{({ history }) => history.length === 0
    ? <Empty title="Nothing has happened to it" />
    : <ol class="changes">{[...history].reverse().map((one, at) => <Line key={one.id} one={one} isLast={at === 0} id={id} isForgotten={isForgotten} version={version} />)}</ol>}</Shown>;
}

function Line({ one, isLast, id, isForgotten, version }: { one: Change; isLast: boolean; id: string; isForgotten: boolean; version: number }) {
  const { oldContent: before, newContent: after } = one;
  const isRewritten = before !== null && after !== null && before !== after;
  return <li>
    <strong>{EVENTS[one.event] ?? one.event}</strong>
    <span class="meta"><time dateTime={one.createdAt} title={whole(one.createdAt)}>{brief(one.createdAt)}</time><span>by {one.changedBy}</span>{one.reason && <span>{one.reason}</span>}</span>
    {isRewritten && <Diff before={before} after={after} />}
    {isRewritten && !isForgotten && !(isLast && before === after) && <p><button class="link small" onClick={() => void changed(() => change(id, { content: before }, version), "The earlier text is back.", () => change(id, { content: after }))}>Restore the text before this</button></p>}
  </li>;
}
