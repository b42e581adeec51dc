/** Today: what needs a person, what was learned, what was forgotten, what is going on. */
import { useMemo, useState } from "preact/hooks";
import { paths } from "../api/calls";
import type { Advice, Diagnoses, Harnesses, Home, MemoryPage } from "../api/types";
import { useKeys, useSteps } from "../lib/keys";
import { useResource } from "../lib/resource";
import { filter, go, href, route } from "../lib/route";
import { brief, byDay, clock, dayName, dayOf, startOfDay } from "../lib/time";
import { count, projectName, sum } from "../lib/words";
import { Icon } from "../ui/icons";
import { Empty, Shown } from "../ui/states";
import { Meta } from "./memories/meta";
import { doing } from "./memories/doing";
import { keep, type Row } from "./memories/opened";

/** Rows that the diary has at most. */
const ROWS = 60;

/** What is to be judged goes back so many days, and is shown so many at a time. */
const DAYS = 14;
const JUDGED = 30;
const VERDICTS = [["keep", "Keep"], ["wrong", "Wrong"], ["fade", "Let it fade"]] as const;

export default function Today() {
  const learned = useResource<MemoryPage>(paths.memories({ limit: ROWS, stats: 0, total: 1 }), ["memory"]);
  const rows = learned.value?.memories;
  // It is drawn anew when something was learned, not with all else.
  const diary = useMemo(() => (rows?.length ? <Diary rows={rows} /> : <First />), [rows]);
  return <div class="today">
    <Hello rows={rows} total={learned.value?.total} />
    <div class="sides">
      <section aria-label="Learned">
        {route.value.query.triage ? <Triage /> : <Shown of={learned} rows={7} what="memories">{() => diary}</Shown>}
      </section>
      <div class="side">
        <Needs />
        <Reviews />
        <Pulse />
        <Now />
        <Forgotten />
        <YearAgo />
      </div>
    </div>
  </div>;
}

/** Everything here but the diary and what needs a person, in one answer. */
function useHome() {
  return useResource<Home>(paths.home(), ["memory", "session", "job"]);
}

/** What the daemon calls an agent whose IDENTITY.md says no name. */
const NAMELESS = "Unknown";

function Hello({ rows, total }: { rows: readonly Row[] | undefined; total: number | undefined }) {
  const { agent: known, kept = 0 } = useHome().value ?? {};
  const hour = new Date().getHours();
  const name = known && known !== NAMELESS ? known : "Your agent";
  const today = dayOf(new Date());
  const fresh = rows?.filter((row) => dayOf(new Date(row.created_at)) === today);
  const projects = [...new Set(fresh?.flatMap((row) => (row.project ? [projectName(row.project)] : [])))].slice(0, 3);
  const learned = fresh && (fresh.length === 0 ? `${name} has learned nothing new today.` :
    `${name} learned ${fresh.length < ROWS ? "" : "more than "}${count(fresh.length, "thing")} today${projects.length ? `, about ${projects.join(", ")}` : ""}.`);
  return <div class="hello">
    <p class="greeting">Good {hour < 12 ? "morning" : hour < 17 ? "afternoon" : "evening"}.</p>
    <p class="soft">{learned} {total !== undefined && total + kept > 0 && <>It remembers <a href="#/memories">{count(total, "thing")}</a>{kept > 0 && <> and can quote <a href="#/sessions">{count(kept, "session")}</a></>}.</>}</p>
  </div>;
}

function Diary({ rows }: { rows: readonly Row[] }) {
  useSteps(".diary a");
  /** Of the earliest day the diary may have some only. */
  const isCut = (day: readonly Row[]) => rows.length === ROWS && day.includes(rows[ROWS - 1]!);
  return <>
    <p class="small"><button class="link" onClick={() => filter({ triage: "1" }, true)}>Say what is worth keeping</button> <span class="soft">one after the other, with 1, 2 and 3</span></p>
    {byDay(rows, (row) => row.created_at).map(([day, found]) => <section key={day} class="day">
    <h2>{dayName(new Date(found[0]!.created_at))} <span class="soft small">{isCut(found) && "the newest of more than "}{count(found.length, "memory", "memories")}</span></h2>
    <ul class="diary">{found.map((row) => <li key={row.id}>
      <a href={href("memories", { id: row.id })} class="entry" onClick={() => keep(row)}>
        <time class="soft small" dateTime={row.created_at}>{clock(row.created_at)}</time>
        <span dir="auto">{row.pinned && <Icon name="pin" />} {row.content.slice(0, 240)}</span>
        <Meta row={row} />
      </a></li>)}</ul>
  </section>)}
  <p><a href="#/memories">All memories</a></p></>;
}

