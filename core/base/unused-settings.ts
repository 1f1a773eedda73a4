/**
 * Settings that were set for another provider than the one of their section, such as the key of an
 * endpoint that is not used: whoever set them expects more than they do.
 */
import { stored_origin, type Config } from "./config";
import type { SettingSchema } from "./settings";

/** One sentence per setting. What is stored is left out: the console shows whether it is used. */
export const unusedSettings = ({ sections, settings }: Config): string[] =>
  settings.flatMap((setting) => {
    const { section, key, origin } = setting;
    if (origin === "default" || origin === stored_origin) return [];
    const properties = sections.get(section)!.properties as Record<string, SettingSchema>;
    const { providers } = properties[key]!;
    const find = (name: string) =>
      settings.find((other) => other.section === section && other.key === name);
    const provider = find("provider")?.value as string | undefined;
    if (!providers || provider === undefined || providers.includes(provider)) return [];
    const chooser = Object.entries(properties.provider!.default_with ?? {}).find(
      ([name, chosen]) => providers.includes(chosen as string) && find(name) === undefined,
    );
    const hint = chooser === undefined ? "" : `, which ${section}.${chooser[0]} chooses`;
    return [
      `${section}.${key} (${origin}) has no effect while ${section}.provider is ${provider}: it ` +
        `belongs to ${providers.join(" or ")}${hint}.`,
    ];
  });
