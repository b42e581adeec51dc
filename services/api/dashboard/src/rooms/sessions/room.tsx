/** Sessions: titles and outcomes of all, and what each received, message by message. */
import { paths } from "../../api/calls";
import type { ListedSession, SessionPage } from "../../api/types";
import { useSteps } from "../../lib/keys";
import { usePages } from "../../lib/pages";
import { href, route } from "../../lib/route";
import { byDay, clock, dayName, span } from "../../lib/time";
import { count, number, projectName } from "../../lib/words";
import { Choice } from "../../ui/choice";
import { Project } from "../../ui/project";
import { Empty, noneOf, Shown } from "../../ui/states";
import { scroller } from "../../ui/virtual";
import { Replay } from "./replay";

const USES = Object.entries({ "": "Any use", given_nothing: "Given nothing", used_nothing: "Used nothing" });

type Line = ListedSession & { readonly id: string };

export default function Sessions() {
  const key = route.value.parts[0];
  return key ? <Replay key={key} session={key} /> : <List />;
}

function List() {
  const { harness, project, use } = route.value.query;
  const pages = usePages<SessionPage, Line>(paths.allSessions({ harness, project, use, limit: 50 }),
    (page) => page.sessions.map((one) => ({ ...one, id: `${one.agentId} ${one.key}` })), ["session"], () => scroller().scrollTop < 40);
  const { rows } = pages;
  useSteps(".diary a");
  return <Shown of={pages.first} rows={8} what="sessions">{() => rows.length === 0 && !harness && !project && !use ? <Nothing /> : <>
    <div class="filters bar" role="group" aria-label="Filters">
      <Known label="Harness" name="harness" of={rows.map((one) => one.harness)} />
      <Known label="Project" name="project" of={rows.map((one) => one.project)} say={projectName} />
      <Choice label="Use" name="use" of={USES} />
    </div>
    {rows.length === 0 && <Empty title={noneOf("session")}><p><a href="#/sessions">Show all sessions</a></p></Empty>}
    {byDay(rows, (row) => row.lastAt).map(([day, found]) => <section key={day} class="day"><h2>{dayName(new Date(found[0]!.lastAt))}</h2>
      <ul class="diary">{found.map((one) => <li key={one.id}><Entry one={one} /></li>)}</ul></section>)}
    {pages.hasMore && <p><button onClick={pages.more}>Earlier ones</button></p>}
  </>}</Shown>;
}

function Entry({ one }: { one: Line }) {
  return <a class="entry" href={href("sessions", {}, one.key)}>
    <time class="soft small" dateTime={one.lastAt}>{clock(one.lastAt)}</time>
    <span class="what"><strong dir="auto">{one.title ?? <span class="soft">{one.endedAt === null ? "Just started" : "No transcript"}</span>}</strong>
      {one.outcome && <span class="outcome" dir="auto">{one.outcome}</span>}</span>
    <span class="meta">{one.endedAt === null && <span class="good">open</span>}{one.project && <Project of={one.project} />}<span>{one.harness ?? "unknown harness"}</span>
      {one.seconds > 59 && <span>{span(one.seconds * 1_000)}</span>}
      {one.decisions.length > 0 && <span>{count(one.decisions.length, "decision")}</span>}
      {one.files.length > 0 && <span>{count(one.files.length, "file")}</span>}
      <span>{one.given === 0 ? "given nothing" : `given ${number(one.given)}, used ${number(one.used)}`}</span>{one.bypassed && <span class="warn">bypassed</span>}</span>
  </a>;
}

function Known({ label, name, of, say = (key) => key }: { label: string; name: string; of: readonly (string | null)[]; say?: (key: string) => string }) {
  const known = [...new Set(of.filter((one): one is string => one !== null))].sort();
  return known.length > 1 || route.value.query[name] ? <Choice label={label} name={name} say={say} of={[["", label], ...known.map((one) => [one, say(one)] as const)]} /> : null;
}

function Nothing() {
  return <Empty title="No session yet">
    <p>Sessions of connected harnesses appear here, with what each was given and what it used.</p>
    <p>Connect one: <code>signet harness install claude-code</code></p>
  </Empty>;
}
