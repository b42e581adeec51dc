/** Why a memory is where it is in the answer: what found it, and what each stage made of its score. */
import type { Channel, Stage } from "../../api/types";
import { percent } from "../../lib/words";
import { Meter } from "../../ui/meter";
import { answered } from "./answered";

const CHANNELS: Readonly<Record<string, readonly [string, string]>> = {
  keyword: ["Words", "words"], vector: ["Meaning", "meaning"], graph: ["Its entities", "graph"], hint: ["A question it answers", "hint"],
};
/** What each stage looks at: when it raised the score, and when it lowered it. */
const STAGES: Readonly<Record<string, readonly [string, string]>> = {
  blend: ["words and meaning together", "words and meaning together"],
  neighbours: ["its neighbours fit too", "its neighbours fit less"],
  graph: ["it is linked to what you asked about", "others are linked more closely"],
  rehearsal: ["it was used recently", "it was used long ago"],
  time: ["it is from the time you asked about", "it is from another time"],
  hubs: ["its topic is rare", "its topic is common"],
  questions: ["it is a statement", "it is only a question"],
  expected: ["it contains the kind of answer you asked for", "others contain the kind of answer you asked for"],
  resolution: ["it states an outcome", "it states no outcome"],
  superseded: ["it is current", "a later memory corrects it"],
};
/** A smaller change is not seen in two decimals. */
const VISIBLE = 0.005;

export function Why({ id }: { id: string }) {
  const { question, answer } = answered.value ?? {};
  const place = answer?.results.findIndex((hit) => hit.id === id) ?? -1;
  const hit = answer?.results[place];
  if (!hit?.explain) return <p class="soft">It is not among the {answer?.results.length ?? 0} nearest to “{question}”.</p>;
  const { channels, stages, relevance } = hit.explain;
  return <>
    <p>It is number {place + 1} for “{question}”{relevance !== undefined && `, with a relevance of ${percent(relevance)}`}.</p>
    <dl class="channels">{Object.entries(channels).map(([name, channel]) => <Line key={name} name={name} channel={channel} />)}</dl>
    <ol class="steps" aria-label="Stages">{stages.filter((stage) => Math.abs(stage.after - stage.before) >= VISIBLE).map((stage, at) => <li key={at}>
      <span aria-hidden="true" class={stage.after >= stage.before ? "good" : "warn"}>{stage.before === 0 ? "●" : stage.after >= stage.before ? "▲" : "▼"}</span>
      <span>{says(stage)}</span>
      <span>{stage.before > 0 && <span class="soft">{stage.before.toFixed(2)} → </span>}{stage.after.toFixed(2)}</span>
    </li>)}</ol>
  </>;
}

function Line({ name, channel }: { name: string; channel: Channel }) {
  const [label, kind] = CHANNELS[name] ?? [name, name];
  const rank = channel.rank === undefined ? "not found by it alone" : `place ${channel.rank}`;
  return <><dt>{label}</dt>
    <dd><Meter value={channel.score} kind={kind} label={`${label}: ${channel.score.toFixed(2)}`} /></dd>
    <dd class="value">{channel.score.toFixed(2)} · {rank}</dd></>;
}

function says(stage: Stage): string {
  const [up, down] = STAGES[stage.stage] ?? [stage.stage, stage.stage];
  return stage.after >= stage.before ? up : down;
}
