/** The last answer of recall: the panel reads from it why a memory was told. */
import { signal } from "../../lib/signal";
import type { Recalled } from "../../api/types";

export const answered = signal<{ readonly question: string; readonly answer: Recalled; readonly told: number } | null>(null);
