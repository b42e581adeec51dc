/** Repairs: what is recommended first; each shows what it would do before it does it. */
import { useEffect, useState } from "preact/hooks";
import { preview, repair } from "../../api/calls";
import { paths } from "../../api/paths";
import type { KnownRepair, Repaired, Repairs } from "../../api/types";
import { useSteps } from "../../lib/keys";
import { Refused } from "../../lib/http";
import { useResource } from "../../lib/resource";
import { filter, route } from "../../lib/route";
import { brief, span } from "../../lib/time";
import { say } from "../../lib/undo";
import { count } from "../../lib/words";
import { Dialog } from "../../ui/dialog";
import { Shown, Skeleton, Trouble } from "../../ui/states";

/** What a preview showed holds for so long (ms). */
const HOLDS_MS = 60_000;

export function Repair() {
  const found = useResource<Repairs>(paths.repairs, ["health", "job"]);
  const chosen = found.value?.repairs.find((one) => one.path === route.value.query.preview);
  useSteps(".repair button");
  return <>
    <Shown of={found} rows={8} what="repairs">{({ repairs }) => {
      const wanted = repairs.filter((one) => one.recommended);
      return <><p class={wanted.length ? "warn" : "good"} role="status">{wanted.length ? `${count(wanted.length, "repair")} recommended.` : "Nothing needs repair."}</p>
        {wanted.length > 0 && <List of={wanted} />}
        <h2>All repairs</h2><List of={repairs.filter((one) => !one.recommended)} /></>;
    }}</Shown>
    {chosen && <Preview key={chosen.action} of={chosen} onClose={() => filter({ preview: undefined })} />}
  </>;
}

function List({ of }: { of: readonly KnownRepair[] }) {
  return <ul class="rows">{of.map((one) => <li key={one.action} class="repair">
    <div><p>{one.help}</p>
      {one.recommended && <p class="small warn">Recommended: {one.recommended}</p>}
      <p class="meta">{one.lastRunAt && <span>ran {brief(one.lastRunAt)}</span>}{one.waitMs > 0 && <span>may run again in {span(one.waitMs)}</span>}</p></div>
    <button onClick={() => filter({ preview: one.path })}>Preview</button></li>)}</ul>;
}

function Preview({ of, onClose }: { of: KnownRepair; onClose: () => void }) {
  const [shown, setShown] = useState<Repaired | null>(null);
  const [error, setError] = useState<Refused | null>(null);
  const [isOld, setOld] = useState(false);
  const [isRunning, setRunning] = useState(false);
  const needed = of.options.filter((option) => option.required).map((option) => option.name);
  const attempt = async (doing: () => Promise<void>) => {
    try {
      await doing();
    } catch (problem) {
      if (!(problem instanceof Refused)) throw problem;
      setError(problem);
    }
  };
  const look = () => attempt(async () => {
    setError(null);
    setShown(await preview(of.path));
    setOld(false);
  });
  useEffect(() => {
    void look();
  }, []);
  useEffect(() => {
    if (!shown) return;
    const timer = setTimeout(() => setOld(true), HOLDS_MS);
    return () => clearTimeout(timer);
  }, [shown]);
  const run = () => attempt(async () => {
    setRunning(true);
    const done = await repair(of.path).finally(() => setRunning(false));
    say(typeof done.details?.jobId === "string" ? `${done.message}. It runs in the background: see Jobs.` : done.message);
    onClose();
  });
  const sample = shown?.details?.sample;
  return <Dialog title={of.help} onClose={onClose} isWide>
    {error ? <Trouble error={error} again={() => void look()} what="this repair" /> : !shown ? <Skeleton rows={2} /> : <>
      <p role="status">{shown.affected === 0 ? "There is nothing to repair." : <>It would change {count(shown.affected, of.noun, plural(of.noun))}. <span class="soft">{shown.message}</span></>}</p>
      {Array.isArray(sample) && sample.length > 0 && <ul class="sample" aria-label="Some of them">{sample.slice(0, 20).map((one, at) => <li key={at}>{said(one)}</li>)}</ul>}
      {needed.length > 0 && <p class="small">It needs {needed.join(", ")}: <code>signet repair {of.path} --help</code></p>}
    </>}
    <div class="buttons"><button onClick={onClose}>Close</button>
      {shown && isOld && <button onClick={() => look()}>Preview again</button>}
      {shown && shown.affected > 0 && needed.length === 0 && <button class="primary" disabled={isOld || isRunning || of.waitMs > 0} onClick={() => run()}>{isRunning ? "Repairing…" : `Repair ${shown.affected}`}</button>}
    </div>
  </Dialog>;
}

function plural(noun: string): string {
  return noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

/** One row of a sample in words. */
function said(row: unknown): string {
  if (typeof row !== "object" || row === null) return String(row);
  return Object.entries(row).filter(([name]) => name !== "id").map(([name, value]) => `${name}: ${String(value)}`).join(" · ") || String((row as { id?: unknown }).id);
}
