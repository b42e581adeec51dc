/** Sessions: titles and outcomes of all, and what each received, message by message. */
import { paths } from "../../api/paths";
import type { ListedSession, SessionPage } from "../../api/types";
import { useSteps } from "../../lib/keys";
import { usePages } from "../../lib/pages";
import { route } from "../../lib/route";
import { byDay, dayName } from "../../lib/time";
import { Choice } from "../../ui/choice";
import { Empty, noneOf, Shown } from "../../ui/states";
import { scroller } from "../../ui/virtual";
import { Entry } from "./entry";
import { Replay } from "./replay";

const USES = Object.entries({ "": "All sessions", given_nothing: "No memories shown", used_nothing: "None used" });

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
      <Choice label="Use" name="use" of={USES} />
    </div>
    {rows.length === 0 && <Empty title={noneOf("session")}><p><a href="#/sessions">Show all sessions</a></p></Empty>}
    {byDay(rows, (row) => row.lastAt).map(([day, found]) => <section key={day} class="day"><h2>{dayName(new Date(found[0]!.lastAt))}</h2>
      <ul class="diary">{found.map((one) => <li key={one.id}><Entry one={one} /></li>)}</ul></section>)}
    {pages.hasMore && <p><button onClick={pages.more}>Earlier ones</button></p>}
  </>}</Shown>;
}

function Known({ label, name, of }: { label: string; name: string; of: readonly (string | null)[] }) {
  const known = [...new Set(of.filter((one): one is string => one !== null))].sort();
  return known.length > 1 || route.value.query[name] ? <Choice label={label} name={name} of={[["", label], ...known.map((one) => [one, one] as const)]} /> : null;
}

function Nothing() {
  return <Empty title="No session yet">
    <p>Sessions of connected agents appear here.</p>
    <p>Connect one: <code>signet harness install claude-code</code></p>
  </Empty>;
}
