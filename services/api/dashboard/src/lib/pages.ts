/** A list in pages: the first one is kept fresh, the others come while one scrolls. */
import { useEffect, useRef, useState } from "preact/hooks";
import { ask } from "./http";
import { useResource, type View } from "./resource";

export interface Paged<P, T> {
  readonly first: View<P>;
  readonly rows: readonly T[];
  /** Rows that came above those that are shown. */
  readonly fresh: number;
  readonly show: () => void;
  readonly more: () => void;
  readonly hasMore: boolean;
}

interface Kept<T> {
  readonly path: string;
  readonly rows: readonly T[];
  readonly next: string | null;
  readonly fresh: readonly T[];
}

/** Return the rows at a path, page by page. `mayJump` says whether new rows may push the others down. */
export function usePages<P extends { next: string | null }, T extends { id: string }>(
  path: string, rowsOf: (page: P) => readonly T[], topics: readonly string[], mayJump: () => boolean,
): Paged<P, T> {
  const first = useResource<P>(path, topics);
  const [kept, setKept] = useState<Kept<T> | null>(null);
  const loading = useRef<string | null>(null);
  const page = first.value;
  useEffect(() => {
    if (page === undefined) return;
    const rows = rowsOf(page);
    setKept((before) => {
      if (before?.path !== path || page.next === null || before.rows.length <= rows.length) return { path, rows, next: page.next, fresh: [] };
      const known = new Map(rows.map((row) => [row.id, row]));
      const seen = new Set(before.rows.map((row) => row.id));
      const fresh = rows.filter((row) => !seen.has(row.id));
      // What is gone from amid the first page is gone; what lies behind it may be of a later page.
      const last = before.rows.findLastIndex((row) => known.has(row.id));
      const same = before.rows.filter((row, at) => at > last || known.has(row.id)).map((row) => known.get(row.id) ?? row);
      if (mayJump()) return { ...before, rows: [...fresh, ...same], fresh: [] };
      return { ...before, rows: same, fresh };
    });
  }, [path, page]);
  const current = kept?.path === path ? kept : null;
  const more = () => {
    const next = current?.next;
    if (!next || loading.current === next) return;
    loading.current = next;
    const to = `${path}${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(next)}`;
    ask<P>("GET", to).then((found) => setKept((before) => before?.path === path
      ? { ...before, rows: [...before.rows, ...rowsOf(found)], next: found.next } : before),
    () => (loading.current = null));
  };
  const show = () => setKept((before) => before && { ...before, rows: [...before.fresh, ...before.rows], fresh: [] });
  return { first, rows: current?.rows ?? [], fresh: current?.fresh.length ?? 0, show, more, hasMore: current?.next != null };
}
