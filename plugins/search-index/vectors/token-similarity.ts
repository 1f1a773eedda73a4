/**
 * How well the tokens of a question are found among those of a text: for each one the most similar,
 * averaged. Unlike the vector of a whole text, this does not depend on what else it says. Pure.
 */

/**
 * How much of what the vectors of texts have in common is removed from those of tokens. Otherwise
 * all of them are similar.
 */
const common_share = 0.8;
/** The mean cosine of unrelated texts, and by how much answers exceed it, of the bundled model. */
const unrelated = 0.216;
const answer_margin = 0.336;
const byte_max = 127;

/** Vectors of length 1, one after another, multiplied by `factor` and rounded. */
export interface Tokens {
  readonly values: Int8Array;
  readonly factor: number;
}

/** `vectors`: one after another, as from an embedder; `centre`: what those of texts share. */
export function tokensOf(vectors: Float32Array, centre: Float32Array): Tokens {
  const dimensions = centre.length;
  const tokens = new Float32Array(vectors.length);
  for (let from = 0; from < tokens.length; from += dimensions) {
    const length = lengthOf(vectors, from, dimensions);
    for (let i = 0; i < dimensions; i++)
      tokens[from + i] = vectors[from + i]! / length - common_share * centre[i]!;
    const norm = lengthOf(tokens, from, dimensions);
    for (let i = 0; i < dimensions; i++) tokens[from + i]! /= norm;
  }
  let largest = 0;
  for (let i = 0; i < tokens.length; i++)
    if (Math.abs(tokens[i]!) > largest) largest = Math.abs(tokens[i]!);
  const factor = byte_max / largest;
  const values = new Int8Array(tokens.length);
  for (let i = 0; i < tokens.length; i++) values[i] = Math.round(tokens[i]! * factor);
  return { values, factor };
}

/** About 0 for unrelated texts, 1 for answers; null when one of them has no tokens. */
export function tokenSimilarity(question: Tokens, text: Tokens, dimensions: number): number | null {
  const question_values = question.values;
  const text_values = text.values;
  if (question_values.length === 0 || text_values.length === 0) return null;
  let sum = 0;
  for (let from = 0; from < question_values.length; from += dimensions) {
    let best = -Infinity;
    for (let other = 0; other < text_values.length; other += dimensions) {
      let product = 0;
      for (let i = 0; i < dimensions; i++)
        product += question_values[from + i]! * text_values[other + i]!;
      if (product > best) best = product;
    }
    sum += best;
  }
  const count = question_values.length / dimensions;
  return (sum / count / question.factor / text.factor - unrelated) / answer_margin;
}

function lengthOf(vectors: Float32Array, from: number, dimensions: number): number {
  let squares = 0;
  for (let i = from; i < from + dimensions; i++) squares += vectors[i]! ** 2;
  return Math.sqrt(squares);
}
