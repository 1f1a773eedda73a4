/** The text of whatever was thrown. */

/** Its message; anything else than an error is turned into text. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
