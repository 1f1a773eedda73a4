/**
 * A list of citations to step through: it is kept in the browser's history state, so that a
 * document opened at one citation leads to the others.
 */
import type { Passage } from "../api/types";

/** Citations in the order of the answer, and the index of the one shown. */
export interface Trail {
  readonly passages: readonly Passage[];
  readonly at: number;
}

/** The history state of a link to a document's page; nothing if there is only one citation. */
export const trailOf = (
  passages: readonly Passage[],
  at: number,
): { readonly trail: Trail } | null =>
  passages.length > 1 ? { trail: { passages: passages.map(withoutQuote), at } } : null;

/** History state should be small: a passage is identified by its position only. */
const withoutQuote = (passage: Passage): Passage => ({ ...passage, quote: "" });

/** The trail that led to this passage of this document, if any. */
export function trailIn(state: unknown, document_id: string, start: string | null): Trail | null {
  const trail = (state as { readonly trail?: Trail } | null)?.trail;
  const passage = trail?.passages[trail.at];
  if (!trail || passage?.document_id !== document_id) return null;
  return passage.stale || String(passage.start) === start ? trail : null;
}
