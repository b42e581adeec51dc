/** Memories: filter the list, or ask and see what an agent would be told; one memory in the panel. */
import { useEffect, useRef, useState } from "preact/hooks";
import { useKeys } from "../../lib/keys";
import { filter, go, href, route } from "../../lib/route";
import { Asked } from "./asked";
import { Filters } from "./filters";
import { List } from "./list";
import { Panel } from "./panel";
import { Shares } from "./shares";
import { TimeBar } from "./timebar";
import { Icon } from "../../ui/icons";
import { opened } from "./opened";

/** The pause in typing (ms) after which recall is asked. */
const PAUSE_MS = 150;

/** What narrows the list instead of being asked: `type:decision `, `who:Mira `, and words in quotation marks. */
const TERM = /\b(type|who|tag):(\S+)\s|"([^"]+)"/g;

export default function Memories() {
  const { query } = route.value;
  const id = query.id;
  const open = opened.value;
  useKeys([{ key: "Escape", says: "Close the panel", act: () => id && filter({ id: undefined, part: undefined }, true) }]);
  return <>
    <div class="ask">
      <Search />
      <Filters />
      {query.bar && !query.ask && <TimeBar />}
      {query.space && <Shares query={{ space: query.space, state: "proposed" }} />}
    </div>
    <div class={id ? "two open" : "two"}>
      {query.ask ? <Asked question={query.ask} /> : <List />}
      {id && <Panel key={id} id={id} row={open?.id === id ? open : null} />}
    </div>
  </>;
}

function Search() {
  const asked = route.value.query.ask ?? "";
  const [typed, setTyped] = useState(asked);
  const timer = useRef<number | undefined>(undefined);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (timer.current === undefined && typed.trim() !== asked) setTyped(asked);
  }, [asked]);
  useEffect(() => {
    if (matchMedia("(min-width: 721px)").matches && !route.value.query.id) field.current?.focus({ preventScroll: true });
    return () => clearTimeout(timer.current);
  }, []);
  const type = (text: string) => {
    setTyped(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      timer.current = undefined;
      const found: Record<string, string> = {};
      const rest = text.replace(TERM, (_, name = "q", value = "", words = "") => { found[name] = value || words; return ""; });
      if (rest !== text) setTyped(rest.trimStart());
      filter({ ...found, ask: rest.trim() || undefined });
    }, PAUSE_MS);
  };
  return <div class="query">
    <Icon name="search" />
    <input ref={field} type="search" value={typed} placeholder="Ask, as your agent would" aria-label="Ask memories"
      onInput={(event) => type(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === "Escape") event.currentTarget.blur();
        if (event.key === "ArrowDown" || event.key === "Enter") document.querySelector<HTMLElement>("main .rows a")?.focus();
      }} />
  </div>;
}

/** Open a memory in the panel; the address keeps it. */
export function open(id: string, part?: string): void {
  const { room, parts, query } = route.value;
  go(href(room, { ...query, id, part: part ?? query.part }, ...parts));
}
