/** The location of a passage on one line: a long name is cut off, the page number is not. */
import type { Passage } from "../api/types";
import { shortLocation } from "./location";

export function LocationLabel({ passage }: { readonly passage: Passage }) {
  const location = shortLocation(passage);
  return (
    <span class="place-label" title={passage.document_name}>
      <span class="clip">{passage.document_name}</span>
      {location !== null && <span class="nowrap">, {location}</span>}
    </span>
  );
}
