/** What other answerers may know about reading questions and passages. */
import { service } from "../../core/sdk";
import type { Question } from "../chats/contract";
import type { Retrieved } from "../search/contract";

/** UTF-16 indices, end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}
export interface Wording {
  /**
   * The sentences of a text in any language, trimmed, in order; only white space lies between them.
   */
  sentences(text: string): readonly Span[];
  /**
   * The best passages for a question of a conversation, found with the questions before it where it
   * leans on them.
   */
  retrieve(
    question: Pick<Question, "text" | "history" | "find">,
    limit: number,
  ): Promise<Retrieved>;
}
export const Wording = service<Wording>("answers.wording");
