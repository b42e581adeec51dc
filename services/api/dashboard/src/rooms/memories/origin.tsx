/** Where a memory is from, and what came of it. */
import { paths } from "../../api/paths";
import type { Followed, Links, WholeMemory } from "../../api/types";
import { useResource } from "../../lib/resource";
import { href } from "../../lib/route";
import { whole } from "../../lib/time";
import { count } from "../../lib/words";
import { open } from "./room";
import type { Row } from "./opened";

const ORIGINS: Readonly<Record<string, string>> = { user: "you", agent: "an agent", inferred: "Signet, from a session or memory", imported: "an import", web: "a web page", tool: "a tool" };

export function Origin({ memory }: { memory: Row | WholeMemory }) {
  const rows: [string, string | null | undefined][] = [
    ["Remembered", whole(memory.created_at)],
    ["It happened", whole(memory.event_at)],
    ["True from", whole(memory.valid_from)],
    ["True until", whole(memory.valid_to)],
    ["Said by", ORIGINS[memory.origin] ?? memory.origin],
    ["Project", memory.project ?? "every project"],
    ["Agent", memory.agent_id],
    ["Seen by", memory.visibility === "private" ? "its own agent only" : memory.visibility === "archived" ? "nobody (archived)" : "agents who read shared ones"],
    ["Used", memory.access_count === 0 ? "never" : `${count(memory.access_count, "time")}${memory.last_accessed ? `, last ${whole(memory.last_accessed)}` : ""}`],
    ["File", (memory as Partial<WholeMemory>).source_path],
    ["Id", memory.id],
  ];
  const session = memory.session_id ?? (memory.source_type?.startsWith("session") ? memory.source_id : null);
  return <>
    {session && <p><a href={href("sessions", {}, session)}>Its session</a></p>}
    <dl class="facts">{rows.filter(([, value]) => value).map(([name, value]) => <><dt>{name}</dt><dd>{value}</dd></>)}</dl>
    {!memory.deleted_at && memory.visibility !== "archived" && <Linked id={memory.id} />}
  </>;
}

function Linked({ id }: { id: string }) {
  const found = useResource<Links>(paths.links(id), ["memory"]).value;
  if (!found) return null;
  return <>
    <Others title="A later memory corrects it" of={found.correctedBy ? [found.correctedBy] : []} />
    <Others title="It corrects" of={found.corrects} />
    <Others title="It was read from" of={found.sources} />
    <Others title="Read from it" of={found.distilled} />
    {found.entities.length > 0 && <><h2>It names</h2><p>{found.entities.map((one) => <><a key={one.id} href={href("map", { focus: one.id })}>{one.name}</a> </>)}</p></>}
  </>;
}

function Others({ title, of }: { title: string; of: readonly Followed[] }) {
  return of.length === 0 ? null : <><h2>{title}</h2><ul class="needs">{of.map((one) => <li key={one.id}>
    <button class="link" onClick={() => open(one.id)}>{one.content}</button></li>)}</ul></>;
}
