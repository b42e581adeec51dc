/** Keys: those of the view that is open, those of everywhere, and what `?` tells of them. */
import { signal } from "./signal";
import { useEffect, useRef } from "preact/hooks";
import { hasSingleKeys } from "./store";

export interface Key {
  /** As `KeyboardEvent.key` says it; two with a space are pressed one after the other. */
  readonly key: string;
  readonly says: string;
  readonly act: (event: KeyboardEvent) => void;
}

/** Sets of keys, the newest last; each is asked before those under it. */
export const layers = signal<readonly (readonly Key[])[]>([]);

/** Let these keys act while the component is there. */
export function useKeys(keys: readonly Key[]): void {
  const held: { now: readonly Key[] } = useHeld(keys);
  useEffect(() => {
    const layer = keys.map((one, at): Key => ({ ...one, act: (event) => held.now[at]?.act(event) }));
    layers.value = [...layers.value, layer];
    return () => {
      layers.value = layers.value.filter((other) => other !== layer);
    };
  }, [keys.map((one) => one.key).join()]);
}

/** Let j and k move the focus among the things that a selector finds. */
export function useSteps(selector: string): void {
  const step = (by: number) => () => {
    const found = [...document.querySelectorAll<HTMLElement>(selector)];
    const to = found.indexOf(document.activeElement as HTMLElement) + by;
    found[Math.max(0, Math.min(found.length - 1, to))]?.focus();
  };
  useKeys([
    { key: "j", says: "Next", act: step(1) },
    { key: "k", says: "Previous", act: step(-1) },
  ]);
}

/** Let the focus be where j and k have led. */
export function useFocus(at: number): void {
  useEffect(() => {
    if (at >= 0) document.querySelector<HTMLElement>("main a.at, main .at > a")?.focus();
  }, [at]);
}

/** Move the focus by `take`, and back to where it was when this is gone. */
export function useBorrowedFocus(take: (from: Element | null) => void): void {
  useEffect(() => {
    const from = document.activeElement;
    take(from);
    return () => {
      if (from instanceof HTMLElement && from.isConnected) from.focus({ preventScroll: true });
    };
  }, []);
}

function useHeld(keys: readonly Key[]): { now: readonly Key[] } {
  const ref = useRef({ now: keys });
  ref.current.now = keys;
  return ref.current;
}

/** The second of two keys must come within this time (ms). */
const SECOND_MS = 1_200;
let first = { key: "", at: 0 };

export const isTyping = (target: EventTarget | null) =>
  target instanceof Element && target.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=range])");

/** The newest layer comes first. */
const find = (key: string) => layers.value.flat().findLast((one) => one.key === key);

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || event.altKey) return;
  const isPalette = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
  if (!isPalette && (event.ctrlKey || event.metaKey)) return;
  if (document.querySelector("dialog[open]") && !isPalette) return;
  if (!isPalette && event.key !== "Escape" && (isTyping(event.target) || !hasSingleKeys.value)) return;
  const pair = Date.now() - first.at < SECOND_MS ? `${first.key} ${event.key}` : "";
  const found = (pair && find(pair)) || find(isPalette ? "Ctrl k" : event.key);
  first = { key: event.key, at: Date.now() };
  if (!found) return;
  // A button that has the focus is pressed by these itself.
  if ((event.key === "Enter" || event.key === " ") && event.target instanceof HTMLElement && event.target.closest("button, a, summary")) return;
  event.preventDefault();
  found.act(event);
});
