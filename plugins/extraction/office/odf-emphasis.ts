/** Runs in the child: which text styles of an OpenDocument file are bold or italic. */
import type { Tag } from "../../../core/lib/xml";
import { no_emphasis, type Emphasis } from "../child/emphasis";
import { scanOfficeXml } from "./xml";

/** The emphasis by the name of the style. */
export class OdfEmphasis {
  private readonly styles = new Map<string, Emphasis>();

  /** Adds the styles that a part declares. */
  declare(xml: string | null): void {
    let style: string | null = null;
    scanOfficeXml(xml ?? "", {
      open: (tag) => {
        if (tag.name === "style:style")
          style = tag.get("family") === "text" ? (tag.get("name") ?? null) : null;
        else if (tag.name === "style:text-properties" && style !== null)
          this.styles.set(style, emphasisOf(tag));
        else if (tag.name === "office:body") return "skip";
      },
      close: (name) => {
        if (name === "style:style") style = null;
      },
      text: () => {},
    });
  }
  /** For text in this style, inside text with this emphasis. */
  of(style: string | undefined, around: Emphasis): Emphasis {
    const { bold, italic } = this.styles.get(style ?? "") ?? no_emphasis;
    return { bold: bold || around.bold, italic: italic || around.italic };
  }
}

const emphasisOf = (tag: Tag): Emphasis => ({
  bold: /^(?:bold|[6-9]00)$/.test(tag.get("fo:font-weight") ?? tag.get("font-weight") ?? ""),
  italic: /^(?:italic|oblique)$/.test(tag.get("fo:font-style") ?? tag.get("font-style") ?? ""),
});
