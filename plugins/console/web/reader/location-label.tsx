/**
 * The location of a passage on one line: a long name or section is truncated, the page number is
 * not.
 */
import type { Passage } from "../api/types";
import { citationText, sectionText, shortLocation } from "./location";

/** The document and the place of a passage in it. */
export function LocationLabel({ passage }: { readonly passage: Passage }) {
  const location = shortLocation(passage);
  return (
    <span class="place-label" title={citationText(passage)}>
      <span class="clip">{location === null ? sectionText(passage) : passage.document_name}</span>
      {location !== null && <span class="nowrap">, {location}</span>}
    </span>
  );
}
