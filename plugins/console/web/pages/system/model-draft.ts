/** What was typed into the form of a service and is not saved yet. */
import { ApiProblem } from "../../api/client";
import type { Answer } from "../../api/types";

export type Setting = Answer<"listAllSettings">[number];
/** By setting, what its field holds; null: the secret that is stored is taken away. */
export type Draft = Readonly<Record<string, string | null>>;

/** `base_url` */
export const keyOf = ({ setting }: Setting): string => setting.slice(setting.indexOf(".") + 1);
export const inWords = (value: Setting["value"]): string =>
  value === null ? "" : Array.isArray(value) ? value.join(", ") : String(value);

/** Something else says what it is, and wins. */
export const isPinned = ({ origin }: Setting): boolean =>
  origin !== "default" && origin !== "stored";

/** What its field shows while nobody has typed; of a secret, never anything. */
const before = (one: Setting): string =>
  one.kind === "secret" ? "" : inWords(isPinned(one) ? one.value : (one.stored ?? one.value));

/** What its field shows. */
export const shownIn = (draft: Draft, one: Setting): string => draft[one.setting] ?? before(one);

/** What the server finds wrong with it. */
export const problemAt = (problem: unknown, { setting }: Setting): string | undefined =>
  problem instanceof ApiProblem ? problem.at(`/${setting}`) : undefined;

/** Whether it is of use with the provider that is chosen. */
export function isOfUse(one: Setting, settings: readonly Setting[], draft: Draft): boolean {
  const provider = settings.find((other) => keyOf(other) === "provider");
  return one.providers === null || !provider || one.providers.includes(shownIn(draft, provider));
}

/** The body of a change: an empty field goes back to the default. */
export function changesOf(settings: readonly Setting[], draft: Draft): Draft {
  const changed = settings.filter((one) => {
    const typed = draft[one.setting];
    if (typed === undefined || isPinned(one) || !isOfUse(one, settings, draft)) return false;
    // An empty field of a secret says nothing; null takes it away.
    if (one.kind === "secret") return typed !== "";
    return typed !== before(one);
  });
  return Object.fromEntries(
    changed.map(({ setting }) => [setting, draft[setting]?.trim() || null]),
  );
}
