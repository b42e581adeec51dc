/** Adding a thing by a few fields, and removing one for good. */
import { remove } from "../../api/calls";
import { act } from "../../lib/undo";

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly placeholder?: string;
  readonly type?: "password" | "checkbox";
  /** Values to choose from. */
  readonly of?: readonly string[];
  /** Values to begin with, each with its name. */
  readonly like?: readonly (readonly [string, string])[];
  readonly isOptional?: boolean;
}

type Values = Readonly<Record<string, string>>;

/** A form in a fold. `does` gets what was typed by the names of the fields; `done` says of it that it happened. */
export function Add({ title, verb = "Add", fields, does, done, note }: {
  title: string; verb?: string; fields: readonly Field[]; does: (typed: Values) => Promise<unknown>; done: (typed: Values) => string; note?: string;
}) {
  return <details class="add"><summary>{title}</summary><form class="narrow" onSubmit={(event) => {
    event.preventDefault();
    const form = event.currentTarget;
    const typed = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]));
    void act(() => does(typed), done(typed)).then((isDone) => { if (isDone) form.reset(); });
  }}>
    {fields.map(({ name, label, of, like, type, placeholder = "", isOptional }) => <label key={name} class={type === "checkbox" ? "" : "field"}>
      {type === "checkbox" ? <><input type={type} name={name} /> {label}</> : <><span>{label}</span>{of
        ? <select name={name}>{of.map((one) => <option key={one}>{one}</option>)}</select>
        : type === "password" ? <input name={name} type={type} required autocomplete="new-password" />
        : <input name={name} type="text" required={!isOptional} autocomplete="off" placeholder={placeholder} {...(like && { list: `${name}-like` })} />}</>}
      {like && <datalist id={`${name}-like`}>{like.map(([value, says]) => <option key={value} value={value}>{says}</option>)}</datalist>}
    </label>)}
    {note && <p class="small soft">{note}</p>}
    <div class="buttons"><button class="primary">{verb}</button></div>
  </form></details>;
}

/** A button that removes a thing: the daemon asks for consent first. */
export function Remove({ kind, id, name, loses }: { kind: Parameters<typeof remove>[0]; id: string; name: string; loses: string }) {
  return <button class="plain" aria-label={`Remove ${name}`} onClick={() => act(() => remove(kind, id, { remove: name, note: loses }), `${name} is removed.`)}>Remove</button>;
}
