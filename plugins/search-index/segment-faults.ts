/** Whether bytes that somebody else made are a segment that can be searched. */
import { segment_chunks_max, segment_terms_max } from "./segment";

/** Of the layout that `segment.ts` describes. */
export const segment_format = 1;

const header_words = 6;

/** What is wrong with the bytes of a segment of so many chunks; null: nothing is. */
export function segmentFault(data: Uint8Array, chunks: number, analyzer: number): string | null {
  if (data.length % 4 !== 0 || data.length < header_words * 4) return "its length is wrong";
  const words = new Uint32Array(data.slice().buffer),
    made_by = words[0]!,
    terms = words[1]!,
    count = words[2]!,
    postings = words[3]!,
    length_sum = words[4]!,
    zero = words[5]!;
  if (made_by !== analyzer || zero !== 0) return "its header is wrong";
  if (count !== chunks || chunks < 1 || chunks > segment_chunks_max)
    return "it has other passages than are listed";
  if (terms > segment_terms_max || postings > segment_terms_max) return "it has too many terms";
  const halves_at = (header_words + terms) * 2,
    halves_count = chunks + terms + 1 + postings;
  if (words.length !== header_words + terms + ((halves_count + 1) >>> 1))
    return "its length is wrong";
  for (let at = header_words + 1; at < header_words + terms; at++)
    if (words[at]! <= words[at - 1]!) return "its terms are not in order";
  const halves = new Uint16Array(words.buffer, halves_at * 2, halves_count);
  let sum = 0;
  for (let chunk = 0; chunk < chunks; chunk++) sum += halves[chunk]!;
  if (sum !== length_sum) return "its lengths are wrong";
  return postingsFault(halves.subarray(chunks), terms, postings, chunks);
}

/** `halves`: where the postings of each term begin, and the postings. */
function postingsFault(
  halves: Uint16Array,
  terms: number,
  postings: number,
  chunks: number,
): string | null {
  if (halves[0] !== 0 || halves[terms] !== postings) return "its postings are cut off";
  for (let term = 0; term < terms; term++) {
    const [start, end] = [halves[term]!, halves[term + 1]!];
    if (end <= start || end > postings) return "a term has no postings";
    for (let at = start, last = -1; at < end; at++) {
      const posting = halves[terms + 1 + at]!,
        chunk = posting >>> 8;
      if (chunk >= chunks || chunk <= last || (posting & 255) === 0) return "a posting is wrong";
      last = chunk;
    }
  }
  return null;
}
