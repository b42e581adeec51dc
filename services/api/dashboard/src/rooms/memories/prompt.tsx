/** The text that a session would be given with the question as its prompt. */
import { useEffect, useState } from "preact/hooks";
import { recall } from "../../api/calls";
import type { AsPrompt } from "../../api/types";
import { count } from "../../lib/words";
import { Dialog } from "../../ui/dialog";
import { Skeleton } from "../../ui/states";

export function Prompt({ question, onClose }: { question: string; onClose: () => void }) {
  const [given, setGiven] = useState<AsPrompt | null | undefined>(undefined);
  useEffect(() => {
    const stop = new AbortController();
    recall(question, { as_prompt: true, limit: 1 }, stop.signal).then((answer) => setGiven(answer.prompt ?? null), () => setGiven(null));
    return () => stop.abort();
  }, [question]);
  return <Dialog title="As a new session would be given it" onClose={onClose} isWide>
    {given === undefined ? <Skeleton rows={3} /> : given?.text
      ? <><p class="soft small">About {count(given.tokens, "token")}.</p><pre class="block" tabIndex={0} dir="auto">{given.text}</pre></>
      : <p>Nothing: no memory is near enough to this prompt.</p>}
    <div class="buttons"><button onClick={onClose}>Close</button></div>
  </Dialog>;
}
