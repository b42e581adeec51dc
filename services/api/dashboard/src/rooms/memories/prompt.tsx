/** The text that a session would be given with the question as its prompt: it depends on where the session works. */
import { useEffect, useState } from "preact/hooks";
import { recall } from "../../api/calls";
import type { AsPrompt } from "../../api/types";
import type { Refused } from "../../lib/http";
import { route } from "../../lib/route";
import { count, projectName } from "../../lib/words";
import { Dialog } from "../../ui/dialog";
import { Skeleton, Trouble } from "../../ui/states";

export function Prompt({ question, projects, onClose }: { question: string; projects: readonly string[]; onClose: () => void }) {
  const all = [...new Set([route.value.query.project ?? projects[0] ?? "", ...projects, ""])];
  const [project, setProject] = useState(all[0]!);
  const [given, setGiven] = useState<AsPrompt | Refused | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    setGiven(null);
    recall(question, { as_prompt: true, limit: 1, project }, stop.signal).then((answer) => setGiven(answer.prompt!), (error) => stop.signal.aborted || setGiven(error));
    return () => stop.abort();
  }, [question, project]);
  return <Dialog title="What a new session gets with this prompt" onClose={onClose} isWide>
    <label class="small">It works in <select value={project} onChange={(event) => setProject(event.currentTarget.value)}>{all.map((one) => <option key={one} value={one}>{one ? projectName(one) : "no project"}</option>)}</select></label>
    {!given ? <Skeleton rows={3} /> : given instanceof Error ? <Trouble error={given} what="this" /> : given.text
      ? <><p class="soft small">About {count(given.tokens, "token")}.</p><pre class="block" tabIndex={0}>{given.text}</pre></>
      : <p>Nothing: no memory is relevant enough.</p>}
    <div class="buttons"><button onClick={onClose}>Close</button></div>
  </Dialog>;
}
