/** `?`: the keys of this view and of everywhere. */
import { layers } from "../lib/keys";
import { Dialog } from "./dialog";

export default function Help({ onClose }: { onClose: () => void }) {
  const seen = new Set<string>();
  const keys = [...layers.value].reverse().map((layer) => layer.filter((one) => !seen.has(one.key) && seen.add(one.key)));
  return <Dialog title="Keys" onClose={onClose} isWide>
    {keys.filter((layer) => layer.length > 0).map((layer, at) => <dl key={at} class="keys">
      {layer.map((one) => <div key={one.key}><dt><kbd>{one.key.replace("Ctrl k", "Ctrl K")}</kbd></dt><dd>{one.says}</dd></div>)}
    </dl>)}
    <div class="buttons"><button onClick={onClose}>Close</button></div>
  </Dialog>;
}
