/**
 * Runs in the child: reads a PDF page by page, from its text layer, or by text recognition if it
 * has none.
 */
import { EngineFailure, ranOutOfMemory } from "../child/engine-failure";
import {
  PageOutput,
  type PageMessage,
  type PagesInput,
  type PageText,
  type PageWithoutText,
} from "../child/page-output";
import { listedHeadings, type OutlineEntry } from "../child/listed-headings";
import { layoutOf, type PageLayout } from "../child/page-layout";
import { joinLines, type JoinedLines, type Line } from "../child/paragraphs";
import { ContinuedTables } from "../child/tables/continued-tables";
import { ExtractionFailure } from "../contract";
import { countLetters } from "../ocr/hocr";
import { collectPictures, recognise, type RecognisedText } from "../ocr/recognition";
import { openRecogniser, type Recogniser } from "../ocr/tesseract";
import { little_text_characters, openPdf, type PdfDocument, type PdfPage } from "./document";

/** The file to read. */
export interface PdfInput extends PagesInput {
  readonly path: string;
}
type Send = (message: PageMessage) => void;

/** @throws ExtractionFailure */
export async function readPdf(input: PdfInput, send: Send): Promise<null> {
  send({ step: "started" });
  let page = input.first_page - 1;
  try {
    const document = await openPdf(input.path);
    if (document === "encrypted")
      throw new ExtractionFailure("encrypted", "This PDF is protected by a password.");
    if (document === "corrupt")
      throw new ExtractionFailure("corrupt", "This PDF is damaged and can't be opened.");
    try {
      checkPageCount(document, input.pages_max);
      send({ step: "opened", page_count: document.page_count });
      await new PdfReader(document, input, (message) => {
        if (message.step === "page") page = message.page;
        send(message);
      }).readPages();
    } finally {
      document.close();
    }
    return null;
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    const where = page === 0 ? "" : ` after page ${page}`;
    throw ranOutOfMemory(error)
      ? new ExtractionFailure("out_of_memory", `Reading this PDF needed too much memory${where}.`)
      : new ExtractionFailure("corrupt", `This PDF is damaged and could not be read${where}.`);
  }
}

function checkPageCount({ page_count }: PdfDocument, pages_max: number): void {
  if (page_count < 1) throw new ExtractionFailure("corrupt", "This PDF has no pages.");
  if (page_count > pages_max)
    throw new ExtractionFailure(
      "too_large",
      `This PDF has ${page_count} pages, which is more than the limit of ${pages_max}.`,
    );
}

/** Fewer letters are not a text layer, whatever else is on the page. */
const text_layer_letters_min = 5;
/** If images cover more of a page than this, it may be scanned although it has a text layer. */
const scanned_coverage_min = 0.5;
/** Recognised text replaces a text layer only if it has this many times its letters. */
const better_letters_ratio = 1.5;
/**
 * The number of suspect text layers that are compared with their image before the others are
 * trusted.
 */
const comparisons_max = 3;
/**
 * The share of recognised words that the text layer must contain; with fewer words none are
 * required.
 */
const same_words_min = 0.3;
const compared_words_min = 5;

/**
 * How many more pages may turn out to be blank than are recognised: drawing one is quick, drawing
 * thousands is not.
 */
const blank_pictures_ratio = 5;

class PdfReader {
  private recogniser: Recogniser | undefined;
  private recognised_pages = 0;
  private blank_pictures = 0;
  /** Suspect text layers that the comparison did not refute; `comparisons_max` after one agreed. */
  private comparisons = 0;
  private readonly compounds = new Compounds();
  private readonly tables = new ContinuedTables();
  /** By page. */
  private outline: ReadonlyMap<number, readonly OutlineEntry[]> | undefined;

  constructor(
    private readonly document: PdfDocument,
    private readonly input: PdfInput,
    private readonly send: Send,
  ) {}

  async readPages(): Promise<void> {
    const { output, first_page, characters_max } = this.input;
    using pages = new PageOutput(output, characters_max, this.send);
    for (let number = first_page; number <= this.document.page_count; number++) {
      const page = this.document.page(number - 1);
      pages.add(
        number,
        page === null
          ? "damaged"
          : withAnnotations(await this.readPage(page, number), page.annotations),
        page === null ? "" : this.document.pageLabel(number - 1),
      );
    }
  }

