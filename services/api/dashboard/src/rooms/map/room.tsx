/** Map: what the memories speak of, and what is linked. As a picture, or as a list. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { paths } from "../../api/calls";
import type { GraphColumns } from "../../api/types";
import { useKeys } from "../../lib/keys";
import { useResource } from "../../lib/resource";
import { filter, route } from "../../lib/route";
import { theme } from "../../lib/store";
import { worker } from "../../lib/trust";
import { count, number } from "../../lib/words";
import { Empty, Shown } from "../../ui/states";
import { GROUPS, graphOf, nearest, towards, type Graph } from "./data";
import { EntityPanel } from "./entity";
import layoutAddress from "./layout.worker?worker&url";
import { Painter, type Look } from "./paint";
import "../../style/lists.css";
import "../../style/rooms.css";

/** Entities that are shown at first, and at most. */
const FIRST = 1_500;
const MOST = 5_000;

export default function Map() {
  const { least = "1", most } = route.value.query;
  const found = useResource<GraphColumns>(paths.graph(most ? MOST : FIRST, least), ["memory"]);
  return <Shown of={found} rows={8} what="the map">{(data) => data.total === 0 && least === "1"
    ? <Empty title="No entity yet"><p>People, projects, tools and places that memories speak of appear here, with what links them.</p></Empty>
    : <Inside data={data} />}</Shown>;
}

function Inside({ data }: { data: GraphColumns }) {
  const { least = "1", focus, view } = route.value.query;
  const graph = useMemo(() => graphOf(data), [data]);
  const [isDrawable, setDrawable] = useState(true);
  const [words, setWords] = useState("");
  const isList = view === "list" || !isDrawable;
  const find = (text: string) => {
    setWords(text);
    const wanted = text.trim().toLowerCase();
    const hit = wanted && graph.entities.find((one) => one.name.toLowerCase().startsWith(wanted));
    if (hit) filter({ focus: hit.id });
  };
  return <>
    <div class="filters bar" role="group" aria-label="What is shown">
      <input type="search" placeholder="Find" aria-label="Find an entity" value={words} onInput={(event) => find(event.currentTarget.value)} />
      <label class="small soft">At least {count(Number(least), "mention")} <input type="range" min="1" max="20" value={least} onInput={(event) => filter({ least: event.currentTarget.value })} /></label>
      {data.total > FIRST && <button class="chip" aria-pressed={Boolean(route.value.query.most)} onClick={() => filter({ most: route.value.query.most ? undefined : "1" })}>Up to {number(MOST)}</button>}
      <button class="chip" aria-pressed={isList} disabled={!isDrawable} onClick={() => filter({ view: isList ? undefined : "list" })}>As a list</button>
      <span class="found">{number(graph.entities.length)} of {count(data.total, "entity", "entities")}, {count(graph.sources.length, "link")}</span>
    </div>
    <div class={focus ? "two open map" : "two map"}>
      {isList ? <Table graph={graph} /> : <Picture graph={graph} focus={focus} onFail={() => setDrawable(false)} />}
      {focus && <EntityPanel key={focus} id={focus} />}
    </div>
  </>;
}

function Table({ graph }: { graph: Graph }) {
  return <div class="scroll"><table><thead><tr><th scope="col">Name</th><th scope="col">Kind</th><th scope="col">Mentions</th></tr></thead>
    <tbody>{graph.entities.map((one) => <tr key={one.id}><th scope="row"><button class="link" onClick={() => filter({ focus: one.id }, true)}>{one.name}</button></th><td>{one.kind}</td><td>{number(one.mentions)}</td></tr>)}</tbody></table></div>;
}

/** Places of the last layout: a room that is opened again shows them at once. */
let kept: { readonly graph: string; readonly places: Float32Array<ArrayBuffer> } | null = null;

