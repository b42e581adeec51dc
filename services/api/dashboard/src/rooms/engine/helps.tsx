/** What helps: whether memory is of use here, which of it, and whether what was learned of that changes the order. */
import { changeSettings } from "../../api/calls";
import { paths } from "../../api/paths";
import type { Evaluation, Interval, PredictorOff, PredictorStatus, Told } from "../../api/types";
import { href } from "../../lib/route";
import { act } from "../../lib/undo";
import { count, number, percent } from "../../lib/words";
import { Card, Load } from "../../ui/states";
import * as doing from "../memories/doing";

const SWITCH = "pipelineV2.predictor.enabled";

const two = (value: number) => value.toFixed(2).replace("-", "−");

function bounds(of: Interval | null): string {
  return of === null ? "–" : of.low === null || of.high === null ? two(of.mean) : `${two(of.mean)} (${two(of.low)} to ${two(of.high)})`;
}

export function Helps() {
  return <Load<Evaluation> path={paths.evaluation()} topics={["session", "memory"]} rows={8} what="whether memory helps">{(one) => <div class="sides">
    <section aria-label="What helps">
      <Verdict of={one} />
      <List title="Helped most" of={one.helpful} empty="No memory has been used in an answer yet." />
      <List title="Misled" of={one.misleading} canFade />
      <List title="Shown often, never used" of={one.unused} canFade />
      <List title="Left out, and needed" of={one.missed} />
    </section>
    <div class="side"><Learned /></div>
  </div>}</Load>;
}

function Verdict({ of }: { of: Evaluation }) {
  const { sessions, neededSessions, difference, isEnough, holdout } = of;
  return <Card title="Does memory help?">
    {isEnough ? <><p>{sentence("corrections", difference.corrections)}</p><p>{sentence("questions asked again", difference.askedAgain)}</p></>
      : <p>Not enough sessions yet: {number(sessions)} of about {number(neededSessions)}.</p>}
    <p class="small soft">{holdout > 0 ? `${percent(holdout)} of new sessions get no memories, to compare.` : "No sessions without memories to compare with."} <a href="#/settings/agent?find=holdout">Change that</a></p>
  </Card>;
}

function sentence(what: string, of: Interval | null) {
  if (of === null || of.low === null || of.high === null) return <>Effect on {what}: not known yet.</>;
  if (of.high < 0) return <span class="good">Yes: with memory there are fewer {what}, {bounds(of)} a session.</span>;
  if (of.low > 0) return <span class="bad">No: with memory there are more {what}, {bounds(of)} a session.</span>;
  return <>No clear difference in {what}: {bounds(of)} a session.</>;
}

function List({ title, of, empty, canFade = false }: { title: string; of: readonly Told[]; empty?: string; canFade?: boolean }) {
  if (of.length === 0 && !empty) return null;
  return <section class="day" aria-label={title}><h2>{title}</h2>
    {of.length === 0 ? <p class="soft">{empty}</p> : <ul class="needs">{of.map((one) => <li key={one.id}>
      {one.content === null ? <p class="soft">Forgotten since.</p> : <a class="quiet" href={href("memories", { id: one.id })}>{one.content.slice(0, 240)}</a>}
      <span class="meta"><span>shown in {count(one.given, "session")}</span>{one.helped > 0 && <span class="good">helped in {one.helped}</span>}{one.hurt > 0 && <span class="warn">misled in {one.hurt}</span>}
        {canFade && one.content !== null && <span><button class="link small" onClick={() => doing.judge(one.id, "fade")}>Let it fade</button></span>}</span></li>)}</ul>}
  </section>;
}

function Learned() {
  const turn = (to: boolean) => () => changeSettings({ [SWITCH]: to });
  return <Card title="Learning from use">
    <Load<PredictorStatus | PredictorOff> path={paths.predictor()} topics={["session", "config"]} rows={2} what="what was learned">{(one) => one.status === null ? <>
      <p>Switched off: use does not change the order.</p>
      <p><button onClick={() => act(turn(true), "Switched on.", turn(false))}>Switch it on</button></p></> : <>
      <p>{one.state.coldStartExited ? <span class="good">Active: what helped before ranks higher.</span> : "Collecting data; results are unchanged until the new order has proven better."}</p>
      <p class="small soft">{one.state.sessions === 0 ? `${count(one.status.training_pairs, "sign")} of use so far.`
        : `Compared in ${count(one.state.sessions, "session")}: better in ${one.state.wins}, worse in ${one.state.losses}.`}</p>
      <p class="tools"><button onClick={() => act(turn(false), "Switched off.", turn(true))}>Switch it off</button></p></>}</Load>
  </Card>;
}
