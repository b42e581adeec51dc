/** One session as the agent saw it: what it was given at each prompt, why, and whether it used it. */
import type { ComponentChildren } from "preact";
import { bypass, paths } from "../../api/calls";
import type { ContextInjection, ContextItem, RunningSessions, SessionReplay, Spoken as Message, Transcript } from "../../api/types";
import { useKeys } from "../../lib/keys";
import { useResource } from "../../lib/resource";
import { filter, go, href, route } from "../../lib/route";
import { brief, clock } from "../../lib/time";
import { act } from "../../lib/undo";
import { count, number, percent, projectName } from "../../lib/words";
import { Icon } from "../../ui/icons";
import { Project } from "../../ui/project";
import { Empty, Shown } from "../../ui/states";

const PHASES: Readonly<Record<string, string>> = { start: "Start", compaction: "Compaction", recall: "Asked by the agent" };
const REASONS: Readonly<Record<string, string>> = {
  match: "it is about the prompt", same_matter: "it is about the same matter", important: "it is important", pinned: "it is pinned", linked: "it is linked to what was asked",
  project_words: "it is about this project", standing: "a standing rule", rule: "a rule that applies",
  floor: "not near enough", budget: "no room left", said: "given earlier in this session", origin: "it is from this very session",
};

/** The daemon tells no more of a prompt than its first characters. */
const CUT = 150;

export function Replay({ session }: { session: string }) {
  const found = useResource<SessionReplay>(paths.replay(session), ["session", "memory"]);
  const running = useResource<RunningSessions>(paths.sessions, ["session"]).value?.sessions.find((one) => one.key === session);
  useKeys([{ key: "Escape", says: "Back to the sessions", act: () => go(href("sessions")) }]);
  if (found.error?.status === 404) return <Untold session={session} isOpen={running !== undefined} />;
  return <Shown of={found} rows={8} what="this session">{(one) => <Inside one={one} isBypassed={running?.bypassed ?? null} />}</Shown>;
}

/** A session that was given nothing, or was read afterwards: what was said in it. */
function Untold({ session, isOpen }: { session: string; isOpen: boolean }) {
  const found = useResource<Transcript>(paths.transcript(session), ["session"]);
  if (found.error?.status === 404) return <Empty title="Nothing is known of this session">
    <p>{isOpen ? "It is open, and was given nothing so far." : "It was never here, or it is forgotten."} <a href="#/sessions">All sessions</a></p></Empty>;
  return <Shown of={found} rows={8} what="the transcript">{(one) => { const { project, harness, createdAt, content } = one; return <>
    <Title name={nameOf(one, session)}>{project && <Project of={project} />}<span>{harness}</span><time dateTime={createdAt ?? ""}>{brief(createdAt)}</time><span>given nothing</span>{isOpen && <span class="good">open</span>}</Title>
    <Overview of={one} />
    <div class="shown"><Spoken text={content} /></div></>; }}</Shown>;
}

/** How a transcript begins a turn. */
const TURN = /^(User|Assistant)(?: \(([^)\n]+)\))?: /m;

/** What was said, turn by turn; it may begin within one. */
function Spoken({ text }: { text: string }) {
  const [before, ...parts] = text.split(TURN);
  return <>{before?.trim() && <p class="said" dir="auto">{before}</p>}
    {parts.map((role, at) => at % 3 === 0 && <Said key={at} role={role} at={parts[at + 1]} text={parts[at + 2]!.trim()} />)}</>;
}

function Said({ role, at, text }: { role: string; at: string | null | undefined; text: string }) {
  return <p class="said" dir="auto"><strong>{role}</strong> {at && <time class="soft small">{clock(at)}</time>}{"\n"}{text}</p>;
}

function Title({ name, children, beside }: { name: string; children: ComponentChildren; beside?: ComponentChildren }) {
  return <div class="title"><a href="#/sessions" aria-label="Back to the sessions"><Icon name="right" /></a>
    <div><h2>{name}</h2><p class="meta">{children}</p></div>{beside}</div>;
}

function Inside({ one, isBypassed }: { one: SessionReplay; isBypassed: boolean | null }) {
  const { turn } = route.value.query;
  const at = Math.min(Math.max(Number(turn ?? firstTold(one)), 0), one.injections.length - 1);
  const shown = one.injections[at];
  const move = (by: number) => filter({ turn: String(Math.max(0, Math.min(one.injections.length - 1, at + by))) });
  useKeys([
    { key: "j", says: "Next turn", act: () => move(1) },
    { key: "k", says: "Previous turn", act: () => move(-1) },
    { key: "w", says: "Why the first was given", act: () => document.querySelector<HTMLElement>(".items a")?.click() },
  ]);
  const { totals } = one;
  const toggle = (to: boolean) => () => bypass(one.sessionKey, to);
  return <>
    <Title name={nameOf(one, one.sessionKey)} beside={isBypassed !== null && <button onClick={() => void act(toggle(!isBypassed), isBypassed ? "Its hooks act again." : "Its hooks do nothing now.", toggle(isBypassed))}>{isBypassed ? "End the bypass" : "Bypass"}</button>}>
      {one.project && <Project of={one.project} />}<span>{one.harness}</span><time dateTime={one.startedAt ?? ""}>{brief(one.startedAt)}</time><span>{count(totals.prompts, "prompt")}</span>
      <span>given {number(totals.given)}, used {number(totals.used)}</span><span>about {count(totals.tokens, "token")} of context</span>{!one.isOver && <span class="good">open</span>}</Title>
    <Overview of={one} />
    <div class="replay">
      <ol class="turns" aria-label="Turns">{one.injections.map((injection, index) => <li key={index}>
        <button class={index === at ? "turn at" : "turn"} aria-current={index === at ? "true" : undefined} onClick={() => filter({ turn: String(index) })}>
          <span class={injection.given.some(isItem) ? "mark full" : "mark"} aria-hidden="true" />
          <span class="what">{phaseOf(injection)}</span>
          <span class="soft small">{told(injection)}</span>
          {injection.message && <span class="soft small quote" dir="auto">“{injection.message.slice(0, 90)}”</span>}
        </button></li>)}</ol>
      {shown && <Turn injection={shown} said={saidAt(one, at)} />}
    </div>
    {one.memories.length > 0 && <section aria-label="Remembered"><h2>Remembered</h2><ul class="needs">{one.memories.map(({ id, content, how }) =>
      <li key={id}><a href={href("memories", { id })} dir="auto">{content}</a> <span class="soft small">{how}</span></li>)}</ul></section>}
    {one.summary && <details><summary>Summary</summary><div class="block" tabIndex={0} dir="auto">{one.summary}</div></details>}
  </>;
}

