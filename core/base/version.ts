/** The version of this build, and the commit it was built from. */
import manifest from "../../package.json";

/** Set by scripts/build.ts; absent when running from source. */
declare const DOSSIER_COMMIT: string;

export const version: string = manifest.version;
export const commit: string | null = typeof DOSSIER_COMMIT === "undefined" ? null : DOSSIER_COMMIT;
