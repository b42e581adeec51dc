/** What is done to a memory at once; all but an approval can be undone. */
import { adopt, change, decide, forget, judge, recover } from "../../api/calls";
import type { Modified } from "../../api/types";
import { act, copy, say } from "../../lib/undo";
import { href } from "../../lib/route";
import { count } from "../../lib/words";

interface Known {
  readonly id: string;
  readonly pinned: boolean | number;
}

/** Say what goes, or went, along with what is forgotten, and where its words still stand. */
export function besides({ alongCount = 0, heldBy = [] }: Pick<Modified, "alongCount" | "heldBy">): string {
  return `${alongCount ? ` ${count(alongCount, "memory", "memories")} read from it went along.` : ""}${heldBy.length ? ` These still say it: ${heldBy.map(nameOf).join(", ")}.` : ""}`;
}

/** Return the name of what holds a text: a document has an id before it. */
export function nameOf(holder: string): string {
  return holder.replace(/^document:\S+ /, "");
}

const JUDGED = { keep: "Kept: no job changes it any more.", fade: "It counts half from now on.", wrong: "Forgotten as wrong." } as const;

export const doing = {
  pin: (memory: Known) => {
    const to = !memory.pinned;
    return act(() => change(memory.id, { pinned: to }), to ? "Pinned." : "No longer pinned.", () => change(memory.id, { pinned: !to }));
  },
  forget: (memory: Known) => act(async () => {
    const done = await forget(memory.id);
    say(`Forgotten.${besides(done)}`, () => recover(memory.id));
  }, ""),
  recover: (memory: Known) => act(() => recover(memory.id), "Recovered.", () => forget(memory.id)),
  adopt: (memory: Known) => act(async () => {
    const { id } = await adopt(memory.id);
    say("Remembered again.", () => forget(id));
  }, ""),
  judge: (id: string, verdict: "keep" | "fade" | "wrong") => act(() => judge(id, verdict), JUDGED[verdict], () => judge(id, "none")),
  approve: (id: string) => act(() => decide(id, "approve"), "Approved."),
  reject: (id: string) => act(() => decide(id, "reject"), "Rejected: it is not saved again by itself.", () => recover(id)),
  link: (id: string) => copy(`${location.origin}/${href("memories", { id })}`, "Link copied."),
};
