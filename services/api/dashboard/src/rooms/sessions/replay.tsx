/** One session as the agent saw it: what it was given at each prompt, why, and whether it used it. */
import type { ComponentChildren } from "preact";
import { bypass } from "../../api/calls";
import { paths } from "../../api/paths";
import type { ContextInjection, ContextItem, SessionReplay, Spoken as Message } from "../../api/types";
import { useKeys } from "../../lib/keys";
import { useResource } from "../../lib/resource";
import { filter, go, href, route } from "../../lib/route";
import { brief, clock, span } from "../../lib/time";
import { act } from "../../lib/undo";
import { count, number, percent, projectName } from "../../lib/words";
import { Icon } from "../../ui/icons";
import { Project } from "../../ui/project";
import { Empty, Shown } from "../../ui/states";
import * as doing from "../memories/doing";

const PHASES: Readonly<Record<string, string>> = { start: "Start", compaction: "Compaction", recall: "Asked by the agent" };
/** Reasons for which a memory reaches every session, and what makes it an ordinary one. */
const EVERYWHERE: Readonly<Record<string, string>> = { rule: "Not a rule", standing: "Not at every start", pinned: "Unpin", important: "Less important" };

/** Return what is wrong with an injection, in words; empty for nothing. */
function problemOf({ given, phase }: ContextInjection): string {
  const items = given.filter(isItem);
  const gone = items.filter((item) => item.state === "changed" || item.state === "forgotten").length;
  if (gone) return `${gone} changed or forgotten since`;
  return phase !== "start" && items.length > 0 && items.every((item) => item.use === "not used") ? "no sign of use" : "";
}

/** The daemon tells no more of a prompt than its first characters. */
const CUT = 150;

export function Replay({ session }: { session: string }) {
  const found = useResource<SessionReplay>(paths.replay(session), ["session", "memory"]);
  useKeys([{ key: "Escape", says: "Back to the sessions", act: () => go(href("sessions")) }]);
  if (found.error?.status === 404) return <Empty title="Unknown session"><p><a href="#/sessions">All sessions</a></p></Empty>;
  return <Shown of={found} rows={8} what="this session">{(one) => <Inside one={one} />}</Shown>;
}

/** How a transcript begins a turn. */
const TURN = /^(User|Assistant|Tool|Note)(?: \(([^)\n]+)\))?: /m;

/** What was said, turn by turn; it may begin within one. */
function Spoken({ text }: { text: string }) {
  const [before, ...parts] = text.split(TURN);
  return <>{before?.trim() && <p class="said">{before}</p>}
    {parts.map((role, at) => at % 3 === 0 && <Said key={at} role={role} at={parts[at + 1]} text={parts[at + 2]!.trim()} />)}</>;
}

function Said({ role, at, text }: { role: string; at: string | null | undefined; text: string }) {
  return <p class="said"><strong>{role}</strong> {at && <time class="soft small">{clock(at)}</time>}{"\n"}{text}</p>;
}

/** How the session stands, what the user decided in it, and which files changed. */
function Title({ of: { title, project, harness, outcome, decisions, files }, name, at, children }: { of: SessionReplay; name: string; at: string | null; children: ComponentChildren }) {
  return <><div class="title"><a href={href("sessions")} aria-label="Back to the sessions"><Icon name="right" /></a>
    <div><h2>{title ?? (project ? projectName(project) : name)}</h2><p class="meta">{project && <Project of={project} />}<span>{harness}</span><time dateTime={at ?? ""}>{brief(at)}</time>{children}</p></div></div>
    {outcome && <p class="outcome">{outcome}</p>}
    {decisions.length > 0 && <section class="day" aria-label="Decisions"><h3>Decisions</h3><ul class="needs">{decisions.map((one) => <li key={one}>{one}</li>)}</ul></section>}
    {files.length > 0 && <details><summary>{count(files.length, "changed file")}</summary><ul class="sample">{files.map((one) => <li key={one}>{one}</li>)}</ul></details>}</>;
}

