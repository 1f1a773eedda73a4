/**
 * Runs in the child: superscripts and subscripts on one line. Digits have characters of their own
 * (`10⁻⁶`, `H₂O`), which search treats as plain ones; everything else stays unchanged.
 */

/** Superscript or subscript. */
export type Script = "raised" | "lowered";

const number_max = 6;
const number = new RegExp(String.raw`^[+\-−]?\d{1,${number_max}}$`);
const shapes: Readonly<Record<Script, string>> = {
  raised: "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻",
  lowered: "₀₁₂₃₄₅₆₇₈₉₊₋₋",
};

/** Null if these characters have no such forms. */
export const scriptForm = (text: string, script: Script): string | null =>
  number.test(text)
    ? text.replace(/./gu, (char) => shapes[script]["0123456789+-−".indexOf(char)]!)
    : null;
