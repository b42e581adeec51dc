/** Today: a digest of each project over a day or a week, and what needs a person. */
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { paths, WEEK } from "../api/paths";
import type { Advice, Diagnoses, Home, MemoryPage, ProjectDigest, WhoAmI } from "../api/types";
import { useKeys, useSteps } from "../lib/keys";
import { useResource } from "../lib/resource";
import { filter, go, href, route } from "../lib/route";
import { ago, brief, clock, dayName, dayOf } from "../lib/time";
import { count, number, plain, projectName, sum } from "../lib/words";
import { Icon } from "../ui/icons";
import { hueOf } from "../ui/project";
import { Card, Empty, Shown } from "../ui/states";
import { Meta } from "./memories/meta";
import * as doing from "./memories/doing";
import { keep, type Row } from "./memories/opened";
import { Entry } from "./sessions/entry";

/** New memories that are read, and shown of each project; and days that the digest covers. */
const ROWS = 40;
const FEW = 5;
const ALL = "week";

/** Triage covers these days, and shows so many at a time. */
const DAYS = 14;
const JUDGED = 30;
/** Memories to review that are shown at first. */
const REVIEWED = 3;
const VERDICTS = [["keep", "Keep"], ["wrong", "Forget as wrong"], ["fade", "Let it fade"]] as const;

/** Everything here but new memories and what needs a person, in one answer. */
function useHome() {
  return useResource<Home>(paths.home(route.value.query.project), ["memory", "session", "job"]);
}

export default function Today() {
  const { project, triage } = route.value.query;
  const learned = useResource<MemoryPage>(paths.memories({ project, since: ago(WEEK - 1).toISOString(), not_origin: "imported", limit: ROWS, stats: 0 }), ["memory"]);
  const home = useHome();
  const [rows, digest] = [learned.value?.memories, home.value?.digest];
  const groups = useMemo(() => (rows && digest ? grouped(digest, rows) : undefined), [rows, digest]);
  return <div class="today">
    {!triage && <Needs />}
    {triage ? <Triage /> : <Shown of={{ ...(learned.error ? learned : home), value: groups }} rows={7} what="this week">{(all) => <Digest of={all} home={home.value!} />}</Shown>}
  </div>;
}

type Group = ProjectDigest & { readonly memories: readonly Row[] };

/** Return the digest of each project with its new memories; those of no project come last. */
function grouped(digest: readonly ProjectDigest[], rows: readonly Row[]): Group[] {
  const memories = Map.groupBy(rows, (row) => row.project ?? "");
  const known = new Map(digest.map((one) => [one.project, one]));
  return [...new Set([...known.keys(), ...memories.keys()])].sort((one, other) => Number(!one) - Number(!other))
    .map((project) => withDecisions({ project, sessions: [], items: [], ...known.get(project) }, memories.get(project) ?? []));
}

/** Add the decisions that were saved as memories to those that were read from sessions; no text is listed twice. */
function withDecisions(of: ProjectDigest, memories: readonly Row[]): Group {
  const said = new Set(of.items.map((one) => one.text));
  const [saved = [], others = []] = [true, false].map((isDecision) => memories.filter((one) => (one.type === "decision") === isDecision && !said.has(one.content)));
  return { ...of, memories: others, items: [...of.items, ...saved.map((one) => ({ kind: "decided" as const, text: one.content, before: "", at: one.created_at, openBy: "", id: one.id, isMemory: true }))]
    .sort((one, other) => other.at.localeCompare(one.at)) };
}

/** Return what of a project is of some days; what is open is of all. */
function within({ project, sessions, items, memories }: Group, isMeant: (at: string) => boolean): Group {
  return { project, sessions: sessions.filter((one) => isMeant(one.lastAt)), items: items.filter((one) => one.kind === "open" || isMeant(one.at)), memories: memories.filter((one) => isMeant(one.created_at)) };
}

const KINDS = { decided: "Decided", changed: "Changed", open: "Open" } as const;
const sizeOf = ({ sessions, items, memories }: Group) => sessions.length + memories.length + items.filter((one) => one.kind !== "open").length;

