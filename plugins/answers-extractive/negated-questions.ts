/** Questions for what is not done: "What is not covered?" Pure. */
import { negationsIn } from "../../core/lib/negations";
import { beginsAsQuestion } from "./question-parts";
import { anyOf, words } from "./word-patterns";

/** What follows is a condition or a reason: "What happens if there is no …?" */
const condition = anyOf(
  words(
    "if when while unless whether because although since that " +
      "wenn falls während ob weil obwohl dass sofern si lorsque quand puisque cuando porque " +
      "se quando perché als indien wanneer omdat если когда",
  ),
);
/** Not "Why is it not …?": what is denied is known. */
const asks_reason = anyOf(
  words("why how warum wieso weshalb wie pourquoi comment por_qué cómo perché come waarom почему"),
);

/** Whether what is asked for is denied of something, so that a sentence must deny it. */
export function asksWhatIsNot(question: string): boolean {
  const [negation] = negationsIn(question);
  if (negation === undefined || negation.adds || !beginsAsQuestion(question)) return false;
  const before = question.slice(0, negation.at);
  const [first_word] = /[\p{L}\p{M}]+/u.exec(question) ?? [];
  return (
    !condition.test(before.slice(before.indexOf(first_word!) + first_word!.length)) &&
    !asks_reason.test(before)
  );
}
