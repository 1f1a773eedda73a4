/** Runs in the child: the file that passes the text of a document to the server. */
import { closeSync, openSync, writeSync } from "node:fs";

/** The input of every reader of a whole file. */
export interface ReaderInput {
  readonly path: string;
  /**
   * Path of the output file, which must not exist yet: the reader writes the text there as UTF-8.
   */
  readonly output: string;
  /** The longest text, in UTF-16 units. */
  readonly characters_max: number;
  /** The most pages, slides or sheets with text. */
  readonly pages_max: number;
}

/** An open output file. */
export interface Output extends Disposable {
  /** Returns the number of bytes written. */
  readonly write: (contents: string | Uint8Array) => number;
}

/** The file must not exist yet. */
export function openOutput(path: string): Output {
  const file = openSync(path, "wx", 0o600);
  return {
    write: (contents) => {
      const bytes = typeof contents === "string" ? new TextEncoder().encode(contents) : contents;
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
      return bytes.length;
    },
    [Symbol.dispose]: () => closeSync(file),
  };
}

/** Writes all of the text at once. The file must not exist yet. */
export function writeOutput(path: string, contents: string | Uint8Array): void {
  using file = openOutput(path);
  file.write(contents);
}
