/** Bars over time, with the same numbers as a table. */
import { brief, clock, day } from "../lib/time";
import { number, sum } from "../lib/words";
import { Table } from "./table";

/** A day begins at midnight. */
const named = (start = "") => (clock(start) === "00:00" ? day : brief)(start);

export function Bars({ label, starts, values, at = -1 }: { label: string; starts: readonly string[]; values: readonly number[]; at?: number }) {
  const most = Math.max(1, ...values);
  const width = 100 / Math.max(1, values.length);
  return <svg class="chart" viewBox="0 0 100 24" preserveAspectRatio="none" role="img" aria-label={`${label}: ${number(sum(values))} in all, at most ${number(most)} at once`}>
    {values.map((value, place) => {
      const height = (23 * value) / most + 1;
      return <rect key={place} class={place === at ? "at" : ""} x={place * width} width={width * 0.8} y={24 - height} height={height}><title>{`${named(starts[place])}: ${number(value)}`}</title></rect>;
    })}
  </svg>;
}

/** Several lines of numbers, each with its bars, and all as a table. */
export function Charts({ starts, lines: all }: { starts: readonly string[]; lines: readonly { readonly name: string; readonly values: readonly number[] }[] }) {
  const lines = all.filter((line) => line.values.filter(Boolean).length > 1);
  const few = all.filter((line) => !lines.includes(line));
  return <>
    {few.length > 0 && <dl class="facts">{few.map((line) => <><dt>{line.name}</dt><dd>{number(sum(line.values))}</dd></>)}</dl>}
    {lines.map((line) => <div key={line.name} class="line"><p>{line.name} <strong>{number(sum(line.values))}</strong></p>
      <Bars label={line.name} starts={starts} values={line.values} />
      <p class="small soft">{named(starts[0])}<span>{named(starts.at(-1))}</span></p></div>)}
    {lines.length > 0 && <details><summary>As a table</summary><Table of={["From", ...lines.map((line) => line.name)]}>{starts.map((start, at) => <tr key={start}><th scope="row">{named(start)}</th>{lines.map((line) => <td key={line.name}>{number(line.values[at] ?? 0)}</td>)}</tr>)}</Table></details>}
  </>;
}
