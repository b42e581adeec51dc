/** What it costs: tokens in prompts, calls of models, memory and processor, disk. */
import { paths } from "../../api/paths";
import type { Resources, Series } from "../../api/types";
import { filter, route } from "../../lib/route";
import { span } from "../../lib/time";
import { bytes } from "../../lib/words";
import { Charts } from "../../ui/chart";
import { Card, Load } from "../../ui/states";

const LINES = { recalls: "Recalls", told_tokens: "Tokens put into your prompts (estimated)", llm_calls: "Calls of models", llm_tokens: "Tokens spent on models", jobs_done: "Jobs done", jobs_dead: "Jobs that died" } as const;

export function Cost() {
  const step = route.value.query.step === "hour" ? "hour" : "day";
  return <div class="sides">
    <section aria-label="Over time">
      <div class="bar"><button class="chip" aria-pressed={step === "hour"} onClick={() => filter({ step: step === "hour" ? undefined : "hour" })}>Hour by hour</button></div>
      <Load<Series> path={paths.series({ metrics: Object.keys(LINES).join(), step, count: step === "hour" ? 48 : 30 })} topics={["session", "job", "recall"]} rows={5} what="the costs">{({ starts, series }) => <Charts starts={starts} lines={Object.entries(LINES).map(([key, name]) => ({ name, values: series[key] ?? [] }))} />}</Load>
    </section>
    <div class="side"><Load<Resources> path={paths.resources} topics={["process"]} rows={4} what="the resources">{({ processes, disk }) => <>
      <Card title="Memory and processor"><table><tbody>{processes.map((one) => <tr key={one.name}><th scope="row">{one.name}</th><td>{one.memoryBytes === null ? "–" : bytes(one.memoryBytes)}</td>
          <td>{one.cpuSeconds === null ? "–" : span(one.cpuSeconds * 1_000)}{one.uptime ? <span class="soft small"> of {span(one.uptime * 1_000)}</span> : ""}</td></tr>)}</tbody></table></Card>
      <Card title="Disk"><table><tbody>{disk.map((one) =>
        <tr key={one.part}><th scope="row">{one.part}</th><td>{bytes(one.bytes)}</td></tr>)}</tbody></table></Card>
    </>}</Load></div>
  </div>;
}
