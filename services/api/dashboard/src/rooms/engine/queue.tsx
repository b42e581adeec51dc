/** Jobs by state; one in detail, with retry and cancel. */
import { changeJobs } from "../../api/calls";
import { paths } from "../../api/paths";
import type { Job, Jobs, WholeJob } from "../../api/types";
import { useKeys, useSteps } from "../../lib/keys";
import { useResource } from "../../lib/resource";
import { filter, href, route } from "../../lib/route";
import { brief, span, whole } from "../../lib/time";
import { act } from "../../lib/undo";
import { count, number } from "../../lib/words";
import { Dialog } from "../../ui/dialog";
import { Empty, Load, noneOf, Shown } from "../../ui/states";
import { Facet } from "../memories/filters";

const STATES: Readonly<Record<string, string>> = { "": "All", pending: "Waiting", leased: "Running", dead: "Failed", completed: "Done" };
const State = ({ status }: Job) => <span class={status === "dead" ? "bad" : "soft"}>{(STATES[status] ?? status).toLowerCase()}</span>;

export function Queue() {
  const { status, kind, code, id } = route.value.query;
  const found = useResource<Jobs>(paths.jobs({ status, kind, code, limit: 200, facets: 1 }), ["job"]);
  const facets = found.value?.facets ?? {};
  const jobs = found.value?.jobs ?? [];
  useSteps(".rows a");
  useKeys([{ key: "r", says: "Retry", act: () => {
    const job = jobs.find((one) => document.activeElement === document.getElementById(one.id));
    if (job?.status === "dead") void retry([job.id]);
  } }]);
  return <>
    <div class="filters bar" role="group" aria-label="Filters">{Object.entries(STATES).map(([name, title]) => {
      const counted = facets.status?.find((one) => one.key === name)?.count;
      return <button key={name} class="chip" aria-pressed={(status ?? "") === name} onClick={() => filter({ status: name || undefined })}>{title}{counted ? ` ${number(counted)}` : ""}</button>;
    })}
      <Facet label="Kind" name="kind" of={facets.kind} />
      <Facet label="Error" name="code" of={facets.code} />
    </div>
    <Shown of={found} rows={6} what="jobs">{() => jobs.length === 0 ? <Empty title={kind || code || status === "completed" ? noneOf("job") : status === "dead" ? "No job has failed" : "All done"}><p>Jobs run when agents save or sessions end.</p></Empty> : <>
      <Causes jobs={jobs} />
      <ul class="rows" aria-label="Jobs">{jobs.map((one) => <li key={one.id}><Line job={one} /></li>)}</ul></>}</Shown>
    {id && <Detail id={id} />}
  </>;
}

function retry(ids: readonly string[]): Promise<boolean> {
  return act(() => changeJobs("retry", { ids }), `${count(ids.length, "job")} tried again.`);
}

function cancel(ids: readonly string[]): Promise<boolean> {
  return act(() => changeJobs("cancel", { ids }), `${count(ids.length, "job")} cancelled.`);
}

/** The cause of those that somebody ended. */
const CANCELLED = "cancelled";

/** Dead jobs by their cause. */
function Causes({ jobs }: { jobs: readonly Job[] }) {
  const causes = Map.groupBy(jobs.filter((one) => one.status === "dead"), (one) => one.last_error_code ?? "unknown");
  return <>{[...causes].map(([code, dead]) => <div key={code} class="note bad-edge">
    <p><strong>{count(dead.length, "job")} {code === CANCELLED ? "cancelled" : `failed: ${code}`}</strong></p>
    <p class="small">{dead[0]!.last_error}</p>
    <p><button onClick={() => retry(dead.map((one) => one.id))}>Try {dead.length === 1 ? "it" : "them"} again</button></p>
  </div>)}</>;
}

function Line({ job }: { job: Job }) {
  return <a id={job.id} class="row" href={href("engine", { ...route.value.query, id: job.id }, "queue")}>
    <span class="text cap">{job.says}</span>
    <span class="meta"><State {...job} />{job.attempts > 1 && <span>attempt {job.attempts} of {job.max_attempts}</span>}{job.last_error && <span>{job.last_error.slice(0, 160)}</span>}</span>
    <time class="when" dateTime={job.updated_at}>{brief(job.updated_at)}</time>
  </a>;
}

function Detail({ id }: { id: string }) {
  const close = () => filter({ id: undefined }, true);
  return <Dialog title="Job" onClose={close} isWide>
    <Load<WholeJob> path={paths.job(id)} topics={["job"]} rows={4} what="this job">{(job) => <>
      <p><span class="cap">{job.says}</span>, <State {...job} /></p>
      <Failed job={job} />
      <dl class="facts">{([
        ["Kind", job.job_type], ["Queue", job.queue], ["Made", whole(job.created_at)], ["Changed last", whole(job.updated_at)],
        ["Attempts", `${job.attempts} of ${job.max_attempts}${job.crashes ? `, ${count(job.crashes, "crash", "crashes")}` : ""}`],
        ["Next attempt", job.status === "pending" ? whole(job.next_attempt_at) : ""], ["Error", job.last_error], ["Code", job.last_error_code], ["Id", job.id],
      ] as const).filter(([, value]) => value).map(([name, value]) => <><dt>{name}</dt><dd>{value}</dd></>)}</dl>
      <details><summary>Payload and result</summary><pre class="block" tabIndex={0}>{JSON.stringify({ payload: job.payload, result: job.result }, null, 1)}</pre></details>
      {job.memory_id && <p><a href={href("memories", { id: job.memory_id })}>The memory that it is about</a></p>}
      <div class="buttons">
        {job.status === "dead" && <button onClick={() => retry([job.id])}>Try again</button>}
        {(job.status === "pending" || job.status === "leased") && <button onClick={() => cancel([job.id])}>Cancel it</button>}
        <button onClick={close}>Close</button></div>
    </>}</Load>
  </Dialog>;
}

interface Attempt { readonly began?: string | null; readonly at: string; readonly code: string; readonly text: string }

/** Attempts that failed, and what they said. */
function Failed({ job }: { job: WholeJob }) {
  const failed = (job.errors as Attempt[]).filter((one) => one.at);
  return failed.length === 0 ? null : <ol class="changes" aria-label="Attempts that failed">{failed.map((one, at) => <li key={at}><strong>{one.code}</strong>
    <span class="meta"><time dateTime={one.at}>{whole(one.at)}</time>{one.began && <span>after {span(Date.parse(one.at) - Date.parse(one.began))}</span>}</span>
    <p class="small">{one.text}</p></li>)}</ol>;
}
