/** A window over the page. Escape and a click beside it close it; focus goes back to where it came from. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

export function Dialog({ title, onClose, children, isWide = false, hidesTitle = false }: {
  title: string; onClose: () => void; children: ComponentChildren; isWide?: boolean; hidesTitle?: boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const from = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (from instanceof HTMLElement && from.isConnected) from.focus();
    };
  }, []);
  return <dialog ref={dialog} class={isWide ? "wide" : ""} aria-label={title}
    onClose={onClose}
    onClick={(event) => event.target === dialog.current && onClose()}>
    <div class="inside">
      {!hidesTitle && <h2>{title}</h2>}
      {children}
    </div>
  </dialog>;
}
