/** Prints the output of `dossier plugin info`. */
import { counted } from "../../core/lib/counted";
import type { PluginDetails } from "./service";

const next_words: Readonly<Record<NonNullable<PluginDetails["next_start"]>, string>> = {
  added: "loaded when the server restarts",
  replaced: "the file has changed since the server started",
  removed: "its file was removed; it keeps running until the server restarts",
  enabled: "enabled when the server restarts",
  disabled: "disabled when the server restarts",
};

/** The lines to print. */
export function infoLines(plugin: PluginDetails): string[] {
  const { made_of, tables, settings } = plugin;
  const status = plugin.status.replace("_", " ");
  const row = (label: string, value: string | null | undefined): string[] =>
    value ? [`${`${label}:`.padEnd(10)} ${value}`] : [];
  const list = (label: string, values: readonly string[] | null | undefined): string[] =>
    (values ?? []).flatMap((value, index) => row(index === 0 ? label : "", value)).map(unlabelled);
  return [
    `${plugin.name} ${plugin.version ?? ""}`.trimEnd(),
    ...row("status", [status, plugin.reason].filter(Boolean).join(": ")),
    ...row("next", plugin.next_start && next_words[plugin.next_start]),
    ...row("file", plugin.file ?? "built in"),
    ...row("sha256", plugin.sha256),
    ...list(
      "routes",
      made_of?.routes.map(({ method, path, summary }) => `${method} ${path}  ${summary}`),
    ),
    ...list("needs", made_of?.needs),
    ...list("provides", made_of?.provides),
    ...list("reads", made_of?.reads),
    ...list("fills", made_of?.fills),
    ...list("jobs", made_of?.jobs),
    ...list(
      "schedules",
      made_of?.schedules?.map(({ cron, job }) => `${cron}  ${job}`),
    ),
    ...list("events", made_of?.events),
    ...list(
      "tables",
      tables.map(({ name, rows }) => `${name}  ${counted(rows, "row")}`),
    ),
    ...list("commands", made_of?.commands),
    ...list(
      "settings",
      settings.map(({ setting, value, stored, origin }) => {
        const wins = origin === "default" && stored !== null;
        const shown = wins ? stored : value;
        const words = Array.isArray(shown) ? shown.join(",") : String(shown ?? "not set");
        return `${setting}  ${words}  (${wins ? "stored" : origin})`;
      }),
    ),
  ];
}

/** Further lines of a list are aligned below the first. */
const unlabelled = (line: string): string => (line.startsWith(":") ? ` ${line.slice(1)}` : line);
