/** What other answerers may know about reading questions and passages. */
import { service } from "../../core/sdk";

/** UTF-16 indices, end exclusive. */
export interface Span { readonly start: number; readonly end: number }
export interface Wording {
  /** The sentences of a text in any language, trimmed, in order; only white space lies between them. */
  sentences(text: string): readonly Span[];
  /** Whether a question with so many words of its own needs the one before it to be understood: it is short, or it points back. */
  leansOnEarlier(question: string, words: number): boolean;
}
export const Wording = service<Wording>("answers.wording");
