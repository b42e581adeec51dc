/** The rooms that there are, in their order. */

export interface Room {
  readonly name: "today" | "memories" | "sessions" | "map" | "engine" | "settings";
  readonly title: string;
  readonly key: string;
}

export const ROOMS: readonly Room[] = [
  { name: "today", title: "Today", key: "t" },
  { name: "memories", title: "Memories", key: "m" },
  { name: "sessions", title: "Sessions", key: "s" },
  { name: "map", title: "Map", key: "g" },
  { name: "engine", title: "Engine", key: "e" },
  { name: "settings", title: "Settings", key: "," },
];
