/** The sessions that were given a memory, and whether they used it. */
import { paths } from "../../api/paths";
import type { MemoryUsage } from "../../api/types";
import { href } from "../../lib/route";
import { brief } from "../../lib/time";
import { count, percent, projectName } from "../../lib/words";
import { Load } from "../../ui/states";

export function Used({ id }: { id: string }) {
  return <Load<MemoryUsage> path={paths.usage(id)} topics={["session"]} rows={3} what="its uses">{({ uses, accessCount }) => <>
    <p class="soft">{accessCount === 0 ? "Never used." : `Used ${count(accessCount, "time")}.`} {uses.length === 0 && "No session received it."}</p>
    <ul class="needs">{uses.map((one, at) => <li key={at}>
      <a href={href("sessions", {}, one.sessionKey)}>{one.project ? projectName(one.project) : one.sessionKey}</a>
      <span class="meta"><span>{brief(one.at)}</span><span>{one.harness}</span>{one.prompt > 0 && <span>prompt {one.prompt}</span>}
        <span>{one.given ? "given" : "left out"}</span>{one.score !== null && <span>{percent(one.score)}</span>}{one.use && <span class={one.use === "used" ? "good" : ""}>{one.use}</span>}</span></li>)}</ul>
  </>}</Load>;
}