function Inside({ one }: { one: SessionReplay }) {
  const asked = route.value.query.turn;
  const problems = one.injections.flatMap((injection, index) => (problemOf(injection) ? [index] : []));
  const at = Math.min(Math.max(Number(asked ?? problems[0] ?? firstTold(one)), 0), one.injections.length - 1);
  const shown = one.injections[at];
  const next = () => problems.length > 0 && filter({ turn: String(problems.find((index) => index > at) ?? problems[0]) });
  const move = (by: number) => filter({ turn: String(Math.max(0, Math.min(one.injections.length - 1, at + by))) });
  useKeys([
    { key: "j", says: "Next turn", act: () => move(1) },
    { key: "k", says: "Previous turn", act: () => move(-1) },
    { key: "n", says: "Next turn to check", act: next },
    { key: "w", says: "Why the first was shown", act: () => document.querySelector<HTMLElement>(".items a")?.click() },
  ]);
  const { totals } = one;
  const turn = (on: boolean) => () => bypass(one.sessionKey, on);
  const lasted = Date.parse(one.turns.at(-1)?.at ?? one.startedAt) - Date.parse(one.startedAt);
  return <>
    <Title of={one} name={one.sessionKey} at={one.startedAt}>
      {lasted > 59_000 && <span>{span(lasted)}</span>}{shown && <><span>{count(totals.prompts, "prompt")}</span>
      <span>{count(totals.given, "memory", "memories")} shown, {totals.unknown ? "use not known yet" : `${number(totals.used)} used`}</span><span>about {count(totals.tokens, "token")}</span></>}{!one.isOver && <><span class="good">open</span><span><button class="link" title="Store nothing more of it, show it no memories" onClick={() => act(turn(true), "Bypassed.", turn(false))}>Bypass</button></span></>}</Title>
    {problems.length > 0 && <p class="note warn-edge">{count(problems.length, "turn")} to check. <button class="link" onClick={next}>Next <kbd>n</kbd></button></p>}
    {shown ? <div class="replay">
      <ol class="turns" aria-label="Turns">{one.injections.map((injection, index) => <li key={index}>
        <button class={index === at ? "turn at" : "turn"} aria-current={index === at ? "true" : undefined} onClick={() => filter({ turn: String(index) })}>
          <span class={injection.given.some(isItem) ? "mark full" : "mark"} aria-hidden="true" />
          <span class="what">{phaseOf(injection)}</span>
          <span class={problems.includes(index) ? "warn small" : "soft small"}>{problems.includes(index) && "! "}{told(injection)}</span>
          {injection.message && <span class="soft small quote">“{injection.message.slice(0, 90)}”</span>}
        </button></li>)}</ol>
      <Turn injection={shown} said={saidAt(one, at)} project={one.project} />
    </div> : <div class="shown"><p class="soft">No memories were shown in this session.</p>{one.turns.map((turn, index) => <Said key={index} {...turn} />)}</div>}
    {one.memories.length > 0 && <section aria-label="Remembered"><h2>Remembered</h2><ul class="needs">{one.memories.map(({ id, content, how }) =>
      <li key={id}><a href={href("memories", { id })}>{content}</a> <span class="soft small">{how}</span></li>)}</ul></section>}
    {one.summary && <details><summary>Summary</summary><div class="block" tabIndex={0}>{one.summary}</div></details>}
  </>;
}

/** A part of every start is nothing that was found for the session. */
function isItem(item: ContextItem): boolean {
  return item.kind !== "section";
}

function firstTold(one: SessionReplay): number {
  return Math.max(0, one.injections.findIndex((injection) => injection.phase !== "start" && injection.given.some(isItem)));
}

function phaseOf(injection: ContextInjection): string {
  return PHASES[injection.phase] ?? `Prompt ${injection.prompt}`;
}

function told(injection: ContextInjection): string {
  const given = injection.given.filter(isItem);
  if (given.length > 0) {
    const used = given.filter((item) => item.use === "used").length;
    return `${given.length} shown${used ? `, ${used} used` : ""}`;
  }
  const { bestScore: best, floor } = injection;
  return best !== null && floor !== null && best < floor ? `nearest ${percent(best)}, needed ${percent(floor)}` : "nothing";
}