/** New memories of which nobody has said what they are worth, one after the other. */
function Triage() {
  const today = startOfDay(new Date());
  const from = new Date(today.getFullYear(), today.getMonth(), today.getDate() - DAYS);
  const found = useResource<MemoryPage>(paths.memories({ since: from.toISOString(), unreviewed: 1, limit: JUDGED, stats: 0, total: 1 }), ["memory"]);
  const [skipped, setSkipped] = useState<ReadonlySet<string>>(new Set());
  const row = found.value?.memories.find((one) => !skipped.has(one.id));
  const skip = () => row && setSkipped(new Set([...skipped, row.id]));
  const leave = () => filter({ triage: undefined });
  useKeys([
    ...VERDICTS.map(([verdict, says], at) => ({ key: String(at + 1), says, act: () => row && void doing.judge(row.id, verdict) })),
    { key: "j", says: "Not now", act: skip },
    { key: "Enter", says: "Open", act: () => row && go(href("memories", { id: row.id })) },
    { key: "Escape", says: "Back to the diary", act: leave },
  ]);
  return <Shown of={found} rows={3} what="memories">{({ total = 0 }) => <section class="triage" aria-label="What is worth keeping">
    <h2>What is worth keeping <span class="soft small">{count(total, "memory", "memories")} of the last {DAYS} days</span></h2>
    {row ? <div class="card">
      <p class="said" dir="auto">{row.content.slice(0, 1_000)}</p>
      <Meta row={row} isLong />
      <p class="tools">{VERDICTS.map(([verdict, says], at) => <button key={verdict} onClick={() => void doing.judge(row.id, verdict)}>{says} <kbd>{at + 1}</kbd></button>)}
        <button class="plain" onClick={skip}>Not now <kbd>j</kbd></button></p>
      <p class="small soft">Faded memories count half. Each can be undone.</p>
    </div> : <Empty title={total > 0 ? "The rest is for later" : "All is judged"}><p>What nobody judged is not lost.</p></Empty>}
    <p><button class="link" onClick={leave}>Back to the diary</button></p>
  </section>}</Shown>;
}

function First() {
  const found = useResource<Harnesses>(paths.harnesses).value?.harnesses ?? [];
  const connected = found.filter((one) => one.connected).map((one) => one.name);
  return <Empty title="Nothing is remembered yet">
    <p>{connected.length > 0 ? `${connected.join(" and ")} ${connected.length === 1 ? "is" : "are"} connected: say something worth keeping there.` : <>No harness is connected: <code>signet harness install</code></>}</p>
    <p>Or try: <code>signet remember "I prefer tabs over spaces"</code></p>
  </Empty>;
}

/** Where the reasons of a part lead. */
const PLACES: Readonly<Record<string, string>> = { queue: "#/engine/queue?status=dead", provider: "#/engine", storage: "#/engine", mutation: "#/engine/repair" };

function Needs() {
  const found = useResource<Diagnoses>(paths.diagnostics, ["health", "job", "process"]);
  if (found.error?.status === 403) return null;
  return <section class="card" aria-label="Needs you"><h2>Needs you</h2>
    <Shown of={found} rows={1} what="diagnostics">{({ composite }) => {
      const advice = composite.help ?? [];
      return advice.length === 0 ? <p class="soft">Nothing. Everything works.</p> :
        <ul class="needs urgent">{advice.map((one, at) => <li key={at}><Need one={one} /></li>)}</ul>;
    }}</Shown>
  </section>;
}

