/** Where a memory is from, and who may see it. */
import type { Memory } from "../../api/types";
import { go, href } from "../../lib/route";
import { whole } from "../../lib/time";
import type { Row } from "./opened";

export function Origin({ memory }: { memory: Row | Memory }) {
  const rows: [string, string | null | undefined][] = [
    ["Remembered", whole(memory.created_at)],
    ["It happened", whole(memory.event_at)],
    ["True from", whole(memory.valid_from)],
    ["True until", whole(memory.valid_to)],
    ["Said by", memory.who],
    ["Project", memory.project],
    ["Source", [memory.source_type, memory.source_id].filter(Boolean).join(" · ")],
    ["Session", memory.session_id],
    ["Agent", memory.agent_id],
    ["Seen by", memory.visibility === "private" ? "its own agent only" : memory.visibility === "archived" ? "nobody: it is archived" : "every agent that may read shared memories"],
    ["Scope", memory.scope],
    ["Used", memory.access_count === 0 ? "never" : `${memory.access_count} times, last ${whole(memory.last_accessed)}`],
    ["Id", memory.id],
  ];
  return <>
    <dl class="facts">{rows.filter(([, value]) => value).map(([name, value]) => <><dt>{name}</dt><dd dir="auto">{value}</dd></>)}</dl>
    {memory.superseded_by && <p>A later memory corrects it: <button class="link" onClick={() => go(href("memories", { id: memory.superseded_by! }))}>show that one</button></p>}
  </>;
}
