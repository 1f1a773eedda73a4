/**
 * Where this server is: a reverse proxy may have it below a path. The page says so, because its
 * address alone does not tell how much of it is the server's.
 */
const { document: page } = globalThis as {
  document?: { readonly documentElement: { readonly dataset: { readonly base?: string } } };
};

/** Before every path of the server: `/dossier`, or nothing. */
export const base_path = page?.documentElement.dataset.base ?? "";
export const console_base = `${base_path}/console`;
