/** A question together with the earlier ones that it continues: "And for students?" Pure. */
import type { RetrievedInConversation } from "../search/contract";
import { answerPattern } from "./answer-types";
import { beginsAsQuestion } from "./question-parts";
import { words } from "./word-patterns";

/** What is asked, in forms that are understood alone. */
export interface Asked {
  readonly own: string;
  /** With the earlier questions: texts are compared with this. */
  readonly whole: string;
  /** The part of it that tells what kind of answer is asked for. */
  readonly typed: string;
  /** `subject`: it names what an answer must be about; `attribute`: what must be said about it. */
  readonly names: "all" | "subject" | "attribute";
}

/** What follows is the new subject of the earlier question. */
const about = new RegExp(
  `^${words(
    "what_about how_about what_of what_if " +
      "was_ist_mit wie_ist_es_(?:mit|bei) wie_sieht_es_(?:mit|bei) qu'en_est-il qué_hay_de " +
      "qué_pasa_con que_tal e_quanto_a hoe_zit_het_met а_как_насчёт ya ne_olacak",
  )}`,
  "iu",
);

export function askedOf(
  own: string,
  { context, names_subject }: Pick<RetrievedInConversation, "context" | "names_subject">,
): Asked {
  const is_whole = names_subject && beginsAsQuestion(own) && !about.test(own);
  if (context === null || is_whole) return { own, whole: own, typed: own, names: "all" };
  const whole = `${context}\n${own}`;
  return {
    own,
    whole,
    typed: answerPattern(own) === null ? whole : own,
    names: names_subject ? "subject" : "attribute",
  };
}
