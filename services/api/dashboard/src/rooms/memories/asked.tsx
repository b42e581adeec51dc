/** What recall answers to a question: above the floor what an agent is told, dimmed below what it is not. */
import type { ComponentChild } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { quote, recall } from "../../api/calls";
import type { Excerpt, Hit, Recalled } from "../../api/types";
import { Refused } from "../../lib/http";
import { useKeys } from "../../lib/keys";
import { filter, href, route } from "../../lib/route";
import { brief } from "../../lib/time";
import { undone } from "../../lib/undo";
import { count, percent, projectName } from "../../lib/words";
import { Meter } from "../../ui/meter";
import { Empty, Skeleton, Trouble } from "../../ui/states";
import { doing } from "./doing";
import { answered } from "./answered";
import { filters } from "./filters";
import { keep } from "./opened";
import { Prompt } from "./prompt";
import { open } from "./room";

/** Results that are asked for; those below the floor are among them. */
const LIMIT = 30;
const CHANNELS: Readonly<Record<string, readonly [string, string]>> = {
  keyword: ["words", "words"], vector: ["meaning", "meaning"], graph: ["entities", "graph"], hint: ["hint", "hint"],
};

export function Asked({ question }: { question: string }) {
  const [error, setError] = useState<Refused | null>(null);
  const [at, setAt] = useState(-1);
  const { type, who, project, pinned, tag } = filters();
  const load = (signal?: AbortSignal) =>
    recall(question, { limit: LIMIT, type, who, project, pinned: pinned ? true : null, tags: tag }, signal).then(
      (found) => { answered.value = { question, answer: found }; setError(null); },
      (problem: unknown) => { if (problem instanceof Refused) setError(problem); else if (!signal?.aborted) throw problem; },
    );
  useLayoutEffect(() => {
    const stop = new AbortController();
    void load(stop.signal);
    return () => stop.abort();
  }, [question, type, who, project, pinned, tag, undone.value]);
  useEffect(() => setAt(-1), [question]);
  // The next question is not answered by this answer.
  useEffect(() => () => void (answered.value = null), []);
  const answer = answered.value?.answer;
  const hits = answer?.results ?? [];
  const hit = hits[at];
  useKeys([
    { key: "j", says: "Next", act: () => setAt(Math.min(at + 1, hits.length - 1)) },
    { key: "k", says: "Previous", act: () => setAt(Math.max(at - 1, 0)) },
    { key: "Enter", says: "Open", act: () => hit && open(hit.id) },
    { key: "w", says: "Why", act: () => hit && open(hit.id, "why") },
    { key: "e", says: "Edit", act: () => hit && open(hit.id, "edit") },
    { key: "h", says: "History", act: () => hit && open(hit.id, "history") },
    { key: "p", says: "Pin", act: () => hit && doing.pin(hit).then(() => load()) },
    { key: "f", says: "Forget", act: () => hit && doing.forget(hit).then(() => load()) },
    { key: "y", says: "Copy the link", act: () => hit && doing.link(hit.id) },
  ]);
  if (error) return <Trouble error={error} again={() => void load()} what="memories" />;
  if (!answer) return <Skeleton rows={6} />;
  const isTold = (one: Hit) => (one.explain?.relevance ?? one.score) >= floorOf(answer);
  const told = hits.filter(isTold);
  const below = hits.filter((one) => !isTold(one));
  return <div>
    <Read answer={answer} told={told.length} />
    {hits.length === 0 && <Empty title={`No memory ${type || who || project || pinned || tag ? "that passes these filters " : ""}comes near this question`}><p><button class="link" onClick={() => filter({ ask: undefined })}>Back to the list</button></p></Empty>}
    <ol class="rows" aria-label="Answers">{told.map((one, index) => <Line key={one.id} hit={one} isAt={index === at} words={wordsOf(answer)} />)}</ol>
    <Quoted question={question} />
    {below.length > 0 && <>
      <p class="floor">Below {percent(floorOf(answer))}: an agent is not told these</p>
      <ol class="rows" aria-label="Not told">{below.map((one, index) => <Line key={one.id} hit={one} isAt={told.length + index === at} words={wordsOf(answer)} isBelow />)}</ol>
    </>}
  </div>;
}

/** How a turn of a transcript begins, as far as a stretch has it. */
const LABEL = /^\S*(?: \(\S+Z\)|Z\)): /;