function Picture({ graph, focus, onFail }: { graph: Graph; focus: string | undefined; onFail: () => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const names = useRef<HTMLCanvasElement>(null);
  const painter = useRef<Painter | null>(null);
  const places = useRef(new Float32Array());
  const [hovered, setHovered] = useState(-1);
  const at = graph.entities.findIndex((one) => one.id === focus);
  useEffect(() => {
    try {
      painter.current = new Painter(canvas.current!, names.current!, look(canvas.current!));
    } catch {
      return onFail();
    }
    const again = () => painter.current?.draw();
    addEventListener("resize", again);
    return () => removeEventListener("resize", again);
  }, [theme.value]);
  useEffect(() => {
    const key = `${graph.entities.map((one) => one.id).join()} ${graph.sources.length}`;
    const show = (found: Float32Array<ArrayBuffer>, isFirst: boolean) => {
      places.current = found;
      painter.current?.show(graph, found, at);
      if (isFirst) painter.current?.fit();
    };
    if (kept?.graph === key) return show(kept.places, true);
    const layout = worker(layoutAddress);
    layout.onmessage = ({ data }: MessageEvent<{ places: Float32Array<ArrayBuffer>; isDone: boolean }>) => {
      show(data.places, true);
      if (data.isDone) kept = { graph: key, places: data.places };
    };
    layout.postMessage({ sizes: graph.sizes, sources: graph.sources, targets: graph.targets });
    return () => layout.terminate();
  }, [graph, theme.value]);
  useEffect(() => painter.current?.choose(at < 0 ? hovered : at), [at, hovered]);
  const step = (dx: number, dy: number) => () => {
    const to = at < 0 ? 0 : towards(places.current, at, dx, dy);
    if (graph.entities[to]) filter({ focus: graph.entities[to].id });
  };
  useKeys([
    { key: "ArrowLeft", says: "The entity at the left", act: step(-1, 0) },
    { key: "ArrowRight", says: "The entity at the right", act: step(1, 0) },
    { key: "ArrowUp", says: "The entity above", act: step(0, -1) },
    { key: "ArrowDown", says: "The entity below", act: step(0, 1) },
    { key: "0", says: "Show everything", act: () => painter.current?.fit() },
    { key: "Escape", says: "Close the panel", act: () => filter({ focus: undefined }) },
  ]);
  const drag = useRef<{ x: number; y: number; moved: boolean } | null>(null);
  const under = (event: PointerEvent | MouseEvent) => {
    const [x, y] = painter.current?.at(event.offsetX, event.offsetY) ?? [0, 0];
    return nearest(graph, places.current, x, y, 6 / (painter.current?.camera.scale ?? 1));
  };
  return <div class="picture">
    <canvas ref={canvas} aria-hidden="true" />
    <canvas ref={names} tabIndex={0} role="img" aria-label={`${count(graph.entities.length, "entity", "entities")} and ${count(graph.sources.length, "link")} between them. Arrow keys go from one to the next; the list has the same.`}
      onPointerDown={(event) => { drag.current = { x: event.clientX, y: event.clientY, moved: false }; }}
      onPointerMove={(event) => {
        const [from, camera] = [drag.current, painter.current?.camera];
        if (!from || !camera || event.buttons === 0) return setHovered(under(event));
        const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
        if (!from.moved && Math.hypot(dx, dy) < 4) return;
        camera.x -= dx / camera.scale;
        camera.y -= dy / camera.scale;
        drag.current = { x: event.clientX, y: event.clientY, moved: true };
        painter.current?.draw();
      }}
      onClick={(event) => {
        if (drag.current?.moved) return;
        const hit = graph.entities[under(event)];
        filter({ focus: hit?.id }, true);
      }}
      onWheel={(event) => {
        event.preventDefault();
        const camera = painter.current?.camera;
        if (!camera) return;
        const [x, y] = painter.current!.at(event.offsetX, event.offsetY);
        const scale = Math.max(0.05, Math.min(8, camera.scale * Math.exp(-event.deltaY / 500)));
        camera.x = x + (camera.x - x) * (camera.scale / scale);
        camera.y = y + (camera.y - y) * (camera.scale / scale);
        camera.scale = scale;
        painter.current!.draw();
      }} />
  </div>;
}

/** Return the colours in force, as the browser computes them. */
function look(under: HTMLElement): Look {
  const probe = document.createElement("span");
  under.parentElement!.append(probe);
  const colour = (name: string) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const parts = (name: string) => colour(name).match(/[\d.]+/g)!.slice(0, 3).map((one) => Number(one) / 255) as [number, number, number];
  const found: Look = {
    groups: ["accent", "meaning", "beside", "graph", "hint", "good"].slice(0, GROUPS).map(parts),
    line: parts("line"), text: colour("text"), halo: colour("ground"),
  };
  probe.remove();
  return found;
}
