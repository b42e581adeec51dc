/** Map: people, projects, files and tools in memories, in clusters. As a picture, or as a list. */
import { useMemo, useState } from "preact/hooks";
import { paths } from "../../api/paths";
import type { GraphColumns } from "../../api/types";
import { filter, href, route } from "../../lib/route";
import { count, number } from "../../lib/words";
import { Choice } from "../../ui/choice";
import { Side } from "../../ui/dialog";
import { Icon } from "../../ui/icons";
import { useResource } from "../../lib/resource";
import { Empty, noneOf, Load } from "../../ui/states";
import { around, graphOf, KINDS, type Graph, type Named } from "./data";
import { EntityPanel } from "./entity";
import { Meaning } from "./meaning";
import { Picture } from "./picture";
import { Table } from "../../ui/table";

/** Entities that are shown. */
const FIRST = 1_500;
/** What is mentioned once says little about what belongs together: it is left out where there is enough else. */
const LEAST = "2";
const ENOUGH = 12;
const FILLS = "People, projects, files and tools appear here when two memories or sessions name them.";

export default function Map() {
  const isMeaning = route.value.query.view === "meaning";
  return <>
    <div class="filters bar" role="group" aria-label="Which map">{([["", "Names"], ["meaning", "Meaning"]] as const).map(([view, title]) =>
      <button key={view} class="chip" aria-pressed={isMeaning === (view === "meaning")} onClick={() => filter({ view: view || undefined, focus: undefined })}>{title}</button>)}</div>
    {isMeaning ? <Meaning /> : <Entities />}
  </>;
}

function Entities() {
  const { least, kind, project } = route.value.query;
  const asked = (min: string) => paths.graph({ limit: FIRST, min_mentions: min, kinds: kind, project });
  const usual = useResource<GraphColumns>(least ? null : asked(LEAST), ["memory"]);
  const now = least ?? ((usual.value?.total ?? ENOUGH) < ENOUGH ? "1" : LEAST);
  return <Load<GraphColumns> path={asked(now)} topics={["memory"]} rows={8} what="the map">{(data) => data.total === 0 && now <= LEAST && !kind && !project
    ? <Empty title="No name yet"><p>{FILLS}</p></Empty>
    : <Inside data={data} least={now} />}</Load>;
}

function Inside({ data, least }: { data: GraphColumns; least: string }) {
  const { focus, near, view, kind } = route.value.query;
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
      <input type="search" placeholder="Find" aria-label="Find a name" value={words} onInput={(event) => find(event.currentTarget.value)} />
      <label class="small soft">{count(Number(least), "mention")} or more <input type="range" min="1" max="20" value={least} onInput={(event) => filter({ least: event.currentTarget.value })} /></label>
      {(kind || data.kindNames.length > 1) && <Choice label="Kind" name="kind" of={[["", "Every kind"], ...data.kindNames.map((one) => [one, KINDS[one] ?? one] as const)]} />}
      {focus && <button class="chip" aria-pressed={isNear} onClick={toNear}>Only what it is linked to</button>}
      <button class="chip" aria-pressed={isList} disabled={!isDrawable} onClick={() => filter({ view: isList ? undefined : "list" })}>As a list</button>
      <span class="found">{number(graph.entities.length)} of {number(data.total)} names</span>
    </div>
    {!isList && <p class="small soft">A line joins names that occur together. Size: how often. Colour: project or group.</p>}
    <div class={focus ? "two open map" : "two map"}>
      {data.total === 0 ? <Empty title={noneOf("name")} /> : isList ? <AsList graph={graph} /> : <Picture graph={graph} focus={focus} isPart={isNear} onNear={toNear} onFail={() => setDrawable(false)} onOpen={(id) => filter({ focus: id }, true)}
        label={`${count(graph.entities.length, "entity", "entities")} and ${count(graph.sources.length, "link")} between them. Arrow keys go from one to the next; the list has the same.`} />}
      {focus && (/^(project|file):/.test(focus) ? <Place of={whole.entities.find((one) => one.id === focus)} /> : <EntityPanel key={focus} id={focus} near={around(whole, focus).entities.filter((one) => one.id !== focus)} />)}
    </div>
  </>;
}

/** A project or file: where to read on. */
function Place({ of }: { of: Named | undefined }) {
  const path = of?.id.replace(/^\w+:/, "");
  return <Side label="Entity"><header><h2 class="said">{of?.name}</h2><p class="meta"><span>{of?.kind}</span><span>{count(of?.mentions ?? 0, "mention")}</span></p><p class="small soft">{path}</p></header>
    <div class="body tools">{of?.kind === "project" ? <><a href={href("today", { project: path, day: "week" })}>This week</a><a href={href("map", { project: path })}>Its map</a></> : <a href={href("memories", { ask: of?.name })}>What was said about it</a>}
      <button class="plain" onClick={() => filter({ focus: undefined }, true)}><Icon name="close" />Close</button></div></Side>;
}

function AsList({ graph }: { graph: Graph }) {
  return <Table of={["Name", "Kind", "Mentions"]}>{graph.entities.map((one) => <tr key={one.id}><th scope="row"><button class="link" onClick={() => filter({ focus: one.id }, true)}>{one.name}</button></th><td>{KINDS[one.kind] ?? one.kind}</td><td>{number(one.mentions)}</td></tr>)}</Table>;
}
