/** What the programs use of Node, for a compiler without its types. */
declare const process: { readonly argv: readonly string[] };
declare module "node:fs" {
  export function openAsBlob(path: string): Promise<Blob>;
}
