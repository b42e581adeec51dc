/** Erasing a forgotten memory for good, and what may still hold its words then. */
import { useState } from "preact/hooks";
import { erase } from "../../api/calls";
import { filter } from "../../lib/route";
import { act } from "../../lib/undo";
import { Dialog } from "../../ui/dialog";
import { Icon } from "../../ui/icons";
import { nameOf } from "./doing";

export function Erase({ id }: { id: string }) {
  const [isAsked, setAsked] = useState(false);
  const [held, setHeld] = useState<readonly string[] | null>(null);
  const close = () => { setAsked(false); if (held) filter({ id: undefined }); };
  const go = () => act(async () => { setHeld((await erase(id)).heldBy ?? []); }, "");
  return <>
    <button class="plain" onClick={() => setAsked(true)}><Icon name="close" />Erase…</button>
    {isAsked && <Dialog title={held ? "Erased" : "Erase it for good?"} onClose={close}>{held === null ? <>
      <p>Its words leave the database for good, with what was read from it alone.</p>
      <div class="buttons"><button onClick={close}>Keep it</button><button class="primary" onClick={() => go()}>Erase</button></div></> : <>
      {held.length > 0 ? <><p>These may still contain it. Delete what you do not need:</p><ul class="sample" aria-label="What may still contain it">{held.map((one) => <li key={one}>{nameOf(one)}</li>)}</ul></> : <p>Signet knows of no document and no backup that has it.</p>}
      <div class="buttons"><button onClick={close}>Close</button></div></>}</Dialog>}
  </>;
}
