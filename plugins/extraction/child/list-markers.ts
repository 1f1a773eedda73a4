/** Runs in the child: the numbers and bullets of list items. */

/** `format` is a name of Office Open XML, such as `lowerRoman`; decimal if it is unknown. */
export function formatNumber(number: number, format: string): string {
  switch (format) {
    case "lowerLetter":
      return letters(number);
    case "upperLetter":
      return letters(number).toUpperCase();
    case "lowerRoman":
      return roman(number);
    case "upperRoman":
      return roman(number).toUpperCase();
    case "decimalZero":
      return String(number).padStart(2, "0");
    case "ordinal":
      return `${number}${ordinalSuffix(number)}`;
    case "none":
      return "";
    default:
      return String(number);
  }
}

/** The bullet as a displayable character: most are characters of symbol fonts. */
export const formatBullet = (text: string): string =>
  text === "" || /^[o\s]$|[\ue000-\uf8ff]|[\p{L}\p{N}]{2}/u.test(text) ? "•" : text;

/** `a` to `z`, then `aa`, `bb` and so on, as word processors count. */
const letters = (number: number): string =>
  number < 1 || number > 26 * 50
    ? String(number)
    : String.fromCharCode(97 + ((number - 1) % 26)).repeat(Math.floor((number - 1) / 26) + 1);

const roman_steps: readonly (readonly [number, string])[] = [
  [1000, "m"],
  [900, "cm"],
  [500, "d"],
  [400, "cd"],
  [100, "c"],
  [90, "xc"],
  [50, "l"],
  [40, "xl"],
  [10, "x"],
  [9, "ix"],
  [5, "v"],
  [4, "iv"],
  [1, "i"],
];
function roman(number: number): string {
  if (number < 1 || number > 3999) return String(number);
  let remainder = number;
  let text = "";
  for (const [value, sign] of roman_steps)
    for (; remainder >= value; remainder -= value) text += sign;
  return text;
}

const ordinalSuffix = (number: number): string =>
  number % 100 > 10 && number % 100 < 14 ? "th" : (["th", "st", "nd", "rd"][number % 10] ?? "th");
