/** One memory: what it says, why it was found, what happened to it, where it is from, who may see it. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { change, gone } from "../../api/calls";
import { paths } from "../../api/paths";
import type { MemoryPage, Projects, WholeMemory } from "../../api/types";
import { Refused } from "../../lib/http";
import { stale, useResource, type View } from "../../lib/resource";
import { filter, href, route } from "../../lib/route";
import { brief } from "../../lib/time";
import { projectName } from "../../lib/words";
import { say } from "../../lib/undo";
import { Side } from "../../ui/dialog";
import { Diff } from "../../ui/diff";
import { Icon } from "../../ui/icons";
import { Shown } from "../../ui/states";
import { About } from "./about";
import { Access } from "./access";
import { answered } from "./answered";
import * as doing from "./doing";
import { Erase } from "./erase";
import { History } from "./history";
import { Meta } from "./meta";
import type { Row } from "./opened";
import { Origin } from "./origin";
import { Used } from "./used";
import { Why } from "./why";

const PARTS = { why: "Why", history: "History", from: "Came from", used: "Used in", about: "Similar", access: "Access" } as const;
type PartName = keyof typeof PARTS;

export function Panel({ id, row }: { id: string; row: Row | null }) {
  const isArchived = row?.visibility === "archived";
  const isGone = gone.value.has(id);
  const found = useResource<WholeMemory>(isGone || row?.forgotten || isArchived ? null : paths.memory(id), ["memory"]);
  // What was forgotten is listed while it can be recovered.
  const isLost = isGone || found.error?.status === 404;
  const lost = useResource<MemoryPage>(isLost ? paths.memories({ ids: id, state: "forgotten", stats: 0 }) : null, ["memory"]);
  // The row says what is needed at first.
  // What was just erased is shown until the panel closes: it says what may still contain it.
  const last = useRef(row?.forgotten ? row : undefined);
  last.current = lost.value?.memories[0] ?? last.current;
  const value = isLost ? last.current : found.value ?? row ?? undefined;
  const shown: View<Row | WholeMemory> = { ...(isLost && (value || !lost.value) ? lost : found), value };
  return <Side label="Memory">
    <Shown of={shown} rows={4} what="this memory">{(memory) => <Inside memory={memory} isForgotten={"forgotten" in memory} isArchived={isArchived} />}</Shown>
  </Side>;
}

function Inside({ memory, isForgotten, isArchived }: { memory: Row | WholeMemory; isForgotten: boolean; isArchived: boolean }) {
  const asked = route.value.query.part ?? "";
  const isEdited = asked === "edit" && !isForgotten && !isArchived;
  const hasWhy = answered.value !== null && Boolean(route.value.query.ask);
  const parts = (Object.keys(PARTS) as PartName[]).filter((name) => isArchived ? name === "from" : name !== "why" || hasWhy);
  const part = parts.find((name) => name === asked) ?? parts[0]!;
  const summary = memory as Row;
  const leave = (done: boolean) => done && filter({ id: undefined });
  return <>
    <header>
      {isEdited ? <Edit memory={memory} /> : <p class="said" tabIndex={0}>{memory.content}</p>}
      <Meta row={summary} isLong />
      <p class="meta"><time dateTime={memory.created_at ?? ""}>{brief(memory.created_at)}</time><span>importance {memory.importance.toFixed(2)}</span><span>version {memory.version}</span></p>
      <div class="tools">
        {isForgotten
          ? <><button class="plain" onClick={() => doing.recover(memory).then(leave)}>Recover</button><Erase id={memory.id} /></>
          : isArchived ? <button class="plain" onClick={() => doing.adopt(memory).then(leave)}>Remember it again</button> : <>
            <button class="plain" onClick={() => filter({ part: isEdited ? undefined : "edit" })}>Edit</button>
            <button class="plain" onClick={() => doing.pin(memory)}><Icon name="pin" />{memory.pinned ? "Unpin" : "Pin"}</button>
            <button class="plain" title="A rule reaches every session" onClick={() => doing.rule(memory)}>{doing.isRule(memory) ? "Not a rule" : "Rule"}</button>
            <button class="plain" onClick={() => doing.forget(memory)}>Forget</button>
          </>}
        <button class="plain" onClick={() => doing.link(memory.id)}>Link</button>
        <button class="plain" aria-label="Close the panel" onClick={() => filter({ id: undefined, part: undefined }, true)}><Icon name="close" />Close</button>
      </div>
    </header>
    <nav class="tabs" aria-label="About this memory">{parts.map((name) => <a key={name} href={href("memories", { ...route.value.query, part: name })} aria-current={name === part ? "page" : undefined}>{PARTS[name]}</a>)}</nav>
    <div class="body">
      {part === "why" && <Why id={memory.id} />}
      {part === "history" && <History id={memory.id} isForgotten={isForgotten} version={memory.version} />}
      {part === "from" && <Origin memory={memory} />}
      {part === "used" && <Used id={memory.id} />}
      {part === "about" && <About id={memory.id} />}
      {part === "access" && <Access id={memory.id} />}
    </div>
  </>;
}

/** Types that a person gives; others are Signet's own. */
const TYPES = ["fact", "preference", "decision", "rule", "learning", "issue", "rationale"];

