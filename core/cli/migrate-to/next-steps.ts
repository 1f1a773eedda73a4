/** The steps left to the operator after a move, as lines to print: none of them is automatic. */
import { join } from "node:path";
import { database_file } from "../../store/lock";
import type { Bootstrap } from "../bootstrap";
import type { Target } from "./source-and-target";

/** What to do before the server uses the target. */
export const nextSteps = (boot: Bootstrap, target: Target): string[] =>
  target.is_directory ? afterDirectory(boot, target) : afterDatabase(boot, target);

/** Whether originals are kept in the data directory. */
const areLocal = ({ config }: Bootstrap): boolean => config.values.files!.url === undefined;

function afterDatabase(boot: Bootstrap, { display_name }: Target): string[] {
  const { data, database } = boot.located;
  const unchanged = "secret.key, plugins and dossier.toml stay where they are";
  return [
    "",
    `Put the database into ${join(data, "dossier.toml")}, with its password, or into ` +
      "DOSSIER_DATABASE_URL, and start the server on the same data directory:",
    "",
    "  [database]",
    `  url = ${JSON.stringify(display_name)}`,
    "",
    areLocal(boot)
      ? `Originals (${join(data, "files")}), ${unchanged}. A server on another machine needs a ` +
        "copy of them, or originals in shared storage: see `dossier files move`."
      : `Originals stay at files.url; ${unchanged}.`,
    database === null
      ? "The source database was not changed."
      : `${join(data, database_file)} was not changed, and is no longer used. Keep it if you ` +
        "may want to go back, and delete it when you no longer need it.",
  ];
}

function afterDirectory(boot: Bootstrap, { data: to }: Target): string[] {
  const { data } = boot.located;
  const is_local = areLocal(boot);
  return [
    "",
    `${to} has the database${is_local ? ", the originals" : ""}, secret.key, plugins and ` +
      `models. ${join(data, "dossier.toml")} was not copied, because it may contain ` +
      "database.url. Copy it without that setting, and unset DOSSIER_DATABASE_URL.  " +
      `${is_local ? "" : "Originals stay at files.url: keep that setting.  "}Then start the ` +
      "server on it:",
    "",
    `  dossier serve --data ${to}`,
    "",
    "The source database was not changed.",
  ];
}
