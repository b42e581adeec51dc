/** Map: what the memories speak of, and what is linked. As a picture, or as a list. */
import { useMemo, useState } from "preact/hooks";
import { paths } from "../../api/calls";
import type { GraphColumns } from "../../api/types";
import { useResource } from "../../lib/resource";
import { filter, route } from "../../lib/route";
import { count, number } from "../../lib/words";
import { Choice } from "../../ui/choice";
import { Empty, noneOf, Shown } from "../../ui/states";
import { around, graphOf, type Graph } from "./data";
import { EntityPanel } from "./entity";
import { Meaning } from "./meaning";
import { Picture } from "./picture";
import { Table } from "../../ui/table";

/** Entities that are shown at first, and at most. */
const FIRST = 1_500;
const MOST = 5_000;
const FILLS = "People, projects, tools and places in memories appear here, with what links them.";
/** Fewer than these leave one wondering. */
const FEW = 8;

export default function Map() {
  const isMeaning = route.value.query.view === "meaning";
  return <>
    <div class="filters bar" role="group" aria-label="Which map">{([["", "Entities"], ["meaning", "Meaning"]] as const).map(([view, title]) =>
      <button key={view} class="chip" aria-pressed={isMeaning === (view === "meaning")} onClick={() => filter({ view: view || undefined, focus: undefined })}>{title}</button>)}</div>
    {isMeaning ? <Meaning /> : <Entities />}
  </>;
}

function Entities() {
  const { least = "1", most, kind } = route.value.query;
  const found = useResource<GraphColumns>(paths.graph(most ? MOST : FIRST, least, kind), ["memory"]);
  return <Shown of={found} rows={8} what="the map">{(data) => data.total === 0 && least === "1" && !kind
    ? <Empty title="No entity yet"><p>{FILLS}</p></Empty>
    : <Inside data={data} />}</Shown>;
}

function Inside({ data }: { data: GraphColumns }) {
  const { least = "1", focus, near, view, kind } = route.value.query;
  const whole = useMemo(() => graphOf(data), [data]);
  const isNear = Boolean(near && focus);
  const graph = useMemo(() => (isNear ? around(whole, focus!) : whole), [whole, isNear && focus]);
  const [isDrawable, setDrawable] = useState(true);
  const [words, setWords] = useState("");
  const toNear = () => focus && filter({ near: near ? undefined : "1" }, true);
  const isList = view === "list" || !isDrawable;
  const find = (text: string) => {
    setWords(text);
    const wanted = text.trim().toLowerCase();
    const hit = wanted && whole.entities.find((one) => one.name.toLowerCase().startsWith(wanted));
    if (hit) filter({ focus: hit.id });
  };
  return <>
    <div class="filters bar" role="group" aria-label="What is shown">
      <input type="search" placeholder="Find" aria-label="Find an entity" value={words} onInput={(event) => find(event.currentTarget.value)} />
      <label class="small soft">At least {count(Number(least), "mention")} <input type="range" min="1" max="20" value={least} onInput={(event) => filter({ least: event.currentTarget.value })} /></label>
      {(kind || data.kindNames.length > 1) && <Choice label="Kind" name="kind" of={[["", "Every kind"], ...data.kindNames.map((one) => [one, one] as const)]} />}
      {data.total > FIRST && <button class="chip" aria-pressed={Boolean(route.value.query.most)} onClick={() => filter({ most: route.value.query.most ? undefined : "1" })}>Up to {number(MOST)}</button>}
      {focus && <button class="chip" aria-pressed={isNear} onClick={toNear}>Only what it is linked to</button>}
      <button class="chip" aria-pressed={isList} disabled={!isDrawable} onClick={() => filter({ view: isList ? undefined : "list" })}>As a list</button>
      <span class="found">{number(graph.entities.length)} of {count(data.total, "entity", "entities")}, {count(graph.sources.length, "link")}, coloured by {whole.names.length ? "community" : "kind"}. <a href="#/engine/repair?preview=prune-generic-entities">Names that are none?</a></span>
    </div>
    {data.total < FEW && !kind && least === "1" && <p class="small soft">Few so far. {FILLS}</p>}
    <div class={focus ? "two open map" : "two map"}>
      {data.total === 0 ? <Empty title={noneOf("entity")} /> : isList ? <AsList graph={graph} /> : <Picture graph={graph} focus={focus} isPart={isNear} onNear={toNear} onFail={() => setDrawable(false)} onOpen={(id) => filter({ focus: id }, true)}
        label={`${count(graph.entities.length, "entity", "entities")} and ${count(graph.sources.length, "link")} between them. Arrow keys go from one to the next; the list has the same.`} />}
      {focus && <EntityPanel key={focus} id={focus} />}
    </div>
  </>;
}

function AsList({ graph }: { graph: Graph }) {
  return <Table of={["Name", "Kind", "Mentions"]}>{graph.entities.map((one) => <tr key={one.id}><th scope="row"><button class="link" onClick={() => filter({ focus: one.id }, true)}>{one.name}</button></th><td>{one.kind}</td><td>{number(one.mentions)}</td></tr>)}</Table>;
}
