/** A window over the page. Escape and a click beside it close it; focus goes back to where it came from. */
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { isTyping, useBorrowedFocus } from "../lib/keys";

export function Dialog({ title, onClose, children, isWide = false, hidesTitle = false }: {
  title: string; onClose: () => void; children: ComponentChildren; isWide?: boolean; hidesTitle?: boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useBorrowedFocus(() => dialog.current?.showModal());
  return <dialog ref={dialog} class={isWide ? "wide" : ""} aria-label={title}
    onClose={onClose}
    onClick={(event) => event.target === dialog.current && onClose()}>
    <div class="inside">
      {!hidesTitle && <h2>{title}</h2>}
      {children}
    </div>
  </dialog>;
}

/** What was opened from a list, at its side: Tab continues in it, unless somebody is typing, or followed a link to it. */
export function Side({ label, children }: { label: string; children: ComponentChildren }) {
  const side = useRef<HTMLElement>(null);
  useBorrowedFocus((from) => from === document.body || isTyping(from) || side.current?.focus({ preventScroll: true }));
  return <aside ref={side} class="panel" tabIndex={-1} aria-label={label}>{children}</aside>;
}
