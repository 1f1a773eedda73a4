/**
 * Runs in the child: raised and lowered text on one line. Numbers have characters of their own
 * (`10⁻⁶`, `H₂O`), which search takes for the plain ones; everything else stays as it is.
 */

export type Script = "raised" | "lowered";

const number_max = 6;
const number = new RegExp(String.raw`^[+\-−]?\d{1,${number_max}}$`);
const shapes: Readonly<Record<Script, string>> = {
  raised: "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻",
  lowered: "₀₁₂₃₄₅₆₇₈₉₊₋₋",
};

/** Null when these characters have no such forms. */
export const scriptForm = (text: string, script: Script): string | null =>
  number.test(text)
    ? text.replace(/./gu, (char) => shapes[script]["0123456789+-−".indexOf(char)]!)
    : null;
