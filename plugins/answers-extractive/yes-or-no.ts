/** Questions for a yes or a no, in many languages. */
import { anyOf, words } from "./word-patterns";

const verbs_first = new RegExp(
  "^[^\\p{L}]*" +
    words(
      "(?:am|is|are|was|were|do|does|did|has|have|can|could|may|might|must|need|shall|should|" +
        "will|would|isn['’]t|aren['’]t|don['’]t|doesn['’]t|can['’]t|won['’]t) " +
        "(?:ist|sind|war|waren|gibt|hat|habe|haben|kann|können|darf|dürfen|muss|müssen|soll|" +
        "sollen|wird|werden|braucht|brauche|brauchen) " +
        "est-ce_(?:que|qu['’]) est-ce puis-je peut-on faut-il doit-on y_a-t-il " +
        "(?:l[ea]s?|l['’]\\p{L}+|un|une)?(?:_\\p{L}+){0,4}_\\p{L}+-(?:t-)?(?:ils?|elles?) " +
        "(?:se_)?(?:puedo|puede|pueden|podemos|debo|debe|hay|es|está|están|son|tengo_que|tiene) " +
        "(?:si_)?(?:posso|può|possono|devo|bisogna|c['’]è|ci_sono|è|sono) " +
        "(?:posso|pode|podem|há|é|são|tem|devo) (?:is|zijn|mag|mogen|kan|kunnen|moet|moeten) " +
        "можно нужно есть_ли",
    ),
  "iu",
);
const verb_last = anyOf(
  "(?<![\\p{L}\\p{M}])m[ıiuü](?:y[ıiuü]m|d[ıiuü]r|s[ıiuü]n\\p{L}*)?\\s*\\?$|吗|嗎|ですか[？?]?$",
);
/** "Can you tell me what …?" */
const asks_more = anyOf(
  words(
    "what which who whom whose when where why how list name tell explain describe give show or " +
      "was welche[mnrs]? wer wen wem wann wo warum wie nenn\\p{L}* oder " +
      "quoi quel(?:le)?s? qui quand où pourquoi comment combien ou " +
      "qué cuál(?:es)? quién(?:es)? cuándo dónde cómo cuánt[oa]s? o",
  ),
);

/** Not "Can you tell me what …?", nor "Is it … or …?". */
export const asksYesOrNo = (question: string): boolean =>
  (verbs_first.test(question) || verb_last.test(question)) && !asks_more.test(question);

/** What something must be there for: it follows. */
const existence = new RegExp(
  "^[^\\p{L}]*(?:.{0,60}[\\s,])??(?:" +
    words(
      "(?:is|are)_there (?:do|does)_(?:\\p{L}+_){1,4}(?:have|offer|sell) gibt_es " +
        "(?:hat|haben|bietet|bieten)_(?:\\p{L}+_){1,4}(?=ein) y_a-t-il hay c['’]è ci_sono há is_er",
    ) +
    ")\\s+(?:" +
    words(
      "an? any some eine?[mnrs]? une? des d['’] du de_la de un[oa]?s? un['’] dei delle um een",
    ) +
    "\\s*)?(?=\\p{L})",
  "iu",
);
/** It may be there in other words. */
const general = new RegExp(
  "^" +
    words(
      "ways? limits? rules? exceptions? difference deadlines? chance possibility reason anything " +
        "discounts? reductions? fees? charges? penalt(?:y|ies) fines? ermäßigung(?:en)? " +
        "rabatte? gebühr(?:en)? réductions? remises? frais descuentos? multas? " +
        "something anyone anybody someone more other else (?:einen_)?möglichkeit(?:en)? grenzen? " +
        "regeln? ausnahmen? fristen? unterschied etwas jemand(?:en)? andere[nrs]? " +
        "moyens? limites? règles? exceptions? différences? délais? manera(?:s)? forma límites? " +
        "reglas? excepci[oó]n(?:es)? diferencias? plazos? alg[uo]\\p{L}* \\p{Nd}+",
    ),
  "iu",
);

/** The UTF-16 index of what may be there: of "gym" in "Is there a gym?"; null: none is asked. */
export function existenceAskedAt(question: string): number | null {
  const match = asksYesOrNo(question) ? existence.exec(question) : null;
  if (match === null) return null;
  const at = match.index + match[0].length;
  return general.test(question.slice(at)) ? null : at;
}

const yes_or_no = new RegExp(
  "^" +
    words(
      "yes no ja nein jawohl oui non sí sì não sim nee nej tak nie ano ne да нет так ні ναι όχι " +
        "evet hayır",
    ) +
    "|^(?:是|不|はい|いいえ|예|아니)",
  "iu",
);
/** Only with the question above it does such a sentence say anything. */
export const beginsWithYesOrNo = (sentence: string): boolean => yes_or_no.test(sentence);
