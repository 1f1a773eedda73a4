/**
 * Runs in the child: formats numbers, dates and texts of spreadsheet cells as the spreadsheet shows
 * them.
 */
import { format as formatByCode, getFormatFromId, isDateFormat } from "numfmt";

/** A number format in use; null means `General`. */
export interface CellFormat {
  readonly code: string;
  readonly is_date: boolean;
  /** It also has a section for texts. */
  readonly of_texts: boolean;
}

/** The number as its cell shows it; `format` is null for `General`. */
export function formatCell(raw: string, format: CellFormat | null, since_1904: boolean): string {
  const number = raw.trim() === "" ? Number.NaN : Number(raw);
  if (!Number.isFinite(number)) return raw;
  if (format === null) return generalNumber(raw, number);
  if (!format.is_date) return shownBy(format, number) ?? cleanNumber(raw);
  const days = since_1904 ? number + days_between_epochs : number;
  return (days < 0 || days >= days_max ? null : shownBy(format, days)) ?? cleanNumber(raw);
}
/** The text as its cell shows it. */
export const formatText = (text: string, format: CellFormat | null): string =>
  format?.of_texts === true ? (shownBy(format, text) ?? text) : text;

/** Days between the two date systems, 1900 and 1904. */
const days_between_epochs = 1_462;
/** After the last day of the year 9999. */
const days_max = 2_958_466;

/** Removes spaces that only align numbers in their column. Null for an invalid format. */
function shownBy({ code }: CellFormat, value: number | string): string | null {
  try {
    return formatByCode(code, value, { nbsp: false })
      .replace(/\s+/g, " ")
      .trim()
      .replace(/^-\s+/, "-");
  } catch {
    return null;
  }
}

/** Integers are often ids: they keep all digits, as in a wide column. */
function generalNumber(raw: string, number: number): string {
  const shortest = String(number);
  if (Number.isSafeInteger(number) || (shortest.length <= general_chars_max && !/e/.test(shortest)))
    return shortest;
  return shownBy(general, number) ?? cleanNumber(raw);
}
/** Numbers with up to this many characters are shown unchanged. */
const general_chars_max = 10;
const general: CellFormat = { code: "General", is_date: false, of_texts: false };

/**
 * `0.30000000000000004` is `0.3` and `1E3` is `1000`: spreadsheets have fifteen digits. Anything
 * that is not a number is returned unchanged.
 */
export function cleanNumber(raw: string): string {
  if (raw.length < 16 && !/e/i.test(raw)) return raw;
  const number = Number(raw);
  if (raw.trim() === "" || !Number.isFinite(number)) return raw;
  return Number.isSafeInteger(number) ? String(number) : String(Number(number.toPrecision(15)));
}

/**
 * The number format of Excel with this id and this code; null for `General` and for invalid ones.
 * Built-in formats have no code.
 */
export function cellFormat(id: number, code: string | undefined): CellFormat | null {
  const used = code === undefined ? builtIn(id) : (systemFormat(code) ?? code);
  if (used === null || /^(?:general|@|)$/i.test(used)) return null;
  const format = { code: used, is_date: isDate(used), of_texts: used.includes("@") };
  return shownBy(format, 1) === null ? null : format;
}
function isDate(code: string): boolean {
  try {
    return isDateFormat(code);
  } catch {
    return false;
  }
}

/** Replaces locale-dependent date formats by an unambiguous one. */
const date = "yyyy-mm-dd";
const time = "hh:mm";
const date_and_time = "yyyy-mm-dd hh:mm";
const systemFormat = (code: string): string | null =>
  /^\[\$-(?:F800|x-sysdate)\]/i.test(code)
    ? date
    : /^\[\$-(?:F400|x-systime)\]/i.test(code)
      ? `${time}:ss`
      : null;
function builtIn(id: number): string | null {
  if (id === 14 || (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58)) return date;
  if (id >= 32 && id <= 35) return time;
  return id === 22 ? date_and_time : getFormatFromId(id);
}
