/** Times as a person reads them, in the time zone of this browser. */

const format = (how: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat("en-GB", how).format;
const CLOCK = format({ hour: "2-digit", minute: "2-digit" });
const DAY = format({ day: "numeric", month: "short" });
const DATE = format({ day: "numeric", month: "short", year: "numeric" });
const WEEKDAY = format({ weekday: "long", day: "numeric", month: "long" });
const LONG = format({ weekday: "long", day: "numeric", month: "long", year: "numeric" });
const WHOLE = format({ dateStyle: "medium", timeStyle: "long" });

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Return the day of a time as `2026-11-23`, here. */
export function dayOf(at: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** Return rows by the day of a time that each has, in their order. */
export function byDay<T>(rows: readonly T[], timeOf: (row: T) => string): [string, T[]][] {
  return [...Map.groupBy(rows, (row) => dayOf(new Date(timeOf(row))))];
}

/** Return a time in few words: `just now`, `12 min ago`, `14:02`, `9 May`, `9 May 2024`. */
export function brief(iso: string | null | undefined, now = new Date()): string {
  const at = moment(iso);
  if (at === null) return "–";
  const since = now.getTime() - at.getTime();
  if (since >= 0 && since < MINUTE) return "just now";
  if (since >= 0 && since < HOUR) return `${Math.floor(since / MINUTE)} min ago`;
  if (dayOf(at) === dayOf(now)) return CLOCK(at);
  return at.getFullYear() === now.getFullYear() ? DAY(at) : DATE(at);
}

/** Return when the day began that was so many days ago. */
export const ago = (days: number, now = new Date()) => new Date(now.getFullYear(), now.getMonth(), now.getDate() - days);

/** Return a day as `9 May`. */
export const day = (iso: string) => DAY(new Date(iso));

/** Return a time of the day: `14:02`. */
export function clock(iso: string | null | undefined): string {
  const at = moment(iso);
  return at === null ? "–" : CLOCK(at);
}

/** Return a time with its date, clock and zone. */
export function whole(iso: string | null | undefined): string {
  const at = moment(iso);
  return at === null ? "" : WHOLE(at);
}

/** Return a day in words: `Today`, `Yesterday`, `Monday 9 May`. */
export function dayName(at: Date, now = new Date()): string {
  const days = Math.round((ago(0, now).getTime() - ago(0, at).getTime()) / (24 * HOUR));
  return days === 0 ? "Today" : days === 1 ? "Yesterday" : (at.getFullYear() === now.getFullYear() ? WEEKDAY : LONG)(at);
}

/** Return a length of time in words: `40 ms`, `3.2 s`, `5 min`, `2 h`, `3 days`. */
export function span(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < MINUTE) return `${(ms / 1_000).toPrecision(2)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < 48 * HOUR) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / (24 * HOUR))} days`;
}

function moment(iso: string | null | undefined): Date | null {
  const at = iso ? new Date(iso) : null;
  return at === null || Number.isNaN(at.getTime()) ? null : at;
}
