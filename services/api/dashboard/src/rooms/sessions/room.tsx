/** Sessions: which there were, and what each was given, turn by turn. */
import { paths } from "../../api/calls";
import type { ListedSession, SessionPage } from "../../api/types";
import { useSteps } from "../../lib/keys";
import { usePages } from "../../lib/pages";
import { filter, href, route } from "../../lib/route";
import { brief, dayName, dayOf, whole } from "../../lib/time";
import { number, projectName } from "../../lib/words";
import { Empty, Shown } from "../../ui/states";
import { scroller } from "../../ui/virtual";
import { Replay } from "./replay";
import "../../style/lists.css";
import "../../style/rooms.css";

/** The daemon tells no more of a first message than so many characters. */
const CUT = 80;

type Line = ListedSession & { readonly id: string };

export default function Sessions() {
  const key = route.value.parts[0];
  return key ? <Replay key={key} session={key} /> : <List />;
}

function List() {
  const { harness, project } = route.value.query;
  const pages = usePages<SessionPage, Line>(paths.allSessions({ harness, project, limit: 50 }),
    (page) => page.sessions.map((one) => ({ ...one, id: `${one.agentId} ${one.key}` })), ["session"], () => scroller().scrollTop < 40);
  const { rows } = pages;
  useSteps(".diary a");
  return <Shown of={pages.first} rows={8} what="sessions">{() => rows.length === 0 && !harness && !project ? <Nothing /> : <>
    <div class="filters bar" role="group" aria-label="Filters">
      <Choice label="Harness" name="harness" value={harness} of={rows.map((one) => one.harness)} />
      <Choice label="Project" name="project" value={project} of={rows.map((one) => one.project)} say={projectName} />
    </div>
    {byDay(rows).map(([day, found]) => <section key={day} class="day"><h2>{dayName(new Date(found[0]!.lastAt))}</h2>
      <ul class="diary">{found.map((one) => <li key={one.id}><Entry one={one} /></li>)}</ul></section>)}
    {pages.hasMore && <p><button onClick={pages.more}>Earlier ones</button></p>}
  </>}</Shown>;
}

function Entry({ one }: { one: Line }) {
  return <a class="entry" href={href("sessions", {}, one.key)}>
    <time class="soft small" dateTime={one.lastAt} title={whole(one.lastAt)}>{brief(one.lastAt)}</time>
    <span dir="auto">{one.title !== null ? `${one.title}${one.title.length >= CUT ? "…" : ""}` : <span class="soft">{one.endedAt === null ? "Just begun" : "Without a transcript"}</span>}</span>
    <span class="meta">{one.endedAt === null && <span class="good">open</span>}<span>{one.harness ?? "unknown harness"}</span>{one.project && <span>{projectName(one.project)}</span>}
      <span>{one.given === 0 ? "given nothing" : `given ${number(one.given)}, used ${number(one.used)}`}</span>{one.bypassed && <span class="warn">bypassed</span>}</span>
  </a>;
}

function byDay(lines: readonly Line[]): [string, Line[]][] {
  const days = new Map<string, Line[]>();
  for (const line of lines) {
    const day = dayOf(new Date(line.lastAt));
    days.set(day, [...(days.get(day) ?? []), line]);
  }
  return [...days];
}

function Choice({ label, name, value, of, say = (text) => text }: {
  label: string; name: string; value: string | undefined; of: readonly (string | null)[]; say?: (text: string) => string;
}) {
  const known = [...new Set(of.filter((one): one is string => one !== null))].sort();
  if (known.length < 2 && !value) return null;
  return <select aria-label={label} class={value ? "on" : ""} value={value ?? ""} onChange={(event) => filter({ [name]: event.currentTarget.value || undefined })}>
    <option value="">{label}</option>
    {known.map((one) => <option key={one} value={one}>{say(one)}</option>)}
  </select>;
}

function Nothing() {
  return <Empty title="No session yet">
    <p>Sessions of connected harnesses appear here, with what each was given and what it used.</p>
    <p>Connect one: <code>signet harness install claude-code</code></p>
  </Empty>;
}
