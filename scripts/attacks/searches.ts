/** Cases: searches and lists. */
import { makeText } from "../bench/text";
import type { Case } from "./case";

const texts = 1_000;
const text_length = 3_000;
const searches = 200;
const query_length = 2_000;
const question_length = 200;

export const search_cases: readonly Case[] = [
  {
    name: "aborted searches",
    reason: `${searches} searches of ${query_length} characters at once, and hung up`,
    without_vectors: true,
    async prepare(attacker) {
      await attacker.newTexts(Array.from({ length: texts }, (_, at) => makeText(at, text_length)));
      const query = makeText(99, query_length).slice(0, query_length);
      return () =>
        attacker.repeat(searches, async () => {
          await attacker.send("/search", { body: { query }, abort_after_ms: 100 });
          await Bun.sleep(300);
        });
    },
  },
  {
    name: "searched questions",
    reason: `${searches} questions of ${question_length} characters at once`,
    without_vectors: true,
    async prepare(attacker) {
      await attacker.newTexts(Array.from({ length: texts }, (_, at) => makeText(at, text_length)));
      const query = `${makeText(99, question_length).slice(0, question_length)}?`;
      return () =>
        attacker.repeat(searches, async () => {
          await attacker.send("/search", { body: { query } });
        });
    },
  },
];
