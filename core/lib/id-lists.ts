/**
 * Lists of ids as one string each: thousands of strings take long to copy and to send, and leave
 * much garbage. The same lists are used again and again, so the last ones are remembered.
 */

/** Shorter lists aren't remembered: they are as quickly made again. */
const remembered_length_min = 4_096;
/** The length of all remembered lists, in characters. */
const remembered_length_max = 2 ** 20;

/** By their text; the least recently used first. */
const remembered = new Map<string, readonly string[]>();
let remembered_length = 0;
/** What was made of a list, for as long as the list is in use. */
const texts = new WeakMap<readonly string[], string>();
const sets = new WeakMap<readonly string[], ReadonlySet<string>>();

/** The ids of a text in which they are separated by spaces. */
export function listOfIds(text: string): readonly string[] {
  const list = remembered.get(text);
  if (list !== undefined) {
    remembered.delete(text);
    remembered.set(texts.get(list)!, list);
    return list;
  }
  const ids = text === "" ? [] : text.split(" ");
  texts.set(ids, text);
  if (text.length >= remembered_length_min) remember(text, ids);
  return ids;
}

/** The ids, separated by spaces. */
export function textOfIds(ids: readonly string[]): string {
  const known_text = texts.get(ids);
  if (known_text !== undefined) return known_text;
  const text = ids.join(" ");
  texts.set(ids, text);
  return text;
}

/** For lookups. */
export function setOfIds(ids: readonly string[]): ReadonlySet<string> {
  const known_set = sets.get(ids);
  if (known_set !== undefined) return known_set;
  const set = new Set(ids);
  sets.set(ids, set);
  return set;
}

function remember(text: string, ids: readonly string[]): void {
  remembered.set(text, ids);
  remembered_length += text.length;
  for (const oldest of remembered.keys()) {
    if (remembered_length <= remembered_length_max || oldest === text) break;
    remembered.delete(oldest);
    remembered_length -= oldest.length;
  }
}
