/** The lines at the bottom that say what was done. */
import { drop, last, toasts, undo } from "../lib/undo";
import { Icon } from "./icons";

export function Toasts() {
  return <div class="toasts" role="status" aria-live="polite">
    {toasts.value.map((toast) => <div key={toast.id} class={toast.isBad ? "toast bad-edge" : "toast"}>
      <span>{toast.text}</span>
      {toast.undo && <button class="link" onClick={() => undo(toast)}>Undo {toast === last() && <kbd>z</kbd>}</button>}
      <button class="plain" aria-label="Dismiss" onClick={() => drop(toast.id)}><Icon name="close" /></button>
    </div>)}
  </div>;
}
