/** The steps left to the operator after a move, as lines to print: none of them is automatic. */
import { join } from "node:path";
import { database_file } from "../../store/lock";
import type { Bootstrap } from "../bootstrap";
import type { Target } from "./source-and-target";

export const nextSteps = (boot: Bootstrap, target: Target): string[] =>
  target.is_directory ? afterDirectory(boot, target) : afterDatabase(boot, target);

/** Whether originals are kept in the data directory. */
const areLocal = ({ config }: Bootstrap): boolean => config.values.files!.url === undefined;

function afterDatabase(boot: Bootstrap, { shown }: Target): string[] {
  const { data, database } = boot.located;
  const own = "secret.key, plugins and dossier.toml stay where they are";
  return [
    "",
    `Put the database into ${join(data, "dossier.toml")}, with its password, or into ` +
      "DOSSIER_DATABASE_URL, and start the server on the same data directory:",
    "",
    "  [database]",
    `  url = ${JSON.stringify(shown)}`,
    "",
    areLocal(boot)
      ? `Originals (${join(data, "files")}), ${own}. A server on another machine needs a copy of ` +
        "them, or originals in a place that both reach: `dossier files move`."
      : `Originals stay where files.url says; ${own}.`,
    database === null
      ? "The database that it comes from is as it was."
      : `${join(data, database_file)} is as it was, and no server reads it any more: it is the ` +
        "way back until you delete it.",
  ];
}

function afterDirectory(boot: Bootstrap, { data: to }: Target): string[] {
  const { data } = boot.located;
  const is_local = areLocal(boot);
  return [
    "",
    `${to} has the database${is_local ? ", the originals" : ""}, secret.key, plugins and models. ` +
      `Settings name the database, so ${join(data, "dossier.toml")} was not copied: copy it ` +
      "without database.url, and take DOSSIER_DATABASE_URL away. " +
      `${is_local ? "" : "Originals stay where files.url says: keep that setting. "}` +
      "Then start the server on it:",
    "",
    `  dossier serve --data ${to}`,
    "",
    "The database that it comes from is as it was.",
  ];
}
