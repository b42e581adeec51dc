/** Quick capture: one text to remember. */
import { useState } from "preact/hooks";
import { forget, remember } from "../api/calls";
import { act, say } from "../lib/undo";
import { Dialog } from "../ui/dialog";

export default function Capture({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const save = () => text.trim() && act(async () => {
    const kept = await remember(text.trim());
    say(kept.deduped ? "Already remembered." : "Remembered.", kept.deduped ? null : () => forget(kept.id));
    onClose();
  }, "");
  return <Dialog title="Capture" onClose={onClose} isWide>
    <label class="field"><span>Something to remember</span>
      <textarea rows={4} value={text} onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && void save()} />
    </label>
    <div class="buttons">
      <button onClick={onClose}>Close</button>
      <button class="primary" onClick={() => save()}>Remember <kbd>Ctrl Enter</kbd></button>
    </div>
  </Dialog>;
}