function Need({ one: { reason, command, domain } }: { one: Advice }) {
  const place = PLACES[domain];
  const preview = /^signet repair (\S+)/.exec(command ?? "")?.[1];
  return <>
    <p>{reason}</p>
    {command && <p class="small"><code>{command}</code></p>}
    <p class="small meta">{preview && <span><a href={href("engine", { preview }, "repair")}>Preview the repair</a></span>}{place && <span><a href={place}>Look</a></span>}</p>
  </>;
}

/** Memories that are not the user's own words and tell an agent what to do, or correct what the user said. */
function Reviews() {
  const page = useHome().value?.reviews;
  if (!page || page.memories.length === 0) return null;
  return <section class="card" aria-label="To review"><h2>To review <span class="soft small">{page.total}</span></h2>
    <p class="small soft">Others’ words that tell an agent what to do or correct yours. Unasked, they have no effect until you approve them.</p>
    <ul class="needs">{page.memories.map((one) => <li key={one.id}>
      <p dir="auto">{one.content.slice(0, 240)}</p>
      <span class="meta"><span>{one.origin}</span>{one.who && <span>saved by {one.who}</span>}<span>{brief(one.created_at)}</span></span>
      <p class="tools"><button onClick={() => void doing.approve(one.id)}>Approve</button><button onClick={() => void doing.reject(one.id)}>Reject</button></p>
    </li>)}</ul></section>;
}

/** What was learned in the last weeks, a day in each field; a field leads to its day. */
function Pulse() {
  const days = useHome().value?.days;
  if (!days) return null;
  const { added = [], prompts = [], told_tokens: tokens = [] } = days.series;
  const most = Math.max(...added);
  return <section class="card" aria-label="The last weeks"><h2>The last {days.starts.length / 7} weeks</h2>
    <ol class="days">{days.starts.map((start, at) => {
      const [day, found] = [new Date(start), added[at]!];
      return <li key={start} style={at ? undefined : { gridColumnStart: String(((day.getDay() + 6) % 7) + 1) }}>
        <a style={{ "--level": String(Math.ceil((4 * found) / (most || 1))) }} href={href("memories", { since: start, until: days.starts[at + 1] })} title={`${dayName(day)}: ${count(found, "thing")} learned`}>{day.getDate()}</a></li>;
    })}</ol>
    <p class="small soft">{count(sum(added), "thing")} learned. {sum(prompts) > 0 && <>{count(sum(prompts), "prompt")} looked at, <a href="#/engine/cost">about {count(sum(tokens), "token")}</a> given.</>}</p></section>;
}

function Now() {
  const home = useHome();
  return <section class="card" aria-label="Now"><h2>Now</h2>
    <Shown of={home} rows={2} what="sessions">{({ sessions: { sessions: running }, work }) => <>{running.length === 0 ? <p class="soft">No session is open.</p> :
      <ul class="needs">{running.slice(0, 5).map((one) => <li key={one.key}>
        <button class="link" onClick={() => go(href("sessions", {}, one.key))}>{one.project ? projectName(one.project) : one.key}</button>
        <span class="meta"><span>{one.harness ?? "unknown harness"}</span><span>since {brief(one.claimedAt)}</span>{one.bypassed && <span class="warn">bypassed</span>}</span>
      </li>)}</ul>}
    {work && <p class="small soft">{work.paused ? <span class="warn">Background work is paused.</span> : work.waiting + work.running === 0 ? "Background work is done." :
      <a href="#/engine/queue">{count(work.waiting + work.running, "job")} in the queue</a>}</p>}</>}</Shown>
  </section>;
}

function Forgotten() {
  const total = useHome().value?.forgotten?.total;
  return total ? <section class="card" aria-label="Forgotten"><h2>Forgotten</h2>
    <p class="small soft">{count(total, "memory", "memories")}, hidden here. <a href={href("memories", { state: "forgotten" })}>Show</a></p></section> : null;
}

/** Memories of this day a year ago. */
function YearAgo() {
  const ago = useHome().value?.year_ago;
  return ago?.memories.length ? <section class="card" aria-label="A year ago"><h2>A year ago</h2>
    <ul class="needs">{ago.memories.map((row) => <li key={row.id}><a class="quiet" href={href("memories", { id: row.id })} onClick={() => keep(row)} dir="auto">{row.content.slice(0, 120)}</a><Meta row={row} /></li>)}</ul></section> : null;
}
