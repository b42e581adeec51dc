/** The frame: rooms, header, the room that the address names, and what lies over it. */
import { render } from "preact";
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { live, start } from "./lib/events";
import { wanting } from "./lib/http";
import { useKeys } from "./lib/keys";
import { useResource } from "./lib/resource";
import { go, href, parse, route } from "./lib/route";
import "./lib/store";
import { clock } from "./lib/time";
import { undoLast } from "./lib/undo";
import type { Health } from "./api/types";
import { Icon, type IconName } from "./ui/icons";
import { Skeleton } from "./ui/states";
import { Toasts } from "./ui/toast";
import { ROOMS } from "./rooms";
import "./style/tokens.css";
import "./style/base.css";
import "./style/parts.css";

/** What lies over the page now. */
const over = signal<"palette" | "keys" | "capture" | null>(null);
const close = () => (over.value = null);

/** Parts that were loaded, by name. */
const loaded = signal<Readonly<Record<string, ComponentType<{ onClose: () => void }>>>>({});
const loading = new Set<string>();

const PARTS: Readonly<Record<string, () => Promise<{ default: ComponentType<{ onClose: () => void }> }>>> = {
  palette: () => import("./ui/palette"),
  keys: () => import("./ui/help"),
  token: () => import("./ui/token"),
  capture: () => import("./rooms/capture"),
  ...Object.fromEntries(ROOMS.map((room) => [`room ${room.name}`, room.load])),
};

function Part({ name, onClose = close }: { name: string; onClose?: () => void }) {
  const Found = loaded.value[name];
  if (Found) return <Found onClose={onClose} />;
  const load = PARTS[name];
  if (load && !loading.has(name)) {
    loading.add(name);
    void load().then((part) => (loaded.value = { ...loaded.peek(), [name]: part.default }));
  }
  return name.startsWith("room") ? <Skeleton rows={8} /> : null;
}

function roomOf(name: string) {
  return ROOMS.find((room) => room.name === name) ?? ROOMS[0]!;
}

function Dot() {
  const health = useResource<Health>("/health", ["health", "process"]);
  const { state, since } = live.value;
  const reasons = health.value?.reasons ?? [];
  if (health.error && health.error.status === 0) return <Say kind="bad" text={`Not reachable since ${clock(new Date(since).toISOString())}, trying again`} />;
  if (reasons.length > 0) return <Say kind="warn" text={reasons[0]!} />;
  if (state === "retrying") return <Say kind="warn" text="Reconnecting" />;
  if (health.value?.pendingRestart) return <Say kind="warn" text={`Restart to use ${health.value.pendingRestart}`} />;
  return <Say kind={health.value ? "good" : ""} text={health.value ? "Everything works" : "Asking…"} />;
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
    { key: "Ctrl k", says: "Go to anything", act: () => (over.value = over.peek() === "palette" ? null : "palette") },
    { key: "?", says: "Keys of this view", act: () => (over.value = "keys") },
    { key: "c", says: "Quick capture", act: () => (over.value = "capture") },
    { key: "z", says: "Undo", act: undoLast },
    ...ROOMS.map((room) => ({ key: `g ${room.key}`, says: room.title, act: () => go(href(room.name)) })),
  ]);
  useEffect(() => {
    document.title = `${here.title} · Signet`;
    main.current?.scrollTo(0, 0);
  }, [here]);
  return <div class="frame">
    <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); main.current?.focus(); }}>Skip to the content</a>
    <nav class="rooms" aria-label="Rooms">
      <div class="brand"><img src="/assets/icon.svg" width="22" height="22" alt="" />Signet</div>
      {ROOMS.map((room) => <a key={room.name} href={href(room.name)} aria-current={room === here ? "page" : undefined}>
        <Icon name={room.name as IconName} />{room.title}
      </a>)}
      <div class="foot">
        <button class="plain small" onClick={() => (over.value = "capture")}><Icon name="plus" />Capture</button>
        <button class="plain small" onClick={() => (over.value = "keys")}><Icon name="keyboard" />Keys</button>
      </div>
    </nav>
    <header class="head">
      <h1>{here.title}</h1>
      <button class="finder" aria-label="Search or go to" onClick={() => (over.value = "palette")}>
        <Icon name="search" /><span>Search or go to</span><kbd>{MAC ? "⌘K" : "Ctrl K"}</kbd>
      </button>
      <Dot />
    </header>
    <main id="main" tabIndex={-1} ref={main}><Part key={here.name} name={`room ${here.name}`} /></main>
    {over.value && <Part name={over.value} />}
    {wanting.value && <Part name="token" />}
    <Toasts />
  </div>;
}

function seek(): void {
  const field = document.querySelector<HTMLInputElement>("main input[type=search]");
  if (field) field.focus();
  else over.value = "palette";
}

/** Put the address that is meant in the place of an earlier or an unknown one. */
function straighten(): void {
  const { room, parts, query } = parse(location.hash);
  const meant = roomOf(room).name;
  const to = href(meant, meant === room ? query : {}, ...(meant === room ? parts : []));
  if (location.hash && location.hash !== to && !location.hash.startsWith(`#/${meant}`)) history.replaceState(null, "", to);
}

if (location.pathname === "/capture") over.value = "capture";
straighten();
addEventListener("hashchange", straighten);
start();
render(<Frame />, document.getElementById("app")!);
