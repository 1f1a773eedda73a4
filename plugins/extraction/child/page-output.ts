/**
 * The child's part of reading pages: the text goes into a file and word of it to the parent, so
 * that a kill keeps what is done.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { ExtractionFailure } from "../contract";

export interface PagesInput {
  /** Where the text goes: a file that does not exist yet. */
  readonly output: string;
  /** From 1; those before it were read by another child. */
  readonly first_page: number;
  readonly pages_max: number;
  /** Pages whose text is recognised from their picture. */
  readonly ocr_pages_max: number;
  /** A directory with languages for that. It need not be there. */
  readonly languages: string;
  /** UTF-16 units. */
  readonly characters_max: number;
}

export type PageMessage =
  | { readonly step: "started" }
  | { readonly step: "opened"; readonly page_count: number }
  /** The text of this page is going to be recognised from its picture, which takes long. */
  | { readonly step: "recognising"; readonly page: number }
  /** Files for languages that can't be used; by name. */
  | { readonly step: "languages"; readonly unusable: readonly string[] }
  /** The page is in the output, up to its byte `bytes`; `start` and `end` are UTF-16 indices. */
  | {
      readonly step: "page";
      readonly page: number;
      readonly kind: "text";
      readonly doubtful: boolean;
      readonly start: number;
      readonly end: number;
      readonly bytes: number;
    }
  | { readonly step: "page"; readonly page: number; readonly kind: PageWithoutText };

/**
 * Nothing on it; a picture without a word that can be trusted; a picture, but so many were read
 * before; letters without a meaning; more pixels than are
 * read; broken.
 */
export type PageWithoutText =
  "blank" | "illegible" | "unrecognised" | "garbled" | "oversized" | "damaged";
export interface PageText {
  readonly text: string;
  /** The recogniser was not sure. */
  readonly doubtful: boolean;
}

/** What stands between the texts of two pages. */
export const between_pages = "\n\n";

export interface PageOutput {
  readonly put: (page: number, read: PageText | PageWithoutText) => void;
  readonly close: () => void;
}

/**
 * `path` is a file that does not exist yet. `put` throws ExtractionFailure when the text gets
 * longer than `characters_max`, in UTF-16 units.
 */
export function openPageOutput(
  path: string,
  characters_max: number,
  send: (message: PageMessage) => void,
): PageOutput {
  const file = openSync(path, "wx", 0o600);
  let [characters, bytes] = [0, 0];
  const put: PageOutput["put"] = (page, read) => {
    if (typeof read === "string") return send({ step: "page", page, kind: read });
    const separator = characters === 0 ? "" : between_pages;
    const start = characters + separator.length;
    characters = start + read.text.length;
    if (characters > characters_max)
      throw new ExtractionFailure(
        "too_large",
        `The text is longer than ${characters_max} characters.`,
      );
    bytes += write(file, separator + read.text);
    send({
      step: "page",
      page,
      kind: "text",
      doubtful: read.doubtful,
      start,
      end: characters,
      bytes,
    });
  };
  return { put, close: () => closeSync(file) };
}

function write(file: number, text: string): number {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
  return bytes.length;
}
