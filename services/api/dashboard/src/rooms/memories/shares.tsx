/** Spaces: share a memory, withdraw it, and decide about what others propose. */
import { decideShare, share, withdraw } from "../../api/calls";
import { paths } from "../../api/paths";
import type { Share, Shares as Answer, Spaces } from "../../api/types";
import { useResource } from "../../lib/resource";
import { brief } from "../../lib/time";
import { act } from "../../lib/undo";

/** What was shared, with what may be done about it. */
export function Shares({ query, memory }: { query: Record<string, string>; memory?: string }) {
  const spaces = useResource<Spaces>(paths.spaces, ["memory"]).value?.spaces ?? [];
  const shares = useResource<Answer>(paths.shares(query), ["memory"]).value?.shares ?? [];
  const isOpen = shares.some(({ state }) => state === "shared" || state === "proposed");
  const row = ({ id, memoryId, content, state, space, author, sharedAt }: Share) => <li key={id}>
    {!memory && <p class="said">{content}</p>}
    <p class="small soft">{state} · {author} in {space} · {brief(sharedAt)}</p>
    {!memory ? <Buttons of={[["Approve", () => decideShare(id, true)], ["Refuse", () => decideShare(id, false)]]} />
      : (state === "shared" || state === "proposed") && <Buttons of={[["Withdraw", () => withdraw(memoryId)]]} />}
  </li>;
  return <>
    {shares.length > 0 && <ul class="plain">{shares.map(row)}</ul>}
    {memory && !isOpen && <Buttons of={spaces.filter(({ verbs }) => verbs.includes("promote")).map(({ name }) => [`Share in ${name}`, () => share(memory, name)])} />}
  </>;
}

function Buttons({ of }: { of: readonly (readonly [string, () => Promise<unknown>])[] }) {
  return <div class="buttons">{of.map(([name, go]) => <button key={name} onClick={() => act(go, `${name}: done.`)}>{name}</button>)}</div>;
}
