/**
 * Runs in the child: straight lines and shaded areas drawn on a page, including those inside form
 * XObjects.
 */
import type { Box, Drawing, Rule } from "../child/tables/geometry";
import type { PdfiumAccess } from "./pdfium";

const object_path = 2;
const object_form = 5;
const segment_line = 0;
const segment_move = 2;

/** The most objects of a page that are inspected; a page with more is a drawing. */
const objects_max = 20_000;
/** The most path segments of a page that are inspected. */
const segments_max = 40_000;
/** Nesting limit of form XObjects. */
const depth_max = 6;
/** A filled area that is no thicker is a rule, in points. */
const rule_thickness_max = 2.6;
/** A thicker line is a shaded area. */
const stroke_thickness_max = 5;
/** Anything as light as paper is invisible. */
const white_min = 250;
/** How far the ends of a straight line may differ. */
const slant_max = 0.6;

/** `a b c d e f` of a PDF transformation matrix. */
export type Matrix = readonly [number, number, number, number, number, number];
const identity: Matrix = [1, 0, 0, 1, 0, 0];
/** The matrix that applies `first`, then `then`. */
const product = (first: Matrix, then: Matrix): Matrix => [
  first[0] * then[0] + first[1] * then[2],
  first[0] * then[1] + first[1] * then[3],
  first[2] * then[0] + first[3] * then[2],
  first[2] * then[1] + first[3] * then[3],
  first[4] * then[0] + first[5] * then[2] + then[4],
  first[4] * then[1] + first[5] * then[3] + then[5],
];

/** A multiple of 90 degrees: `cos` and `sin` of the direction of text. */
export interface Turn {
  readonly cos: number;
  readonly sin: number;
}

