/** The answer of recall: what an agent receives, with matched words marked; weak matches are folded below it. */
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { changes, recall } from "../../api/calls";
import type { RecallResult, Recalled } from "../../api/types";
import { Refused } from "../../lib/http";
import { useFocus, useKeys } from "../../lib/keys";
import { filter, go, href, route } from "../../lib/route";
import { brief, byDay, clock, day, dayName } from "../../lib/time";
import { count, percent } from "../../lib/words";
import { Marked } from "../../ui/marked";
import { Project } from "../../ui/project";
import { Empty, Skeleton, Trouble } from "../../ui/states";
import * as doing from "./doing";
import { answered } from "./answered";
import { filters } from "./filters";
import { keep } from "./opened";
import { Prompt } from "./prompt";
import { open } from "./room";

/** Results that are requested for weak matches, the least relevance of one, and that of one which a prompt may get. */
const LIMIT = 30;
const LEAST = 0.05;
const LIKELY = 0.4;
export function Asked({ question }: { question: string }) {
  const [error, setError] = useState<Refused | null>(null);
  const [at, setAt] = useState(-1);
  const { type, who, project, pinned, tag } = filters();
  const load = async (signal?: AbortSignal) => {
    const asked = { type, who, project, pinned: pinned ? true : null, tags: tag };
    try {
      const answer = await recall(question, asked, signal);
      const told = isTimeline(answer) ? answer.results.length : answer.results.filter((one) => one.score >= LIKELY).length;
      answered.value = { question, answer, told };
      setError(null);
      if (isTimeline(answer)) return;
      const { results } = await recall(question, { ...asked, floor: 0, limit: LIMIT }, signal);
      const known = new Set(answer.results.map((one) => one.id));
      answered.value = { question, answer: { ...answer, results: [...answer.results, ...results.filter((one) => one.score >= LEAST && !known.has(one.id))] }, told };
    } catch (problem) {
      if (problem instanceof Refused) setError(problem);
      else if (!signal?.aborted) throw problem;
    }
  };
  useLayoutEffect(() => {
    const stop = new AbortController();
    void load(stop.signal);
    return () => stop.abort();
  }, [question, type, who, project, pinned, tag, changes.value]);
  useFocus(at);
  useEffect(() => setAt(-1), [question]);
  // The next question is not answered by this answer.
  useEffect(() => () => void (answered.value = null), []);
  const { answer, told = 0 } = answered.value ?? {};
  const hits = answer?.results ?? [];
  const hit = hits[at];
  const memory = hit && !isPassage(hit) ? hit : undefined;
  useKeys([
    { key: "j", says: "Next", act: () => setAt(Math.min(at + 1, hits.length - 1)) },
    { key: "k", says: "Previous", act: () => setAt(Math.max(at - 1, 0)) },
    { key: "Enter", says: "Open", act: () => hit && show(hit) },
    { key: "w", says: "Why", act: () => memory && open(memory.id, "why") },
    ...doing.keys(memory, (part) => open(memory!.id, part)),
  ]);
  if (error) return <Trouble error={error} again={() => void load()} what="memories" />;
  if (!answer) return <Skeleton rows={6} />;
  const list = (label: string, some: readonly RecallResult[], isWeak = false) =>
    <ol class="rows" aria-label={label}>{some.map((one) => <Line key={one.id} hit={one} isAt={one === hit} isWeak={isWeak} isDated={isTimeline(answer)} />)}</ol>;
  return <div>
    <Read answer={answer} told={told} again={() => void load()} />
    {hits.length === 0 && <Empty title="Nothing answers this"><p><button class="link" onClick={() => filter({ ask: undefined })}>Back to the list</button></p></Empty>}
    {isTimeline(answer) ? byDay(hits, dateOf).map(([day, some]) => <section key={day} class="moment"><h2>{dayName(new Date(dateOf(some[0]!)))}</h2>{list(day, some)}</section>)
      : told > 0 && list("Answers", hits.slice(0, told))}
    {hits.length > told && <details class="weak" open={told === 0 || at >= told}><summary>{count(hits.length - told, "less likely result")}: prompts do not get {hits.length - told === 1 ? "it" : "them"}</summary>
      {list("Less likely results", hits.slice(told), true)}</details>}
  </div>;
}

/** Whether it is a passage of a session or commit, which no panel shows. */
function isPassage(hit: RecallResult): boolean {
  return hit.source === "episode";
}

/** Whether the question was about a time, and its sessions, commits and memories answer it. */
const isTimeline = (answer: Recalled) => answer.method === "timeline";
const dateOf = (hit: RecallResult) => hit.event_at ?? hit.created_at;

function addressOf(hit: RecallResult): string {
  return !isPassage(hit) ? `#/memories?id=${hit.id}` : hit.type === "session" ? href("sessions", {}, hit.source_id!) : location.hash;
}

function show(hit: RecallResult): void {
  if (isPassage(hit)) go(addressOf(hit));
  else {
    keep(hit);
    open(hit.id);
  }
}

/** How the question was read. */
function Read({ answer, told, again }: { answer: Recalled; told: number; again: () => void }) {
  const [isShown, setShown] = useState(false);
  const intervals = (answer.time?.intervals ?? []) as { from: string | null; to: string | null }[];
  return <div class="read">
    <span role="status">{told === 0 ? `No result is likely enough for a prompt (${percent(LIKELY)}).` : `${count(told, "likely result")}.`}</span>
    <button class="link small" onClick={() => setShown(true)}>What a prompt gets</button>
    {isShown && <Prompt question={answer.query} projects={answer.results.flatMap((one) => one.project ?? [])} onClose={() => setShown(false)} />}
    {intervals.map((one, at) => <span key={at}>from {[one.from && day(one.from), one.to && day(one.to)].filter(Boolean).join(" to ")}</span>)}
    {answer.incomplete && <span class="warn">Some new texts are not searched by meaning yet. <button class="link" onClick={again}>Ask again</button></span>}
    {(answer.degraded ?? []).map((one) => <span key={one} class="warn">{one === "vector" ? "Searched by words only." : `Searched without ${one}.`}</span>)}
  </div>;
}

function Line({ hit, isAt, isWeak, isDated }: { hit: RecallResult; isAt: boolean; isWeak: boolean; isDated: boolean }) {
  const isOpen = route.value.query.id === hit.id;
  return <li><a class={`hit${isOpen || isAt ? " at" : ""}${isWeak ? " dim" : ""}`} href={addressOf(hit)} aria-current={isOpen ? "true" : undefined}
    onClick={(event) => { event.preventDefault(); show(hit); }}>
    <span class="text">{hit.title && <strong>{hit.title}</strong>}<span class="passage"><Marked text={hit.content} places={hit.highlights} hasSpeakers={hit.type === "session"} /></span></span>
    <span class="score">{isDated ? clock(dateOf(hit)) : percent(hit.score)}</span>
    <span class="meta">
      <span>{hit.says}</span>
      {hit.project && <Project of={hit.project} />}
      {hit.review === "waiting" && <span class="warn">to review</span>}
      {hit.superseded && <span class="warn">corrected since</span>}
      {hit.newer && <span class="warn">replaced {brief(hit.newer.since)}</span>}
      {hit.more && <span>{hit.more}</span>}
    </span>
    <span class="soft small">{!isDated && brief(dateOf(hit))}</span>
  </a></li>;
}
