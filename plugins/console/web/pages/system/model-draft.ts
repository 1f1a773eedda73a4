/** Unsaved input in the form of a service. */
import { ApiProblem } from "../../api/client";
import type { Answer } from "../../api/types";

/** A setting with its value, its origin and its definition. */
export type Setting = Answer<"listAllSettings">[number];
/** The content of each setting's field; null: the stored secret is removed. */
export type Draft = Readonly<Record<string, string | null>>;

/** Such as `base_url`. */
export const keyOf = ({ setting }: Setting): string => setting.slice(setting.indexOf(".") + 1);
/** The value as text: lists are separated by commas, null is empty. */
export const valueText = (value: Setting["value"]): string =>
  value === null ? "" : Array.isArray(value) ? value.join(", ") : String(value);

/** A source of higher precedence sets it. */
export const isPinned = ({ origin }: Setting): boolean =>
  origin !== "default" && origin !== "stored";

/** The content of its field before any input; always empty for a secret. */
const initialText = (setting: Setting): string =>
  setting.kind === "secret"
    ? ""
    : valueText(isPinned(setting) ? setting.value : (setting.stored ?? setting.value));

/** The current content of its field. */
export const fieldText = (draft: Draft, setting: Setting): string =>
  draft[setting.setting] ?? initialText(setting);

/** The server's complaint about it. */
export const problemAt = (problem: unknown, { setting }: Setting): string | undefined =>
  problem instanceof ApiProblem ? problem.at(`/${setting}`) : undefined;

/** Whether it applies to the chosen provider. */
export function appliesTo(setting: Setting, settings: readonly Setting[], draft: Draft): boolean {
  const provider = settings.find((candidate) => keyOf(candidate) === "provider");
  return (
    setting.providers === null ||
    !provider ||
    setting.providers.includes(fieldText(draft, provider))
  );
}

/** The body of the request: an empty field resets the setting to its default. */
export function changesOf(settings: readonly Setting[], draft: Draft): Draft {
  const changed = settings.filter((setting) => {
    const text = draft[setting.setting];
    if (text === undefined || isPinned(setting) || !appliesTo(setting, settings, draft))
      return false;
    // An empty secret field means no change; null removes the secret.
    if (setting.kind === "secret") return text !== "";
    return text !== initialText(setting);
  });
  return Object.fromEntries(
    changed.map(({ setting }) => [setting, draft[setting]?.trim() || null]),
  );
}
