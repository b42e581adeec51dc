/** Words and numbers for people, and the difference between two texts. */

const NUMBER = new Intl.NumberFormat("en-GB");

/** Return a number with its thousands apart. */
export function number(value: number): string {
  return NUMBER.format(value);
}

/** Return a count with its noun: `1 memory`, `2,214 memories`. */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

/** Return what numbers come to together. */
export function sum(of: readonly number[]): number {
  return of.reduce((all, one) => all + one, 0);
}

/** Return a share of one as `82 %`. */
export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** Return bytes as `1.2 MB`. */
export function bytes(value: number): string {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  let at = 0;
  while (value >= 1_000 && at < units.length - 1) {
    value /= 1_000;
    at += 1;
  }
  return `${at === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${units[at]}`;
}

/** Return the last part of a project's path, by which people know it. */
export function projectName(path: string): string {
  return path.split("/").filter(Boolean).pop() ?? path;
}

/** Return a text without the marks of its headings. */
export const plain = (text: string) => text.replace(/^\s*#+\s+/gm, "");

/** Return what two texts begin with, what stands between, and what they end with, in whole words. */
export function difference(before: string, after: string): { start: string; old: string; now: string; end: string } {
  const [old, now] = [parts(before), parts(after)];
  const least = Math.min(old.length, now.length);
  let [from, to] = [0, 0];
  while (from < least && old[from] === now[from]) from += 1;
  while (to < least - from && old.at(-1 - to) === now.at(-1 - to)) to += 1;
  const cut = (of: string[], start: number, end: number) => of.slice(start, end).join("");
  return { start: cut(old, 0, from), old: cut(old, from, old.length - to), now: cut(now, from, now.length - to), end: cut(old, old.length - to, old.length) };
}

function parts(text: string): string[] {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}
