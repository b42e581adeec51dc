/** The rooms that there are, in their order. */
import type { ComponentType } from "preact";

export interface Room {
  readonly name: string;
  readonly title: string;
  readonly key: string;
  readonly load: () => Promise<{ default: ComponentType<{ onClose: () => void }> }>;
}

export const ROOMS: readonly Room[] = [
  { name: "today", title: "Today", key: "t", load: () => import("./today") },
  { name: "memories", title: "Memories", key: "m", load: () => import("./memories/room") },
  { name: "sessions", title: "Sessions", key: "s", load: () => import("./sessions/room") },
  { name: "map", title: "Map", key: "g", load: () => import("./map/room") },
  { name: "engine", title: "Engine", key: "e", load: () => import("./engine/room") },
  { name: "settings", title: "Settings", key: ",", load: () => import("./settings/room") },
];
