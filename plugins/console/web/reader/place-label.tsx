/** Where a passage stands, on one line: a long name gives way, the page does not. */
import type { Passage } from "../api/types";
import { spotOf } from "./place";

export function PlaceLabel({ passage }: { readonly passage: Passage }) {
  const spot = spotOf(passage);
  return (
    <span class="place-label" title={passage.document_name}>
      <span class="clip">{passage.document_name}</span>
      {spot !== null && <span class="nowrap">, {spot}</span>}
    </span>
  );
}
