/** Runs in the child: the paragraph styles of a Word document, which define headings and lists. */
import { no_emphasis, type Emphasis } from "../child/emphasis";
import type { Tag } from "../../../core/lib/xml";
import { scanOfficeXml } from "./xml";

interface Style {
  readonly type: string;
  based_on: string | null;
  name: string;
  outline: number | null;
  number: string | null;
  level: number | null;
  bold: boolean;
  italic: boolean;
}

/** A paragraph's own properties; null where those of its style apply. */
export interface ParagraphProperties {
  style: string | null;
  /** Outline level, 0 is the top. */
  outline: number | null;
  /** The id of its list. */
  number: string | null;
  /** Its level in the list, 0 is the top. */
  level: number | null;
}

interface StyleList {
  /** The id of the list. */
  readonly number: string;
  readonly level: number | null;
  /** The style and those it is based on, down to the one that has the list. */
  readonly styles: readonly string[];
}

const outline_levels = 9;
/** A longer chain of styles is circular. */
const chain_max = 20;

/** Styles with what they inherit from others. */
export class ParagraphStyles {
  private readonly styles = new Map<string, Style>();
  private readonly character_styles = new Map<string, Style>();
  private default_style: string | null = null;
  private readonly known_levels = new Map<string | null, number | null>();
  private readonly known_lists = new Map<string | null, StyleList | null>();

  constructor(xml: string | null) {
    let style: Style | null = null;
    scanOfficeXml(xml ?? "", {
      open: (tag) => {
        if (tag.name === "w:style") style = this.addStyle(tag);
        else if (
          (tag.name === "w:rPr" && style?.type !== "character") ||
          tag.name === "w:tblStylePr" ||
          tag.name === "w:tblPr"
        )
          return "skip";
        else if (style !== null) describeStyle(style, tag);
      },
      close: (name) => {
        if (name === "w:style") style = null;
      },
      text: () => {},
    });
  }

  /** The level of a heading, 1 is the top; null for other paragraphs. */
  headingLevel({ style, outline }: ParagraphProperties): number | null {
    return outline === null
      ? cached(this.known_levels, style, () => this.findHeadingLevel(style))
      : headingOf(outline);
  }

  /** For text in this character style. */
  emphasisOf(style: string | undefined): Emphasis {
    return this.character_styles.get(style ?? "") ?? no_emphasis;
  }

  /** The list that paragraphs of this style are in. */
  listOf(style: string | null): StyleList | null {
    return cached(this.known_lists, style, () => this.findList(style));
  }

  private addStyle(tag: Tag): Style {
    const id = tag.get("styleId") ?? "";
    const type = tag.get("type") ?? "paragraph";
    const style: Style = {
      type,
      based_on: null,
      name: "",
      outline: null,
      number: null,
      level: null,
      bold: false,
      italic: false,
    };
    if (tag.get("type") === "paragraph" && isOn(tag.get("default") ?? "0")) this.default_style = id;
    if (type === "paragraph") this.styles.set(id, style);
    if (type === "character") this.character_styles.set(id, style);
    return style;
  }

  private findHeadingLevel(style: string | null): number | null {
    for (const [{ outline, name }] of this.chain(style)) {
      if (outline !== null) return headingOf(outline);
      const level = /^(?:heading|überschrift|titre) ?([1-9])$/.exec(name)?.[1];
      if (level !== undefined) return Number(level);
      if (name === "title") return 1;
    }
    return null;
  }

  private findList(style: string | null): StyleList | null {
    const styles: string[] = [];
    for (const [{ number, level }, id] of this.chain(style)) {
      styles.push(id);
      if (number !== null) return { number, level, styles };
    }
    return null;
  }

  /** A style with its id, then those it is based on. */
  private *chain(style: string | null): Generator<[Style, string]> {
    let id = style ?? this.default_style;
    for (let steps = 0; id !== null && steps < chain_max; steps++) {
      const style = this.styles.get(id);
      if (style === undefined) return;
      yield [style, id];
      id = style.based_on;
    }
  }
}

const headingOf = (outline: number): number | null =>
  outline < outline_levels ? outline + 1 : null;

function cached<K, V>(cache: Map<K, V>, key: K, compute: () => V): V {
  const cached_value = cache.get(key);
  if (cached_value !== undefined) return cached_value;
  const computed = compute();
  cache.set(key, computed);
  return computed;
}

function describeStyle(style: Style, tag: Tag): void {
  switch (tag.name) {
    case "w:basedOn":
      style.based_on = tag.get("val") ?? null;
      return;
    case "w:name":
      style.name = (tag.get("val") ?? "").toLowerCase();
      return;
    case "w:outlineLvl":
      style.outline = Number(tag.get("val"));
      return;
    case "w:numId":
      style.number = tag.get("val") ?? null;
      return;
    case "w:ilvl":
      style.level = Number(tag.get("val"));
      return;
    case "w:b":
      style.bold = isOn(tag.get("val") ?? "1");
      return;
    case "w:i":
      style.italic = isOn(tag.get("val") ?? "1");
  }
}

/** For a switch such as `<w:b w:val="0"/>`. */
export const isOn = (value: string): boolean => !/^(?:0|false|off)$/i.test(value);
