/**
 * The citations that somebody goes through: they go along from page to page in the history of the
 * browser, so that a document that is opened at one of them leads to the others.
 */
import type { Passage } from "../api/types";

export interface Trail {
  readonly passages: readonly Passage[];
  readonly at: number;
}

/** What a link to the page of a document gives it; nothing where there is only one. */
export const trailOf = (
  passages: readonly Passage[],
  at: number,
): { readonly trail: Trail } | null =>
  passages.length > 1 ? { trail: { passages: passages.map(carried), at } } : null;

/** The history is no place for texts: a passage is told by where it is. */
const carried = (passage: Passage): Passage => ({ ...passage, quote: "" });

/** The trail that led to this passage of this document, if one did. */
export function trailIn(state: unknown, document_id: string, start: string | null): Trail | null {
  const trail = (state as { readonly trail?: Trail } | null)?.trail;
  const passage = trail?.passages[trail.at];
  if (!trail || passage?.document_id !== document_id) return null;
  return passage.stale || String(passage.start) === start ? trail : null;
}
