/** Texts between quotes and comments, in which a question mark is no value. */
const value_or_text = /'[^']*'|"[^"]*"|--.*|\?/g;

/**
 * SQLite compiles a statement again at each run if its plan may depend on a bound value, as that of
 * a limit or of a join does, which takes longer than to run most of them. A plus sign hides the
 * value from the planner and changes nothing else. So the condition of a partial index has to be
 * written with literals.
 */
export const withFixedPlan = (sql: string): string =>
  sql.replaceAll(value_or_text, (found) => (found === "?" ? "+?" : found));
