/** A bar that shows a share of one, with its number beside it. */
export function Meter({ value, kind, label }: { value: number; kind: string; label: string }) {
  const share = Math.max(0, Math.min(1, value));
  return <svg class="meter" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label={label}>
    <rect class="rail" width="100" height="6" rx="1" />
    <rect style={{ fill: `var(--${kind}, var(--accent))` }} width={share * 100} height="6" rx="1" />
  </svg>;
}
