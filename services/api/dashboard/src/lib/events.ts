/** The one stream of events: what happened is told by topic, and what shows it asks again. */
import { signal } from "./signal";
import { Refused, send } from "./http";
import { stale } from "./resource";

export type Live = { readonly state: "starting" | "live" | "retrying" | "refused"; readonly since: number };

export const live = signal<Live>({ state: "starting", since: Date.now() });

/** Without a stream for so long, what is open is asked for every so often. */
const PATIENCE_MS = 30_000;
const POLL_MS = 15_000;
/** A page that nobody sees for so long lets the stream go. */
const HIDDEN_MS = 30_000;
const FIRST_WAIT_MS = 500;
const MOST_WAIT_MS = 10_000;

export interface Frame {
  readonly event: string;
  readonly id: string | null;
  readonly data: string;
}

/** Return the whole frames of a stretch of a stream, and what is left of it. */
export function frames(text: string): { found: Frame[]; rest: string } {
  const parts = text.replace(/\r\n?/g, "\n").split("\n\n");
  const rest = parts.pop() ?? "";
  const found: Frame[] = [];
  for (const part of parts) {
    let event = "message";
    let id: string | null = null;
    const data: string[] = [];
    for (const line of part.split("\n")) {
      const colon = line.indexOf(":");
      if (colon <= 0) continue;
      const value = line.slice(colon + 1).replace(/^ /, "");
      const name = line.slice(0, colon);
      if (name === "event") event = value;
      else if (name === "id") id = value;
      else if (name === "data") data.push(value);
    }
    if (data.length > 0 || event !== "message") found.push({ event, id, data: data.join("\n") });
  }
  return { found, rest };
}

/** All topics that the caller may follow. */
const PATH = "/api/events";
let lastId: string | null = null;
let running: AbortController | null = null;
let hiding: number | undefined;

function become(state: Live["state"]): void {
  if (live.value.state !== state) live.value = { state, since: Date.now() };
}

function heard(frame: Frame): void {
  if (frame.id !== null) lastId = frame.id;
  if (frame.event === "hello") return;
  if (frame.event === "missed") stale();
  else stale(frame.event);
}

async function read(stop: AbortSignal): Promise<void> {
  const headers: Record<string, string> = lastId === null ? {} : { "last-event-id": lastId };
  const response = await send("GET", PATH, { signal: stop, headers });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  if (live.value.state === "retrying") stale();
  become("live");
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const { found, rest } = frames(text + value);
    text = rest;
    found.forEach(heard);
  }
}

async function follow(stop: AbortController): Promise<void> {
  let wait = FIRST_WAIT_MS;
  while (!stop.signal.aborted) {
    try {
      await read(stop.signal);
      wait = FIRST_WAIT_MS;
    } catch (error) {
      if (stop.signal.aborted) return;
      if (error instanceof Refused && error.status === 403) return become("refused");
    }
    become("retrying");
    await new Promise((resolve) => setTimeout(resolve, wait * (0.75 + Math.random() / 2)));
    wait = Math.min(wait * 2, MOST_WAIT_MS);
  }
}

function begin(): void {
  clearTimeout(hiding);
  if (running === null) void follow((running = new AbortController()));
}

function end(): void {
  running?.abort();
  running = null;
}

/** Follow the stream while the page is seen. */
export function start(): void {
  begin();
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") begin();
    else hiding = setTimeout(end, HIDDEN_MS);
  });
  setInterval(() => {
    const { state, since } = live.value;
    if (state !== "live" && Date.now() - since > PATIENCE_MS && document.visibilityState === "visible") stale();
  }, POLL_MS);
}
