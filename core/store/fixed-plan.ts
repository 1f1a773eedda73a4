/** Keeps SQLite from planning a statement again each time it is run. */

/** Values, and the quoted texts and comments in which a question mark is none. */
const value_or_text = /'[^']*'|"[^"]*"|--.*|\?/g;

/**
 * The statement with a plan that doesn't depend on bound values. SQLite compiles it again at each
 * run otherwise, which takes longer than most runs: for example with a limit or a join. A plus sign
 * hides the value from the planner and changes nothing else. For a partial index to be used, its
 * condition has to be written with literals.
 */
export const withFixedPlan = (sql: string): string =>
  sql.replaceAll(value_or_text, (token) => (token === "?" ? "+?" : token));
