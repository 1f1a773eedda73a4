/**
 * Runs in the child: reads OpenDocument files: texts (.odt), presentations and drawings (.odp,
 * .odg) with one page per slide, spreadsheets (.ods) with one page per sheet.
 */
import type { Tag } from "../../../core/lib/xml";
import { slideLabel, type Block, type Page } from "../child/blocks";
import { ExtractionFailure } from "../contract";
import { OdfEmphasis } from "./odf-emphasis";
import { OdfLists } from "./odf-lists";
import { OdfReader, ReaderDispatch, type NewReader, type ReadObject } from "./odf-reader";
import { readSheets } from "./ods";
import { readSlides } from "./odp";
import { resolvePath, type OfficePackage, type Progress } from "./package";
import { scanOfficeXml, scanTags } from "./xml";

/** The nesting limit of objects. */
const objects_depth_max = 3;

/** @throws ExtractionFailure `encrypted`, and those of the archive */
export function readOdfText(pkg: OfficePackage, progress: Progress): Page[] {
  const { content, styles, newReader } = openOdf(pkg, progress);
  return [{ page: null, blocks: readText(newReader, content, styles) }];
}

/** @throws ExtractionFailure as above */
export function readOdfPages(pkg: OfficePackage, progress: Progress): Page[] {
  const { content, styles, newReader } = openOdf(pkg, progress);
  const pages = readSlides(newReader, content, styles);
  // Pages of a drawing have no titles.
  return content.includes("<office:drawing") ? pages : pages.map(withSlideLabel);
}

const withSlideLabel = (page: Page): Page => ({
  ...page,
  label: slideLabel(page.page ?? 1, page.blocks),
});

/** @throws ExtractionFailure as above */
export function readOdfSheets(pkg: OfficePackage, progress: Progress): Page[] {
  const { content, newReader } = openOdf(pkg, progress);
  return readSheets(newReader, content, pkg.spend);
}

function openOdf(
  pkg: OfficePackage,
  progress: Progress,
): { readonly content: string; readonly styles: string | null; readonly newReader: NewReader } {
  const content = pkg.xml("content.xml") ?? "";
  if (isEncrypted(pkg.xml("META-INF/manifest.xml")))
    throw new ExtractionFailure("encrypted", "This file is protected by a password.");
  const styles = pkg.xml("styles.xml");
  progress(0.2);
  return { content, styles, newReader: readersOf(pkg, "", content, styles, 0) };
}

function isEncrypted(manifest: string | null): boolean {
  let encrypted = false;
  scanTags(manifest ?? "", ({ name }) => {
    if (name === "manifest:encryption-data") encrypted = true;
  });
  return encrypted;
}

/** Readers of a document in this folder, which is an object at this `depth`. */
function readersOf(
  pkg: OfficePackage,
  folder: string,
  content: string,
  styles: string | null,
  depth: number,
): NewReader {
  const lists = new OdfLists();
  lists.declare(styles);
  lists.declare(content);
  const emphasis = new OdfEmphasis();
  emphasis.declare(styles);
  emphasis.declare(content);
  const readObject: ReadObject = (path) => {
    const name = resolvePath(folder, path);
    const object = depth < objects_depth_max && name !== "" ? pkg.xml(`${name}/content.xml`) : null;
    if (object === null) return [];
    const reader = readersOf(pkg, `${name}/`, object, null, depth + 1)();
    scanOfficeXml(object, reader);
    return reader.builder.finish();
  };
  return () => new OdfReader(lists, emphasis, readObject);
}

function readText(newReader: NewReader, content: string, styles: string | null): Block[] {
  const reader = newReader();
  scanOfficeXml(content, reader);
  const body = reader.builder.finish();
  const running_texts = new RunningTextReader(newReader);
  scanOfficeXml(styles ?? "", running_texts);
  const { headers, footers } = running_texts;
  return [...headers, ...body, ...footers];
}

const header_or_footer = /^style:(?:header|footer)(?:-left|-first)?$/;

/** Headers and footers, without repeated texts. */
class RunningTextReader extends ReaderDispatch {
  readonly headers: Block[] = [];
  readonly footers: Block[] = [];
  private readonly seen = new Set<string>();

  open(tag: Tag): void | "skip" {
    if (header_or_footer.test(tag.name)) this.reader = this.newReader();
    else return this.reader?.open(tag);
  }
  close(name: string): void {
    if (!header_or_footer.test(name)) return this.reader?.close(name);
    const blocks = (this.reader?.builder.finish() ?? []).filter(
      ({ text }) => !this.seen.has(text) && this.seen.add(text),
    );
    (name.startsWith("style:header") ? this.headers : this.footers).push(...blocks);
    this.reader = null;
  }
}
