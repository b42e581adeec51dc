/** What was done a moment ago, and how to take it back. */
import { signal } from "./signal";
import { Refused } from "./http";

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isBad: boolean;
  readonly undo: (() => Promise<unknown>) | null;
}

export const toasts = signal<readonly Toast[]>([]);

const SHOWN_MS = 10_000;
let next = 1;

/** Show a line for ten seconds, with Undo where there is a way back. */
export function say(text: string, undo: (() => Promise<unknown>) | null = null, isBad = false): void {
  const toast = { id: next++, text, isBad, undo };
  toasts.value = [...toasts.value.slice(-1), toast];
  setTimeout(() => drop(toast.id), SHOWN_MS);
}

/** Take a line away. */
export function drop(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

/** Copy a text, and say so. */
export function copy(text: string, done = "Copied."): void {
  navigator.clipboard.writeText(text).then(() => say(done), () => say("The browser refused to copy.", null, true));
}

/** Do something and say so; what the daemon refuses is said in its words. Return whether it was done. */
export async function act(doing: () => Promise<unknown>, done: string, undo: (() => Promise<unknown>) | null = null): Promise<boolean> {
  try {
    await doing();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    say(error.message, null, true);
    return false;
  }
  if (done) say(done, undo);
  return true;
}

/** Return what the key takes back: what was done last, as long as its line is there. */
export const last = () => toasts.value.findLast((toast) => toast.undo !== null);

/** Take something back. */
export function undo(toast = last()): void {
  if (!toast?.undo) return;
  drop(toast.id);
  void act(toast.undo, "Undone.");
}
