/** Why a memory is where it is in the answer: what found it, and what each stage made of its score. */
import { useEffect, useState } from "preact/hooks";
import { recall } from "../../api/calls";
import type { Channel, Explanation as Reasons } from "../../api/types";
import { percent } from "../../lib/words";
import { Meter } from "../../ui/meter";
import { answered } from "./answered";
import { filters } from "./filters";

const KINDS: Readonly<Record<string, string>> = { keyword: "words", vector: "meaning", graph: "graph", hint: "hint" };
/** A smaller change is not seen in two decimals. */
const VISIBLE = 0.005;

export function Why({ id }: { id: string }) {
  const { question, answer } = answered.value ?? {};
  const place = answer?.results.findIndex((hit) => hit.id === id) ?? -1;
  const hit = answer?.results[place];
  if (!question) return null;
  if (!hit?.explain) return <WhyNot id={id} question={question} />;
  const { relevance } = hit.explain;
  return <>
    <p>It is number {place + 1} for “{question}”{relevance !== undefined && `, with a relevance of ${percent(relevance)}`}.</p>
    <Story why={hit.explain} />
  </>;
}

function WhyNot({ id, question }: { id: string; question: string }) {
  const [said, setSaid] = useState("");
  const [why, setWhy] = useState<Reasons | null>(null);
  const { type, who, project } = filters();
  useEffect(() => {
    const stop = new AbortController();
    recall(question, { why_not: id, limit: 1, type, who, project }, stop.signal).then(
      ({ why_not: found }) => {
        setSaid(found?.left_out ?? "");
        setWhy(found?.explain ?? null);
      },
      () => undefined,
    );
    return () => stop.abort();
  }, [id, question]);
  return <>
    <p>It is no answer to “{question}”{said && `: ${said}`}.</p>
    {why && <Story why={why} />}
  </>;
}

function Story({ why }: { why: Reasons }) {
  return <>
    <dl class="channels">{Object.entries(why.channels).map(([name, channel]) => <Line key={name} name={name} channel={channel} />)}</dl>
    {why.path && <p class="small soft">By the graph: {why.path.join(" → ")}</p>}
    {why.neighbours && why.neighbours.length > 0 && <p class="small soft">{why.neighbours.length} neighbors in its source were found, too.</p>}
    <ol class="steps" aria-label="Stages">{why.stages.filter((stage) => Math.abs(stage.after - stage.before) >= VISIBLE).map((stage, at) => <li key={at}>
      <span aria-hidden="true" class={stage.after >= stage.before ? "good" : "warn"}>{stage.before === 0 ? "●" : stage.after >= stage.before ? "▲" : "▼"}</span>
      <span>{stage.says}</span>
      <span>{stage.before > 0 && <span class="soft">{stage.before.toFixed(2)} → </span>}{stage.after.toFixed(2)}</span>
    </li>)}</ol>
  </>;
}

function Line({ name, channel }: { name: string; channel: Channel }) {
  const rank = channel.rank === undefined ? "not found by it alone" : `place ${channel.rank}`;
  const words = Object.keys(channel.matched ?? {});
  return <><dt>{channel.says}{words.length > 0 && <small class="soft">: {words.join(", ")}</small>}</dt>
    <dd><Meter value={channel.score} kind={KINDS[name] ?? name} label={`${channel.says}: ${channel.score.toFixed(2)}`} /></dd>
    <dd class="value">{channel.score.toFixed(2)} · {rank}</dd></>;
}
