/** What can be done with the memories that were chosen: some, or all that match. */
import { signal } from "../../lib/signal";
import { useState } from "preact/hooks";
import { changeMany, everyRow, forgetAll, forgetMany, previewForget, recoverMany, type Patch } from "../../api/calls";
import type { Candidate } from "../../api/types";
import { act, say } from "../../lib/undo";
import { count, number, sum } from "../../lib/words";
import { besides } from "./doing";
import { filters } from "./filters";
import { chosen } from "./list";
import type { Row } from "./opened";

const memories = (value: number) => count(value, "memory", "memories");
/** More than so many are forgotten only after a second look. */
const LOOK_ABOVE = 25;
/** Memories that the second look shows. */
const SHOWN = 5;

/** What was chosen by "all that match": while it is still what is chosen, the filters say it. */
const all = signal<ReadonlyMap<string, Row> | null>(null);

/** Filters by which the daemon can be told what to forget; null where others narrow the list, or none does. */
function said(): Record<string, string | undefined> | null {
  const { sort: _, tag, state, as_of, q, ...same } = filters();
  const asked = { ...same, tags: tag };
  return as_of || q || (state && state !== "active") || Object.values(asked).every((one) => !one) ? null : asked;
}

const tagsOf = (row: Row) => (row.tags ?? "").split(",").filter(Boolean);

export function Bulk({ isForgotten }: { isForgotten: boolean }) {
  const rows = [...chosen.value.values()];
  /** Why the first are chosen, during the second look. */
  const [why, setWhy] = useState<readonly Candidate[] | null>(null);
  const clear = () => (chosen.value = new Map());
  const ids = rows.map((row) => row.id);
  const recover = (which: readonly string[]) => () => recoverMany(which);
  const choose = async () => {
    const found = await everyRow(filters());
    chosen.value = all.value = new Map(found.map((row) => [row.id, row]));
  };
  const look = async () => setWhy((await previewForget({ ids: ids.slice(0, SHOWN), query: filters().q })).candidates);
  const forget = async () => {
    const asked = chosen.value === all.value ? said() : null;
    const { results, pinned, backup } = asked ? await forgetAll(asked, rows.length) : await forgetMany(ids);
    clear();
    const kept = pinned ? ` ${count(pinned, "pinned one")} stayed.` : "";
    const copy = backup ? " The database was copied before." : "";
    const gone = results.flatMap((one) => one.id ?? []);
    const along = besides({ alongCount: sum(results.map((one) => one.alongCount ?? 0)), heldBy: [...new Set(results.flatMap((one) => one.heldBy ?? []))] });
    say(`${memories(gone.length)} forgotten.${along}${kept}${copy}`, recover(gone));
  };
  const change = (to: (row: Row) => Patch, back: (row: Row) => Patch, done: string) => act(async () => {
    const write = (patch: (row: Row) => Patch) => changeMany(rows.map((row) => ({ id: row.id, ...patch(row) })));
    const changed = await write(to);
    clear();
    say(`${memories(changed)} ${done}.`, () => write(back));
  }, "");
  const pinned = rows.filter((row) => row.pinned).length;
  return <div class="bulk" role="group" aria-label="Chosen memories">
    <strong>{memories(rows.length)} chosen</strong>
    {chosen.value !== all.value && <button onClick={() => act(choose, "")}>All that match</button>}
    {isForgotten
      ? <button class="primary" onClick={() => act(recover(ids), `${memories(ids.length)} recovered.`).then(clear)}>Recover</button>
      : <>
        <button onClick={() => act(rows.length > LOOK_ABOVE ? look : forget, "")}>Forget</button>
        <button onClick={() => change(() => ({ pinned: true }), (row) => ({ pinned: Boolean(row.pinned) }), "pinned")}>Pin</button>
        <form onSubmit={(event) => {
          event.preventDefault();
          const tag = String(new FormData(event.currentTarget).get("tag")).trim();
          if (tag) void change((row) => ({ tags: [...new Set([...tagsOf(row), tag])] }), (row) => ({ tags: tagsOf(row) }), `have the tag ${tag}`);
        }}><input name="tag" size={10} placeholder="Add a tag" aria-label="Add a tag" autocomplete="off" /></form>
      </>}
    <button class="plain" onClick={clear}>Clear</button>
    {why && <div class="all" role="status"><p>{memories(rows.length)} would go{pinned > 0 && `, but ${number(pinned)} pinned: those stay`}. The first:</p>
      <ul class="small soft">{why.map((row) => <li key={row.id}>{row.content.slice(0, 100)} ({row.why})</li>)}</ul>
      <p class="buttons"><button onClick={() => setWhy(null)}>Not these</button><button class="primary" onClick={() => act(forget, "")}>Forget {number(rows.length - pinned)}</button></p></div>}
  </div>;
}