function Digest({ of: groups, home: { imported, forgotten, kept = 0 } }: { of: readonly Group[]; home: Home }) {
  useSteps(".diary a");
  const on = (day: string) => groups.map((one) => within(one, (at) => day === ALL || dayOf(new Date(at)) === day));
  const days = Array.from({ length: WEEK }, (_, at) => ago(at)).map((day) => [dayOf(day), dayName(day).split(" ")[0]!] as const);
  const chips = ([[ALL, "Seven days"], ...days] as const).map(([day, name]) => ({ day, name, size: sum(on(day).map(sizeOf)) }));
  const asked = route.value.query.day ?? (chips[1]!.size ? chips[1]!.day : ALL);
  const isWeek = asked === ALL;
  const shown = on(asked).filter((one) => sizeOf(one) || (one.items.length && (isWeek || asked === chips[1]!.day)));
  const found = shown.flatMap((one) => one.items);
  const counts = [
    [sum(shown.map((one) => one.sessions.length)), "session"], [found.filter((one) => one.kind === "decided").length, "decision"],
    [found.filter((one) => one.kind === "changed").length, "changed fact"], [sum(shown.map((one) => one.memories.length)), "new memory", "new memories"],
  ] as [number, string, string?][];
  const hour = new Date().getHours();
  return <>
    <div class="hello">
      <p class="greeting">Good {hour < 12 ? "morning" : hour < 17 ? "afternoon" : "evening"}.</p>
      <p class="soft">{counts.filter(([size]) => size).map(([size, one, many]) => count(size, one, many)).join(", ") || "Nothing new"}. {kept > 0 && <>Agents can search <a href={href("sessions")}>{count(kept, "earlier session")}</a>. </>}<button class="link" onClick={() => filter({ triage: "1" }, true)}>Go through new memories</button></p>
    </div>
    <Reviews />
    <nav class="strip" aria-label="Days">{chips.map(({ day, name, size }) =>
      <a key={day} class="chip" href={href("today", { day })} aria-current={day === asked ? "true" : undefined}>{name} {size > 0 && <small>{number(size)}</small>}</a>)}</nav>
    {shown.length === 0 && (groups.length > 0 ? <Empty title="Nothing on this day" /> : <Empty title="Nothing is remembered yet"><p>Connect an agent: <code>signet harness install</code></p></Empty>)}
    <div class="digests">{shown.map((one) => <Part key={one.project} of={one} when={isWeek ? brief : clock} />)}</div>
    {imported.map((one) => <p key={one.key} class="note"><a href={href("memories", { source_type: one.key, origin: "imported" })}>{count(one.count, "memory", "memories")} imported from {one.key}</a></p>)}
    {forgotten?.total ? <p class="small"><a href={href("memories", { state: "forgotten" })}>{number(forgotten.total)} forgotten</a></p> : ""}
  </>;
}

/** The first of a list, and a button for the rest. */
function Few<T>({ of, most = FEW, children }: { of: readonly T[]; most?: number; children: (some: readonly T[]) => ComponentChildren }) {
  const [isWhole, setWhole] = useState(false);
  return <>{children(isWhole ? of : of.slice(0, most))}
    {!isWhole && of.length > most && <button class="link small" onClick={() => setWhole(true)}>{of.length - most} more</button>}</>;
}

/** What happened in a project. */
function Part({ of: { project, sessions, items, memories }, when }: { of: Group; when: (at: string) => string }) {
  const name = project ? projectName(project) : "No project";
  return <section class="digest hued" style={project ? { "--hue": hueOf(project) } : undefined} aria-label={name}>
    <h2><a class="quiet" href={href("today", { project: project || undefined })}>{name}</a></h2>
    {Object.entries(KINDS).map(([kind, title]) => {
      const some = items.filter((one) => one.kind === kind);
      return some.length > 0 && <div key={kind}><h3>{title}</h3><Few of={some}>{(few) => <ul class="diary">{few.map((one) => <li key={one.text}><a class="entry" href={one.isMemory ? href("memories", { id: one.id, part: "history" }) : href("sessions", {}, one.id)}>
        <time class="soft small" dateTime={one.at}>{(one.openBy ? brief : when)(one.at)}</time>
        <span class="diff">{one.before ? <><ins>{one.text}</ins> <span class="soft small">instead of</span> <del>{one.before}</del></> : one.text}</span>
        {one.openBy && <span class="meta"><span>said by {one.openBy === "the user" ? "you" : one.openBy}</span></span>}</a></li>)}</ul>}</Few></div>;
    })}
    {sessions.length > 0 && <><h3>Sessions</h3><Few of={sessions}>{(few) => <ul class="diary">{few.map((one) => <li key={one.key}><Entry one={one} when={when} /></li>)}</ul>}</Few></>}
    {memories.length > 0 && <><h3>New memories</h3><Few of={memories}>{(few) => <ul class="diary">{few.map((row) => <li key={row.id}>
      <a href={href("memories", { id: row.id })} class="entry" onClick={() => keep(row)}><time class="soft small" dateTime={row.created_at}>{when(row.created_at)}</time>
        <span>{row.pinned && <Icon name="pin" />} {plain(row.content).slice(0, 240)}</span><Meta row={row} isAlone={false} /></a></li>)}</ul>}</Few></>}
  </section>;
}

