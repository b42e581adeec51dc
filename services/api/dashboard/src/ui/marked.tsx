/** A text with the places of matched words; the daemon finds them, and counts in code points. */
import type { ComponentChild } from "preact";

/** How a message of a session begins. */
const SPEAKER = /^(User|Assistant): /m;

export function Marked({ text, places = [], hasSpeakers = false }: { text: string; places?: readonly (readonly number[])[] | undefined; hasSpeakers?: boolean }) {
  const points = Array.from(text);
  const pieces: ComponentChild[] = [];
  // A passage begins at a message, so the mark of those left out before it says nothing.
  let last = text.startsWith("[…]\n") ? 4 : 0;
  const add = (to: number) => {
    const said = points.slice(last, to).join("");
    pieces.push(...(hasSpeakers ? said.split(SPEAKER).map((part, at) => at % 2 ? <b>{part} </b> : part) : [said]));
  };
  for (const [start, end] of places as [number, number][]) {
    add(start);
    pieces.push(<mark>{points.slice(start, end).join("")}</mark>);
    last = end;
  }
  add(points.length);
  return <>{pieces}</>;
}
