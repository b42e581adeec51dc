/** What is done to a memory at once; all but an approval can be undone. */
import * as calls from "../../api/calls";
import type { Modified } from "../../api/types";
import type { Key } from "../../lib/keys";
import { act, copy, say } from "../../lib/undo";
import { href } from "../../lib/route";
import { count } from "../../lib/words";

interface Known {
  readonly id: string;
  readonly pinned: boolean | number;
}

export const isRule = ({ type }: { readonly type: string }) => type === "rule";

/** Say what goes, or went, along with what is forgotten, and where its words still stand. */
export function besides({ alongCount = 0, heldBy = [] }: Pick<Modified, "alongCount" | "heldBy">): string {
  return `${alongCount ? ` ${count(alongCount, "memory", "memories")} read from it went, too.` : ""}${heldBy.length ? ` These still say it: ${heldBy.map(nameOf).join(", ")}.` : ""}`;
}

/** Return the name of what holds a text: a document has an id before it. */
export function nameOf(holder: string): string {
  return holder.replace(/^document:\S+ /, "");
}

const JUDGED = { keep: "Kept.", fade: "Half as important from now on.", wrong: "Forgotten as wrong." } as const;

export const pin = (memory: Known) => {
  const to = !memory.pinned;
  return act(() => calls.change(memory.id, { pinned: to }), to ? "Pinned." : "No longer pinned.", () => calls.change(memory.id, { pinned: !to }));
};
export const forget = (memory: Known) => act(async () => {
  const done = await calls.forget(memory.id);
  say(`Forgotten.${besides(done)}`, () => calls.recover(memory.id));
}, "");
export const recover = (memory: Known) => act(() => calls.recover(memory.id), "Recovered.", () => calls.forget(memory.id));
export const adopt = (memory: Known) => act(async () => {
  const { id } = await calls.adopt(memory.id);
  say("Remembered again.", () => calls.forget(id));
}, "");
export const judge = (id: string, verdict: "keep" | "fade" | "wrong") => act(() => calls.judge(id, verdict), JUDGED[verdict], () => calls.judge(id, "none"));
/** Let a memory reach every session of its project, or of all; or only those that it fits. */
export const rule = (memory: Known & { readonly type: string }) => {
  const to = isRule(memory) ? "fact" : "rule";
  return act(() => calls.change(memory.id, { type: to }), to === "rule" ? "It is a rule: every session gets it." : "It is a fact: prompts get it where it fits.", () => calls.change(memory.id, { type: memory.type }));
};
/** Change a memory of which only the id is known. */
export const amend = (id: string, patch: calls.Patch, done: string) => act(async () => {
  const [row] = await calls.rowsOf([id]);
  await calls.change(id, patch);
  say(done, row ? () => calls.change(id, Object.fromEntries(Object.keys(patch).map((name) => [name, row[name as "type"] ?? ""]))) : null);
}, "");
export const approve = (id: string) => act(() => calls.decide(id, "approve"), "Approved.");
export const reject = (id: string) => act(() => calls.decide(id, "reject"), "Rejected.", () => calls.recover(id));
/** Return the keys that act on a memory; `show` opens a part of it. */
export const keys = (memory: Known | undefined, show: (part: string) => void): Key[] => ([
  ["e", "Edit", () => show("edit")], ["h", "History", () => show("history")], ["s", "Similar", () => show("about")],
  ["p", "Pin", pin], ["f", "Forget", forget], ["y", "Copy the link", ({ id }) => link(id)],
] as [string, string, (of: Known) => unknown][]).map(([key, says, act]) => ({ key, says, act: () => memory && void act(memory) }));
export const link = (id: string) => copy(`${location.origin}/${href("memories", { id })}`, "Link copied.");
