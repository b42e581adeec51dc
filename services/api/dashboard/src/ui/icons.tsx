/** Icons: paths on a field of 16 by 16. They stand beside words, so they say nothing to a screen reader. */

const PATHS = {
  today: "M3 4.5h10v9H3zM3 7h10M5.5 2.5v3M10.5 2.5v3",
  memories: "M3 3h10v10H3zM5.5 6h5M5.5 8.5h5M5.5 11h3",
  sessions: "M2.5 3.5h11v7h-6l-3 2.5v-2.5h-2z",
  map: "M4 4.5m-1.5 0a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0M12 5.5m-1.5 0a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0M7.500 12m-1.5 0a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0M5.500 4.700l5 .600M4.700 5.900l2.200 4.700M11.200 6.800l-2.900 4",
  engine: "M2.500 8h2.500l1.500-4 3 8 1.500-4h2.500",
  settings: "M2.500 4.500h6M11.500 4.500h2M2.500 11.500h2M7.500 11.500h6M10 4.500m-1.500 0a1.500 1.500 0 1 0 3 0a1.500 1.500 0 1 0-3 0M6 11.500m-1.500 0a1.500 1.500 0 1 0 3 0a1.500 1.500 0 1 0-3 0",
  search: "M7 7m-4.500 0a4.500 4.500 0 1 0 9 0a4.500 4.500 0 1 0-9 0M10.500 10.500l3 3",
  pin: "M6 2.500h4l-.5 4.500 2 2h-7l2-2zM8 9v4.500",
  close: "M4 4l8 8M12 4l-8 8",
  forget: "M3 4.500h10M6.500 4.500v-2h3v2M4.500 4.500l.5 9h6l.5-9",
  edit: "M3 13l.7-2.800 7.300-7.200 2 2-7.200 7.300z",
  undo: "M5.500 3.500L3 6l2.500 2.500M3 6h6.500a3.500 3.500 0 0 1 0 7H6",
  copy: "M5.500 5.500h8v8h-8zM3 10.500v-8h7.500",
  plus: "M8 3v10M3 8h10",
  check: "M3 8.500l3.500 3.500L13 5",
  keyboard: "M2 4.500h12v7H2zM4.500 7h.01M7 7h.01M9.500 7h.01M12 7h.01M5 9.500h6",
  right: "M6 3.500L10.500 8 6 12.500",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return <svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d={PATHS[name]} /></svg>;
}
