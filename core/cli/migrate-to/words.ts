/** What is left to do after a move: nothing of it is done by itself. */
import { join } from "node:path";
import { database_file } from "../../store/lock";
import type { Bootstrap } from "../bootstrap";
import type { Target } from "./ends";

export const closingWords = (boot: Bootstrap, target: Target): string[] =>
  target.is_directory ? afterDirectory(boot, target) : afterDatabase(boot, target);

function afterDatabase({ located: { data, database } }: Bootstrap, { shown }: Target): string[] {
  return [
    "",
    `Put the database into ${join(data, "dossier.toml")}, with its password, or into ` +
      "DOSSIER_DATABASE_URL, and start the server on the same data directory:",
    "",
    "  [database]",
    `  url = ${JSON.stringify(shown)}`,
    "",
    `Originals (${join(data, "files")}), secret.key, plugins and dossier.toml stay where they ` +
      "are. A server on another machine needs a copy of these, or the same directory.",
    database === null
      ? "The database that it comes from is as it was."
      : `${join(data, database_file)} is as it was, and no server reads it any more: it is the ` +
        "way back until you delete it.",
  ];
}

function afterDirectory({ located: { data } }: Bootstrap, { data: to }: Target): string[] {
  return [
    "",
    `${to} has the database, the originals, secret.key, plugins and models. Settings name the ` +
      `database, so ${join(data, "dossier.toml")} was not copied: copy it without database.url, ` +
      "and take DOSSIER_DATABASE_URL away. Then start the server on it:",
    "",
    `  dossier serve --data ${to}`,
    "",
    "The database that it comes from is as it was.",
  ];
}
