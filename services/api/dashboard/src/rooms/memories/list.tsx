/** The list of memories: rows, choice of several, keys. */
import { signal } from "../../lib/signal";
import { useEffect, useMemo, useState } from "preact/hooks";
import { paths } from "../../api/paths";
import type { MemoryPage } from "../../api/types";
import { useFocus, useKeys } from "../../lib/keys";
import { usePages } from "../../lib/pages";
import { route } from "../../lib/route";
import { density } from "../../lib/store";
import { brief } from "../../lib/time";
import { count, plain } from "../../lib/words";
import { Icon } from "../../ui/icons";
import { Empty, noneOf, Shown } from "../../ui/states";
import { scroller, Virtual } from "../../ui/virtual";
import { Bulk } from "./bulk";
import * as doing from "./doing";
import { filters } from "./filters";
import { Meta } from "./meta";
import { keep, type Row } from "./opened";
import { open } from "./room";

/** The memories that were chosen, in the order in which that was done. */
export const chosen = signal<ReadonlyMap<string, Row>>(new Map());

export function List() {
  const given = filters();
  const isForgotten = given.state === "forgotten";
  const pages = usePages<MemoryPage, Row>(paths.memories({ ...given, limit: 100, stats: 0 }), (page) => page.memories, ["memory"], () => scroller().scrollTop < 40);
  const [at, setAt] = useState(-1);
  const { rows } = pages;
  useFocus(at);
  useEffect(() => setAt(-1), [JSON.stringify(given)]);
  useEffect(() => () => void (chosen.value = new Map()), []);
  useRowKeys(rows, at, setAt);
  // What else changes on the page draws no row anew.
  const draw = useMemo(() => (row: Row, index: number) => <Line row={row} isAt={index === at} />, [rows, at, chosen.value, route.value.query.id, given.as_of, density.value]);
  return <div>
    {pages.fresh > 0 && <button class="chip on" onClick={() => { pages.show(); scroller().scrollTo(0, 0); }}>{count(pages.fresh, "new memory", "new memories")}</button>}
    <Shown of={pages.first} rows={8} what="memories">{() => rows.length === 0 ? <Nothing of={given} /> :
      <Virtual rows={rows} keyOf={(row) => row.id} onEnd={pages.more} label="Memories" at={at} draw={draw} />}
    </Shown>
    {chosen.value.size > 0 && <Bulk isForgotten={isForgotten} />}
  </div>;
}

function toggle(row: Row): void {
  const next = new Map(chosen.value);
  if (!next.delete(row.id)) next.set(row.id, row);
  chosen.value = next;
}

function useRowKeys(rows: readonly Row[], at: number, setAt: (at: number) => void): void {
  const row = rows[at];
  const move = (by: number) => {
    const to = Math.max(0, Math.min(rows.length - 1, at + by));
    setAt(to);
    if (route.value.query.id && rows[to]) {
      keep(rows[to]);
      open(rows[to].id);
    }
  };
  const shown = (part?: string) => {
    if (!row) return;
    keep(row);
    open(row.id, part);
  };
  useKeys([
    { key: "j", says: "Next", act: () => move(1) },
    { key: "k", says: "Previous", act: () => move(-1) },
    { key: "Enter", says: "Open", act: () => shown() },
    { key: "x", says: "Choose", act: () => row && toggle(row) },
    { key: "a", says: "Choose all that are loaded", act: () => (chosen.value = new Map(rows.map((one) => [one.id, one]))) },
    { key: "r", says: "Recover", act: () => row && doing.recover(row) },
    ...doing.keys(row, shown),
  ]);
}

function Line({ row, isAt }: { row: Row; isAt: boolean }) {
  const isOpen = route.value.query.id === row.id;
  return <div class={`row${isOpen || isAt ? " at" : ""}${row.superseded_by ? " dim" : ""}${row.forgotten ? " gone" : ""}`}
    onClick={(event) => { if (!(event.target instanceof HTMLInputElement)) { keep(row); open(row.id); } }}>
    <input class="tick" type="checkbox" aria-label={`Choose: ${row.content.slice(0, 60)}`} checked={chosen.value.has(row.id)} onChange={() => toggle(row)} />
    <a class="text quiet" href={`#/memories?id=${row.id}`} aria-current={isOpen ? "true" : undefined}
      onClick={(event) => { event.preventDefault(); event.stopPropagation(); keep(row); open(row.id); }}>
      {row.pinned && <><Icon name="pin" /><span class="hidden">Pinned: </span> </>}{plain(row.content).slice(0, 300) || <span class="soft">Its text is gone</span>}
    </a>
    <Meta row={row} asOf={route.value.query.as_of} />
    <time class="when" dateTime={row.created_at}>{brief(row.created_at)}</time>
  </div>;
}

function Nothing({ of: { state, sort: _, ...narrowed } }: { of: ReturnType<typeof filters> }) {
  const isNarrowed = state === "active" || state === "superseded" || Object.values(narrowed).some(Boolean);
  if (isNarrowed) return <Empty title={noneOf("memory")}><p><a href="#/memories">Show all memories</a></p></Empty>;
  if (state === "archived") return <Empty title="Nothing is archived"><p>Memories of removed agents appear here.</p></Empty>;
  if (state === "forgotten") return <Empty title="Nothing is forgotten"><p>Forgotten memories can be recovered here for a while.</p></Empty>;
  return <Empty title="Nothing is remembered yet">
    <p>Tell a connected agent: “We deploy on Thursdays.”</p>
    <p>Or run <code>signet remember "I prefer tabs over spaces"</code></p>
    <p>Import notes: <code>signet import ~/notes</code></p>
  </Empty>;
}
