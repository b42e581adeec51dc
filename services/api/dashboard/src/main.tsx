/** The frame: rooms, header, the room that the address names, and what lies over it. */
import { render } from "preact";
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { live, start } from "./lib/events";
import { ask, borrow, consent, EXCHANGE, Refused, useToken, wanting } from "./lib/http";
import { useKeys } from "./lib/keys";
import { useResource } from "./lib/resource";
import { go, href, parse, route } from "./lib/route";
import { drawBy, signal } from "./lib/signal";
import { agent } from "./lib/store";
import { clock, whole } from "./lib/time";
import { say, undo } from "./lib/undo";
import type { Health, IssuedToken } from "./api/types";
import { Icon } from "./ui/icons";
import { Skeleton } from "./ui/states";
import { Toasts } from "./ui/toast";
import { ROOMS } from "./rooms";
import "./style/tokens.css";
import "./style/base.css";
import "./style/parts.css";
import "./style/lists.css";
import "./style/rooms.css";

/** What lies over the page now. */
const over = signal<keyof Far | null>(null);
const close = () => (over.value = null);

type Near = typeof import("./rooms/near");
type Far = Omit<typeof import("./rooms/far"), "default">;

/** Rooms, and what lies over them, as far as they were loaded. */
const loaded = signal<Readonly<Record<string, ComponentType<{ onClose: () => void }>>>>({});
const near = () => import("./rooms/near").then((found) => (loaded.value = { ...loaded.value, ...found }));
const far = () => import("./rooms/far").then((found) => (loaded.value = { ...loaded.value, ...found }));

const FAR = ["sessions", "map", "engine", "settings", "capture", "keys", "palette", "consent", "token"];

/** What is seen comes first; the rest is there before somebody asks for it. */
const LATER_MS = 2_000;
const later = () => setTimeout(() => (document.querySelector("[aria-busy]") ? later() : void far()), LATER_MS);

function Part({ name, children = null }: { name: keyof Near | keyof Far; children?: ComponentChildren }) {
  const Found = loaded.value[name];
  useEffect(() => {
    if (!Found) void (FAR.includes(name) ? far : near)();
  }, [name]);
  return Found ? <Found onClose={close} /> : <>{children}</>;
}

function roomOf(name: string) {
  return ROOMS.find((room) => room.name === name) ?? ROOMS[0]!;
}

function Dot() {
  const health = useResource<Health>("/health", ["health", "process"]);
  const { state, since } = live.value;
  const reasons = health.value?.reasons ?? [];
  if (health.error && health.error.status === 0) return <Say kind="bad" text={`Not reachable since ${clock(new Date(since).toISOString())}`} />;
  if (reasons.length > 0) return <Say kind="warn" text={reasons[0]!} />;
  if (state === "retrying") return <Say kind="warn" text="Reconnecting" />;
  if (health.value?.pendingRestart) return <Say kind="warn" text={`Restart to use ${health.value.pendingRestart}`} />;
  return <Say kind={health.value ? "good" : ""} text={health.value ? "Signet is running" : "Connecting…"} />;
}

function Say({ kind, text }: { kind: string; text: string }) {
  return <p class={`dot small ${kind}`} role="status"><span>{text}</span></p>;
}

const MAC = navigator.platform.startsWith("Mac");

function Frame() {
  const here = roomOf(route.value.room);
  const main = useRef<HTMLElement>(null);
  useKeys([
    { key: "/", says: "Search", act: () => seek() },
    { key: "Ctrl k", says: "Go to anything", act: () => (over.value = over.value === "palette" ? null : "palette") },
    { key: "?", says: "Keys of this view", act: () => (over.value = "keys") },
    { key: "c", says: "Quick capture", act: () => (over.value = "capture") },
    { key: "z", says: "Undo", act: () => undo() },
    ...ROOMS.map((room) => ({ key: `g ${room.key}`, says: room.title, act: () => go(href(room.name)) })),
  ]);
  useEffect(() => {
    document.title = `${here.title} · Signet`;
    main.current?.scrollTo(0, 0);
  }, [here]);
  return <div class="frame">
    <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); main.current?.focus(); }}>Skip to the content</a>
    <nav class="rooms" aria-label="Rooms">
      <div class="brand">Signet</div>
      {ROOMS.map((room) => <a key={room.name} href={href(room.name)} aria-current={room === here ? "page" : undefined}>
        <Icon name={room.name} />{room.title}
      </a>)}
      <Part name="projects" />
      <div class="foot">
        <button class="plain small" onClick={() => (over.value = "capture")}>Capture</button>
        <button class="plain small" onClick={() => (over.value = "keys")}>Shortcuts</button>
      </div>
    </nav>
    <header class="head">
      <h1>{here.title}</h1>
      <Part name="choice" />
      <button class="finder" aria-label="Search or go to" onClick={() => (over.value = "palette")}>
        <Icon name="search" /><span>Search or go to</span><kbd>{MAC ? "⌘K" : "Ctrl K"}</kbd>
      </button>
      {agent.value && <a class="chip on" href="#/settings/access">{agent.value}</a>}
      <button class="plus" aria-label="Capture" onClick={() => (over.value = "capture")}>+</button>
      <Dot />
    </header>
    <main id="main" tabIndex={-1} ref={main}><Part key={here.name} name={here.name}><Skeleton rows={8} /></Part></main>
    {over.value && <Part name={over.value} />}
    {wanting.value && <Part name="token" />}
    {consent.value && <Part name="consent" />}
    <Toasts />
  </div>;
}

/** A time that is pointed at says its date and zone. */
addEventListener("pointerover", ({ target }) => {
  if (target instanceof HTMLTimeElement) target.title = whole(target.dateTime);
});

function seek(): void {
  const field = document.querySelector<HTMLInputElement>("main input[type=search]");
  if (field) field.focus();
  else over.value = "palette";
}

/** Put Today in the place of an unknown address. */
function straighten(): void {
  const { room } = parse(location.hash);
  const meant = roomOf(room).name;
  if (location.hash && meant !== room) history.replaceState(null, "", href(meant));
}

if (location.pathname === "/capture") over.value = "capture";
/** Take the code of a one-time link out of the address and exchange it for a token. */
async function enter(): Promise<void> {
  const code = /^#code=(.+)/.exec(location.hash)?.[1];
  if (!code) return borrow();
  history.replaceState(null, "", "#/today");
  route.value = parse(location.hash);
  try {
    useToken((await ask<IssuedToken>("POST", EXCHANGE, { body: { code } })).token);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    say(`The link has expired: ${error.message}. Get another: signet dashboard`, null, true);
  }
}

void enter().then(() => {
  straighten();
  addEventListener("hashchange", straighten);
  start();
  drawBy(() => render(<Frame />, document.getElementById("app")!));
  later();
});
