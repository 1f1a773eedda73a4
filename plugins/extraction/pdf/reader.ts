/**
 * The child's part of reading a PDF: page after page, from its text layer, or from its picture
 * where it has none.
 */
import { ExtractionFailure } from "../contract";
import { EngineFailure, wantedMemory } from "../child/engine-failure";
import { lettersIn } from "../ocr/hocr";
import { recognise, type PictureText } from "../ocr/recognition";
import { openRecogniser, type Recogniser } from "../ocr/tesseract";
import {
  openPageOutput,
  type PageMessage,
  type PagesInput,
  type PageText,
  type PageWithoutText,
} from "../child/page-output";
import { joinLines } from "../child/paragraphs";
import { little_text_characters, openPdf, type Page, type PdfDocument } from "./document";

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
      await readPages(document, input, (message) => {
        if (message.step === "page") page = message.page;
        send(message);
      });
    } finally {
      document.close();
    }
    return null;
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    const where = page === 0 ? "" : ` after page ${page}`;
    throw wantedMemory(error)
      ? new ExtractionFailure("out_of_memory", `Reading this PDF needed too much memory${where}.`)
      : new ExtractionFailure("corrupt", `This PDF is damaged: it could not be read on${where}.`);
  }
}

function checkPageCount({ page_count }: PdfDocument, pages_max: number): void {
  if (page_count < 1) throw new ExtractionFailure("corrupt", "This PDF has no pages.");
  if (page_count > pages_max)
    throw new ExtractionFailure(
      "too_large",
      `This PDF has ${page_count} pages; at most ${pages_max} are read.`,
    );
}

async function readPages(document: PdfDocument, input: PdfInput, send: Send): Promise<void> {
  const output = openPageOutput(input.output, input.characters_max, send);
  const fromPicture = pictureReader(document, input, send);
  const suspicion: Suspicion = { looks: 0 };
  try {
    for (let number = input.first_page; number <= document.page_count; number++) {
      const page = document.page(number - 1);
      output.put(
        number,
        page === null
          ? "damaged"
          : withNotes(await readPage(page, suspicion, () => fromPicture(number)), page.notes),
      );
    }
  } finally {
    output.close();
  }
}

/** Fewer letters than this are no text layer, whatever else is on the page. */
const text_layer_letters_min = 5;

/**
 * How many suspect pages were compared with their picture and not refuted by it: after a few, or
 * one that agrees, the others are believed.
 */
interface Suspicion {
  looks: number;
}
const looks_max = 3;

async function readPage(
  page: Page,
  suspicion: Suspicion,
  fromPicture: () => Promise<PictureText | PageWithoutText>,
): Promise<PageText | PageWithoutText> {
  const text = page.garbled ? "" : joinLines(page.lines);
  const letters = text.length < little_text_characters ? lettersIn(text) : text.length;
  const layer: PageText | null = text === "" ? null : { text, doubtful: false };
  if (layer !== null && page.suspect && suspicion.looks < looks_max)
    return compared(layer, await fromPicture(), suspicion);
  const looks_scanned =
    page.garbled || (letters < text_layer_letters_min && page.has_content) || page.pictures > 0.5;
  if (!looks_scanned) return layer ?? "blank";
  const seen = await fromPicture();
  if (typeof seen === "string") return layer ?? (page.garbled ? "garbled" : seen);
  // What is drawn on a page includes its few letters; a picture that adds little to them is a
  // letterhead or a photo.
  if (layer !== null && (seen.trust !== "sure" || seen.letters < 1.5 * letters)) return layer;
  return { text: seen.text, doubtful: seen.trust === "doubtful" };
}

/** The text layer, unless the picture plainly says something else. */
function compared(
  layer: PageText,
  seen: PictureText | PageWithoutText,
  suspicion: Suspicion,
): PageText {
  // Of another script than its own the recogniser makes words too, but doubtful ones.
  const picture =
    typeof seen !== "string" &&
    (seen.trust === "sure" || (seen.trust === "doubtful" && isLatin(layer.text)))
      ? seen
      : null;
  const words = wordsOf(picture?.text ?? "");
  const said = new Set(wordsOf(layer.text));
  const agrees = words.filter((word) => said.has(word)).length >= 0.3 * words.length;
  if (picture !== null && words.length >= words_told_min && !agrees)
    return { text: picture.text, doubtful: picture.trust === "doubtful" };
  suspicion.looks = words.length >= words_told_min ? looks_max : suspicion.looks + 1;
  return layer;
}
const words_told_min = 5;
const isLatin = (text: string): boolean =>
  (text.match(/[a-z]/gi)?.length ?? 0) > 0.5 * text.replace(/\P{L}/gu, "").length;
const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}{3,}/gu) ?? [];

/** Recognises the text of one page after another, as many as are allowed. */
function pictureReader(
  document: PdfDocument,
  { ocr_pages_max, languages }: PdfInput,
  send: Send,
): (page: number) => Promise<PictureText | PageWithoutText> {
  let recogniser: Recogniser | undefined;
  let pages = 0;
  return async (page) => {
    if (pages >= ocr_pages_max) return "unrecognised";
    send({ step: "recognising", page });
    const drawing = document.draw(page - 1);
    if (drawing === null) return "blank";
    pages++;
    if (recogniser === undefined) {
      recogniser = await openRecogniser(languages);
      send({ step: "languages", unusable: recogniser.unusable });
    }
    const read = recognise(recogniser, { ...drawing, orientation: 1 });
    if (read === null) return "damaged";
    return read.trust === "blank" || read.trust === "illegible" ? read.trust : read;
  };
}

/** What the notes say and the page does not comes after its text. */
function withNotes(
  read: PageText | PageWithoutText,
  notes: readonly string[],
): PageText | PageWithoutText {
  if (notes.length === 0) return read;
  const pieces = typeof read === "string" ? [] : [read.text];
  let said = squash(pieces.join());
  for (const note of notes) {
    const squashed = squash(note);
    if (said.includes(squashed)) continue;
    pieces.push(note);
    said += `\n${squashed}`;
  }
  return pieces.length === 0
    ? read
    : { text: pieces.join("\n\n"), doubtful: typeof read !== "string" && read.doubtful };
}
const squash = (text: string): string => text.replace(/\s+/g, "");
