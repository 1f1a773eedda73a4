/** Products of vectors. Pure; workers load it. */

/** Of two vectors of length 1. */
export const cosine = (vector: Float32Array, other: Float32Array): number =>
  vector.reduce((sum, number, at) => sum + number * other[at]!, 0);

/** What is left of a vector without these orthogonal directions of length 1. */
export const withoutDirections = (
  vector: Float32Array,
  directions: readonly Float32Array[],
): Float32Array =>
  directions.reduce((rest, direction) => {
    const share = cosine(rest, direction);
    return rest.map((number, at) => number - share * direction[at]!);
  }, vector);
