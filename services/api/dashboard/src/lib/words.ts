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

export interface Piece {
  readonly kind: "same" | "old" | "new";
  readonly text: string;
}

/** Longer texts are compared as wholes: the table would have more than a million cells. */
const MOST_WORDS = 1_000;

/** Return how one text became another, word by word. */
export function difference(before: string, after: string): Piece[] {
  const [old, now] = [parts(before), parts(after)];
  if (old.length > MOST_WORDS || now.length > MOST_WORDS)
    return [{ kind: "old", text: before }, { kind: "new", text: after }];
  const longest = table(old, now);
  const found: Piece[] = [];
  const add = (kind: Piece["kind"], text: string) => {
    const last = found.at(-1);
    if (last?.kind === kind) found[found.length - 1] = { kind, text: last.text + text };
    else found.push({ kind, text });
  };
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      add("same", old[i]!);
      i += 1;
      j += 1;
    } else if (j >= now.length || (i < old.length && longest[i + 1]![j]! >= longest[i]![j + 1]!)) {
      add("old", old[i]!);
      i += 1;
    } else {
      add("new", now[j]!);
      j += 1;
    }
  }
  return found;
}

function parts(text: string): string[] {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

/** Lengths of the longest common runs of what follows each pair of places. */
function table(old: string[], now: string[]): Uint16Array[] {
  const rows = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      rows[i]![j] = old[i] === now[j] ? rows[i + 1]![j + 1]! + 1 : Math.max(rows[i + 1]![j]!, rows[i]![j + 1]!);
  return rows;
}
