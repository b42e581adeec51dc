/** The picture of a graph: drawn, moved, zoomed, and gone through with the arrow keys. */
import { useEffect, useRef, useState } from "preact/hooks";
import { useKeys } from "../../lib/keys";
import { filter } from "../../lib/route";
import { isDark, theme } from "../../lib/store";
import { worker } from "../../lib/trust";
import { COLOURS, nearest, towards, type Graph } from "./data";
import layoutAddress from "./layout.worker?worker&url";
import { painter as painterOf, type Look, type Painter } from "./paint";

/** Places of the last layout: a room that is opened again shows them at once. */
let kept: { readonly graph: string; readonly places: Float32Array<ArrayBuffer> } | null = null;

/** `fixed` places are shown as they are; without them a layout is made. */
export function Picture({ graph, focus, fixed, isPart = false, label, onFail, onHover, onOpen, onNear }: {
  graph: Graph; focus: string | undefined; fixed?: Float32Array<ArrayBuffer>; isPart?: boolean; label: string;
  onFail?: () => void; onHover?: (at: number) => void; onOpen: (id: string | undefined) => void;
  /** Shows only the entity in focus and what it is linked to, or everything again. */
  onNear?: () => void;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const names = useRef<HTMLCanvasElement>(null);
  const painter = useRef<Painter | null>(null);
  const places = useRef(new Float32Array());
  const [hovered, setHovered] = useState(-1);
  const at = graph.entities.findIndex((one) => one.id === focus);
  useEffect(() => {
    try {
      painter.current = painterOf(canvas.current!, names.current!, look(canvas.current!));
    } catch {
      return onFail?.();
    }
    const sized = new ResizeObserver(() => painter.current?.follow());
    sized.observe(canvas.current!);
    return () => sized.disconnect();
  }, [theme.value, isDark.value]);
  useEffect(() => {
    const key = `${graph.entities.map((one) => one.id).join()} ${graph.sources.length} ${graph.communities.join()}`;
    let isNew = true;
    const show = (found: Float32Array<ArrayBuffer>) => {
      places.current = found;
      painter.current?.show({ graph, places: found }, at);
      painter.current?.[isNew ? "fit" : "follow"]();
      isNew = false;
    };
    if (fixed) return show(fixed);
    if (kept?.graph === key) return show(kept.places);
    const layout = worker(layoutAddress);
    layout.onmessage = ({ data }: MessageEvent<{ places: Float32Array<ArrayBuffer>; isDone: boolean }>) => {
      show(data.places);
      // A part of the graph is laid out at once, and the whole is not to be laid out again after it.
      if (data.isDone && !isPart) kept = { graph: key, places: data.places };
    };
    layout.postMessage({ sizes: graph.sizes, sources: graph.sources, targets: graph.targets, communities: graph.communities });
    return () => layout.terminate();
  }, [graph, theme.value, isDark.value]);
  useEffect(() => painter.current?.choose(at < 0 ? hovered : at), [at, hovered]);
  useEffect(() => onHover?.(hovered), [hovered]);
  const step = (dx: number, dy: number) => () => {
    const to = at < 0 ? 0 : towards(places.current, at, dx, dy);
    if (!fixed && graph.entities[to]) filter({ focus: graph.entities[to].id });
  };
  useKeys([
    { key: "ArrowLeft", says: "The entity at the left", act: step(-1, 0) },
    { key: "ArrowRight", says: "The entity at the right", act: step(1, 0) },
    { key: "ArrowUp", says: "The entity above", act: step(0, -1) },
    { key: "ArrowDown", says: "The entity below", act: step(0, 1) },
    { key: "n", says: "Only what it is linked to, or everything", act: () => onNear?.() },
    { key: "0", says: "Show everything", act: () => painter.current?.fit() },
    { key: "Escape", says: "Close the panel", act: () => filter({ focus: undefined }) },
  ]);
  const drag = useRef<{ x: number; y: number; moved: boolean } | null>(null);
  const under = (event: PointerEvent | MouseEvent) => {
    const [x, y] = painter.current?.at(event.offsetX, event.offsetY) ?? [0, 0];
    return painter.current ? nearest(graph, places.current, x, y, 12 / painter.current.camera.scale) : -1;
  };
  return <div class="picture">
    <canvas ref={canvas} aria-hidden="true" />
    <canvas ref={names} tabIndex={0} role="img" aria-label={label}
      onPointerDown={(event) => (drag.current = { x: event.clientX, y: event.clientY, moved: false })}
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
        if (!drag.current?.moved) onOpen(graph.entities[under(event)]?.id);
      }}
      onDblClick={() => onNear?.()}
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
    probe.style.color = `color-mix(in srgb, var(--${name}), var(--${name}))`;
    return getComputedStyle(probe).color;
  };
  const parts = (name: string) => colour(name).match(/[\d.]+/g)!.slice(0, 3).map(Number) as [number, number, number];
  const found: Look = {
    groups: COLOURS.map(parts),
    line: parts("edge"), text: colour("text"), halo: colour("ground"),
  };
  probe.remove();
  return found;
}
