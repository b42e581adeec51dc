/** What is said of a memory in one line. */
import { href } from "../../lib/route";
import { brief } from "../../lib/time";
import { projectName } from "../../lib/words";
import type { Row } from "./opened";

/** Whom the pipeline names as the author of what it read from other memories. */
const PIPELINE = "pipeline-v2";

/** Origins that are neither the person nor an agent of theirs. */
const FOREIGN: Readonly<Record<string, string>> = { web: "the web", tool: "a tool", imported: "an import" };

/** What is said of a memory in one line: its kind, who, project, what became of it; as of an earlier time, since then. */
export function Meta({ row, isLong = false, asOf }: { row: Row; isLong?: boolean; asOf?: string | undefined }) {
  return <span class="meta">
    <span>{row.type}</span>
    {row.who && row.who !== PIPELINE && <span>{row.who}</span>}
    {row.project && <span>{projectName(row.project)}</span>}
    {row.tags && <span>{row.tags.split(",").slice(0, isLong ? 20 : 3).join(", ")}</span>}
    {FOREIGN[row.origin] && <span>from {FOREIGN[row.origin]}</span>}
    {row.review === "waiting" && <span class="warn">waits for your review</span>}
    {row.superseded_by && <span class="warn">corrected since</span>}
    {asOf && row.deleted_at && <span class="warn">forgotten since</span>}
    {asOf && !row.superseded_by && !row.deleted_at && Date.parse(row.updated_at) > Date.parse(asOf) && <a class="warn" href={href("memories", { id: row.id, part: "history" })}>changed since</a>}
    {row.forgotten && <span class="warn">forgotten {brief(row.deleted_at)} by {row.forgotten.by}{row.forgotten.until ? `, can be recovered until ${brief(row.forgotten.until)}` : ""}</span>}
  </span>;
}
