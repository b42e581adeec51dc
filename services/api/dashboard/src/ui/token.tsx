/** The question for a token, over the page. */
import { hasEnded, wanting } from "../lib/http";
import { Dialog } from "./dialog";

export default function Token() {
  return <Dialog title="This daemon asks for a token" onClose={() => undefined}>
    {hasEnded() && <p>Your login has ended. Run <code>signet dashboard</code>, or enter a token.</p>}
    <form onSubmit={(event) => {
      event.preventDefault();
      const typed = new FormData(event.currentTarget).get("token");
      if (typeof typed === "string" && typed.trim()) wanting.value?.(typed.trim());
    }}>
      <label class="field"><span>Token</span><input name="token" type="password" autocomplete="off" required /></label>
      <p class="small soft">Kept in this tab only. Create one: <code>signet auth token create</code></p>
      <div class="buttons"><button class="primary">Continue</button></div>
    </form>
  </Dialog>;
}
