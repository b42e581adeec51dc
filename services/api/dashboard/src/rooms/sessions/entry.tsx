/** A session in a list: title and outcome, then what it took and gave. */
import type { ListedSession } from "../../api/types";
import { href } from "../../lib/route";
import { clock, span } from "../../lib/time";
import { count, number } from "../../lib/words";
import { Project } from "../../ui/project";

/** Without `when`, which says the time, in a list of all projects. */
export function Entry({ one, when }: { one: ListedSession; when?: (at: string) => string }) {
  return <a class="entry" href={href("sessions", {}, one.key)}>
    <time class="soft small" dateTime={one.startedAt}>{(when ?? clock)(one.startedAt)}</time>
    <span class="what"><strong>{one.title ?? <span class="soft">{one.endedAt ? "No transcript" : one.prompts ? "No title yet" : "No prompt yet"}</span>}</strong>
      {one.outcome && <span class="outcome">{one.outcome}</span>}</span>
    <span class="meta">{one.endedAt === null && <span class="good">open</span>}{!when && one.project && <Project of={one.project} />}<span>{one.harness ?? "unknown harness"}</span>
      {one.seconds > 59 && <span>{span(one.seconds * 1_000)}</span>}
      {one.decisions.length > 0 && <span>{count(one.decisions.length, "decision")}</span>}
      {one.files.length > 0 && <span>{count(one.files.length, "file")}</span>}
      <span>{one.given === 0 ? "no memories shown" : `${number(one.given)} shown, ${one.endedAt === null ? "use not known yet" : `${number(one.used)} used`}`}</span>{one.bypassed && <span class="warn">bypassed</span>}</span>
  </a>;
}
