/** Memories by their meaning: those with similar meaning are close together. Coloured by type; few have names, others are read by pointing at them. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { paths } from "../../api/paths";
import type { MemoryPage, WholeMemory, ProjectionColumns } from "../../api/types";
import { useResource } from "../../lib/resource";
import { go, href } from "../../lib/route";
import { count, plain } from "../../lib/words";
import { Empty, Load } from "../../ui/states";
import { COLOURS, GROUPS, type Graph } from "./data";
import { Picture } from "./picture";

/** The pause (ms) before the text under the pointer is asked for. */
const PAUSE_MS = 120;
/** Memories that have a name, and its characters. */
const NAMED = 60;
const NAME = 32;
/** The width of the picture in the units of its points, whose radius this is. */
const WIDE = 900;
const SIZE = 7;

export function Meaning() {
  return <Load<ProjectionColumns> path={paths.places()} topics={["job", "memory"]} rows={8} what="the map of meaning">{(data) => data.status !== "ready"
    ? <Empty title="The map is being drawn"><p>{count(data.total, "memory", "memories")} take a few seconds. It appears here by itself.</p></Empty>
    : data.count === 0 ? <Empty title="No memory has a vector yet"><p>Engine › Repair says why.</p></Empty> : <Inside data={data} />}</Load>;
}

const short = (text: string) => (text.length > NAME ? `${text.slice(0, NAME)}…` : text);

function Inside({ data }: { data: ProjectionColumns }) {
  const [hovered, setHovered] = useState<string | null>(null);
  const [asked, setAsked] = useState<string | null>(null);
  const said = useResource<WholeMemory>(asked && paths.memory(asked)).value;
  const named = useResource<MemoryPage>(paths.memories({ ids: data.ids.slice(0, NAMED).join(), stats: 0, limit: NAMED })).value?.memories;
  useEffect(() => {
    const timer = setTimeout(() => setAsked(hovered), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [hovered]);
  const graph = useMemo((): Graph => {
    const texts = new Map(named?.map((one) => [one.id, short(plain(one.content))]));
    return {
      entities: data.ids.map((id) => ({ id, name: texts.get(id) ?? "", kind: "", mentions: 0 })),
      sizes: new Float32Array(data.ids.length).fill(SIZE), groups: Uint8Array.from(data.types, (one) => one % GROUPS),
      sources: new Uint32Array(), targets: new Uint32Array(), communities: [], names: [],
    };
  }, [data, named]);
  const places = useMemo(() => {
    const all = data.ids.flatMap((_, at) => [data.x[at]!, data.y[at]!]);
    const spread = Math.max(...all) - Math.min(...all) || 1;
    return Float32Array.from(all, (one) => one * WIDE / spread);
  }, [data]);
  return <>
    <p class="small soft" role="status">{said && hovered ? <span>{said.content.slice(0, 240)}</span> : `${count(data.count, "memory", "memories")}. Memories with similar meaning are close together. Point at one to read it, press it to open it.`}</p>
    <p class="meta" role="group" aria-label="Colours">{data.typeNames.map((name, at) => <span key={name}><span style={{ color: `var(--${COLOURS[at % GROUPS]})` }} aria-hidden="true">●</span> {name}</span>)}</p>
    <div class="map"><Picture graph={graph} fixed={places} focus={undefined} onHover={(at) => setHovered(data.ids[at] ?? null)} onOpen={(id) => id && go(href("memories", { id }))}
      label={`${count(data.count, "memory", "memories")} placed by meaning. The list of memories has the same.`} /></div>
  </>;
}
