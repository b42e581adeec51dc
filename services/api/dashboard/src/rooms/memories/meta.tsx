/** What is said of a memory in one line. */
import { href } from "../../lib/route";
import { brief } from "../../lib/time";
import { Project } from "../../ui/project";
import type { Row } from "./opened";

/** What is said of a memory in one line: its kind, who, project, what became of it; as of an earlier time, since then. */
export function Meta({ row, isLong = false, isAlone = true, asOf }: { row: Row; isLong?: boolean; isAlone?: boolean; asOf?: string | undefined }) {
  return <span class="meta">
    <span>{row.says}</span>
    {isAlone && row.project && <Project of={row.project} />}
    {row.tags && <span>{row.tags.split(",").slice(0, isLong ? 20 : 3).join(", ")}</span>}
    {row.visibility === "private" && <span>private</span>}
    {row.visibility.startsWith("space:") && <span>{row.agent_id.replace("user:", "")} in {row.visibility.slice(6)}</span>}
    {row.review === "waiting" && <span class="warn">to review</span>}
    {row.superseded_by && <span class="warn">corrected since</span>}
    {asOf && row.deleted_at && <span class="warn">forgotten since</span>}
    {asOf && !row.superseded_by && !row.deleted_at && Date.parse(row.updated_at) > Date.parse(asOf) && <a class="warn" href={href("memories", { id: row.id, part: "history" })}>changed since</a>}
    {row.forgotten && <span class="warn">forgotten {brief(row.deleted_at)} by {row.forgotten.by}{row.forgotten.until ? `, can be recovered until ${brief(row.forgotten.until)}` : ""}</span>}
  </span>;
}
