/** Settings as a form: what each may be, is, and would be by default. One change writes one key and keeps comments. */
import { useState } from "preact/hooks";
import { changeSettings } from "../../api/calls";
import { paths } from "../../api/paths";
import type { ConfigSchema, Setting } from "../../api/types";
import { filter, route } from "../../lib/route";
import { act, say } from "../../lib/undo";
import { count } from "../../lib/words";
import { Empty, Load, noneOf } from "../../ui/states";

export function Ten() {
  return <Load<ConfigSchema> path={paths.schema} topics={["config"]} rows={8} what="settings">{({ settings, hash }) => <>
    <ul class="rows" aria-label="Most used settings">{settings.filter((one) => one.often).sort((a, b) => a.often - b.often).map((one) => <li key={one.key} class="repair"><Line one={one} hash={hash} /></li>)}</ul>
    <p><a href="#/settings/agent">All {settings.filter(isOwn).length} settings</a></p></>}</Load>;
}

export function Form() {
  const { find = "", changed } = route.value.query;
  return <>
    <div class="filters bar" role="group" aria-label="Which settings">
      <input type="search" placeholder="Find a setting" aria-label="Find a setting" value={find} onInput={(event) => filter({ find: event.currentTarget.value || undefined })} />
      <button class="chip" aria-pressed={changed === "1"} onClick={() => filter({ changed: changed ? undefined : "1" })}>Changed ones</button>
    </div>
    <Load<ConfigSchema> path={paths.schema} topics={["config"]} rows={8} what="settings">{({ settings, hash }) => {
      const words = find.toLowerCase().split(/\s+/).filter(Boolean);
      const shown = settings.filter((one) => isOwn(one) && (!changed || differs(one)) && words.every((word) => `${one.key} ${one.label} ${one.group}`.toLowerCase().includes(word)));
      return shown.length === 0 ? <Empty title={find ? noneOf("setting") : "Every setting has its default"} /> : <>
        <p class="soft small">{count(shown.length, "setting")}. A change is in force within two seconds, unless it says otherwise.</p>
        {[...Map.groupBy(shown, (one) => one.group)].map(([area, some]) => <details key={area} open={Boolean(find || changed)}><summary>{area} <span class="small">{count(some.length, "setting")}</span></summary>
          <ul class="rows">{some.map((one) => <li key={one.key} class="repair"><Line one={one} hash={hash} /></li>)}</ul></details>)}</>;
    }}</Load>
  </>;
}

/** What Signet writes itself. */
const isOwn = ({ key }: Setting) => key !== "agent.created";

function differs(one: Setting): boolean {
  return one.origin !== "default" && text(one.value) !== text(one.default);
}

function Line({ one, hash }: { one: Setting; hash: string }) {
  const set = (value: unknown) => {
    const before = one.origin === "default" ? null : one.value;
    const write = (to: unknown, known?: string) => async () => {
      const done = await changeSettings({ [one.key]: to }, known, { [one.label]: to === null ? `${said(one, one.default)} (default)` : said(one, to), now: said(one, one.value) });
      if (done.restartRequired.length > 0) say("It takes effect after a restart: signet daemon restart");
    };
    return act(write(value, hash), `${one.label} is changed.`, write(before));
  };
  const id = `setting-${one.key}`;
  const isChanged = differs(one);
  return <>
    <div><label for={id}>{one.label}</label>
      <p class="meta"><span>{one.key}</span>{isChanged ? <span class="warn">set in {one.origin}, default: {said(one, one.default)}</span> : <span>default</span>}{one.restart && <span>after a restart</span>}</p></div>
    <div class="value"><Field one={one} id={id} onSet={set} />
      {isChanged && <button class="link small" onClick={() => set(null)}>Default</button>}</div>
  </>;
}

/** Return a value as people read it. */
function said(one: Setting, value: unknown): string {
  return value === true ? "on" : value === false ? "off" : one.says[text(value)] ?? (text(value) || "nothing");
}

function text(value: unknown): string {
  return value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
}

function Field({ one, id, onSet }: { one: Setting; id: string; onSet: (value: unknown) => void }) {
  const [typed, setTyped] = useState<string | null>(null);
  if (one.kind === "boolean") return <input id={id} type="checkbox" checked={one.value === true} onChange={(event) => onSet(event.currentTarget.checked)} />;
  if (one.kind === "choice") return <select id={id} value={text(one.value)} onChange={(event) => onSet(event.currentTarget.value)}>
    {[...new Set([...one.choices, text(one.value)])].filter(Boolean).map((choice) => <option key={choice} value={choice}>{said(one, choice)}</option>)}</select>;
  if (one.kind === "list" || one.kind === "map" || one.secret) return <a id={id} class="small" href="#/settings/files?file=agent.yaml">in agent.yaml</a>;
  const isNumber = one.kind === "integer" || one.kind === "number";
  const done = () => {
    if (typed !== null && typed !== text(one.value)) onSet(isNumber ? Number(typed) : typed);
    setTyped(null);
  };
  const common = {
    id, value: typed ?? text(one.value), autocomplete: "off", onBlur: done,
    onInput: (event: { currentTarget: HTMLInputElement }) => setTyped(event.currentTarget.value),
    onKeyDown: (event: KeyboardEvent) => { if (event.key === "Enter") done(); },
  } as const;
  return isNumber
    ? <input {...common} type="number" step={one.kind === "integer" ? 1 : "any"} {...(one.low !== null && { min: one.low })} {...(one.high !== null && { max: one.high })} />
    : <input {...common} type="text" />;
}
