/** The order of search results: passages that answer the question come first. */
import { afterAll, describe, expect, test } from "bun:test";
import { definePlugin, fill } from "../../core/sdk";
import { withAnswersFirst } from "../../plugins/search/answer-order";
import { AnswerScorers, type AnswerScorer, type FoundPassage } from "../../plugins/search/contract";
import { startTestServer } from "../helpers/host";
import { person } from "../helpers/person";

const ending: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ending) await end();
});

async function start(scorer?: AnswerScorer) {
  const plugins = scorer && [
    definePlugin({
      name: "scorer",
      version: "1.0.0",
      setup: () => ({ fills: [fill(AnswerScorers, scorer)] }),
    }),
  ];
  const server = await startTestServer({
    env: { DOSSIER_EMBEDDINGS_PROVIDER: "none" },
    ...(plugins && { plugins }),
  });
  ending.push(() => server.stop());
  const ada = await person(server, "ada");
  const search = async (texts: readonly string[], query: string, limit = 10) => {
    const folder = await ada.folder("Towers");
    for (const text of texts) await ada.text(folder, text);
    await server.settle();
    const body = { query, folder_ids: [folder], limit };
    const answer = await ada.send("POST", "/search", body);
    expect(answer.status).toBe(200);
    return answer.body.data as { quote: string; score: number }[];
  };
  return search;
}

describe("search", () => {
  /** Why, the question, the text that answers it, and one that has more of its words. */
  const cases = [
    [
      "a number is asked for",
      "How high is the harbour tower?",
      "The harbour tower is 41 metres high.",
      "The tower of the harbour. How high the harbour tower rises is told by the harbour office.",
    ],
    [
      "the answer is in one sentence, the words of the other in several",
      "Who painted the lid of the harbour clock?",
      "The lid of the harbour clock was painted by Maria Quist. She lived in a house by the mill, " +
        "kept geese, wrote letters to her sister, and travelled to Malta in her later years.",
      "The harbour has a clock. People painted. A lid is new. The clock of the harbour is old.",
    ],
  ] as const;
  for (const [why, query, answering, other] of cases)
    test(`shows the passage first that answers: ${why}`, async () => {
      const search = await start();
      const found = await search([other, answering], query);
      expect(found.map(({ quote }) => quote)).toEqual([answering, other]);
      const scores = found.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      expect((await search([other, answering], query, 1)).map(({ quote }) => quote)).toEqual([
        answering,
      ]);
      const ofIndex = await start({ passages_max: 8, score: async () => [] });
      expect((await ofIndex([other, answering], query))[0]!.quote).toBe(other);
    });

  test("keeps the order of the index for words that are no question", async () => {
    const [, [, , answering, other]] = cases;
    const search = await start();
    const first = async (query: string) => (await search([other, answering], query))[0]!.quote;
    expect(await first("painted, the lid of a clock, harbour")).toBe(other);
    expect(await first("painted, the lid of a clock, harbour?")).toBe(answering);
  });

  const texts = ["The tower of the harbour tower.", "A tower stands here, and it is a tall one."];
  test("a plugin's order comes before the built-in one", async () => {
    const search = await start({ passages_max: 8, score: async () => [0, 1] });
    const found = await search(texts, "harbour tower");
    expect(found.map(({ quote }) => texts.indexOf(quote))).toEqual([1, 0]);
  });
});

describe("the order of passages", () => {
  /** Their scores, those of their answers, and the order. */
  const cases = [
    ["without scores", [0.9, 0.8, 0.7], [], [0, 1, 2]],
    ["one answers much better", [0.9, 0.8, 0.7], [0.1, 0.1, 0.6], [2, 0, 1]],
    ["one answers little better", [0.9, 0.5, 0.4], [0.1, 0.2, 0.2], [0, 1, 2]],
    ["equals keep their order", [0.9, 0.9, 0.9], [0.2, 0.2, 0.2], [0, 1, 2]],
    ["one that is not scored keeps its place", [0.9, 0.8, 0.7], [0.1, null, 0.9], [2, 1, 0]],
    ["those behind stay there", [0.9, 0.8, 0.7], [0.1, 0.8], [1, 0, 2]],
  ] as const;
  test.each(cases)("%s", (_reason, scores, answer_scores, expected) => {
    const passages = scores.map((score, at) => ({ score, start: at }) as FoundPassage);
    const ordered = withAnswersFirst(passages, answer_scores);
    expect(ordered.map(({ start }) => start)).toEqual([...expected]);
    expect(ordered.map(({ score }) => score)).toEqual([...scores]);
  });
});
