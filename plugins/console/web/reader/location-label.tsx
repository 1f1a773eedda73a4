/** Where a passage stands, on one line: a long name gives way, the page does not. */
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
