/**
 * OpenDocument files: texts (.odt), presentations and drawings (.odp, .odg) with a page for each
 * slide, spreadsheets (.ods) with a page for each sheet.
 */
import { ExtractionFailure } from "../contract";
import type { Block, Page } from "../child/block-builder";
import { Dispatch, OdfReader, type Readers, type ReadObject } from "./odf-reader";
import { OdfLists } from "./odf-lists";
import { readSheets } from "./ods";
import { readSlides } from "./odp";
import { resolvePath, type Parts } from "./package";
import type { Tag } from "../../../core/lib/xml";
import { scanOfficeXml } from "./xml";

export type OdfKind = "text" | "pages" | "sheets";

/** Objects in objects are read so deep. */
const objects_max = 3;

/** @throws ExtractionFailure `encrypted`, and those of the archive */
export function readOdf(
  parts: Parts,
  kind: OdfKind,
  content: string,
  progress: (share: number) => void,
): Page[] {
  if (isEncrypted(parts.xml("META-INF/manifest.xml")))
    throw new ExtractionFailure("encrypted", "This file is protected by a password.");
  const styles = parts.xml("styles.xml");
  progress(0.2);
  const readers = readersOf(parts, "", content, styles, 0);
  if (kind === "text") return [{ page: null, blocks: textOf(readers, content, styles) }];
  return kind === "pages"
    ? readSlides(readers, content, styles)
    : readSheets(readers, content, parts.spend);
}

function isEncrypted(manifest: string | null): boolean {
  let encrypted = false;
  scanOfficeXml(manifest ?? "", {
    open: ({ name }) => {
      if (name === "manifest:encryption-data") encrypted = true;
    },
    close: () => {},
    text: () => {},
  });
  return encrypted;
}

function readersOf(
  parts: Parts,
  folder: string,
  content: string,
  styles: string | null,
  depth: number,
): Readers {
  const lists = new OdfLists();
  lists.declare(styles);
  lists.declare(content);
  const readObject: ReadObject = (path) => {
    const name = resolvePath(folder, path);
    const object = depth < objects_max && name !== "" ? parts.xml(`${name}/content.xml`) : null;
    if (object === null) return [];
    const reader = readersOf(parts, `${name}/`, object, null, depth + 1)();
    scanOfficeXml(object, reader);
    return reader.flow.take();
  };
  return () => new OdfReader(lists, readObject);
}

function textOf(readers: Readers, content: string, styles: string | null): Block[] {
  const reader = readers();
  scanOfficeXml(content, reader);
  const body = reader.flow.take();
  const running = new RunningReader(readers);
  scanOfficeXml(styles ?? "", running);
  const { headers, footers } = running;
  return [...headers, ...body, ...footers];
}

/** Headers and footers, each text once. */
class RunningReader extends Dispatch {
  readonly headers: Block[] = [];
  readonly footers: Block[] = [];
  private readonly seen = new Set<string>();

  open(tag: Tag): void | "skip" {
    if (/^style:(?:header|footer)(?:-left|-first)?$/.test(tag.name)) this.reader = this.readers();
    else return this.reader?.open(tag);
  }
  close(name: string): void {
    if (!/^style:(?:header|footer)(?:-left|-first)?$/.test(name)) return this.reader?.close(name);
    const blocks = (this.reader?.flow.take() ?? []).filter(
      ({ text }) => !this.seen.has(text) && this.seen.add(text),
    );
    (name.startsWith("style:header") ? this.headers : this.footers).push(...blocks);
    this.reader = null;
  }
}
