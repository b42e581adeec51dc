/** The queue: jobs by state, one in detail, retry and cancel. */
import { signal } from "../../lib/signal";
import { useState } from "preact/hooks";
import { changeJobs, paths } from "../../api/calls";
import type { Job, Jobs, Series, WholeJob } from "../../api/types";
import { useKeys } from "../../lib/keys";
import { useResource } from "../../lib/resource";
import { filter, href, route } from "../../lib/route";
import { brief, span, whole } from "../../lib/time";
import { act } from "../../lib/undo";
import { count, number, sum } from "../../lib/words";
import { Bars } from "../../ui/chart";
import { Dialog } from "../../ui/dialog";
import { Empty, noneOf, Shown } from "../../ui/states";
import { Facet } from "../memories/filters";

const STATES = { "": "All", pending: "Waiting", leased: "Running", dead: "Dead", completed: "Done" } as const;
const SAYS: Readonly<Record<string, string>> = { pending: "waiting", leased: "running", completed: "done", dead: "dead" };
/** So many of the bars are an hour. */
const LAST_HOUR = 6;
const chosen = signal<ReadonlySet<string>>(new Set());

export function Queue() {
  const { status, kind, code, id } = route.value.query;
  const found = useResource<Jobs>(paths.jobs({ status, kind, code, limit: 200, facets: 1 }), ["job"]);
  const facets = found.value?.facets ?? {};
  const [at, setAt] = useState(-1);
  const jobs = found.value?.jobs ?? [];
  const job = jobs[at];
  useKeys([
    { key: "j", says: "Next", act: () => setAt(Math.min(at + 1, jobs.length - 1)) },
    { key: "k", says: "Previous", act: () => setAt(Math.max(at - 1, 0)) },
    { key: "Enter", says: "Open", act: () => job && filter({ id: job.id }, true) },
    { key: "x", says: "Choose", act: () => job && toggle(job.id) },
    { key: "r", says: "Retry", act: () => job?.status === "dead" && void retry([job.id]) },
  ]);
  return <>
    <Ended />
    <div class="filters bar" role="group" aria-label="Filters">{Object.entries(STATES).map(([name, title]) => {
      const counted = facets.status?.find((one) => one.key === name)?.count;
      return <button key={name} class="chip" aria-pressed={(status ?? "") === name} onClick={() => { chosen.value = new Set(); filter({ status: name || undefined }); }}>{title}{counted ? ` ${number(counted)}` : ""}</button>;
    })}
      <Facet label="Kind" name="kind" of={facets.kind} />
      <Facet label="Error" name="code" of={facets.code} />
    </div>
    <Shown of={found} rows={6} what="jobs">{() => jobs.length === 0 ? <Empty title={kind || code || status === "completed" ? noneOf("job") : status === "dead" ? "No job has died" : "All done"}><p>Jobs appear here when agents save, sessions end or documents are read.</p></Empty> : <>
      <Causes jobs={jobs} />
      <ul class="rows" aria-label="Jobs">{jobs.map((one, index) => <li key={one.id}><Line job={one} isAt={index === at} /></li>)}</ul></>}</Shown>
    {chosen.value.size > 0 && <Bulk jobs={jobs} />}
    {id && <Detail id={id} />}
  </>;
}

/** Jobs that ended in the last day, and how many of them in the last hour. */
function Ended() {
  const found = useResource<Series>(paths.series({ metrics: "jobs_done,jobs_dead", step: "10min" }), ["job"]).value;
  if (!found) return null;
  const { jobs_done: done = [], jobs_dead: dead = [] } = found.series;
  const [well, badly] = [done, dead].map((one) => sum(one.slice(-LAST_HOUR))) as [number, number];
  return <div class="line"><p class="small soft">In the last hour {count(well, "job")} ended well{badly > 0 && <>, and <span class="bad">{number(badly)} died</span></>}. <a href="#/engine/cost?step=hour">The last day</a>:</p>
    <Bars label="Jobs done" starts={found.starts} values={done} bad={dead} /></div>;
}

function retry(ids: readonly string[]): Promise<boolean> {
  return act(() => changeJobs("retry", { ids }), `${count(ids.length, "job")} tried again.`);
}

function cancel(ids: readonly string[]): Promise<boolean> {
  return act(() => changeJobs("cancel", { ids }), `${count(ids.length, "job")} cancelled.`);
}

function toggle(id: string): void {
  const next = new Set(chosen.value);
  if (!next.delete(id)) next.add(id);
  chosen.value = next;
}

/** The cause of those that somebody ended. */
const CANCELLED = "cancelled";

/** Dead jobs by their cause. */
function Causes({ jobs }: { jobs: readonly Job[] }) {
  const causes = Map.groupBy(jobs.filter((one) => one.status === "dead"), (one) => one.last_error_code ?? "unknown");
  return <>{[...causes].map(([code, dead]) => <div key={code} class="note bad-edge">
    <p><strong>{count(dead.length, "job")} {code === CANCELLED ? "cancelled" : `died: ${code}`}</strong></p>
    <p class="small">{dead[0]!.last_error}</p>
    <p><button onClick={() => void retry(dead.map((one) => one.id))}>Try {dead.length === 1 ? "it" : "them"} again</button></p>
  </div>)}</>;
}

