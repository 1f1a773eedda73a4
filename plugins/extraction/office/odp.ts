/**
 * Runs in the child: reads presentations and drawings of OpenDocument: one page per slide, its
 * title first, its notes at the end.
 */
import { paragraph, type Block, type Page } from "../child/blocks";
import { ReaderDispatch, type NewReader } from "./odf-reader";
import type { Tag } from "../../../core/lib/xml";
import { scanOfficeXml } from "./xml";

/**
 * `styles` is the part with the master slides: their text is read once, on the first slide that has
 * it.
 */
export function readSlides(newReader: NewReader, content: string, styles: string | null): Page[] {
  const masters = new MastersReader(newReader);
  scanOfficeXml(styles ?? "", masters);
  const reader = new SlidesReader(newReader, masters.masters);
  scanOfficeXml(content, reader);
  return reader.result();
}

/** By the class of a frame; frames of other classes are placeholders of the master. */
const visible_classes: readonly (string | undefined)[] = [undefined, "header", "footer"];

/** What masters put on every slide, except placeholders. */
class MastersReader extends ReaderDispatch {
  readonly masters = new Map<string, readonly Block[]>();
  private name = "";

  open(tag: Tag): void | "skip" {
    if (tag.name === "style:master-page") {
      this.name = tag.get("name") ?? "";
      this.reader = this.newReader();
      return;
    }
    if (this.reader === null) return;
    if (
      tag.name === "presentation:notes" ||
      tag.get("presentation:placeholder") === "true" ||
      !visible_classes.includes(tag.get("presentation:class"))
    )
      return "skip";
    return this.reader.open(tag);
  }
  close(name: string): void {
    if (name !== "style:master-page") return this.reader?.close(name);
    this.masters.set(this.name, this.reader?.builder.finish() ?? []);
    this.reader = null;
  }
}

class SlidesReader extends ReaderDispatch {
  private readonly pages: Page[] = [];
  private titles: Block[] = [];
  private blocks: Block[] = [];
  /** What the master puts on its slides, and the footer. */
  private trailing_blocks: readonly Block[] = [];
  private inside_title = false;
  /** Footers by the names under which slides refer to them. */
  private readonly footers = new Map<string, string>();
  private footer: { readonly name: string; text: string } | null = null;

  constructor(
    newReader: NewReader,
    private readonly masters: Map<string, readonly Block[]>,
  ) {
    super(newReader);
  }

  open(tag: Tag): void | "skip" {
    const { name } = tag;
    if (name === "draw:page") return this.beginPage(tag);
    if (name === "presentation:footer-decl")
      this.footer = { name: tag.get("name") ?? "", text: "" };
    if (this.reader === null) return name === "office:automatic-styles" ? "skip" : undefined;
    if (name === "presentation:notes") this.collectBlocks();
    if (name === "draw:frame" && tag.get("presentation:class") === "title") {
      this.collectBlocks();
      this.inside_title = true;
    }
    return this.reader.open(tag);
  }
  override text(text: string): void {
    if (this.footer !== null) this.footer.text += text;
    super.text(text);
  }
  close(name: string): void {
    if (name === "presentation:footer-decl" && this.footer !== null) {
      this.footers.set(this.footer.name, this.footer.text);
      this.footer = null;
    }
    if (name === "draw:page") return this.endPage();
    this.reader?.close(name);
    if (name === "draw:frame" && this.inside_title && this.reader !== null) {
      this.titles.push(...this.reader.builder.finish().map(({ text }) => paragraph(text, 1)));
      this.inside_title = false;
    }
  }
  result(): Page[] {
    return this.pages;
  }

  private beginPage(tag: Tag): void {
    this.reader = this.newReader();
    const footer_name = tag.get("use-footer-name") ?? "";
    const footer = this.footers.get(footer_name)?.trim() ?? "";
    const master = tag.get("master-page-name") ?? "";
    this.trailing_blocks = [
      ...(this.masters.get(master) ?? []),
      ...(footer === "" ? [] : [paragraph(footer)]),
    ];
    // Read once, on the first slide that has them.
    this.footers.delete(footer_name);
    this.masters.delete(master);
  }
  private collectBlocks(): void {
    this.blocks.push(...this.reader!.builder.finish());
  }
  private endPage(): void {
    if (this.reader === null) return;
    this.collectBlocks();
    this.pages.push({
      page: this.pages.length + 1,
      blocks: [...this.titles, ...this.blocks, ...this.trailing_blocks],
    });
    this.reader = null;
    this.inside_title = false;
    this.titles = [];
    this.blocks = [];
  }
}
