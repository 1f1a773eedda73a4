/**
 * The address of this server, which a reverse proxy may serve below a path. The page contains the
 * base path, because it can't be derived from the page's address.
 */
const { document: page } = globalThis as {
  document?: { readonly documentElement: { readonly dataset: { readonly base?: string } } };
};

/** The prefix of every path of the server: `/dossier`, or empty. */
export const base_path = page?.documentElement.dataset.base ?? "";
/** The path of the console: `/dossier/console`, or `/console`. */
export const console_base = `${base_path}/console`;
