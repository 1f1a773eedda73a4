/**
 * Finds spans in their stored JSON without parsing all of it: captions may have a hundred thousand,
 * and every citation asks for a few.
 */

interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Those that overlap the text from `start` to `end`. `json`: an array of flat objects without
 * braces in their strings, in the order of the text.
 */
export function spansBetween<S extends Span>(json: string, start: number, end: number): S[] {
  const spans: S[] = [];
  let at = firstEndingAfter(json, start);
  while (at >= 0) {
    const span = spanAt<S>(json, at);
    if (span.start >= end) break;
    spans.push(span);
    at = json.indexOf("{", at + 1);
  }
  return spans;
}

const spanAt = <S extends Span>(json: string, at: number): S =>
  JSON.parse(json.slice(at, json.indexOf("}", at) + 1)) as S;

/** Where the first span that ends after `place` begins in the JSON; -1 when there is none. */
function firstEndingAfter(json: string, place: number): number {
  let low = 0;
  let high = json.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = json.indexOf("{", middle);
    if (at < 0 || spanAt(json, at).end > place) high = middle;
    else low = at + 1;
  }
  return json.indexOf("{", low);
}