/** What was said from a prompt to the next one. */
function saidAt({ injections, turns }: SessionReplay, at: number): readonly Message[] {
  const { phase, turn } = injections[at]!;
  if (phase !== "prompt" || turn === null) return [];
  return turns.slice(turn, injections.slice(at).find((one) => one.phase === "prompt" && one.turn! > turn)?.turn ?? turns.length);
}

function Turn({ injection, said, project }: { injection: ContextInjection; said: readonly Message[]; project: string | null }) {
  const { given, leftOut } = injection;
  return <section class="shown" aria-label={phaseOf(injection)}>
    <h2>{phaseOf(injection)} <span class="soft small">{clock(injection.at)}</span></h2>
    {injection.message && <p class="asked">{injection.message}{injection.message.length >= CUT && "…"}</p>}
    {problemOf(injection) && <p class="warn cap">{problemOf(injection)}.</p>}
    {given.length === 0 ? <p class="soft">No memory was shown here.</p> : <>
      <h3>Shown to the agent</h3>
      <ul class="items">{given.map((item, at) => <Item key={at} item={item} message={injection.message} project={project} />)}</ul></>}
    {leftOut.length > 0 && <details><summary>Left out: {leftOut.length}</summary>
      <ul class="items">{leftOut.map((item, at) => <Item key={at} item={item} message={injection.message} isLeft />)}</ul></details>}
    {said.length > 0 && <><h3>The conversation then</h3>
      <div class="block" tabIndex={0}>{said.map((one, at) => <Said key={at} {...one} />)}</div></>}
  </section>;
}

function Item({ item, message, isLeft = false, project = null }: { item: ContextItem; message: string | null; isLeft?: boolean; project?: string | null }) {
  if (item.kind === "section" && item.text) return <li><details><summary><span class="cap">{item.says}</span></summary><div class="block" tabIndex={0}><p class="said">{item.text}</p></div></details></li>;
  const isMemory = item.kind === "memory" && item.state !== "forgotten" && item.state !== "gone";
  return <li class={isLeft ? "dim" : ""}>
    {item.kind === "session" && item.text ? <div class="block" tabIndex={0}><Spoken text={item.text} /></div> : <p>{item.text ?? (item.kind === "section" ? <span class="cap">{item.says}</span> : <span class="soft">{item.state === "forgotten" ? "Forgotten since." : "Its text is gone."}</span>)}</p>}
    <p class="meta">{item.kind !== "section" && <><span>{item.kind}</span><span>{item.says}</span></>}{item.score !== null && <span>{percent(item.score)}</span>}
      {item.use === "used" && <span class="good">✓ used{item.usedIn?.tool ? ` in ${item.usedIn.tool}` : ""}</span>}{item.use === "not used" && !isLeft && <span>not used</span>}
      {item.state === "changed" && <span class="warn">changed since</span>}
      {isMemory && <span><a href={href("memories", { ask: message ?? undefined, id: item.id, part: message ? "why" : undefined })}>{message ? "why" : "open"}</a></span>}</p>
    {isMemory && !isLeft && item.use !== "used" && <p class="tools">
      {EVERYWHERE[item.reason] && <button class="small" onClick={() => doing.amend(item.id, { ...(item.reason === "rule" && { type: "fact" }), pinned: false, importance: 0.5 }, "Prompts now get it only where it fits.")}>{EVERYWHERE[item.reason]}</button>}
      {project && item.project !== project && <button class="small" onClick={() => doing.amend(item.id, { project }, `Only sessions in ${projectName(project)} get it now.`)}>Only in this project</button>}
      <button class="small" onClick={() => doing.judge(item.id, "fade")}>Let it fade</button>
      <button class="small" onClick={() => doing.forget({ id: item.id, pinned: false })}>Forget</button></p>}
    {item.kind === "session" && <p class="small"><a href={href("sessions", {}, item.id)}>The whole session</a></p>}
  </li>;
}
