/** A filter of the address that has one of several values. */
import { filter, route } from "../lib/route";

/** `of` has each value with its name; the empty one chooses all. A value of the address that is not among them is shown, too. */
export function Choice({ label, name, of }: { label: string; name: string; of: readonly (readonly [string, string])[] }) {
  const value = route.value.query[name] ?? "";
  const all = of.some(([key]) => key === value) ? of : [...of, [value, value] as const];
  return <select aria-label={label} class={value ? "on" : ""} value={value} onChange={(event) => filter({ [name]: event.currentTarget.value || undefined })}>
    {all.map(([key, text]) => <option key={key} value={key}>{text}</option>)}</select>;
}
