/** What was remembered by day; the handle goes back to what was believed then. */
import { paths } from "../../api/calls";
import type { Series } from "../../api/types";
import { useResource } from "../../lib/resource";
import { filter, route } from "../../lib/route";
import { dayName } from "../../lib/time";
import { Bars } from "../../ui/chart";
import { Shown } from "../../ui/states";

const DAYS = 90;
const MONTH = 30;

export function TimeBar() {
  const found = useResource<Series>(paths.series({ metrics: "added", count: DAYS }), ["memory"]);
  return <Shown of={found} rows={1} what="the days">{({ starts, series }) => <Inside starts={starts} added={series.added ?? []} />}</Shown>;
}

function Inside({ starts, added }: { starts: readonly string[]; added: readonly number[] }) {
  const last = starts.length - 1;
  const then = route.value.query.as_of;
  // A day is looked at as it ended, the day that is running as it is.
  const at = then ? Math.max(0, starts.findIndex((start) => Date.parse(start) >= Date.parse(then)) - 1) : last;
  const go = (to: number) => filter({ as_of: to >= last ? undefined : starts[Math.max(0, to) + 1], state: undefined });
  const says = at >= last ? "now" : `at the end of ${dayName(new Date(starts[at]!))}`;
  return <div class="timebar" role="group" aria-label="Time">
    <Bars label={`Remembered in ${DAYS} days`} starts={starts} values={added} at={at} />
    <input type="range" min={0} max={last} value={at} aria-label="Show what was believed" aria-valuetext={says}
      onInput={(event) => go(Number(event.currentTarget.value))}
      onKeyDown={(event) => {
        const by = event.key === "ArrowLeft" ? -MONTH : event.key === "ArrowRight" ? MONTH : 0;
        if (!event.shiftKey || by === 0) return;
        event.preventDefault();
        go(at + by);
      }} />
    <p class="small soft" role="status">Believed {says}{at < last && <> · <button class="link" onClick={() => go(last)}>Back to now</button></>}</p>
  </div>;
}