function nameOf({ title, project }: SessionReplay | Transcript, session: string): string {
  return title ?? (project ? projectName(project) : session);
}

/** How the session stands, what the user decided in it, and which files changed. */
function Overview({ of: { outcome, decisions, files } }: { of: SessionReplay | Transcript }) {
  return <>{outcome && <p class="outcome" dir="auto">{outcome}</p>}
    {decisions.length > 0 && <section class="day" aria-label="Decisions"><h2>Decisions</h2><ul class="needs">{decisions.map((one) => <li key={one} dir="auto">{one}</li>)}</ul></section>}
    {files.length > 0 && <details><summary>{count(files.length, "changed file")}</summary><ul class="sample">{files.map((one) => <li key={one} dir="auto">{one}</li>)}</ul></details>}</>;
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
    return `given ${given.length}${used ? `, used ${used}` : ""}`;
  }
  const { bestScore: best, floor } = injection;
  if (injection.leftOut.some((item) => item.reason === "said")) return "given earlier";
  return best !== null && floor !== null && best < floor ? `nothing near enough (${percent(best)} of ${percent(floor)})` : "given nothing";
}

/** What was said from a prompt to the next one. */
function saidAt({ injections, turns }: SessionReplay, at: number): readonly Message[] {
  const { phase, turn } = injections[at]!;
  if (phase !== "prompt" || turn === null) return [];
  return turns.slice(turn, injections.slice(at).find((one) => one.phase === "prompt" && one.turn! > turn)?.turn ?? turns.length);
}

function Turn({ injection, said }: { injection: ContextInjection; said: readonly Message[] }) {
  const { given, leftOut } = injection;
  return <section class="shown" aria-label={phaseOf(injection)}>
    <h2>{phaseOf(injection)} <span class="soft small">{clock(injection.at)}</span></h2>
    {injection.message && <p class="asked" dir="auto">{injection.message}{injection.message.length >= CUT && "…"}</p>}
    {given.length === 0 ? <p class="soft">The agent was given nothing here.</p> : <>
      <h3>Given</h3>
      <ul class="items">{given.map((item, at) => <Item key={at} item={item} message={injection.message} />)}</ul></>}
    {leftOut.length > 0 && <details><summary>Left out: {leftOut.length}</summary>
      <ul class="items">{leftOut.map((item, at) => <Item key={at} item={item} message={injection.message} isLeft />)}</ul></details>}
    {said.length > 0 && <><h3>Said</h3>
      <div class="block" tabIndex={0}>{said.map((one, at) => <Said key={at} {...one} />)}</div></>}
  </section>;
}

function Item({ item, message, isLeft = false }: { item: ContextItem; message: string | null; isLeft?: boolean }) {
  if (item.kind === "section" && item.text) return <li><details><summary>{item.id} <span class="soft small">{count(item.chars, "character")}</span></summary><div class="block" tabIndex={0}><p class="said" dir="auto">{item.text}</p></div></details></li>;
  const isMemory = item.kind === "memory" && item.state !== "forgotten" && item.state !== "gone";
  return <li class={isLeft ? "dim" : ""}>
    {item.kind === "session" && item.text ? <div class="block" tabIndex={0}><Spoken text={item.text} /></div> : <p dir="auto">{item.text ?? (item.kind === "section" ? item.id : <span class="soft">{item.state === "forgotten" ? "Forgotten since." : "Its text is gone."}</span>)}</p>}
    <p class="meta"><span>{item.kind}</span><span>{REASONS[item.reason] ?? item.reason}</span>{item.score !== null && <span>{percent(item.score)}</span>}
      {item.use === "used" && <span class="good">✓ used{item.usedIn?.tool ? ` in ${item.usedIn.tool}` : ""}</span>}{item.use === "not used" && !isLeft && <span>not used</span>}
      {item.state === "changed" && <span class="warn">changed since</span>}
      {isMemory && <span><a href={href("memories", { ask: message ?? undefined, id: item.id, part: message ? "why" : undefined })}>{message ? "why" : "open"}</a></span>}</p>
  </li>;
}
