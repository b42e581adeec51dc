/** How one text became another. */
import { difference } from "../lib/words";

export function Diff({ before, after }: { before: string; after: string }) {
  return <p class="diff">{difference(before, after).map((piece, at) =>
    piece.kind === "old" ? <del key={at}>{piece.text}</del> : piece.kind === "new" ? <ins key={at}>{piece.text}</ins> : <span key={at}>{piece.text}</span>)}</p>;
}
