/** Memories by their meaning: near ones say alike things. Coloured by type; a text comes for the point under the pointer. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { paths } from "../../api/paths";
import type { WholeMemory, ProjectionColumns } from "../../api/types";
import { useResource } from "../../lib/resource";
import { go, href } from "../../lib/route";
import { count } from "../../lib/words";
import { Empty, Load } from "../../ui/states";
import { GROUPS, type Graph } from "./data";
import { Picture } from "./picture";

/** The pause (ms) before the text under the pointer is asked for. */
const PAUSE_MS = 120;
const SIZE = 10;

export function Meaning() {
  return <Load<ProjectionColumns> path={paths.places()} topics={["job", "memory"]} rows={8} what="the map of meaning">{(data) => data.status !== "ready"
    ? <Empty title="The map is being drawn"><p>{count(data.total, "memory", "memories")} take a few seconds. It appears here by itself.</p></Empty>
    : data.count === 0 ? <Empty title="No memory has a vector yet"><p>Engine › Repair says why.</p></Empty> : <Inside data={data} />}</Load>;
}

function Inside({ data }: { data: ProjectionColumns }) {
  const [hovered, setHovered] = useState<string | null>(null);
  const [asked, setAsked] = useState<string | null>(null);
  const said = useResource<WholeMemory>(asked && paths.memory(asked)).value;
  useEffect(() => {
    const timer = setTimeout(() => setAsked(hovered), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [hovered]);
  const graph = useMemo((): Graph => ({
    entities: data.ids.map((id, at) => ({ id, name: "", kind: data.typeNames[data.types[at]!] ?? "", mentions: 0 })),
    sizes: new Float32Array(data.ids.length).fill(SIZE), groups: Uint8Array.from(data.types, (one) => one % GROUPS),
    sources: new Uint32Array(), targets: new Uint32Array(), communities: [], names: [],
  }), [data]);
  const places = useMemo(() => Float32Array.from(data.ids.flatMap((_, at) => [data.x[at]!, data.y[at]!])), [data]);
  return <>
    <p class="small soft" role="status">{said && hovered ? <span dir="auto">{said.content.slice(0, 240)}</span> : `${count(data.count, "memory", "memories")}, near where they mean alike, coloured by type.`}</p>
    <div class="map"><Picture graph={graph} fixed={places} focus={undefined} onHover={(at) => setHovered(data.ids[at] ?? null)} onOpen={(id) => id && go(href("memories", { id }))}
      label={`${count(data.count, "memory", "memories")} placed by meaning. The list of memories has the same.`} /></div>
  </>;
}