/** What was said of it in earlier sessions: an agent is given such stretches, too. */
function Quoted({ question }: { question: string }) {
  const [found, setFound] = useState<readonly Excerpt[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    quote(question, stop.signal).then(setFound, () => undefined);
    return () => stop.abort();
  }, [question]);
  return found.length === 0 ? null : <><h2 class="small">Said in earlier sessions</h2><ul class="rows">{found.map((one) => <li key={one.excerpt}><a class="hit" href={href("sessions", {}, one.sessionKey)}>
    <span class="text" dir="auto">{one.excerpt.replace(LABEL, "…")}</span><span class="soft small">{brief(one.at)}</span><span class="meta"><span>{one.harness}</span>{one.project && <span>{projectName(one.project)}</span>}</span></a></li>)}</ul></>;
}

/** The relevance below which an agent is told nothing. */
function floorOf(answer: Recalled): number {
  const floor = answer.explain?.usual_floor;
  return typeof floor === "number" ? floor : 0;
}

interface Counted { word: string; memories: number }

function wordsOf(answer: Recalled): string[] {
  return ((answer.explain?.words ?? []) as Counted[]).map((one) => one.word);
}

/** How the question was read. */
function Read({ answer, told }: { answer: Recalled; told: number }) {
  const [isShown, setShown] = useState(false);
  const explain = answer.explain ?? {};
  const words = (explain.words ?? []) as Counted[];
  const dropped = (explain.dropped_words ?? []) as string[];
  const intervals = (answer.time?.intervals ?? []) as { from: string | null; to: string | null }[];
  return <div class="read">
    <span role="status">{`An agent would be told ${told === 0 ? "no memory" : count(told, "memory", "memories")}.`}</span>
    <button class="link small" onClick={() => setShown(true)}>As a prompt, with earlier sessions</button>
    {isShown && <Prompt question={answer.query} onClose={() => setShown(false)} />}
    {words.length > 0 && <span>{words.map((one) => `${one.word} in ${one.memories}`).join(", ")}</span>}
    {dropped.length > 0 && <span>not looked for: {dropped.join(", ")}</span>}
    {intervals.map((one, at) => <span key={at}>about {[one.from && brief(one.from), one.to && brief(one.to)].filter(Boolean).join(" to ")}</span>)}
    {(answer.degraded ?? []).map((one) => <span key={one} class="warn">without {CHANNELS[one]?.[0] ?? one}</span>)}
  </div>;
}

function Line({ hit, isAt, words, isBelow = false }: { hit: Hit; isAt: boolean; words: readonly string[]; isBelow?: boolean }) {
  const isOpen = route.value.query.id === hit.id;
  return <li><a class={`hit${isOpen || isAt ? " at" : ""}${isBelow ? " dim" : ""}`} href={`#/memories?id=${hit.id}`} aria-current={isOpen ? "true" : undefined}
    onClick={(event) => { event.preventDefault(); keep(hit); open(hit.id); }}>
    <span class="text" dir="auto"><Marked text={hit.content} words={words} /></span>
    <span class="score">{percent(hit.score)}</span>
    <span class="bars">
      {Object.entries(hit.explain?.channels ?? {}).filter(([, one]) => one.score > 0).map(([name, one]) => {
        const [label, kind] = CHANNELS[name] ?? [name, name];
        return <span key={name}><Meter value={one.score} kind={kind} label={`${label} ${one.score.toFixed(2)}`} />{label}</span>;
      })}
      {hit.project && <span>{projectName(hit.project)}</span>}
      {hit.review === "waiting" && <span class="warn">waits for your review</span>}
      {hit.superseded && <span class="warn">corrected since</span>}
      {hit.more && <span>{hit.more}</span>}
    </span>
    <span class="soft small">{brief(hit.event_at ?? hit.created_at)}</span>
  </a></li>;
}

/** A text in which the words of the question are marked; a word counts from its beginning. */
function Marked({ text, words }: { text: string; words: readonly string[] }) {
  const shown = text.length > 400 ? `${text.slice(0, 400)}…` : text;
  const stems = words.map((word) => word.toLowerCase().slice(0, Math.max(4, word.length - 2)));
  // What stands between two marks is one piece.
  const pieces: ComponentChild[] = [""];
  for (const part of shown.split(/([\p{L}\p{N}_]+)/u))
    if (stems.some((stem) => part.toLowerCase().startsWith(stem))) pieces.push(<mark>{part}</mark>, "");
    else pieces[pieces.length - 1] += part;
  return <>{pieces}</>;
}
