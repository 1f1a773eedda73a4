/**
 * Walks through XML from beginning to end: no tree, no DTD, no recursion, linear time whatever the
 * input. What is broken is stepped over.
 */

export interface XmlHandler {
  /** The name without its prefix, lower case. */
  readonly open: (name: string, attributes: (name: string) => string | undefined) => void;
  readonly close: (name: string) => void;
  /** May come in several pieces. */
  readonly text: (text: string) => void;
}

export function readXml(xml: string, { open, close, text }: XmlHandler): void {
  for (let at = 0; at < xml.length;) {
    const tag = xml.indexOf("<", at);
    if (tag !== at) text(unescaped(xml.slice(at, tag < 0 ? xml.length : tag)));
    if (tag < 0) return;
    const skipped = [
      ["<!--", "-->"],
      ["<?", "?>"],
      ["<![CDATA[", "]]>"],
    ].find(([start]) => xml.startsWith(start!, tag));
    if (skipped) {
      const start = tag + skipped[0]!.length;
      const end = xml.indexOf(skipped[1]!, start);
      if (skipped[0] === "<![CDATA[") text(xml.slice(start, end < 0 ? xml.length : end));
      if (end < 0) return;
      at = end + skipped[1]!.length;
      continue;
    }
    const end = endOfTag(xml, tag + 1);
    const inside = xml.slice(tag + 1, end);
    at = end + 1;
    if (inside.startsWith("!")) continue;
    if (inside.startsWith("/")) {
      close(nameIn(inside.slice(1)));
      continue;
    }
    const name = nameIn(inside);
    if (name === "") continue;
    open(name, (wanted) => attributeIn(inside, wanted));
    if (inside.endsWith("/")) close(name);
  }
}

/** The `>` that ends the tag: not one inside quotes. */
function endOfTag(xml: string, from: number): number {
  for (let at = from; at < xml.length; at++) {
    const character = xml[at]!;
    if (character === ">") return at;
    if (character !== '"' && character !== "'") continue;
    const quote = xml.indexOf(character, at + 1);
    if (quote < 0) return xml.length;
    at = quote;
  }
  return xml.length;
}

const nameIn = (inside: string): string =>
  (/^[^\s/>]+/.exec(inside)?.[0] ?? "").replace(/^[^:]*:/, "").toLowerCase();

/**
 * Of any prefix. What has no value is taken too, so that no character is looked at again for
 * another beginning.
 */
function attributeIn(inside: string, wanted: string): string | undefined {
  for (const [, name, double, single] of inside.matchAll(
    /([^\s=/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'))?/g,
  )) {
    const value = double ?? single;
    if (value !== undefined && name!.slice(name!.indexOf(":") + 1).toLowerCase() === wanted)
      return unescaped(value);
  }
  return undefined;
}

const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};
const unescaped = (text: string): string =>
  !text.includes("&")
    ? text
    : text.replace(
        /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi,
        (whole, decimal?: string, hex?: string, name?: string) => {
          if (name !== undefined) return named[name] ?? whole;
          const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal);
          return code > 0x10ffff || (code >= 0xd800 && code < 0xe000)
            ? "\ufffd"
            : String.fromCodePoint(code);
        },
      );
