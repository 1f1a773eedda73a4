/** Languages as services name them (`english`, `en-US`, `EN`) to one way of writing. */

/** English names of the languages that have a code of two letters. */
const codes = new Map<string, string>();
function byName(): ReadonlyMap<string, string> {
  if (codes.size > 0) return codes;
  const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });
  const letters = [..."abcdefghijklmnopqrstuvwxyz"];
  for (const first of letters)
    for (const second of letters) {
      const name = names.of(first + second);
      if (name && !codes.has(name.toLowerCase())) codes.set(name.toLowerCase(), first + second);
    }
  return codes;
}

/** A code such as `en` or `pt-BR`; null for what is neither a code nor a name. */
export function languageCode(said: string | null): string | null {
  const word = said?.trim() ?? "";
  if (/^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}$/i.test(word)) {
    try {
      return Intl.getCanonicalLocales(word)[0] ?? null;
    } catch {
      return null;
    }
  }
  return byName().get(word.toLowerCase()) ?? null;
}
