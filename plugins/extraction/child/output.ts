/** The file in which a child leaves the text that it read. */
import { closeSync, openSync, writeSync } from "node:fs";

export interface Output extends Disposable {
  readonly write: (contents: string | Uint8Array) => void;
}

/** The file must not exist yet. */
export function openOutput(path: string): Output {
  const file = openSync(path, "wx", 0o600);
  return {
    write: (contents) => {
      const bytes = typeof contents === "string" ? new TextEncoder().encode(contents) : contents;
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
    },
    [Symbol.dispose]: () => closeSync(file),
  };
}

export function writeOutput(path: string, contents: string | Uint8Array): void {
  using file = openOutput(path);
  file.write(contents);
}
