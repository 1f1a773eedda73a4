/** The version of this build, and the commit it was built from. */
import manifest from "../../package.json";

/** Set by scripts/build.ts; absent when running from source. */
declare const DOSSIER_COMMIT: string;

/** The version in `package.json`. */
export const version: string = manifest.version;
/** The abbreviated hash of the commit; null when running from source. */
export const commit: string | null = typeof DOSSIER_COMMIT === "undefined" ? null : DOSSIER_COMMIT;
