/** Engine: the processes, the queue, the log. */
import type { ComponentChildren } from "preact";
import { pause, paths } from "../../api/calls";
import type { Status } from "../../api/types";
import { useResource } from "../../lib/resource";
import { brief, span } from "../../lib/time";
import { act } from "../../lib/undo";
import { count, number } from "../../lib/words";
import { Parts } from "../../ui/parts";
import { Shown } from "../../ui/states";
import { Cost } from "./cost";
import { Helps } from "./helps";
import { Logs } from "./logs";
import { Queue } from "./queue";
import { Repair } from "./repair";
import { Tasks } from "./tasks";

const PARTS = { "": ["Overview", Overview], queue: ["Queue", Queue], repair: ["Repair", Repair], logs: ["Logs", Logs], cost: ["Cost", Cost], predictor: ["What helps", Helps], tasks: ["Tasks", Tasks] } as const;

export default () => <Parts room="engine" of={PARTS} />;

const PROCESSES: Readonly<Record<string, string>> = { api: "answers requests", worker: "does the background work", scheduler: "decides when" };
const ROLES: Readonly<Record<string, string>> = { extraction: "Reads facts from texts", synthesis: "Writes summaries", embedding: "Makes vectors" };

function Overview() {
  const found = useResource<Required<Status>>(paths.status, ["process", "health", "job"]);
  return <Shown of={found} rows={5} what="the status">{(status) => <div class="cards">
    <Card title="Processes">{status.processes.map((one) => {
      const { name, state, uptime, restarts } = one as { name: string; state: string; uptime: number; restarts: number };
      return <p key={name} class={`dot ${state === "running" ? "good" : "bad"}`}><span>{name} <span class="soft small">{state === "running" ? `${PROCESSES[name] ?? ""}, for ${span(uptime * 1_000)}${restarts ? `, ${count(restarts, "restart")}` : ""}` : state}</span></span></p>;
    })}</Card>
    <Work status={status} />
    <Card title="Models">{Object.entries(status.providerResolution).map(([role, one]) => <div key={role}>
      <p class={`dot ${one.status === "active" ? "good" : "warn"}`}><span>{ROLES[role] ?? role} <span class="soft small">{String(one.effective ?? one.configured)}</span></span></p>
      {typeof one.reason === "string" && one.status !== "active" && <p class="small warn">{one.reason}</p>}
    </div>)}</Card>
    <Card title="Vectors"><p>{number(status.embedding.embedded)} of {count(status.embedding.total, "memory", "memories")} {status.embedding.model ? `by ${status.embedding.model}` : "have one; recall goes by words"}</p></Card>
    <Card title="This daemon"><p>Version {status.version}, on port {status.port}, for {span(status.uptime * 1_000)}.</p>
      <p class="small soft">Workspace {status.agentsDir}</p>
      {status.restartRequired.length > 0 && <p class="small warn">Restart for: {status.restartRequired.join(", ")}</p>}
      {status.configError && <p class="small bad">{status.configError}</p>}
      {status.configWarnings.map((one) => <p key={one} class="small warn">{one}</p>)}</Card>
  </div>}</Shown>;
}

type Pause = { queue: string; since: string; by: string | null };

function Work({ status }: { status: Required<Status> }) {
  const { pending, leased, dead, completed, paused, pauses } = status.queue as Record<string, number> & { paused: boolean; pauses: Pause[] };
  const toggle = (to: boolean) => () => pause(to);
  return <Card title="Background work">
    {(pending ?? 0) + (leased ?? 0) + (dead ?? 0) === 0 ? <p>All done. {count(completed ?? 0, "job")} so far.</p> : <p>
      <a href="#/engine/queue?status=pending">{number(pending ?? 0)} waiting</a>, <a href="#/engine/queue?status=leased">{number(leased ?? 0)} running</a>, <a href="#/engine/queue?status=dead" class={dead ? "bad" : ""}>{number(dead ?? 0)} dead</a></p>}
    {pauses.map((one) => <p key={one.queue} class="small warn">{one.queue === "all" ? "All queues are" : `Queue ${one.queue} is`} paused since {brief(one.since)}{one.by && ` by ${one.by}`}.</p>)}
    {Object.entries(status.waitingForProvider).map(([name, reason]) => <p key={name} class="small warn">Waits for {name}: {reason}</p>)}
    <p><button onClick={() => void act(toggle(!paused), paused ? "The queue goes on." : "The queue is paused.", toggle(paused))}>{paused ? "Go on" : "Pause"}</button></p>
  </Card>;
}

function Card({ title, children }: { title: string; children: ComponentChildren }) {
  return <section class="card" aria-label={title}><h2>{title}</h2>{children}</section>;
}
