/** What is done to a memory at once; all but an approval can be undone. */
import { adopt, change, decide, forget, judge, recover } from "../../api/calls";
import type { Modified } from "../../api/types";
import { stale } from "../../lib/resource";
import { act, say } from "../../lib/undo";
import { href } from "../../lib/route";
import { count } from "../../lib/words";

interface Known {
  readonly id: string;
  readonly pinned: boolean | number;
}

/** Do something to a memory; what shows it asks again. */
export const after = (call: () => Promise<unknown>) => async () => {
  await call();
  stale("memory");
};

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
    return act(after(() => change(memory.id, { pinned: to })), to ? "Pinned." : "No longer pinned.", after(() => change(memory.id, { pinned: !to })));
  },
  forget: (memory: Known) => act(async () => {
    const done = await forget(memory.id);
    stale("memory");
    say(`Forgotten.${besides(done)}`, after(() => recover(memory.id)));
  }, ""),
  recover: (memory: Known) => act(after(() => recover(memory.id)), "Recovered.", after(() => forget(memory.id))),
  adopt: (memory: Known) => act(async () => {
    const { id } = await adopt(memory.id);
    stale("memory");
    say("Remembered again.", after(() => forget(id)));
  }, ""),
  judge: (id: string, verdict: "keep" | "fade" | "wrong") => act(after(() => judge(id, verdict)), JUDGED[verdict], after(() => judge(id, "none"))),
  approve: (id: string) => act(after(() => decide(id, "approve")), "Approved."),
  reject: (id: string) => act(after(() => decide(id, "reject")), "Rejected: it is not saved again by itself.", after(() => recover(id))),
  link: (id: string) =>
    navigator.clipboard.writeText(`${location.origin}/${href("memories", { id })}`).then(
      () => say("Link copied."),
      () => say("The browser does not let the page write to the clipboard.", null, true),
    ),
};