/** New memories of which nobody has said what they are worth, one after the other. */
function Triage() {
  const found = useResource<MemoryPage>(paths.memories({ project: route.value.query.project, since: ago(DAYS).toISOString(), unreviewed: 1, limit: JUDGED, stats: 0, total: 1 }), ["memory"]);
  const [skipped, setSkipped] = useState<ReadonlySet<string>>(new Set());
  const row = found.value?.memories.find((one) => !skipped.has(one.id));
  const skip = () => row && setSkipped(new Set([...skipped, row.id]));
  const leave = () => filter({ triage: undefined });
  useKeys([
    ...VERDICTS.map(([verdict, says], at) => ({ key: String(at + 1), says, act: () => row && void doing.judge(row.id, verdict) })),
    { key: "j", says: "Not now", act: skip },
    { key: "e", says: "Correct", act: () => row && go(href("memories", { id: row.id, part: "edit" })) },
    { key: "Enter", says: "Open", act: () => row && go(href("memories", { id: row.id })) },
    { key: "Escape", says: "Back to Today", act: leave },
  ]);
  return <Shown of={found} rows={3} what="memories">{({ total = 0 }) => <section class="triage" aria-label="What is worth keeping">
    <h2>What is worth keeping <span class="soft small">{count(total, "memory", "memories")} of the last {DAYS} days</span></h2>
    {row ? <div class="card">
      <p class="said">{row.content.slice(0, 1_000)}</p>
      <Meta row={row} isLong />
      <MaySpeak>{(may) => <p class="tools">{VERDICTS.map(([verdict, says], at) => <button key={verdict} disabled={!may} onClick={() => doing.judge(row.id, verdict)}>{says} <kbd>{at + 1}</kbd></button>)}
        <a class="plain" href={href("memories", { id: row.id, part: "edit" })}>Correct <kbd>e</kbd></a>
        <button class="plain" onClick={skip}>Not now <kbd>j</kbd></button></p>}</MaySpeak>
      <p class="small soft">Fading halves the importance. Each can be undone.</p>
    </div> : <Empty title={total > 0 ? "The rest is for later" : "All done"} />}
    <p><button class="link" onClick={leave}>Back to Today</button></p>
  </section>}</Shown>;
}

/** Where the reasons of a part lead. */
const PLACES: Readonly<Record<string, string>> = { queue: "queue", provider: "", storage: "", mutation: "repair" };

function Needs() {
  const found = useResource<Diagnoses>(paths.diagnostics, ["health", "job", "process"]);
  // Reasons with the same remedy are one problem; what only takes time needs nobody.
  const advice = Map.groupBy((found.value?.composite.help ?? []).filter((one) => !one.passes), (one) => one.command ?? one.reason);
  return advice.size === 0 ? null : <Card title="Needs you"><ul>{[...advice.values()].map((some, at) => <li key={at} class="repair"><Need of={some} /></li>)}</ul></Card>;
}

function Need({ of }: { of: readonly Advice[] }) {
  const { command, domain } = of[0]!;
  const place = PLACES[domain];
  const preview = /^signet repair (\S+)/.exec(command ?? "")?.[1];
  return <>
    <div><p class="cap">{of.map((one) => one.reason).join(", ")}.</p>{command && <p class="small"><code>{command}</code></p>}</div>
    <p class="meta">{preview && <span><a href={href("engine", { preview }, "repair")}>Preview the repair</a></span>}{place !== undefined && <span><a href={href("engine", {}, ...(place ? [place] : []))}>{place === "queue" ? "Show the jobs" : "Show details"}</a></span>}</p>
  </>;
}

/** Memories that are not the user's own words and tell an agent what to do, or correct what the user said. */
function Reviews() {
  const page = useHome().value?.reviews;
  return !page?.total ? null : <Card title="To review">
    <p class="small soft">{count(page.total, "instruction")} from others. Agents see them only after you approve them.</p>
    <MaySpeak>{(may) => <Few of={page.memories} most={REVIEWED}>{(few) => <ul>{few.map((one) => <li key={one.id} class="repair">
      <div><p>{plain(one.content).slice(0, 240)}</p>
        <span class="meta"><span>{one.says}</span><span>{brief(one.created_at)}</span></span></div>
      <p class="value"><button disabled={!may} onClick={() => doing.approve(one.id)}>Approve</button><button disabled={!may} onClick={() => doing.reject(one.id)}>Reject</button></p>
    </li>)}</ul>}</Few>}</MaySpeak></Card>;
}

/** Whether this page may decide as the user: without its login it reads and changes memory, and no more. */
function MaySpeak({ children }: { children: (may: boolean) => ComponentChildren }) {
  const me = useResource<WhoAmI>(paths.whoami).value;
  const may = !me || me.permissions.includes("speak");
  return <>{!may && <p class="small warn" role="status">To decide, open this page with <code>signet dashboard</code>.</p>}{children(may)}</>;
}
