/** What is said of a memory in one line. */
import { href } from "../../lib/route";
import { brief } from "../../lib/time";
import { Project } from "../../ui/project";
import type { Row } from "./opened";

/** Where a memory or passage is from, in words. */
export function fromOf({ type, source_type: source, source_id: id, origin, who }: Pick<Row, "type" | "source_type" | "source_id" | "who"> & { origin?: string }): string {
  if (source === "commit") return `commit ${id?.slice(0, 7)}`;
  if (source === "session") return "said in a session";
  const kind = type === "procedural" ? "rule" : type;
  return source === "session_end" ? `${kind} from a session` : source === "pipeline-v2" ? `${kind} read from another memory`
    : origin === "imported" ? `${kind} imported from ${who ?? source}` : origin === "web" || origin === "tool" ? `${kind} from ${origin === "web" ? "the web" : "a tool"}` : who && who !== "daemon" ? `${kind} saved by ${who}` : kind;
}

/** What is said of a memory in one line: its kind, who, project, what became of it; as of an earlier time, since then. */
export function Meta({ row, isLong = false, isAlone = true, asOf }: { row: Row; isLong?: boolean; isAlone?: boolean; asOf?: string | undefined }) {
  return <span class="meta">
    <span>{fromOf(row)}</span>
    {isAlone && row.project && <Project of={row.project} />}
    {row.tags && <span>{row.tags.split(",").slice(0, isLong ? 20 : 3).join(", ")}</span>}
    {row.visibility.startsWith("space:") && <span>{row.agent_id.replace("user:", "")} in {row.visibility.slice(6)}</span>}
    {row.review === "waiting" && <span class="warn">waits for your review</span>}
    {row.superseded_by && <span class="warn">corrected since</span>}
    {asOf && row.deleted_at && <span class="warn">forgotten since</span>}
    {asOf && !row.superseded_by && !row.deleted_at && Date.parse(row.updated_at) > Date.parse(asOf) && <a class="warn" href={href("memories", { id: row.id, part: "history" })}>changed since</a>}
    {row.forgotten && <span class="warn">forgotten {brief(row.deleted_at)} by {row.forgotten.by}{row.forgotten.until ? `, can be recovered until ${brief(row.forgotten.until)}` : ""}</span>}
  </span>;
}