/** For an open page, rotated so that text in the direction of `turn` runs to the right. */
export function readDrawing(access: PdfiumAccess, page: number, turn: Turn): Drawing {
  const reader = new DrawingReader(access, turn);
  reader.readPage(page);
  return reader;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

class DrawingReader implements Drawing {
  readonly across: Rule[] = [];
  readonly down: Rule[] = [];
  readonly fills: Box[] = [];
  private objects = 0;
  private segments = 0;

  constructor(
    private readonly access: PdfiumAccess,
    private readonly turn: Turn,
  ) {}

  readPage(page: number): void {
    const { engine } = this.access;
    const count = engine.FPDFPage_CountObjects(page);
    for (let at = 0; at < Math.min(count, objects_max) && this.isWithinLimits(); at++) {
      const object = engine.FPDFPage_GetObject(page, at);
      const type = engine.FPDFPageObj_GetType(object);
      // Most objects are text.
      if (type === object_path || type === object_form) this.readObject(object, type, identity, 0);
    }
  }

  private isWithinLimits(): boolean {
    return this.objects < objects_max && this.segments < segments_max;
  }

  private readObject(object: number, type: number, matrix: Matrix, depth: number): void {
    const { engine } = this.access;
    this.objects++;
    if (type === object_path) this.readPath(object, matrix);
    if (type !== object_form || depth >= depth_max) return;
    const inner = product(this.matrixOf(object), matrix);
    const count = engine.FPDFFormObj_CountObjects(object);
    for (let at = 0; at < count && this.isWithinLimits(); at++) {
      const part = engine.FPDFFormObj_GetObject(object, at);
      this.readObject(part, engine.FPDFPageObj_GetType(part), inner, depth + 1);
    }
  }

  private matrixOf(object: number): Matrix {
    const { engine, memory, scratch } = this.access;
    if (engine.FPDFPageObj_GetMatrix(object, scratch) === 0) return identity;
    return [...new Float32Array(memory(), scratch, 6)] as unknown as Matrix;
  }

  private readPath(path: number, outer: Matrix): void {
    const { engine, memory, scratch } = this.access;
    if (engine.FPDFPath_GetDrawMode(path, scratch, scratch + 4) === 0) return;
    const [fill_mode, stroke] = new Int32Array(memory(), scratch, 2);
    const filled = fill_mode !== 0 && !this.isPale(path, "fill");
    const stroked = stroke !== 0 && !this.isPale(path, "stroke");
    if (!filled && !stroked) return;
    const count = engine.FPDFPath_CountSegments(path);
    if (count < 2 || count > segments_max - this.segments) return;
    this.segments += count;
    const matrix = product(this.matrixOf(path), outer);
    const thickness = stroked ? this.thicknessOf(path, matrix) : 0;
    for (const { points, is_straight } of this.partsOf(path, count, matrix)) {
      if (stroked) this.addStroke(points, thickness);
      if (filled && is_straight) this.addFill(points);
    }
  }

  private isPale(path: number, of: "fill" | "stroke"): boolean {
    const { engine, memory, scratch } = this.access;
    const get = of === "fill" ? engine.FPDFPageObj_GetFillColor : engine.FPDFPageObj_GetStrokeColor;
    if (get(path, scratch, scratch + 4, scratch + 8, scratch + 12) === 0) return false;
    const [red, green, blue, alpha] = new Uint32Array(memory(), scratch, 4);
    return alpha! < 8 || Math.min(red!, green!, blue!) >= white_min;
  }

  private thicknessOf(path: number, [a, b, c, d]: Matrix): number {
    const { engine, memory, scratch } = this.access;
    if (engine.FPDFPageObj_GetStrokeWidth(path, scratch) === 0) return 1;
    return new Float32Array(memory(), scratch, 1)[0]! * Math.sqrt(Math.abs(a * d - b * c));
  }

  /** The subpaths of a path, on the rotated page. */
  private partsOf(
    path: number,
    count: number,
    [a, b, c, d, e, f]: Matrix,
  ): { points: Point[]; is_straight: boolean }[] {
    const { engine, memory, scratch } = this.access;
    const { cos, sin } = this.turn;
    const parts: { points: Point[]; is_straight: boolean }[] = [];
    for (let at = 0; at < count; at++) {
      const segment = engine.FPDFPath_GetPathSegment(path, at);
      if (engine.FPDFPathSegment_GetPoint(segment, scratch, scratch + 4) === 0) continue;
      const [px, py] = new Float32Array(memory(), scratch, 2);
      const x = a * px! + c * py! + e;
      const y = b * px! + d * py! + f;
      const point = { x: x * cos + y * sin, y: y * cos - x * sin };
      const type = engine.FPDFPathSegment_GetType(segment);
      if (type === segment_move || parts.length === 0)
        parts.push({ points: [point], is_straight: true });
      else {
        const part = parts.at(-1)!;
        part.points.push(point);
        part.is_straight &&= type === segment_line;
      }
      if (engine.FPDFPathSegment_GetClose(segment) !== 0) {
        const part = parts.at(-1)!;
        part.points.push(part.points[0]!);
      }
    }
    return parts.map(({ points, is_straight }) => ({
      points: is_straight ? points : [],
      is_straight,
    }));
  }

  private addStroke(points: readonly Point[], thickness: number): void {
    for (let at = 1; at < points.length; at++) {
      const point = points[at - 1]!;
      const other = points[at]!;
      const box = boxOf([point, other]);
      if (box.top - box.bottom <= slant_max) this.addLine(box, "across", thickness);
      else if (box.right - box.left <= slant_max) this.addLine(box, "down", thickness);
    }
  }

  private addLine(box: Box, axis: "across" | "down", thickness: number): void {
    const half = thickness / 2;
    if (thickness > stroke_thickness_max) {
      if (axis === "across")
        this.fills.push({ ...box, bottom: box.bottom - half, top: box.top + half });
      return;
    }
    if (axis === "across")
      this.across.push({ at: (box.bottom + box.top) / 2, from: box.left, to: box.right });
    else this.down.push({ at: (box.left + box.right) / 2, from: box.bottom, to: box.top });
  }

  private addFill(points: readonly Point[]): void {
    if (points.length < 4 || points.length > 6 || !isRectangle(points)) return;
    const box = boxOf(points);
    const wide = box.right - box.left;
    const tall = box.top - box.bottom;
    if (tall <= rule_thickness_max && wide > tall) this.addLine(box, "across", 0);
    else if (wide <= rule_thickness_max && tall > wide) this.addLine(box, "down", 0);
    else this.fills.push(box);
  }
}

const isRectangle = (points: readonly Point[]): boolean =>
  points.every(({ x, y }, at) => {
    const before = points[at === 0 ? points.length - 1 : at - 1]!;
    return Math.abs(x - before.x) <= slant_max || Math.abs(y - before.y) <= slant_max;
  });

const boxOf = (points: readonly Point[]): Box => ({
  left: Math.min(...points.map(({ x }) => x)),
  right: Math.max(...points.map(({ x }) => x)),
  bottom: Math.min(...points.map(({ y }) => y)),
  top: Math.max(...points.map(({ y }) => y)),
});
