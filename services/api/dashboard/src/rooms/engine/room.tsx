/** Engine: whether Signet works, how much it does, what failed last. */
import { pause } from "../../api/calls";
import { paths } from "../../api/paths";
import type { LogLines, Series, Status } from "../../api/types";
import { useResource } from "../../lib/resource";
import { href } from "../../lib/route";
import { brief, clock, span } from "../../lib/time";
import { act } from "../../lib/undo";
import { count, number, sum } from "../../lib/words";
import { Parts } from "../../ui/parts";
import { Card, Load } from "../../ui/states";
import { Cost } from "./cost";
import { Helps } from "./helps";
import { Logs, named } from "./logs";
import { Queue } from "./queue";
import { Repair } from "./repair";
import { Tasks } from "./tasks";

export const PARTS = { "": ["Overview", Overview], queue: ["Jobs", Queue], repair: ["Repair", Repair], logs: ["Log", Logs], cost: ["Cost", Cost], predictor: ["What helps", Helps], tasks: ["Tasks", Tasks] } as const;

export default () => <Parts room="engine" of={PARTS} />;

const PROCESSES: Readonly<Record<string, string>> = { api: "Answers your agents", worker: "Works in the background", scheduler: "Starts what is due" };
const ROLES: Readonly<Record<string, string>> = { extraction: "Reads facts from texts", synthesis: "Writes summaries", embedding: "Searches by meaning" };
const MODELS: Readonly<Record<string, string>> = { auto: "not used yet", rules: "by rules, without a model", native: "on this machine", none: "switched off" };
const modelOf = (name: string) => MODELS[name] ?? name;
/** Errors that are shown. */
const FEW = 3;

function Overview() {
  return <Load<Required<Status>> path={paths.status} topics={["process", "health", "job"]} rows={5} what="the status">{(status) => <div class="cards">
    <Card title="Is it running?">{status.processes.map((one) => {
      const { name, state, uptime, restarts } = one as { name: string; state: string; uptime: number; restarts: number };
      return <p key={name} class={`dot ${state === "running" ? "good" : "bad"}`}><span>{PROCESSES[name] ?? name} <span class="soft small">{state === "running" ? `for ${span(uptime * 1_000)}${restarts ? `, restarted ${count(restarts, "time")}` : ""}` : state}</span></span></p>;
    })}
      {status.restartRequired.length > 0 && <p class="small warn">Restart to use: {status.restartRequired.join(", ")}</p>}
      {[status.configError, ...status.configWarnings].filter(Boolean).map((one) => <p key={one} class="small warn">{one}</p>)}</Card>
    <Rates />
    <Work status={status} />
    <Errors />
    <Card title="Models">{Object.entries(status.providerResolution).map(([role, one]) => <div key={role}>
      <p class={`dot ${one.status === "active" ? "good" : "warn"}`}><span>{ROLES[role] ?? role} <span class="soft small">{modelOf(String(one.effective ?? one.configured))}</span></span></p>
      {typeof one.reason === "string" && one.status !== "active" && one.effective && <p class="small warn">{one.reason}</p>}
    </div>)}
      <p class="small soft">{number(status.embedding.embedded)} of {count(status.embedding.total, "memory", "memories")} can be found by meaning{status.embedding.model && `, with ${status.embedding.model}`}.</p></Card>
  </div>}</Load>;
}

/** What was done in the last hour. */
function Rates() {
  const { series } = useResource<Series>(paths.series({ metrics: "recalls,recall_p95,jobs_done,jobs_dead", step: "10min", count: 6 }), ["job", "recall"]).value ?? {};
  const all = (name: string) => sum(series?.[name] ?? []);
  return <Card title="In the last hour">
    <p>{count(all("recalls"), "question")} answered{all("recalls") > 0 && `, nearly all within ${number(Math.max(...series!.recall_p95!))} ms`}</p>
    <p>{count(all("jobs_done"), "job")} done, <span class={all("jobs_dead") ? "bad" : ""}>{number(all("jobs_dead"))} failed</span></p>
    <p class="small"><a href={href("engine", {}, "cost")}>Day by day, and what it costs</a></p></Card>;
}

function Errors() {
  return <Card title="Last errors"><Load<LogLines> path={paths.logs({ limit: FEW, level: "error" })} topics={["log"]} rows={1} what="the log">{({ logs }) => logs.length === 0 ? <p class="soft">None.</p> :
    <ul class="needs">{[...logs].reverse().map((line, at) => <li key={at}><span class="cap">{named(line.message)}</span><span class="soft small">{brief(String(line.timestamp))} {String(line.error ?? line.reason ?? "")}</span></li>)}</ul>}</Load>
    <p class="small"><a href={href("engine", { level: "error" }, "logs")}>The log</a></p></Card>;
}

type Pause = { queue: string; since: string; by: string | null };

function Work({ status }: { status: Required<Status> }) {
  const { pending, leased, dead, paused, pauses } = status.queue as Record<string, number> & { paused: boolean; pauses: Pause[] };
  const toggle = (to: boolean) => () => pause(to);
  const jobs = (state: string, size: number | undefined, says: string) => <a href={href("engine", { status: state }, "queue")} class={size && state === "dead" ? "bad" : ""}>{number(size ?? 0)} {says}</a>;
  return <Card title="Background work">
    <p>{jobs("pending", pending, "waiting")}, {jobs("leased", leased, "running")}, {jobs("dead", dead, "failed")}</p>
    {pauses.map((one) => <p key={one.queue} class="small warn">{one.queue === "all" ? "Everything is" : `Queue ${one.queue} is`} paused since {brief(one.since)}{one.by && ` by ${one.by}`}.</p>)}
    {Object.entries(status.waitingForProvider).map(([name, at]) => <p key={name} class="small warn">The model for {name} does not answer. Next attempt: {clock(at)}</p>)}
    <p><button onClick={() => act(toggle(!paused), paused ? "Resumed." : "Paused.", toggle(paused))}>{paused ? "Resume" : "Pause"}</button></p>
  </Card>;
}
