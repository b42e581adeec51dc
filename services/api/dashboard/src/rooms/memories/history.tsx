/** What happened to a memory: who changed what, and why. */
import { change } from "../../api/calls";
import { paths } from "../../api/paths";
import type { MemoryChange, History as Changes } from "../../api/types";
import { brief } from "../../lib/time";
import { act } from "../../lib/undo";
import { Diff } from "../../ui/diff";
import { Empty, Load } from "../../ui/states";

const EVENTS: Readonly<Record<string, string>> = {
  created: "Remembered", updated: "Changed", deleted: "Forgotten", recovered: "Recovered", merged: "Merged", superseded: "Corrected", none: "Checked, not changed", rejected: "Rejected",
};

export function History({ id, isForgotten, version }: { id: string; isForgotten: boolean; version: number }) {
  return <Load<Changes> path={paths.history(id)} topics={["memory"]} what="the history">{({ history }) => history.length === 0
    ? <Empty title="Nothing has happened to it" />
    : <ol class="changes">{[...history].reverse().map((one) => <Line key={one.id} one={one} id={id} isForgotten={isForgotten} version={version} />)}</ol>}</Load>;
}

function Line({ one, id, isForgotten, version }: { one: MemoryChange; id: string; isForgotten: boolean; version: number }) {
  const { oldContent: before, newContent: now } = one;
  const isRewritten = before !== null && now !== null && before !== now;
  return <li>
    <strong>{EVENTS[one.event] ?? one.event}</strong>
    <span class="meta"><time dateTime={one.createdAt}>{brief(one.createdAt)}</time><span>by {one.by}</span>{one.why && <span>{one.why}</span>}</span>
    {isRewritten && <Diff before={before} after={now} />}
    {isRewritten && !isForgotten && <p><button class="link small" onClick={() => act(() => change(id, { content: before }, version), "The earlier text is back.", () => change(id, { content: now }))}>Restore the text before this</button></p>}
  </li>;
}
