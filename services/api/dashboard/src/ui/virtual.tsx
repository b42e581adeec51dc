/** A long list: only the rows that can be seen are in the document. All have one height. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

/** Rows drawn beyond each edge. */
const BEYOND = 8;

/** Return the height of a row as the style has it. */
export function rowHeight(): number {
  return parseInt(getComputedStyle(document.documentElement).getPropertyValue("--row"), 10) || 56;
}

/** Return what scrolls the room. */
export function scroller(): HTMLElement {
  return document.getElementById("main")!;
}

export function Virtual<T>({ rows, keyOf, draw, onEnd, label, at }: {
  rows: readonly T[]; keyOf: (row: T) => string; draw: (row: T, index: number) => ComponentChildren;
  onEnd: () => void; label: string; at: number;
}) {
  const list = useRef<HTMLUListElement>(null);
  const [seen, setSeen] = useState({ from: 0, to: 40 });
  const drawn = useRef<{ by: typeof draw; rows: ReadonlyMap<number, ComponentChildren> }>({ by: draw, rows: new Map() });
  const height = useMemo(rowHeight, [draw]);
  const look = () => {
    const box = scroller();
    if (!list.current) return;
    const top = box.getBoundingClientRect().top - list.current.getBoundingClientRect().top;
    const from = Math.max(0, Math.floor(top / height) - BEYOND);
    const to = Math.ceil((top + box.clientHeight) / height) + BEYOND;
    setSeen((before) => (before.from === from && before.to === to ? before : { from, to }));
  };
  useLayoutEffect(look, [rows.length]);
  useEffect(() => {
    const box = scroller();
    box.addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => {
      box.removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, [height]);
  useEffect(() => {
    if (rows.length > 0 && seen.to >= rows.length) onEnd();
  }, [seen.to, rows.length]);
  useEffect(() => {
    if (at >= 0 && list.current) reveal(list.current, at * height, height);
  }, [at]);
  const from = Math.min(seen.from, Math.max(0, rows.length - 1));
  // Who scrolls meets rows that are drawn already; only their owner draws them anew.
  const before = drawn.current.by === draw ? drawn.current.rows : null;
  const now = new Map(rows.slice(from, seen.to).map((row, index) => [from + index, before?.get(from + index) ??
    <li key={keyOf(row)} aria-setsize={rows.length} aria-posinset={from + index + 1}>{draw(row, from + index)}</li>]));
  drawn.current = { by: draw, rows: now };
  return <ul class="rows" ref={list} aria-label={label}>
    {from > 0 && <li aria-hidden="true" style={{ height: `${from * height}px` }} />}
    {[...now.values()]}
    {rows.length > seen.to && <li aria-hidden="true" style={{ height: `${(rows.length - seen.to) * height}px` }} />}
  </ul>;
}

/** The height (px) of what stays at the top of a room while it scrolls. */
const STUCK = 110;

function reveal(list: HTMLElement, top: number, height: number): void {
  const box = scroller();
  const place = list.getBoundingClientRect().top - box.getBoundingClientRect().top + top;
  if (place < STUCK) box.scrollBy({ top: place - STUCK });
  else if (place + height > box.clientHeight) box.scrollBy({ top: place + height - box.clientHeight });
}
