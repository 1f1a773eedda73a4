/** Office equations as one line of text. */
import { expect, test } from "bun:test";
import { EquationReader } from "../../plugins/extraction/office/equation";
import { scanOfficeXml } from "../../plugins/extraction/office/xml";

const r = (text: string): string => `<m:r><m:t>${text}</m:t></m:r>`;
const of = (name: string, ...parts: readonly [name: string, inside: string][]): string =>
  `<m:${name}>${parts.map(([part, inside]) => `<m:${part}>${inside}</m:${part}>`).join("")}</m:${name}>`;
const power = (base: string, exponent: string): string =>
  of("sSup", ["e", base], ["sup", exponent]);

function read(inside: string): string {
  const reader = new EquationReader();
  scanOfficeXml(
    `<m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math">${inside}</m:oMath>`,
    {
      open: (tag) => reader.open(tag),
      close: (name) => reader.close(name),
      text: (text) => reader.text(text),
    },
  );
  return reader.result();
}

const cases: [reason: string, xml: string, text: string][] = [
  ["powers of numbers", r("2.2×") + power(r("10"), r("-4")), "2.2×10⁻⁴"],
  ["other powers", power(r("e"), r("iπ")), "e^iπ"],
  ["a power of a sum", power(r("a+b"), r("n-1")), "(a+b)^(n-1)"],
  [
    "fractions and roots get brackets",
    r("x=") +
      of(
        "f",
        ["num", r("-b±") + of("rad", ["deg", ""], ["e", power(r("b"), r("2")) + r("-4ac")])],
        ["den", r("2a")],
      ),
    "x=(-b±√(b²-4ac))/(2a)",
  ],
  [
    "sums keep their limits",
    `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${r("k=0")}</m:sub><m:sup>${r("n")}</m:sup><m:e>${r("k")}</m:e></m:nary>`,
    "∑_(k=0)^n k",
  ],
  [
    "the given brackets are used",
    `<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e>${r("x")}</m:e></m:d>`,
    "[x]",
  ],
  [
    "functions are separated from their arguments",
    of("func", ["fName", r("sin")], ["e", r("θ")]) +
      r("+") +
      of("func", ["fName", of("limLow", ["e", r("lim")], ["lim", r("n→∞")])], ["e", r("a")]),
    "sin θ+lim_(n→∞) a",
  ],
  ["rows of a matrix", of("m", ["mr", of_row("a", "b")], ["mr", of_row("c", "d")]), "a, b; c, d"],
  ["degrees", power(r("45"), r("∘")), "45°"],
];
function of_row(...cells: readonly string[]): string {
  return cells.map((cell) => `<m:e>${r(cell)}</m:e>`).join("");
}
test.each(cases)("%s", (_reason, xml, text) => expect(read(xml)).toBe(text));

test("deep nesting takes linear time", () => {
  const deep = "<m:f><m:num>".repeat(20_000) + r("x") + "</m:num></m:f>".repeat(20_000);
  expect(read(deep).length).toBeLessThan(200);
  expect(read("</m:e></m:f>" + r("y") + "<m:f><m:num>" + r("z"))).toBe("yz/");
});
