/** What is done to a memory at once; each can be undone. */
import { change, forget, recover } from "../../api/calls";
import { stale } from "../../lib/resource";
import { act, say } from "../../lib/undo";
import { href } from "../../lib/route";

interface Known {
  readonly id: string;
  readonly pinned: boolean | number;
}

const after = (call: () => Promise<unknown>) => async () => {
  await call();
  stale("memory");
};

export const doing = {
  pin: (memory: Known) => {
    const to = !memory.pinned;
    return act(after(() => change(memory.id, { pinned: to })), to ? "Pinned." : "No longer pinned.", after(() => change(memory.id, { pinned: !to })));
  },
  forget: (memory: Known) => act(after(() => forget(memory.id)), "Forgotten.", after(() => recover(memory.id))),
  recover: (memory: Known) => act(after(() => recover(memory.id)), "Recovered.", after(() => forget(memory.id))),
  link: (id: string) =>
    navigator.clipboard.writeText(`${location.origin}/${href("memories", { id })}`).then(
      () => say("Link copied."),
      () => say("The browser does not let the page write to the clipboard.", null, true),
    ),
};
