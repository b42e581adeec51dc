/** Quick capture: one text to remember, or one question. */
import { useState } from "preact/hooks";
import { forget, recall, remember } from "../api/calls";
import type { Recalled } from "../api/types";
import { Refused } from "../lib/http";
import { copy, say } from "../lib/undo";
import { percent } from "../lib/words";
import { Dialog } from "../ui/dialog";

export default function Capture({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const [trouble, setTrouble] = useState("");
  const [found, setFound] = useState<Recalled | null>(null);
  const attempt = async (doing: () => Promise<unknown>) => {
    setTrouble("");
    try {
      await doing();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      setTrouble(error.status ? `HTTP ${error.status}: ${error.message}` : error.message);
    }
  };
  const save = () => attempt(async () => {
    if (!text.trim()) return;
    const kept = await remember(text.trim());
    say(kept.deduped ? "It was remembered before." : "Remembered.", kept.deduped ? null : () => forget(kept.id));
    onClose();
  });
  const search = () => attempt(async () => {
    if (text.trim()) setFound(await recall(text.trim(), { limit: 10, floor: null }));
  });
  return <Dialog title="Capture" onClose={onClose} isWide>
    <label class="field"><span>Something to remember, or a question</span>
      <textarea rows={4} value={text} onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && void save()} />
    </label>
    {trouble && <p class="bad" role="alert">{trouble}</p>}
    <div class="buttons">
      <button onClick={onClose}>Close</button>
      <button onClick={() => void search()}>Search</button>
      <button class="primary" onClick={() => void save()}>Remember <kbd>Ctrl Enter</kbd></button>
    </div>
    {found && (found.results.length === 0 ? <p role="status">No results found.</p> : <ul class="rows" aria-label="Found">
      {found.results.map((hit) => <li key={hit.id}><button class="plain hit" onClick={() => copy(hit.content)}>
        <span class="text">{hit.content}</span><span class="score">{percent(hit.score)}</span></button></li>)}
    </ul>)}
  </Dialog>;
}