  private async readPage(page: PdfPage, number: number): Promise<PageText | PageWithoutText> {
    const lines = this.tables.next(page.garbled ? [] : page.lines);
    const joined = joinLines(lines, this.compounds.add(page));
    const { text } = joined;
    const letters = text.length < little_text_characters ? countLetters(text) : text.length;
    const layer: PageText | null =
      text === "" ? null : { text, doubtful: false, layout: this.layout(lines, joined, number) };
    if (layer !== null && page.suspect && this.comparisons < comparisons_max)
      return this.compare(layer, await this.recognisePage(number));
    const may_be_scanned =
      page.garbled ||
      (letters < text_layer_letters_min && page.has_content) ||
      page.picture_coverage > scanned_coverage_min;
    if (!may_be_scanned) return layer ?? "blank";
    const picture = await this.recognisePage(number);
    if (typeof picture === "string") return layer ?? (page.garbled ? "garbled" : picture);
    // The image contains the letters of the text layer too: if it has few others, it is a
    // letterhead or a photo.
    const is_better = picture.trust === "sure" && picture.letters >= better_letters_ratio * letters;
    return layer !== null && !is_better ? layer : shownText(picture);
  }

  private layout(lines: readonly Line[], joined: JoinedLines, number: number): PageLayout {
    this.outline ??= Map.groupBy(this.document.outline(), ({ page }) => page);
    return layoutOf(lines, joined, listedHeadings(joined, this.outline.get(number) ?? []));
  }

  /** The text layer, unless the image clearly shows another text. */
  private compare(layer: PageText, picture: RecognisedText | PageWithoutText): PageText {
    // In an unknown script Tesseract also finds words, but with low confidence.
    const seen =
      typeof picture !== "string" &&
      (picture.trust === "sure" || (picture.trust === "doubtful" && isLatin(layer.text)))
        ? picture
        : null;
    const words = wordsOf(seen?.text ?? "");
    const layer_words = new Set(wordsOf(layer.text));
    const same = words.filter((word) => layer_words.has(word)).length;
    const is_comparable = words.length >= compared_words_min;
    if (seen !== null && is_comparable && same < same_words_min * words.length)
      return shownText(seen);
    this.comparisons = is_comparable ? comparisons_max : this.comparisons + 1;
    return layer;
  }

  /** The recognised text of a page. */
  private async recognisePage(number: number): Promise<RecognisedText | PageWithoutText> {
    const { ocr_pages_max } = this.input;
    if (
      this.recognised_pages >= ocr_pages_max ||
      this.blank_pictures >= blank_pictures_ratio * ocr_pages_max
    )
      return "unrecognised";
    this.send({ step: "recognising", page: number });
    const image = this.document.render(number - 1);
    if (image === null) {
      this.blank_pictures++;
      return "blank";
    }
    this.recognised_pages++;
    if (this.recogniser === undefined) {
      this.recogniser = await openRecogniser(this.input.languages);
      this.send({ step: "languages", unusable: this.recogniser.unusable_languages });
    }
    const text = recognise(this.recogniser, image);
    collectPictures();
    return text.trust === "blank" || text.trust === "illegible" ? text.trust : text;
  }
}

const shownText = ({ text, trust, concerns }: RecognisedText): PageText => ({
  text,
  doubtful: trust === "doubtful",
  concerns,
});

/** Hyphenated compounds within lines of the pages so far. */
class Compounds {
  private readonly words = new Set<string>();

  add({ lines }: PdfPage): ReadonlySet<string> {
    for (const { text } of lines)
      if (text.includes("-") && this.words.size < compounds_max)
        for (const [word] of text.matchAll(/[\p{L}\p{M}]+-[\p{L}\p{M}]+/gu))
          this.words.add(word.toLowerCase());
    return this.words;
  }
}
const compounds_max = 50_000;

const isLatin = (text: string): boolean =>
  (text.match(/[a-z]/gi)?.length ?? 0) > 0.5 * text.replace(/\P{L}/gu, "").length;
const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}{3,}/gu) ?? [];

/** Appends annotations whose text is missing so far. */
function withAnnotations(
  read: PageText | PageWithoutText,
  annotations: readonly string[],
): PageText | PageWithoutText {
  if (annotations.length === 0) return read;
  const pieces = typeof read === "string" ? [] : [read.text];
  let matched_text = withoutSpace(pieces.join());
  for (const annotation of annotations) {
    const squeezed = withoutSpace(annotation);
    if (matched_text.includes(squeezed)) continue;
    pieces.push(annotation);
    matched_text += `\n${squeezed}`;
  }
  if (pieces.length === 0) return read;
  const text = pieces.join("\n\n");
  return typeof read === "string" ? { text, doubtful: false } : { ...read, text };
}
const withoutSpace = (text: string): string => text.replace(/\s+/g, "");
