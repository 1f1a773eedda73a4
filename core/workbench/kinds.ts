/** The kinds of plugins that `dossier plugin new` makes. */
export const kinds = {
  route: "a route of the API, with a table of its own",
  source: "a kind of import source",
  extractor: "a file format for documents",
  answerer: "a way to answer questions",
  transcriber: "a service that turns recordings into text",
  embedder: "a service that turns texts into vectors",
  page: "a page of the console",
  signin: "a way to sign in",
} as const;
/** What a new plugin adds. */
export type Kind = keyof typeof kinds;
