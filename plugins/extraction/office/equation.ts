/**
 * Runs in the child: reads an Office equation (OMML) as one line of text, as one would type it:
 * `x=(-b±√(b²-4ac))/(2a)`, `∑_(k=0)^n a_k`.
 */
import type { Tag } from "../../../core/lib/xml";
import { scriptForm } from "../child/scripts";

/** A part of a structure, such as the numerator of a fraction. */
interface Argument {
  readonly name: string;
  text: string;
}
interface Structure {
  readonly name: string;
  readonly arguments: Argument[];
  /** Its properties: `chr`, `type` and others. */
  readonly properties: Map<string, string>;
}

/** Deeper structures are plain text. */
const depth_max = 40;
const structure_names = new Set(
  "f sSup sSub sSubSup sPre rad nary d func limLow limUpp m mr eqArr acc bar"
    .split(" ")
    .map((name) => `m:${name}`),
);
const argument_names = new Set(
  "e num den sub sup deg fName lim".split(" ").map((name) => `m:${name}`),
);
const property_names = new Set(
  "chr begChr endChr sepChr type".split(" ").map((name) => `m:${name}`),
);

/** Reads one equation; `result` is its text. */
export class EquationReader {
  private readonly open_structures: Structure[] = [];
  private readonly open_arguments: Argument[] = [{ name: "", text: "" }];
  /** The elements beyond that depth. */
  private ignored = 0;
  private reading = false;

  open(tag: Tag): void {
    const { name } = tag;
    if (name === "m:t") this.reading = true;
    else if (structure_names.has(name)) {
      if (this.open_structures.length >= depth_max) this.ignored++;
      else this.open_structures.push({ name, arguments: [], properties: new Map() });
    } else if (this.ignored > 0) return;
    else if (argument_names.has(name)) this.open_arguments.push({ name, text: "" });
    else if (property_names.has(name))
      this.open_structures.at(-1)?.properties.set(name, tag.get("val") ?? "");
  }
  text(text: string): void {
    if (this.reading) this.open_arguments.at(-1)!.text += text;
  }
  close(name: string): void {
    if (name === "m:t") this.reading = false;
    else if (this.ignored > 0) {
      if (structure_names.has(name)) this.ignored--;
    } else if (argument_names.has(name)) this.endArgument(name);
    else if (structure_names.has(name)) this.endStructure(name);
  }
  result(): string {
    while (this.open_structures.length > 0) this.endStructure(this.open_structures.at(-1)!.name);
    return this.open_arguments
      .map(({ text }) => text)
      .join("")
      .replace(/[\s\u2061-\u2064]+/g, (space) => (/\s/.test(space) ? " " : ""))
      .trim();
  }

  private endArgument(name: string): void {
    const argument = this.open_arguments.at(-1)!;
    if (argument.name !== name) return;
    this.open_arguments.pop();
    const structure = this.open_structures.at(-1);
    if (structure === undefined) this.open_arguments.at(-1)!.text += argument.text;
    else structure.arguments.push(argument);
  }
  private endStructure(name: string): void {
    const structure = this.open_structures.at(-1);
    if (structure?.name !== name) return;
    this.open_structures.pop();
    const text = serialized(structure);
    const parent = this.open_structures.at(-1);
    // The rows of a matrix are direct children, without an argument element between.
    if (name === "m:mr" && parent !== undefined) parent.arguments.push({ name: "m:e", text });
    else this.open_arguments.at(-1)!.text += text;
  }
}

function serialized({ name, arguments: parts, properties }: Structure): string {
  const elements = parts
    .filter((argument) => argument.name === "m:e")
    .map(({ text }) => text.trim());
  const argumentText = (part: string): string =>
    parts.find((argument) => argument.name === `m:${part}`)?.text.trim() ?? "";
  const base = elements.join(" ");
  switch (name) {
    case "m:f":
      return properties.get("m:type") === "noBar"
        ? `${argumentText("num")}¦${argumentText("den")}`
        : `${bracketed(argumentText("num"))}/${bracketed(argumentText("den"))}`;
    case "m:sSup":
    case "m:sSub":
    case "m:sSubSup":
      return bracketed(base) + lowered(argumentText("sub")) + raised(argumentText("sup"));
    case "m:sPre":
      return lowered(argumentText("sub")) + raised(argumentText("sup")) + base;
    case "m:limLow":
      return base + lowered(argumentText("lim"));
    case "m:limUpp":
      return base + raised(argumentText("lim"));
    case "m:rad": {
      const degree = argumentText("deg");
      return `${scriptForm(degree, "raised") ?? degree}√${bracketed(base)}`;
    }
    case "m:nary": {
      const sign =
        (properties.get("m:chr") ?? "∫") +
        lowered(argumentText("sub")) +
        raised(argumentText("sup"));
      return `${sign} ${base}`;
    }
    case "m:d":
      return (
        (properties.get("m:begChr") ?? "(") +
        elements.join(properties.get("m:sepChr") ?? "|") +
        (properties.get("m:endChr") ?? ")")
      );
    case "m:func":
      return argumentText("fName") + (isBracketed(base) ? base : ` ${base}`);
    case "m:mr":
      return elements.join(", ");
    case "m:m":
    case "m:eqArr":
      return elements.join("; ");
    case "m:acc":
      return [...base].length === 1 ? base + (properties.get("m:chr") ?? "\u0302") : base;
    default:
      return base;
  }
}

const raised = (text: string): string =>
  text === "" || /^[′″'*†°∘]+$/.test(text)
    ? text.replaceAll("∘", "°")
    : (scriptForm(text, "raised") ?? `^${bracketed(text)}`);
const lowered = (text: string): string =>
  text === "" ? "" : (scriptForm(text, "lowered") ?? `_${bracketed(text)}`);

/** A number or a word is written as it is, a longer term in brackets. */
const bracketed = (text: string): string =>
  text === "" || isBracketed(text) || /^(?:[\d.,]+|[\p{L}\p{M}]+[₀-₉⁰¹²³⁴-⁹]*|.)$/u.test(text)
    ? text
    : `(${text})`;
/** Whether one pair of brackets encloses all of it. */
function isBracketed(text: string): boolean {
  if (!text.startsWith("(") || !text.endsWith(")")) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "(") depth++;
    else if (text[at] === ")" && --depth === 0) return at === text.length - 1;
  }
  return false;
}
