/** Sessions: which there were, and what each was given, turn by turn. */
import { paths } from "../../api/calls";
import type { RunningSessions, SummaryPage } from "../../api/types";
import { useResource } from "../../lib/resource";
import { filter, href, route } from "../../lib/route";
import { brief, dayName, dayOf, whole } from "../../lib/time";
import { projectName } from "../../lib/words";
import { Empty, Shown } from "../../ui/states";
import { Replay } from "./replay";
import "../../style/lists.css";
import "../../style/rooms.css";

interface Line {
  readonly key: string;
  readonly harness: string | null;
  readonly project: string | null;
  readonly at: string;
  readonly says: string;
  readonly isLive: boolean;
}

export default function Sessions() {
  const key = route.value.parts[0];
  return key ? <Replay key={key} session={key} /> : <List />;
}

function List() {
  const { harness, project } = route.value.query;
  const running = useResource<RunningSessions>(paths.sessions, ["session"]);
  const ended = useResource<SummaryPage>(paths.summaries({ limit: 100, depth: 0 }), ["session", "job"]);
  return <Shown of={ended} rows={8} what="sessions">{(page) => {
    const live = running.value?.sessions ?? [];
    const all: Line[] = [
      ...live.map((one): Line => ({ key: one.key, harness: one.harness, project: one.project, at: one.claimedAt ?? "", says: "open now", isLive: true })),
      ...page.summaries.filter((one) => one.session_key && !live.some((other) => other.key === one.session_key))
        .map((one): Line => ({ key: one.session_key!, harness: one.harness, project: one.project, at: one.latest_at, says: gist(one.content), isLive: false })),
    ];
    if (all.length === 0) return <Nothing />;
    const lines = all.filter((one) => (!harness || one.harness === harness) && (!project || one.project === project));
    return <>
      <div class="filters bar" role="group" aria-label="Filters">
        <Choice label="Harness" name="harness" value={harness} of={all.map((one) => one.harness)} />
        <Choice label="Project" name="project" value={project} of={all.map((one) => one.project)} say={projectName} />
      </div>
      {byDay(lines).map(([day, found]) => <section key={day} class="day"><h2>{dayName(new Date(found[0]!.at))}</h2>
        <ul class="diary">{found.map((one) => <li key={one.key}><a class="entry" href={href("sessions", {}, one.key)}>
          <time class="soft small" dateTime={one.at} title={whole(one.at)}>{brief(one.at)}</time>
          <span dir="auto">{one.says}</span>
          <span class="meta">{one.isLive && <span class="good">open</span>}<span>{one.harness ?? "unknown harness"}</span>{one.project && <span>{projectName(one.project)}</span>}</span>
        </a></li>)}</ul></section>)}
    </>;
  }}</Shown>;
}

function byDay(lines: readonly Line[]): [string, Line[]][] {
  const days = new Map<string, Line[]>();
  for (const line of lines) {
    const day = dayOf(new Date(line.at));
    days.set(day, [...(days.get(day) ?? []), line]);
  }
  return [...days];
}

/** The first thing that was asked for, without the marks of a summary. */
function gist(content: string): string {
  const lines = content.split("\n").map((line) => line.replace(/^[#\-*\s]+/, "")).filter(Boolean);
  return (lines.find((line, at) => at > 0 && line.length > 25) ?? lines[0] ?? "").slice(0, 160);
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
