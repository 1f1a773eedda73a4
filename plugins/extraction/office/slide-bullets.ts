/**
 * Runs in the child: bullets and numbers of the paragraphs on slides. Most are not set on the
 * slide: its placeholders inherit them from the layout, which inherits from the master.
 */
import type { Tag, XmlHandler } from "../../../core/lib/xml";
import { formatBullet } from "../child/list-markers";
import type { OfficePackage } from "./package";
import { scanOfficeXml } from "./xml";

/** `numbering` is a name of DrawingML, such as `arabicPeriod`. */
export type Bullet =
  | { readonly char: string }
  | { readonly numbering: string; readonly start: number }
  | "none";

/** What connects a placeholder of a slide to that of its layout. */
export interface Placeholder {
  /** Such as `body` or `subTitle`; `obj` by default. */
  readonly type: string;
  /** Its key in the layout. */
  readonly index: string | null;
}
export const readPlaceholder = (tag: Tag): Placeholder => ({
  type: tag.get("type") ?? "obj",
  index: tag.get("idx") ?? null,
});

/** The bullet set by an element; null if none is. */
export function readBullet(tag: Tag): Bullet | null {
  switch (tag.name) {
    case "a:buNone":
      return "none";
    case "a:buChar":
      return { char: formatBullet(tag.get("char") ?? "") };
    case "a:buBlip":
      return { char: "•" };
    case "a:buAutoNum":
      return { numbering: tag.get("type") ?? "", start: Number(tag.get("startAt") ?? 1) || 1 };
    default:
      return null;
  }
}

/** The bullets of a list style, by paragraph level. */
export class ListStyle {
  private readonly bullets = new Map<number, Bullet>();
  private level = -1;

  open(tag: Tag): void {
    const [, number] = /^a:lvl([1-9])pPr$/.exec(tag.name) ?? [];
    if (number !== undefined) this.level = Number(number) - 1;
    const bullet = readBullet(tag);
    if (bullet !== null && this.level >= 0) this.bullets.set(this.level, bullet);
  }
  at(level: number): Bullet | undefined {
    return this.bullets.get(level);
  }
}

/** The inherited bullet of a paragraph of this level in a placeholder. */
export type InheritedBullets = (placeholder: Placeholder, level: number) => Bullet | undefined;

/** Bullets by slide; layouts and masters are read once. */
export class SlideBullets {
  private readonly parts = new Map<string, PlaceholderStyles>();
  constructor(private readonly pkg: OfficePackage) {}

  /** The bullets that a slide inherits. */
  of(slide: string): InheritedBullets {
    const [layout] = this.pkg.related(slide, "slideLayout");
    if (layout === undefined) return () => undefined;
    const [master] = this.pkg.related(layout, "slideMaster");
    const of_layout = this.read(layout);
    const of_master = master === undefined ? new PlaceholderStyles() : this.read(master);
    return (placeholder, level) => {
      const style = of_layout.find(placeholder);
      const type = style?.type ?? placeholder.type;
      if (without_bullets.has(type)) return undefined;
      return (
        style?.style.at(level) ??
        of_master.find({ type: type === "obj" ? "body" : type, index: null })?.style.at(level) ??
        of_master.body.at(level)
      );
    };
  }
  private read(part: string): PlaceholderStyles {
    const cached = this.parts.get(part);
    if (cached !== undefined) return cached;
    const styles = new PlaceholderStyles();
    scanOfficeXml(this.pkg.xml(part) ?? "", styles);
    this.parts.set(part, styles);
    return styles;
  }
}

/** Placeholders that use other styles of the master than bodies do. */
const without_bullets = new Set(["title", "ctrTitle", "dt", "ftr", "hdr", "sldNum", "sldImg"]);

interface PlaceholderStyle {
  readonly type: string;
  readonly style: ListStyle;
}
/** The definitions of placeholders in a layout or a master. */
class PlaceholderStyles implements XmlHandler {
  /** The style of all bodies. */
  readonly body = new ListStyle();
  /** By index and by type, the first of each. */
  private readonly by_index = new Map<string, PlaceholderStyle>();
  private readonly by_type = new Map<string, PlaceholderStyle>();
  private placeholder: Placeholder | null = null;
  private open_style: ListStyle | null = null;

  open(tag: Tag): void {
    if (tag.name === "p:sp") this.placeholder = null;
    else if (tag.name === "p:ph") this.placeholder = readPlaceholder(tag);
    else if (tag.name === "p:bodyStyle") this.open_style = this.body;
    else if (tag.name === "a:lstStyle" && this.placeholder !== null) {
      this.open_style = new ListStyle();
      this.addStyle(
        { type: this.placeholder.type, style: this.open_style },
        this.placeholder.index,
      );
    } else this.open_style?.open(tag);
  }
  text(): void {}
  close(name: string): void {
    if (name === "a:lstStyle" || name === "p:bodyStyle") this.open_style = null;
  }
  find({ type, index }: Placeholder): PlaceholderStyle | undefined {
    return index === null ? this.by_type.get(type) : this.by_index.get(index);
  }
  private addStyle(style: PlaceholderStyle, index: string | null): void {
    if (!this.by_type.has(style.type)) this.by_type.set(style.type, style);
    if (index !== null && !this.by_index.has(index)) this.by_index.set(index, style);
  }
}