function Edit({ memory }: { memory: Row | WholeMemory }) {
  const [type, setType] = useState(memory.type);
  const [project, setProject] = useState(memory.project ?? "");
  const projects = useResource<Projects>(paths.projects()).value?.projects.map((one) => one.project) ?? [];
  const [content, setContent] = useState(memory.content);
  const [tags, setTags] = useState(memory.tags ?? "");
  const [importance, setImportance] = useState(memory.importance);
  const [seen] = useState(memory);
  const [clash, setClash] = useState<string | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  // Before it is painted: who presses e types on at once.
  useLayoutEffect(() => field.current?.focus(), []);
  const leave = () => filter({ part: undefined });
  const listed = tags.split(",").map((tag) => tag.trim()).filter(Boolean);
  const before = { content: seen.content, type: seen.type, project: seen.project, tags: (seen.tags ?? "").split(",").filter(Boolean), importance: seen.importance };
  const save = async (version: number) => {
    const patch = {
      ...(content !== before.content && { content }),
      ...(type !== before.type && { type }),
      ...(project !== (before.project ?? "") && { project: project || null }),
      ...(listed.join() !== before.tags.join() && { tags: listed }),
      ...(importance !== before.importance && { importance }),
    };
    if (Object.keys(patch).length === 0) return leave();
    try {
      await change(seen.id, patch, version);
    } catch (error) {
      if (error instanceof Refused && error.status === 409 && memory.version !== version) return setClash(memory.content);
      if (!(error instanceof Refused)) throw error;
      if (error.status === 409) {
        stale("memory");
        return setClash("");
      }
      return say(error.message, null, true);
    }
    say("Changed.", () => change(seen.id, before));
    leave();
  };
  return <form onSubmit={(event) => { event.preventDefault(); void save(seen.version); }}
    onKeyDown={(event) => {
      if (event.key === "Escape") leave();
      if ((event.ctrlKey || event.metaKey) && (event.key === "s" || event.key === "Enter")) { event.preventDefault(); void save(seen.version); }
    }}>
    <label class="field"><span>Text</span><textarea ref={field} rows={5} value={content} onInput={(event) => setContent(event.currentTarget.value)} /></label>
    <div class="pair"><label class="field"><span>Type</span><select value={type} onChange={(event) => setType(event.currentTarget.value)}>{[...new Set([...TYPES, seen.type])].map((one) => <option key={one}>{one}</option>)}</select></label>
    <label class="field"><span>Project</span><select value={project} onChange={(event) => setProject(event.currentTarget.value)}><option value="">Every project</option>{[...new Set([...projects, project])].filter(Boolean).map((one) => <option key={one} value={one}>{projectName(one)}</option>)}</select></label></div>
    <label class="field"><span>Tags, with commas between</span><input value={tags} onInput={(event) => setTags(event.currentTarget.value)} /></label>
    <label class="field"><span>Importance {importance.toFixed(2)}</span><input type="range" min="0" max="1" step="0.05" value={importance} onInput={(event) => setImportance(Number(event.currentTarget.value))} /></label>
    {clash !== null && <div class="note warn-edge" role="alert">
      <p>This memory has changed. Difference to your text:</p>
      <Diff before={memory.content} after={content} />
      <div class="buttons"><button type="button" onClick={leave}>Keep the current text</button><button type="button" class="primary" onClick={() => save(memory.version)}>Save my text</button></div>
    </div>}
    <div class="buttons"><button type="button" onClick={leave}>Cancel</button><button class="primary">Save</button></div>
  </form>;
}
