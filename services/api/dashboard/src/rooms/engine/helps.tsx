/** What helps: whether memory is of use here, which of it, and whether what was learned of that changes the order. */
import { useState } from "preact/hooks";
import { changeSettings, paths, rollBack } from "../../api/calls";
import type { Evaluation, Interval, PredictorOff, PredictorStatus, SomeSessions, Told } from "../../api/types";
import { useResource } from "../../lib/resource";
import { href } from "../../lib/route";
import { brief } from "../../lib/time";
import { act } from "../../lib/undo";
import { count, number, percent } from "../../lib/words";
import { Dialog } from "../../ui/dialog";
import { Meter } from "../../ui/meter";
import { Shown } from "../../ui/states";
import { doing } from "../memories/doing";
import { Table } from "../../ui/table";

const SWITCH = "pipelineV2.predictor.enabled";
const COUNTED = { corrections: "Corrections", askedAgain: "Questions asked again", prompts: "Prompts" } as const;
type Counted = keyof typeof COUNTED;

const two = (value: number) => value.toFixed(2).replace("-", "−");

function bounds(of: Interval | null): string {
  return of === null ? "–" : of.low === null || of.high === null ? two(of.mean) : `${two(of.mean)} (${two(of.low)} to ${two(of.high)})`;
}

export function Helps() {
  const found = useResource<Evaluation>(paths.evaluation(), ["session", "memory"]);
  return <div class="sides">
    <section aria-label="Does memory help?"><Shown of={found} rows={8} what="whether memory helps">{(one) => <>
      <Verdict of={one} />
      <List title="Helped most" of={one.helpful} empty="No memory has been used in an answer yet." />
      <List title="Misled" of={one.misleading} canFade />
      <List title="Given often, never used" of={one.unused} canFade />
      <List title="Left out, and needed" of={one.missed} />
    </>}</Shown></section>
    <div class="side"><Learned />{found.value && <Cost of={found.value} />}</div>
  </div>;
}

function Verdict({ of }: { of: Evaluation }) {
  const { sessions, neededSessions, neededWithout, withMemory, withoutMemory, difference, isEnough, holdout } = of;
  return <section class="card" aria-label="The answer"><h2>Does memory help?</h2>
    {isEnough ? (["corrections", "askedAgain"] as const).map((name) => <p key={name}>{sentence(COUNTED[name].toLowerCase(), difference[name])}</p>) : <>
      <p>Not enough sessions yet: {number(sessions)} of about {number(neededSessions)}{holdout > 0 && `, and ${withoutMemory.sessions} of ${neededWithout} without memory`}.</p>
      <Meter value={sessions / neededSessions} kind="words" label={`${sessions} of ${neededSessions} sessions`} />
    </>}
    <p class="small soft">{holdout > 0 ? `After a week and twenty sessions, ${percent(holdout)} of the next ones are given no memories unasked, to compare the others with.` : "Every session gets its memories; to compare with some that get none, run: signet eval on."} <a href="#/settings/agent?find=holdout">Change that</a></p>
    {sessions > 0 && <Table of={["In a session", `With memory (${withMemory.sessions})`, `Without (${withoutMemory.sessions})`]}>{(Object.keys(COUNTED) as Counted[]).map((name) => <tr key={name}><th scope="row">{COUNTED[name]}</th><Mean of={withMemory} name={name} /><Mean of={withoutMemory} name={name} /></tr>)}</Table>}
  </section>;
}

function Mean({ of, name }: { of: SomeSessions; name: Counted }) {
  return <td>{bounds(of[name])}</td>;
}

function sentence(what: string, of: Interval | null) {
  if (of === null || of.low === null || of.high === null) return <>How it changes {what} cannot be told yet.</>;
  if (of.high < 0) return <span class="good">Yes: with memory there are fewer {what}, {bounds(of)} a session.</span>;
  if (of.low > 0) return <span class="bad">No: with memory there are more {what}, {bounds(of)} a session.</span>;
  return <>No difference in {what} can be told: {bounds(of)} a session.</>;
}

function List({ title, of, empty, canFade = false }: { title: string; of: readonly Told[]; empty?: string; canFade?: boolean }) {
  if (of.length === 0 && !empty) return null;
  return <section class="day" aria-label={title}><h2>{title}</h2>
    {of.length === 0 ? <p class="soft">{empty}</p> : <ul class="needs">{of.map((one) => <li key={one.id}>
      {one.content === null ? <p class="soft">Forgotten since.</p> : <a class="quiet" href={href("memories", { id: one.id })} dir="auto">{one.content.slice(0, 240)}</a>}
      <span class="meta"><span>given in {count(one.given, "session")}</span>{one.helped > 0 && <span class="good">helped in {one.helped}</span>}{one.hurt > 0 && <span class="warn">misled in {one.hurt}</span>}
        {canFade && one.content !== null && <span><button class="link small" onClick={() => void doing.judge(one.id, "fade")}>Let it fade</button></span>}</span></li>)}</ul>}
  </section>;
}

function Cost({ of: { tokens, prompts, unanswered } }: { of: Evaluation }) {
  return <section class="card" aria-label="What it costs"><h2>What it costs</h2>
    <p>{count(tokens.given, "token")} given, {number(tokens.used)} of them used{tokens.given > 0 && ` (${percent(tokens.used / tokens.given)})`}.</p>
    {prompts > 0 && <p class="small soft">For {number(unanswered)} of {count(prompts, "prompt")} nothing was near enough.</p>}
    <p><a class="small" href="#/engine/cost">Day by day</a></p></section>;
}

function Learned() {
  const found = useResource<PredictorStatus | PredictorOff>(paths.predictor(), ["session", "config"]);
  const [isAsked, setAsked] = useState(false);
  const turn = (to: boolean) => () => changeSettings({ [SWITCH]: to });
  return <section class="card" aria-label="Learning from use"><h2>Learning from use</h2>
    <Shown of={found} rows={2} what="what was learned">{(one) => one.status === null ? <>
      <p>Switched off: what helped before does not change the order.</p>
      <p><button onClick={() => void act(turn(true), "It is watched again.", turn(false))}>Switch it on</button></p></> : <>
      <p>{one.state.coldStartExited ? <span class="good">It takes part: what helped before counts more.</span> : "It is watched, and changes nothing until it has proven to be better."}</p>
      <p class="small soft">{one.state.sessions === 0 ? `${count(one.status.training_pairs, "sign")} of use so far. No session was ranked both ways yet; it takes ${one.state.minSessions} at least.`
        : `Ranked both ways in ${count(one.state.sessions, "session")}: better in ${one.state.wins}, worse in ${one.state.losses}, as good in ${one.state.ties}. Evidence ${two(one.state.evidence)}, and ${two(one.state.enoughEvidence)} is enough.`}</p>
      {one.state.lastRollback && <p class="small soft">Taken back {brief(one.state.lastRollback)}.</p>}
      <p class="tools"><button onClick={() => void act(turn(false), "Switched off.", turn(true))}>Switch it off</button>
        {one.state.sessions > 0 && <button onClick={() => setAsked(true)}>Begin anew…</button>}</p></>}</Shown>
    {isAsked && <Dialog title="Begin anew?" onClose={() => setAsked(false)}>
      <p>The order without what was learned holds again, and nothing brings back what was compared so far.</p>
      <div class="buttons"><button onClick={() => setAsked(false)}>Keep it</button>
        <button class="primary" onClick={() => void act(rollBack, "It is watched anew from here on.").then(() => setAsked(false))}>Begin anew</button></div></Dialog>}
  </section>;
}
