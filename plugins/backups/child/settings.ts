/** Removes secrets from the settings for a backup without them. */

type Sections = Record<string, Record<string, unknown>>;

/**
 * The text itself when it has no secret; otherwise the same settings written anew, and a line that
 * names those left out. `secrets` are `section.key`.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const sections = Bun.TOML.parse(text) as Sections;
  const left_out = secrets.filter((name) => {
    const [section, key] = name.split(".") as [string, string];
    return sections[section]?.[key] !== undefined;
  });
  if (left_out.length === 0) return text;
  for (const name of left_out) {
    const [section, key] = name.split(".") as [string, string];
    delete sections[section]![key];
  }
  const lines = Object.entries(sections).flatMap(([section, values]) => [
    "",
    `[${section}]`,
    ...Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
  ]);
  return [`# Left out of this backup: ${left_out.join(", ")}`, ...lines, ""].join("\n");
}
