/** The states that every part has: loading, empty, refused, error, stale. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Refused } from "../lib/http";
import { useResource, type View } from "../lib/resource";
import { clock } from "../lib/time";

/** Before this (ms) a skeleton would only flicker. */
const SKELETON_MS = 150;

/** Show what came; until then bars of the same height, and where it failed, why. */
export function Shown<T>({ of, rows = 3, what, children }: {
  of: View<T>; rows?: number; what: string; children: (value: T) => ComponentChildren;
}) {
  if (of.value === undefined) return of.error ? <Trouble error={of.error} again={of.again} what={what} /> : <Skeleton rows={rows} />;
  return <>
    {of.error && <p class="stale small warn" role="status">As of {clock(new Date(of.at).toISOString())}: {of.error.message} <button class="link" onClick={of.again}>Try again</button></p>}
    {children(of.value)}
  </>;
}

/** Ask for what is at an address, and show it. */
export function Load<T>({ path, topics = [], ...more }: { path: string; topics?: readonly string[]; rows?: number; what: string; children: (value: T) => ComponentChildren }) {
  return <Shown of={useResource<T>(path, topics)} {...more} />;
}

/** A part with a title and a border. */
export function Card({ title, children }: { title: string; children: ComponentChildren }) {
  return <section class="card" aria-label={title}><h2>{title}</h2>{children}</section>;
}

/** Bars in place of rows. */
export function Skeleton({ rows }: { rows: number }) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), SKELETON_MS);
    return () => clearTimeout(timer);
  }, []);
  return <div class={isLate ? "skeleton" : "skeleton early"} aria-busy="true" aria-label="Loading">
    {Array.from({ length: rows }, (_, at) => <div key={at} />)}
  </div>;
}

/** Why something is not there: who may not see it, or what the daemon said. */
export function Trouble({ error, again, what }: { error: Refused; again?: () => void; what: string }) {
  if (error.status === 403) return <div class="note" role="status"><p>You may not see {what}.</p><p class="small soft">{error.message}</p></div>;
  return <div class="note bad-edge" role="alert">
    <p>{error.message}</p>
    <p class="small soft">{[error.code, error.status && `HTTP ${error.status}`, error.requestId && `request ${error.requestId}`].filter(Boolean).join(" · ")}</p>
    {error.waitMs && <p class="small soft">Asking again…</p>}
    {again && <p><button onClick={again}>Try again</button></p>}
  </div>;
}

/** The title of a list whose filters leave nothing of it. */
export const noneOf = (what: string) => `No ${what} passes these filters`;

/** What will be here, and what fills it. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return <div class="empty"><h2>{title}</h2>{children}</div>;
}
