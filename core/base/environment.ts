/**
 * The environment for programs that the operator configures: without Dossier's own settings, which
 * may be secrets.
 */

/** The variables of this process, except `DOSSIER_*`. */
export const environmentForPrograms = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && !entry[0].startsWith("DOSSIER_"),
    ),
  );
