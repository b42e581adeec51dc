/** What was remembered by day; the handle goes back to what was believed then, and what came of it since is counted. */
import { paths } from "../../api/paths";
import type { Series } from "../../api/types";
import { filter, href, route } from "../../lib/route";
import { dayName } from "../../lib/time";
import { number, sum } from "../../lib/words";
import { Bars } from "../../ui/chart";
import { Load } from "../../ui/states";

const DAYS = 90;

export function TimeBar() {
  return <Load<Series> path={paths.series({ metrics: "added,corrected,forgotten", count: DAYS })} topics={["memory"]} rows={1} what="the days">{({ starts, series }) => <Inside starts={starts} series={series} />}</Load>;
}

function Inside({ starts, series }: { starts: readonly string[]; series: Series["series"] }) {
  const last = starts.length - 1;
  const then = route.value.query.as_of;
  // A day is looked at as it ended, the day that is running as it is.
  const at = then ? Math.max(0, starts.findIndex((start) => Date.parse(start) >= Date.parse(then)) - 1) : last;
  const go = (to: number) => filter({ as_of: to >= last ? undefined : starts[Math.max(0, to) + 1], state: undefined });
  const since = (what: string) => number(sum((series[what] ?? []).slice(at + 1)));
  const says = at >= last ? "now" : `the end of ${dayName(new Date(starts[at]!))}`;
  return <div class="timebar" role="group" aria-label="Time">
    <Bars label={`Remembered in ${DAYS} days`} starts={starts} values={series.added ?? []} at={at} />
    <input type="range" min={0} max={last} value={at} aria-label="Show what was believed" aria-valuetext={says} onInput={(event) => go(Number(event.currentTarget.value))} />
    <p class="small soft" role="status">As of {says}{at < last && <>. Since then <a href={href("memories", { since: starts[at + 1] })}>{since("added")} added</a>, <a href={href("memories", { state: "superseded" })}>{since("corrected")} corrected</a>, <a href={href("memories", { state: "forgotten" })}>{since("forgotten")} forgotten</a>. <button class="link" onClick={() => go(last)}>Back to now</button></>}</p>
  </div>;
}
