/**
 * Runs in the child: reads PowerPoint (.pptx): one page per slide in presentation order, its title
 * first, its notes and comments last.
 */
import { readDrawing, type Shape } from "./drawing";
import { paragraph, slideLabel, type Block, type Page } from "../child/blocks";
import type { OfficePackage, Progress } from "./package";
import { SlideBullets } from "./slide-bullets";
import { scanTags } from "./xml";

/** @throws ExtractionFailure of the archive */
export function readPptx(pkg: OfficePackage, main_part: string, progress: Progress): Page[] {
  const slides = slidesOf(pkg, main_part);
  const seen_parts = new Set<string>();
  const bullets = new SlideBullets(pkg);
  return slides.map((slide, at) => {
    progress(at / slides.length);
    const shapes = readDrawing(pkg, slide, bullets.of(slide));
    const blocks = readSlide(pkg, slide, shapes, seen_parts);
    return { page: at + 1, label: slideLabel(at + 1, blocks), blocks };
  });
}

/** In presentation order; if that is lost, by the number in their names. */
function slidesOf(pkg: OfficePackage, main_part: string): string[] {
  const slides: string[] = [];
  scanTags(pkg.xml(main_part) ?? "", (tag) => {
    if (tag.name !== "p:sldId") return;
    const slide = pkg.target(main_part, tag.get("r:id"));
    if (slide !== null && !slides.includes(slide)) slides.push(slide);
  });
  if (slides.length > 0) return slides;
  const slideNumber = (name: string): number => Number(/(\d+)\.xml$/i.exec(name)?.[1] ?? 0);
  return pkg.archive.names
    .filter((name) => /^ppt\/slides\/[^/]+\.xml$/i.test(name))
    .toSorted((a, b) => slideNumber(a) - slideNumber(b));
}

const title_roles: readonly (string | null)[] = ["title", "ctrTitle"];
/** Placeholders that are not content of the slide, or of its notes. */
const skipped_roles: readonly (string | null)[] = ["sldNum", "sldImg"];
const skipped_roles_of_notes: readonly (string | null)[] = [...skipped_roles, "hdr", "ftr", "dt"];

function readSlide(
  pkg: OfficePackage,
  slide: string,
  all_shapes: readonly Shape[],
  seen_parts: Set<string>,
): Block[] {
  const shapes = all_shapes.filter(({ role }) => !skipped_roles.includes(role));
  const isTitle = ({ role }: Shape): boolean => title_roles.includes(role);
  return [
    ...shapes.filter(isTitle).flatMap(({ blocks }) => blocks.map(({ text }) => paragraph(text, 1))),
    ...shapes.filter((shape) => !isTitle(shape)).flatMap(({ blocks }) => blocks),
    ...readBackground(pkg, slide, seen_parts),
    ...pkg
      .related(slide, "notesSlide")
      .flatMap((notes) => readDrawing(pkg, notes))
      .filter(({ role }) => !skipped_roles_of_notes.includes(role))
      .flatMap(({ blocks }) => blocks),
    ...pkg
      .related(slide, "comments")
      .flatMap((comments) => readDrawing(pkg, comments))
      .flatMap(({ blocks }) => blocks),
  ];
}

/** The fixed content of layout and master is read only for the first slide that uses them. */
function readBackground(pkg: OfficePackage, slide: string, seen_parts: Set<string>): Block[] {
  const layouts = pkg.related(slide, "slideLayout");
  const backgrounds = [
    ...layouts,
    ...layouts.flatMap((layout) => pkg.related(layout, "slideMaster")),
  ].filter((part) => !seen_parts.has(part));
  for (const part of backgrounds) seen_parts.add(part);
  return backgrounds
    .flatMap((part) => readDrawing(pkg, part))
    .filter(({ role }) => role === null)
    .flatMap(({ blocks }) => blocks);
}
