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
      <p>Its text is deleted, with everything derived from it alone.</p>
      <div class="buttons"><button onClick={close}>Keep it</button><button class="primary" onClick={() => go()}>Erase</button></div></> : <>
      {held.length > 0 ? <><p>These may still contain it:</p><ul class="sample" aria-label="What may still contain it">{held.map((one) => <li key={one}>{nameOf(one)}</li>)}</ul></> : <p>No known document or backup contains it.</p>}
      <div class="buttons"><button onClick={close}>Close</button></div></>}</Dialog>}
  </>;
}
