/** What can be done with the memories that were chosen. */
import { change, forgetMany, recoverMany } from "../../api/calls";
import { stale } from "../../lib/resource";
import { act, say } from "../../lib/undo";
import { count } from "../../lib/words";
import { chosen } from "./list";
import type { Row } from "./opened";

const memories = (rows: readonly Row[]) => count(rows.length, "memory", "memories");

async function each(rows: readonly Row[], call: (row: Row) => Promise<unknown>): Promise<void> {
  for (const row of rows) await call(row);
  stale("memory");
}

export function Bulk({ isForgotten }: { isForgotten: boolean }) {
  const rows = [...chosen.value.values()];
  const clear = () => (chosen.value = new Map());
  const back = async () => {
    await recoverMany(rows.map((row) => row.id));
    stale("memory");
  };
  const forget = async () => {
    const gone = await forgetMany(rows.map((row) => row.id));
    stale("memory");
    clear();
    const kept = gone.pinned ? ` ${count(gone.pinned, "pinned one")} stayed.` : "";
    const copy = gone.backup ? " A copy of the database was made before." : "";
    say(`${count(gone.deleted, "memory", "memories")} forgotten.${kept}${copy}`, back);
  };
  const pin = (to: boolean) => each(rows, (row) => change(row.id, { pinned: to }));
  return <div class="bulk" role="group" aria-label="Chosen memories">
    <strong>{memories(rows)} chosen</strong>
    {isForgotten
      ? <button class="primary" onClick={() => void act(back, `${memories(rows)} recovered.`).then(clear)}>Recover</button>
      : <>
        <button onClick={() => void act(forget, "")}>Forget</button>
        <button onClick={() => void act(() => pin(true), `${memories(rows)} pinned.`, () => pin(false)).then(clear)}>Pin</button>
      </>}
    <button class="plain" onClick={clear}>Clear</button>
  </div>;
}
