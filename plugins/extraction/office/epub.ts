/** E-books (.epub): one page for each part of the spine, in the order of reading. */
import { ExtractionFailure } from "../contract";
import { html_entities } from "./entities";
import { Flow, type Block, type Page } from "./flow";
import { resolvePath, type Parts } from "./opc";
import { scanXml, type Tag, type XmlHandler } from "./xml";

/** @throws ExtractionFailure `corrupt`, `encrypted`, and those of the archive */
export function readEpub(parts: Parts, progress: (share: number) => void): Page[] {
  const spine = spineOf(parts);
  if (spine.length === 0) throw new ExtractionFailure("corrupt", "This e-book is damaged: it does not say what is in it.");
  const encrypted = encryptedIn(parts);
  if (spine.some((part) => encrypted.has(part))) throw new ExtractionFailure("encrypted", "This e-book is protected against copying.");
  return spine.map((part, at) => {
    progress(at / spine.length);
    return { page: at + 1, blocks: readXhtml(parts.xml(part) ?? "") };
  });
}

/** What is read, in order; each part once. */
function spineOf(parts: Parts): string[] {
  const book = bookOf(parts);
  const folder = book.slice(0, book.lastIndexOf("/") + 1);
  const manifest = new Map<string, string>();
  const spine: string[] = [];
  scanXml(parts.xml(book) ?? "", {
    open: (tag) => {
      const path = tag.get("href");
      if (tag.name === "item" && path !== undefined && /html|xml/i.test(tag.get("media-type") ?? "html")) manifest.set(tag.get("id") ?? "", resolvePath(folder, decoded(path)));
      if (tag.name === "itemref") spine.push(tag.get("idref") ?? "");
    },
    close: () => {}, text: () => {},
  });
  return [...new Set(spine.flatMap((id) => manifest.get(id) ?? []))];
}
function bookOf(parts: Parts): string {
  let book = "";
  scanXml(parts.xml("META-INF/container.xml") ?? "", { open: (tag) => { if (tag.name === "rootfile" && book === "") book = tag.get("full-path") ?? ""; }, close: () => {}, text: () => {} });
  return book !== "" && parts.archive.has(book) ? book : parts.archive.names.find((name) => name.toLowerCase().endsWith(".opf")) ?? book;
}
function decoded(path: string): string {
  const [bare] = path.split("#", 1) as [string];
  try { return decodeURIComponent(bare); } catch { return bare; }
}

/** The encrypted parts. Fonts that are only garbled do not count. */
function encryptedIn(parts: Parts): Set<string> {
  const encrypted = new Set<string>();
  scanXml(parts.xml("META-INF/encryption.xml") ?? "", {
    open: (tag) => { if (tag.name === "CipherReference") encrypted.add(resolvePath("", decoded(tag.get("URI") ?? ""))); },
    close: () => {}, text: () => {},
  });
  return encrypted;
}

export function readXhtml(xml: string): Block[] {
  const reader = new XhtmlReader();
  scanXml(xml, reader, (name) => html_entities.get(name));
  return reader.flow.take();
}

const words = (list: string): Set<string> => new Set(list.split(" "));
const passed_over = words("head script style template rp rt audio video object iframe svg:title svg:desc svg:style svg:metadata");
const on_its_own = words("p div section article aside header footer main nav figure figcaption blockquote address ul ol dl dt dd li pre hr form fieldset legend details summary caption h1 h2 h3 h4 h5 h6 body html center svg:text option");

class XhtmlReader implements XmlHandler {
  readonly flow = new Flow();
  private spaced = true;
  private preformatted = 0;
  /** Lists that are open: the number of the last item, or null when they have bullets. */
  private readonly lists: { count: number | null }[] = [];
  private marker = "";

  open(tag: Tag): void | "skip" {
    const { flow } = this;
    const { name } = tag;
    if (passed_over.has(name)) return "skip";
    if (on_its_own.has(name)) this.endParagraph(null);
    switch (name) {
      case "br": flow.text("\n"); this.spaced = true; return;
      case "pre": this.preformatted++; return;
      case "ul": case "ol": this.lists.push({ count: name === "ol" ? Number(tag.get("start") ?? 1) - 1 : null }); return;
      case "li": this.marker = this.markerOf(tag); return;
      case "table": this.endParagraph(null); flow.beginTable(); return;
      case "tr": this.endParagraph(null); flow.beginRow(); return;
      case "td": case "th": this.endParagraph(null); flow.beginCell();
    }
  }
  text(text: string): void {
    if (this.preformatted > 0) return this.flow.text(text.replaceAll("\r", ""));
    const single = text.replace(/[ \t\r\n\f]+/g, " ");
    this.flow.text(this.spaced && single.startsWith(" ") ? single.slice(1) : single);
    if (single !== "") this.spaced = single.endsWith(" ");
  }
  close(name: string): void {
    const { flow } = this;
    if (on_its_own.has(name)) this.endParagraph(/^h[1-6]$/.test(name) ? Number(name[1]) : null);
    switch (name) {
      case "pre": this.preformatted = Math.max(0, this.preformatted - 1); return;
      case "ul": case "ol": this.lists.pop(); return;
      case "td": case "th": this.endParagraph(null); flow.endCell(); return;
      case "tr": this.endParagraph(null); flow.endRow(); return;
      case "table": this.endParagraph(null); flow.endTable();
    }
  }
  private endParagraph(level: number | null): void {
    const { fresh } = this.flow;
    this.flow.endParagraph(level, fresh ? "" : this.marker);
    if (!fresh) this.marker = "";
    this.spaced = true;
  }
  private markerOf(tag: Tag): string {
    const list = this.lists.at(-1);
    if (list === undefined || list.count === null) return "•";
    const value = Number(tag.get("value") ?? Number.NaN);
    list.count = Number.isNaN(value) ? list.count + 1 : value;
    return `${list.count}.`;
  }
}
