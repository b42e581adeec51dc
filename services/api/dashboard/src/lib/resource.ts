/** What was asked of the daemon, by address: shown while fresh, kept while stale, asked again when an event says so. */
import { signal, type Signal } from "./signal";
import { useEffect } from "preact/hooks";
import { Refused, send } from "./http";

export interface View<T> {
  readonly value: T | undefined;
  readonly error: Refused | null;
  /** When the value came, in ms; 0 before the first. */
  readonly at: number;
  readonly isLoading: boolean;
  readonly again: () => void;
}

interface Entry {
  readonly path: string;
  readonly view: Signal<View<unknown>>;
  topics: readonly string[];
  users: number;
  isStale: boolean;
  asked: number;
  /** How long the last answer took, in ms. */
  took: number;
  etag: string | null;
  timer: number | undefined;
  running: AbortController | null;
}

/** An event asks for a thing again at most this often, and so that the daemon answers for a tenth of the time. */
const EACH_MS = 300;
const TIMES_TAKEN = 10;
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
    path, topics: [], users: 0, isStale: true, asked: 0, took: 0, etag: null, timer: undefined, running: null,
    view: signal({ value: undefined, error: null, at: 0, isLoading: true, again: () => void load(entry) }),
  };
  all.set(path, entry);
  return entry;
}

async function load(entry: Entry): Promise<void> {
  entry.running?.abort();
  const running = (entry.running = new AbortController());
  entry.isStale = false;
  entry.asked = Date.now();
  entry.view.value = { ...entry.view.value, isLoading: true };
  try {
    const headers: Record<string, string> = entry.etag ? { "if-none-match": entry.etag } : {};
    const response = await send("GET", entry.path, { signal: running.signal, headers });
    const value: unknown = await response.json();
    entry.etag = response.headers.get("etag");
    if (entry.running === running) finish(entry, { value, error: null, at: Date.now() });
  } catch (error) {
    if (running.signal.aborted) return;
    if (!(error instanceof Refused)) throw error;
    if (error.status === 304) finish(entry, { error: null, at: Date.now() });
    else {
      entry.isStale = true;
      finish(entry, { error });
    }
  }
}

function finish(entry: Entry, change: Partial<View<unknown>>): void {
  entry.took = Date.now() - entry.asked;
  entry.running = null;
  entry.view.value = { ...entry.view.value, ...change, isLoading: false };
  const wait = change.error?.waitMs;
  if (wait && entry.users > 0) later(entry, wait);
}

function later(entry: Entry, wait: number): void {
  entry.timer ??= setTimeout(() => {
    entry.timer = undefined;
    void load(entry);
  }, wait);
}

/** Return what is at an address, and ask for it; null asks for nothing. Events of these topics make it stale. */
export function useResource<T>(path: string | null, topics: readonly string[] = []): View<T> {
  const entry = path === null ? NONE : entryOf(path);
  useEffect(() => {
    if (path === null) return;
    entry.users += 1;
    entry.topics = topics;
    if (entry.isStale) void load(entry);
    return () => {
      entry.users -= 1;
      if (entry.users === 0 && entry.running) {
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
  path: "", topics: [], users: 0, isStale: false, asked: 0, took: 0, etag: null, timer: undefined, running: null,
  view: signal({ value: undefined, error: null, at: 0, isLoading: false, again: () => undefined }),
};

/** Say that what these topics are about has changed; without a topic, everything. */
export function stale(topic?: string): void {
  for (const entry of all.values()) {
    if (topic !== undefined && !entry.topics.includes(topic)) continue;
    entry.isStale = true;
    if (entry.users > 0) later(entry, Math.max(0, entry.asked + Math.max(EACH_MS, TIMES_TAKEN * entry.took) - Date.now()));
  }
}
