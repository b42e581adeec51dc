/** Icons: paths on a field of 16 by 16. They stand beside words, so they say nothing to a screen reader. */

const PATHS = {
  today: "M3 4.5h10v9H3zM3 7h10M5.5 2.5v3M10.5 2.5v3",
  memories: "M3 3h10v10H3zM5.5 6h5M5.5 8.5h5M5.5 11h3",
  sessions: "M2.5 3.5h11v7h-6l-3 2.5v-2.5h-2z",
  map: "M4 4.5m-1.5 0a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0M12 5.5m-1.5 0a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0M7.5 12m-1.5 0a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0M5.5 4.7l5 .6M4.7 5.9l2.2 4.7M11.2 6.8l-2.9 4",
  engine: "M2.5 8h2.5l1.5-4 3 8 1.5-4h2.5",
  settings: "M2.5 4.5h6M11.5 4.5h2M2.5 11.5h2M7.5 11.5h6M10 4.5m-1.5 0a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0M6 11.5m-1.5 0a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0",
  search: "M7 7m-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0M10.5 10.5l3 3",
  pin: "M6 2.5h4l-.5 4.5 2 2h-7l2-2zM8 9v4.5",
  close: "M4 4l8 8M12 4l-8 8",
  forget: "M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.5 9h6l.5-9",
  edit: "M3 13l.7-2.8 7.3-7.2 2 2-7.2 7.3z",
  undo: "M5.5 3.5L3 6l2.5 2.5M3 6h6.5a3.5 3.5 0 0 1 0 7H6",
  copy: "M5.5 5.5h8v8h-8zM3 10.5v-8h7.5",
  plus: "M8 3v10M3 8h10",
  keyboard: "M2 4.5h12v7H2zM4.5 7h.01M7 7h.01M9.5 7h.01M12 7h.01M5 9.5h6",
  right: "M6 3.5L10.5 8 6 12.5",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return <svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d={PATHS[name]} /></svg>;
}
