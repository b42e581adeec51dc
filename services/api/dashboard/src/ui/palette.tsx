/** Ctrl+K: rooms, actions and memories in one list. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { recall } from "../api/calls";
import { paths } from "../api/paths";
import type { ConfigSchema } from "../api/types";
import { layers } from "../lib/keys";
import { useResource } from "../lib/resource";
import { go, href } from "../lib/route";
import { ROOMS } from "../rooms";
import { PARTS as ENGINE } from "../rooms/engine/room";
import { PARTS as SETTINGS } from "../rooms/settings/room";
import { Dialog } from "./dialog";

interface Item {
  readonly text: string;
  readonly kind: string;
  readonly act: () => void;
}

/** The pause in typing (ms) after which recall is asked. */
const PAUSE_MS = 150;
/** Settings that are listed at once. */
const FEW = 6;

function fixed(): Item[] {
  const rooms = ROOMS.map((room) => ({ text: room.title, kind: "page", act: () => go(href(room.name)) }));
  const keys = layers.value.flat().filter((one) => !one.key.startsWith("g ") && one.key !== "Ctrl k" && one.key.length === 1);
  const actions = keys.map((one) => ({ text: one.says, kind: `key ${one.key}`, act: () => one.act(new KeyboardEvent("keydown")) }));
  const parts = ([["engine", ENGINE], ["settings", SETTINGS]] as const).flatMap(([room, of]) => Object.entries(of).map(([name, [title]]) => ({ text: title, kind: `page of ${room}`, act: () => go(href(room, {}, ...(name ? [name] : []))) })));
  return [...rooms, ...parts, ...actions];
}

export default function Palette({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const [found, setFound] = useState<readonly Item[]>([]);
  const [at, setAt] = useState(0);
  const known = useMemo(fixed, []);
  useEffect(() => {
    setFound([]);
    if (typed.trim().length < 2) return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      recall(typed, { limit: 8 }, stop.signal).then(
        (answer) => setFound(answer.results.map((hit) => ({
          text: hit.title ?? hit.content, kind: hit.type,
          act: () => go(hit.source === "episode" ? href("sessions", {}, hit.source_id!) : href("memories", { ask: typed, id: hit.id })),
        }))),
        () => undefined,
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [typed]);
  const settings = useResource<ConfigSchema>(paths.schema).value?.settings ?? [];
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const holds = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const matching = [...known.filter((item) => holds(item.text)), ...(words[0] ? settings.filter((one) => holds(`${one.label} ${one.key}`)).slice(0, FEW).map((one) => ({
    text: one.label, kind: "setting", act: () => go(href("settings", { find: one.key }, "agent")),
  })) : [])];
  const ask: Item[] = typed.trim() ? [{ text: `Ask memories: ${typed}`, kind: "search", act: () => go(href("memories", { ask: typed })) }] : [];
  const items = [...matching, ...ask, ...found];
  const chosen = Math.min(at, items.length - 1);
  useEffect(() => document.getElementById(`palette-${chosen}`)?.scrollIntoView({ block: "nearest" }), [chosen]);
  const take = (item: Item | undefined) => {
    onClose();
    item?.act();
  };
  return <div class="palette"><Dialog title="Search or go to" onClose={onClose} hidesTitle>
    <input type="text" role="combobox" aria-expanded="true" aria-controls="palette-items" aria-label="Search or go to"
      aria-activedescendant={chosen >= 0 ? `palette-${chosen}` : undefined} placeholder="Search or go to…" value={typed}
      onInput={(event) => { setTyped(event.currentTarget.value); setAt(0); }}
      onKeyDown={(event) => {
        if (event.key === "ArrowDown") setAt(Math.min(chosen + 1, items.length - 1));
        else if (event.key === "ArrowUp") setAt(Math.max(chosen - 1, 0));
        else if (event.key === "Enter") take(items[chosen]);
        else return;
        event.preventDefault();
      }} />
    <ul role="listbox" id="palette-items" aria-label="Found">
      {items.map((item, index) => <li key={`${index} ${item.text}`} id={`palette-${index}`} role="option" aria-selected={index === chosen}
        onMouseMove={() => setAt(index)} onClick={() => take(item)}><span>{item.text.slice(0, 200)}</span><small>{item.kind}</small></li>)}
    </ul>
  </Dialog></div>;
}
