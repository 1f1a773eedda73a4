/** Warnings about pages without text, or with text that may be wrong. */
import { counted } from "../../../core/lib/counted";
import type { PageConcern, PageWithoutText } from "../child/page-output";
import { ExtractionFailure, type Warning } from "../contract";

/** The outcome per page: lists of page numbers. */
export interface PageReport extends Readonly<
  Record<PageWithoutText | PageConcern, readonly number[]>
> {
  readonly page_count: number;
  /** The last page that was reached. */
  readonly last: number;
  readonly too_slow: readonly number[];
  readonly doubtful: readonly number[];
  /** Unusable files for text recognition, by name. */
  readonly unusable_languages: readonly string[];
}

/** Why no page of the file has text. */
export function emptyFailure(noun: "PDF" | "image", report: PageReport): ExtractionFailure {
  const { too_slow, garbled, illegible, oversized, damaged, page_count } = report;
  if (too_slow.length > 0)
    return new ExtractionFailure(
      "timeout",
      `Recognising the text of this ${noun} took too long and was stopped.`,
    );
  if (garbled.length > 0)
    return new ExtractionFailure(
      "empty",
      `The text of this ${noun} can't be read: its fonts do not map to characters, and its ` +
        "pictures contain no legible text.",
    );
  if (illegible.length > 0)
    return new ExtractionFailure(
      "empty",
      `No legible text was found in this ${noun}: the results of text recognition were too ` +
        "uncertain to keep.",
    );
  if (oversized.length > 0)
    return new ExtractionFailure(
      "too_large",
      `The pages of this ${noun} have too many pixels to be read.`,
    );
  if (damaged.length > 0)
    return new ExtractionFailure(
      "corrupt",
      noun === "PDF"
        ? "This PDF is damaged: none of its pages can be read."
        : "This image is damaged and can't be read.",
    );
  const where = page_count === 1 ? "in" : "on any page of";
  return new ExtractionFailure("empty", `No text was found ${where} this ${noun}.`);
}

interface PageWarning {
  readonly code: string;
  readonly pages: (report: PageReport) => readonly number[];
  /** The wording for one page, and for several. */
  readonly singular: string;
  readonly several: string;
}
const page_warnings: readonly PageWarning[] = [
  {
    code: "table_incomplete",
    pages: ({ table_incomplete }) => table_incomplete,
    singular: "has a table with characters that could not be read. Cells may be missing or empty.",
    several: "have tables with characters that could not be read. Cells may be missing or empty.",
  },
  {
    code: "page_partly_legible",
    pages: ({ partly_legible }) => partly_legible,
    singular:
      "has parts that could not be read and were left out, such as pictures, handwriting or " +
      "another script.",
    several:
      "have parts that could not be read and were left out, such as pictures, handwriting or " +
      "another script.",
  },
  {
    code: "page_turned",
    pages: ({ turned }) => turned,
    singular: "is sideways or upside down, and was rotated for reading.",
    several: "are sideways or upside down, and were rotated for reading.",
  },
  {
    code: "page_askew",
    pages: ({ askew }) => askew,
    singular: "is strongly skewed. It was straightened, but its text may contain errors.",
    several: "are strongly skewed. They were straightened, but their text may contain errors.",
  },
  {
    code: "page_unreadable",
    pages: ({ illegible }) => illegible,
    singular: "has no legible text: the results of text recognition were too uncertain to keep.",
    several: "have no legible text: the results of text recognition were too uncertain to keep.",
  },
  {
    code: "page_without_text",
    pages: ({ unrecognised }) => unrecognised,
    singular:
      "is a picture without text, and was not read because the file has too many such pages.",
    several:
      "are pictures without text, and were not read because the file has too many such pages.",
  },
  {
    code: "page_unreadable",
    pages: ({ garbled }) => garbled,
    singular: "can't be read, because the fonts do not map to characters.",
    several: "can't be read, because the fonts do not map to characters.",
  },
  {
    code: "page_timed_out",
    pages: ({ too_slow }) => too_slow,
    singular: "took too long to recognise and was left out.",
    several: "took too long to recognise and were left out.",
  },
  {
    code: "page_too_large",
    pages: ({ oversized }) => oversized,
    singular: "has too many pixels and was left out.",
    several: "have too many pixels and were left out.",
  },
  {
    code: "page_damaged",
    pages: ({ damaged }) => damaged,
    singular: "is damaged and left out.",
    several: "are damaged and left out.",
  },
];

/** `failure` is what ended reading before the last page, if anything did. */
export function pageWarnings(report: PageReport, failure: unknown): Warning[] {
  const warnings = doubtfulWarnings(report.doubtful);
  for (const { code, pages, singular, several } of page_warnings) {
    const numbers = pages(report);
    if (numbers.length > 0)
      warnings.push({
        code,
        message: `${pagesInWords(numbers)} ${numbers.length === 1 ? singular : several}`,
        page: numbers.length === 1 ? numbers[0]! : null,
      });
  }
  for (const name of report.unusable_languages)
    warnings.push({
      code: "language_unusable",
      message: `The file ${name}.traineddata can't be used for text recognition.`,
      page: null,
    });
  if (failure !== undefined) {
    const reason =
      failure instanceof ExtractionFailure ? failure.message : "Reading stopped unexpectedly.";
    warnings.push({
      code: "partly_read",
      message: `Only the first ${report.last} of ${report.page_count} pages were read. ${reason}`,
      page: report.last,
    });
  }
  return warnings;
}

const pages_named_max = 20;

/** One warning per page, and one for all those beyond the first `pages_named_max`. */
function doubtfulWarnings(pages: readonly number[]): Warning[] {
  const warnings = pages.slice(0, pages_named_max).map((page): Warning => ({
    code: "low_confidence",
    message: `Page ${page} was hard to recognise. Its text may contain errors.`,
    page,
  }));
  const further = pages.length - pages_named_max;
  if (further > 0)
    warnings.push({
      code: "low_confidence",
      message: `The same is true of ${counted(further, "more page")}.`,
      page: null,
    });
  return warnings;
}

/** `Page 3`, `Pages 1, 2 and 5`. */
function pagesInWords(pages: readonly number[]): string {
  if (pages.length === 1) return `Page ${pages[0]}`;
  if (pages.length > pages_named_max)
    return `${pages.length} pages, the first of them ${pages[0]},`;
  return `Pages ${pages.slice(0, -1).join(", ")} and ${pages.at(-1)}`;
}
