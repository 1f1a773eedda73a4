/** The kinds of plugins that `dossier plugin new` makes. */
export const kinds = {
  route: "a route of the API, with a table of its own",
  source: "a kind of import source",
  extractor: "a file format that documents may have",
  answerer: "who answers questions",
  transcriber: "who turns recordings into text",
  embedder: "who turns texts into vectors",
  page: "a page of the console",
  signin: "a way to sign in",
} as const;
export type Kind = keyof typeof kinds;
