/** Names of secrets. Values go in and never come back. */
import { useState } from "preact/hooks";
import { paths, putSecret, removeSecret } from "../../api/calls";
import type { Secrets as Names } from "../../api/types";
import { stale, useResource } from "../../lib/resource";
import { act } from "../../lib/undo";
import { Dialog } from "../../ui/dialog";
import { Empty, Shown } from "../../ui/states";

export function Secrets() {
  const found = useResource<Names>(paths.secrets, ["config"]);
  const [removed, setRemoved] = useState<string | null>(null);
  const then = (call: () => Promise<unknown>) => async () => { await call(); stale(); };
  return <div class="narrow">
    <p class="soft">Agents use secrets by name, in commands that Signet runs for them. No value can be read here.</p>
    <Shown of={found} rows={2} what="secrets">{({ secrets }) => secrets.length === 0 ? <Empty title="No secret yet" /> : <ul class="rows">{secrets.map((name) => <li key={name} class="row">
      <span class="text">{name}</span><button class="when plain" aria-label={`Remove ${name}`} onClick={() => setRemoved(name)}>Remove</button></li>)}</ul>}</Shown>
    <form onSubmit={(event) => {
      event.preventDefault();
      const form = event.currentTarget;
      const { name, value } = Object.fromEntries(new FormData(form)) as { name: string; value: string };
      void act(then(() => putSecret(name.trim(), value)), `${name.trim()} is kept.`).then((done) => { if (done) form.reset(); });
    }}>
      <label class="field"><span>Name</span><input name="name" required autocomplete="off" placeholder="GITHUB_TOKEN" /></label>
      <label class="field"><span>Value</span><input name="value" type="password" required autocomplete="new-password" /></label>
      <div class="buttons bar"><button class="primary">Keep</button></div>
    </form>
    {removed && <Dialog title={`Remove ${removed}?`} onClose={() => setRemoved(null)}>
      <p>Nothing brings its value back.</p>
      <div class="buttons"><button onClick={() => setRemoved(null)}>Keep it</button>
        <button class="primary" onClick={() => void act(then(() => removeSecret(removed)), `${removed} is removed.`).then(() => setRemoved(null))}>Remove</button></div></Dialog>}
  </div>;
}