function Line({ job, isAt }: { job: Job; isAt: boolean }) {
  return <div class={isAt ? "row at" : "row"} onClick={(event) => { if (!(event.target instanceof HTMLInputElement)) filter({ id: job.id }, true); }}>
    <input class="tick" type="checkbox" aria-label={`Choose ${job.job_type} ${job.id.slice(-6)}`} checked={chosen.value.has(job.id)} onChange={() => toggle(job.id)} />
    <a class="text quiet" href={href("engine", { ...route.value.query, id: job.id }, "queue")} onClick={(event) => { event.preventDefault(); event.stopPropagation(); filter({ id: job.id }, true); }}>
      {job.job_type} <span class={job.status === "dead" ? "bad" : "soft"}>{SAYS[job.status] ?? job.status}</span></a>
    <span class="meta"><span>attempt {job.attempts} of {job.max_attempts}</span>{job.last_error && <span>{job.last_error.slice(0, 160)}</span>}</span>
    <time class="when" dateTime={job.updated_at}>{brief(job.updated_at)}</time>
  </div>;
}

function Bulk({ jobs }: { jobs: readonly Job[] }) {
  const picked = jobs.filter((job) => chosen.value.has(job.id));
  const dead = picked.filter((job) => job.status === "dead").map((job) => job.id);
  const waiting = picked.filter((job) => job.status === "pending" || job.status === "leased").map((job) => job.id);
  const clear = () => (chosen.value = new Set());
  return <div class="bulk" role="group" aria-label="Chosen jobs"><strong>{count(picked.length, "job")} chosen</strong>
    {dead.length > 0 && <button onClick={() => void retry(dead).then(clear)}>Try again</button>}
    {waiting.length > 0 && <button onClick={() => void cancel(waiting).then(clear)}>Cancel</button>}
    <button class="plain" onClick={clear}>Clear</button></div>;
}

function Detail({ id }: { id: string }) {
  const found = useResource<WholeJob>(paths.job(id), ["job"]);
  const close = () => filter({ id: undefined }, true);
  return <Dialog title="Job" onClose={close} isWide>
    <Shown of={found} rows={4} what="this job">{(job) => <>
      <p>{job.job_type}, <span class={job.status === "dead" ? "bad" : ""}>{SAYS[job.status] ?? job.status}</span></p>
      <Lane job={job} />
      <dl class="facts">{([
        ["Queue", job.queue], ["Made", whole(job.created_at)], ["Changed last", whole(job.updated_at)],
        ["Attempts", `${job.attempts} of ${job.max_attempts}${job.crashes ? `, ${count(job.crashes, "crash", "crashes")}` : ""}`],
        ["Next attempt", job.status === "pending" ? whole(job.next_attempt_at) : ""], ["Error", job.last_error], ["Code", job.last_error_code], ["Id", job.id],
      ] as const).filter(([, value]) => value).map(([name, value]) => <><dt>{name}</dt><dd>{value}</dd></>)}</dl>
      {job.memory_id && <p><a href={href("memories", { id: job.memory_id })}>The memory that it is about</a></p>}
      {job.payload !== null && <details><summary>Payload</summary><pre class="block" tabIndex={0}>{JSON.stringify(job.payload, null, 1)}</pre></details>}
      {job.result !== null && <details><summary>Result</summary><pre class="block" tabIndex={0}>{shown(job.result)}</pre></details>}
      <div class="buttons">
        {job.status === "dead" && <button onClick={() => void retry([job.id])}>Try again</button>}
        {(job.status === "pending" || job.status === "leased") && <button onClick={() => void cancel([job.id])}>Cancel it</button>}
        <button onClick={close}>Close</button></div>
    </>}</Shown>
  </Dialog>;
}

interface Attempt { readonly began?: string | null; readonly at: string; readonly code: string; readonly text: string }

/** A job on one line, from when it was made: each attempt that failed, and the one that runs or ended well; under it what they said. */
function Lane({ job }: { job: WholeJob }) {
  const failed = (job.errors as Attempt[]).filter((one) => one.at);
  const last = job.leased_at ?? job.completed_at;
  if (failed.length === 0) return null;
  const runs = [...failed.map((one) => ({ from: one.began ?? one.at, to: one.at, kind: "bad" })), ...(last ? [{ from: last, to: job.completed_at ?? new Date().toISOString(), kind: "good" }] : [])];
  const [start, end] = [Date.parse(job.created_at), Math.max(...runs.map((one) => Date.parse(one.to)))];
  const place = (at: string) => (100 * (Date.parse(at) - start)) / (end - start || 1);
  return <>
    <svg class="lane" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label={`Waiting and running, in ${span(end - start)}`}>
      <rect y="3.5" width="100" height="1" />
      {runs.map(({ from, to, kind }, at) => <rect key={at} class={kind} x={Math.min(99, place(from))} width={Math.max(1, place(to) - place(from))} height="8" />)}
    </svg>
    <ol class="changes" aria-label="Attempts that failed">{failed.map((one, at) => <li key={at}><strong>{one.code}</strong>
      <span class="meta"><time dateTime={one.at}>{whole(one.at)}</time>{one.began && <span>after {span(Date.parse(one.at) - Date.parse(one.began))}</span>}</span>
      <p class="small">{one.text}</p></li>)}</ol>
  </>;
}

function shown(result: unknown): string {
  try {
    return JSON.stringify(typeof result === "string" ? JSON.parse(result) : result, null, 1);
  } catch {
    return String(result);
  }
}
