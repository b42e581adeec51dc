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

const field = (event: string, name: string) => new RegExp(`^${name}: (.*)`, "m").exec(event)?.[1];

/** All topics that the caller may follow. */
const PATH = "/api/events";
let lastId: string | null = null;
let running: AbortController | null = null;
let hiding: number | undefined;

function become(state: Live["state"]): void {
  if (live.value.state !== state) live.value = { state, since: Date.now() };
}

/** Take in an event. What it is about is asked for where it is shown. */
function heard(event: string): void {
  lastId = field(event, "id") ?? lastId;
  const topic = field(event, "event");
  if (topic && topic !== "hello") stale(topic === "missed" ? undefined : topic);
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
    const events = (text + value).split("\n\n");
    text = events.pop()!;
    events.forEach(heard);
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
