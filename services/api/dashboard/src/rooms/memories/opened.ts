/** The row behind the panel: a forgotten memory cannot be asked for by its id, and its row says enough. */
import { signal } from "../../lib/signal";
import type { RecallResult, MemorySummary } from "../../api/types";

export type Row = MemorySummary;

export const opened = signal<Row | null>(null);

/** Keep the row that was opened. */
export function keep(row: Row | RecallResult): void {
  opened.value = "version" in row ? row : null;
}
