/** Adding a thing by a few fields, and removing one for good. */
import { useState } from "preact/hooks";
import { act } from "../../lib/undo";
import { Dialog } from "../../ui/dialog";

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

/** A button that removes a thing once a second one was pressed. */
export function Remove({ name, loses, does }: { name: string; loses: string; does: () => Promise<unknown> }) {
  const [isAsked, setAsked] = useState(false);
  const close = () => setAsked(false);
  return <>
    <button class="plain" aria-label={`Remove ${name}`} onClick={() => setAsked(true)}>Remove</button>
    {isAsked && <Dialog title={`Remove ${name}?`} onClose={close}>
      <p>{loses}</p>
      <div class="buttons"><button onClick={close}>Keep it</button>
        <button class="primary" onClick={() => void act(does, `${name} is removed.`).then(close)}>Remove</button></div></Dialog>}
  </>;
}
