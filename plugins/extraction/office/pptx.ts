/**
 * PowerPoint (.pptx): one page for each slide in the order of the show, its title first, its notes
 * and comments last.
 */
import { readDrawing, type Shape } from "./drawing";
import { paragraph, type Block, type Page } from "../child/block-builder";
import type { Parts } from "./package";
import { scanOfficeXml } from "./xml";

/** @throws ExtractionFailure of the archive */
export function readPptx(parts: Parts, main: string, progress: (share: number) => void): Page[] {
  const slides = slidesOf(parts, main);
  const seen = new Set<string>();
  return slides.map((slide, at) => {
    progress(at / slides.length);
    return { page: at + 1, blocks: readSlide(parts, slide, seen) };
  });
}

/**
 * The slides as the presentation lists them; when the list is lost, by the number in their names.
 */
function slidesOf(parts: Parts, main: string): string[] {
  const slides: string[] = [];
  scanOfficeXml(parts.xml(main) ?? "", {
    open: (tag) => {
      if (tag.name !== "p:sldId") return;
      const slide = parts.target(main, tag.get("r:id"));
      if (slide !== null && !slides.includes(slide)) slides.push(slide);
    },
    close: () => {},
    text: () => {},
  });
  if (slides.length > 0) return slides;
  const number = (name: string): number => Number(/(\d+)\.xml$/i.exec(name)?.[1] ?? 0);
  return parts.archive.names
    .filter((name) => /^ppt\/slides\/[^/]+\.xml$/i.test(name))
    .toSorted((one, other) => number(one) - number(other));
}

const titles: readonly (string | null)[] = ["title", "ctrTitle"];
/** Placeholders that say where one is, not what the slide says. */
const running: readonly (string | null)[] = ["sldNum", "sldImg"];
const running_in_notes: readonly (string | null)[] = [...running, "hdr", "ftr", "dt"];

function readSlide(parts: Parts, slide: string, seen: Set<string>): Block[] {
  const shapes = readDrawing(parts, slide).filter(({ role }) => !running.includes(role));
  const is_title = ({ role }: Shape): boolean => titles.includes(role);
  return [
    ...shapes
      .filter(is_title)
      .flatMap(({ blocks }) => blocks.map(({ text }) => paragraph(text, 1))),
    ...shapes.filter((shape) => !is_title(shape)).flatMap(({ blocks }) => blocks),
    ...readBackground(parts, slide, seen),
    ...parts
      .related(slide, "notesSlide")
      .flatMap((notes) => readDrawing(parts, notes))
      .filter(({ role }) => !running_in_notes.includes(role))
      .flatMap(({ blocks }) => blocks),
    ...parts
      .related(slide, "comments")
      .flatMap((comments) => readDrawing(parts, comments))
      .flatMap(({ blocks }) => blocks),
  ];
}

/** What the layout and the master write on every slide, on the first one only. */
function readBackground(parts: Parts, slide: string, seen: Set<string>): Block[] {
  const layouts = parts.related(slide, "slideLayout");
  const backgrounds = [
    ...layouts,
    ...layouts.flatMap((layout) => parts.related(layout, "slideMaster")),
  ].filter((part) => !seen.has(part));
  for (const part of backgrounds) seen.add(part);
  return backgrounds
    .flatMap((part) => readDrawing(parts, part))
    .filter(({ role }) => role === null)
    .flatMap(({ blocks }) => blocks);
}
