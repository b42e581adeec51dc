/** Icons: paths on a field of 16 by 16. They stand beside words, so they say nothing to a screen reader. */

const PATHS = {
  today: "M3 4.5h10v9H3zM3 7h10M5.5 2.5v3M10.5 2.5v3",
  memories: "M3 3h10v10H3zM5.5 6h5M5.5 8.5h5M5.5 11h3",
  sessions: "M2.5 3.5h11v7h-6l-3 2.5v-2.5h-2z",
  map: "M2.5 3h3v3h-3zM10.5 4h3v3h-3zM6 10.5h3v3h-3zM5.5 4.7l5 .6M4.7 6l2.2 4.5M11.2 7l-2.9 3.5",
  engine: "M2.5 8h2.5l1.5-4 3 8 1.5-4h2.5",
  settings: "M2.5 4.5h6M11.5 4.5h2M2.5 11.5h2M7.5 11.5h6M8.5 3h3v3h-3zM4.5 10h3v3h-3z",
  search: "M7 7m-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0M10.5 10.5l3 3",
  pin: "M6 2.5h4l-.5 4.5 2 2h-7l2-2zM8 9v4.5",
  close: "M4 4l8 8M12 4l-8 8",
  right: "M6 3.5L10.5 8 6 12.5",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return <svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d={PATHS[name]} /></svg>;
}
