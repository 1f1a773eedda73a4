/**
 * Decodes texts that are sent as tokens: LangChain, for example, sends those of OpenAI's embedding
 * models (`cl100k_base`), which can be decoded without loss.
 */
import { badRequest } from "../../core/sdk";

/** The bytes of each token in base64, by its number. Loaded on first use. */
let vocabulary: Promise<readonly string[]> | undefined;

/** A line of the package is `! <number of its first token> <token> <token> …`. */
const readVocabulary = async (): Promise<readonly string[]> => {
  const { default: ranks } = await import("js-tiktoken/ranks/cl100k_base");
  const tokens: string[] = [];
  for (const line of ranks.bpe_ranks.split("\n")) {
    const [, first, ...word_texts] = line.split(" ");
    for (const [at, token] of word_texts.entries()) tokens[Number(first) + at] = token;
  }
  return tokens;
};

/** @throws HttpError 400 naming `pointer`, for a number that is not a token */
export async function textOfTokens(tokens: readonly number[], pointer: string): Promise<string> {
  const loaded = await (vocabulary ??= readVocabulary());
  const bytes = tokens.map((token) => {
    const encoded = loaded[token];
    if (encoded === undefined)
      throw badRequest(
        `${token} is not a token of cl100k_base, the vocabulary of OpenAI's embedding ` +
          "models. Send text, or tokens of that vocabulary.",
        pointer,
        "invalid_token",
      );
    return Buffer.from(encoded, "base64");
  });
  // Long texts are cut between tokens, which may be in the middle of a character.
  return Buffer.concat(bytes).toString("utf8");
}
