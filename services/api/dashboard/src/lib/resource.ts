/** What was asked of the daemon, by address: shown while fresh, kept while stale, asked again when an event says so. */
import { signal, type Signal } from "./signal";
import { useLayoutEffect } from "preact/hooks";
import { Refused, send } from "./http";

export interface View<T> {
  readonly value: T | undefined;
  readonly error: Refused | null;
  /** When the value came, in ms; 0 before the first. */
  readonly at: number;
  readonly again: () => void;
}

interface Entry {
  readonly path: string;
  readonly view: Signal<View<unknown>>;
  topics: readonly string[];
  users: number;
  isStale: boolean;
  asked: number;
  /** How long the last answer took, in ms, and until when the answers so far are paid for. */
  took: number;
  paid: number;
  etag: string | null;
  timer: number | undefined;
  running: AbortController | null;
}

/** An event asks for a thing again at most this often, and so that the daemon answers for a tenth of the time, some of it ahead. */
const EACH_MS = 300;
const TIMES_TAKEN = 10;
const AHEAD_MS = 2_000;
/** Jobs come in bursts: what shows them waits (ms) for the rest of one. */
const BURST_MS = 400;
/** So many answers are kept for going back to. */
const KEPT = 60;

const all = new Map<string, Entry>();

function entryOf(path: string): Entry {
  const known = all.get(path);
  if (known) {
    all.delete(path);
    all.set(path, known);
    return known;
  }
  for (const [old, entry] of all) {
    if (all.size < KEPT) break;
    if (entry.users === 0) all.delete(old);
  }
  const entry: Entry = {
    path, topics: [], users: 0, isStale: true, asked: 0, took: 0, paid: 0, etag: null, timer: undefined, running: null,
    view: signal({ value: undefined, error: null, at: 0, again: () => void load(entry) }),
  };
  all.set(path, entry);
  return entry;
}

async function load(entry: Entry): Promise<void> {
  entry.running?.abort();
  const running = (entry.running = new AbortController());
  entry.isStale = false;
  entry.asked = Date.now();
  try {
    const headers: Record<string, string> = entry.etag ? { "if-none-match": entry.etag } : {};
    const response = await send("GET", entry.path, { signal: running.signal, headers });
    const value: unknown = await response.json();
    entry.etag = response.headers.get("etag");
    if (entry.running === running) finish(entry, { value, error: null, at: Date.now() });
  } catch (error) {
    if (running.signal.aborted) return;
    if (!(error instanceof Refused)) throw error;
    if (error.status === 304) finish(entry, entry.view.value.error ? { error: null, at: Date.now() } : null);
    else {
      entry.isStale = true;
      finish(entry, { error });
    }
  }
}

/** Keep what an answer changes, if it changes anything; what has become stale meanwhile is asked for again. */
function finish(entry: Entry, change: Partial<View<unknown>> | null): void {
  entry.took = Date.now() - entry.asked;
  entry.paid = Math.max(entry.paid, entry.asked) + TIMES_TAKEN * entry.took;
  entry.running = null;
  if (change) entry.view.value = { ...entry.view.value, ...change };
  const wait = change?.error ? change.error.waitMs : entry.isStale ? pause(entry) : null;
  if (wait !== null) later(entry, wait);
}

/** Return how long (ms) an event has to wait for a thing. */
function pause(entry: Entry): number {
  return Math.max(entry.asked + EACH_MS, entry.paid - AHEAD_MS) - Date.now();
}

function later(entry: Entry, wait: number): void {
  if (entry.users > 0) entry.timer ??= setTimeout(() => {
    entry.timer = undefined;
    if (!entry.running) void load(entry);
  }, wait);
}

/** Return what is at an address, and ask for it; null asks for nothing. Events of these topics make it stale. */
export function useResource<T>(path: string | null, topics: readonly string[] = []): View<T> {
  const entry = path === null ? NONE : entryOf(path);
  // Before it is painted, which may take longer than the answer.
  useLayoutEffect(() => {
    if (path === null) return;
    entry.users += 1;
    entry.topics = topics;
    if (entry.isStale && !entry.running) void load(entry);
    return () => {
      entry.users -= 1;
      if (entry.users > 0) return;
      if (entry.running) {
        entry.running.abort();
        entry.running = null;
        entry.isStale = true;
      }
      clearTimeout(entry.timer);
      entry.timer = undefined;
    };
  }, [entry]);
  return entry.view.value as View<T>;
}

const NONE: Entry = {
  path: "", topics: [], users: 0, isStale: false, asked: 0, took: 0, paid: 0, etag: null, timer: undefined, running: null,
  view: signal({ value: undefined, error: null, at: 0, again: () => undefined }),
};

/**
 * Say that what a topic is about has changed; without a topic, everything, which is asked for at once: a person waits.
 * What is answered soonest is asked first, and the next when that should be there: asked together, each would wait for all.
 */
export function stale(topic?: string): void {
  const meant = [...all.values()].filter((entry) => topic === undefined || entry.topics.includes(topic)).sort((one, other) => one.took - other.took);
  let wait = topic === "job" ? BURST_MS : 0;
  for (const entry of meant) {
    entry.isStale = true;
    if (topic === undefined) {
      clearTimeout(entry.timer);
      entry.timer = undefined;
    }
    later(entry, topic === undefined ? wait : Math.max(wait, pause(entry)));
    if (entry.users > 0) wait += entry.took;
  }
}
