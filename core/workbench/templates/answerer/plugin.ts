/**
 * My plugin: answers a question with a list of what the documents say about it, each line a quote
 * with its source. Start here to ask a service of your own.
 */
import { definePlugin, fill, t } from "dossier";
import { Answerers, Retrieval, type Answered, type Answerer } from "dossier/contracts";

const config = t.Object({
  quotes_max: t.Integer({
    default: 3,
    minimum: 1,
    maximum: 5,
    changes: "now",
    description: "Quotes in an answer.",
  }),
});

const quote_length_max = 300;

/** One line for each quote, with the marker that names its citation. */
export const listOf = (quotes: readonly string[]): string =>
  quotes.map((quote, place) => `- ${quote.replace(/\s+/g, " ").trim()} [${place + 1}]`).join("\n");

export default definePlugin({
  name: "my-plugin",
  version: "0.1.0",
  config,
  needs: { retrieval: Retrieval },
  setup({ config, now_ms, services: { retrieval } }) {
    const answerer: Answerer = {
      name: "my-plugin",
      /** Whoever has the highest rank is asked: those that are built in have less. */
      rank: 100,
      async answer({ text, find, signal }): Promise<Answered> {
        const started = now_ms();
        // Searches the folders of the chat, and nothing else.
        const { passages } = await find(text, { limit: config.quotes_max });
        signal.throwIfAborted();
        const found = now_ms();
        // A passage is long: the sentence or two of it that say most about the question.
        const quoted = passages.map((passage) =>
          passage.quote.length > quote_length_max ? retrieval.excerpt(passage, text) : passage,
        );
        return {
          answer: quoted.length > 0 ? listOf(quoted.map(({ quote }) => quote)) : "Nothing found.",
          outcome: quoted.length > 0 ? "answered" : "no_answer",
          // Nothing is said but what is quoted.
          grounded: true,
          citations: quoted.map((quote, place) => ({ ...quote, id: place + 1 })),
          model: "my-plugin",
          prompts: [],
          usage: null,
          timings: { retrieve_ms: found - started, generate_ms: now_ms() - found },
          warnings: [],
        };
      },
    };
    return { fills: [fill(Answerers, answerer)] };
  },
});
