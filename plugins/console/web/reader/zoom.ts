/** Zoom steps for pages and images. */

/** A factor of the actual size, or fit to the width of the page (`fit`) or of its text only. */
export type Zoom = "fit" | "text" | number;
export type Step = "in" | "out" | "fit";

const steps = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4];
/** The next zoom level from this one. */
export function stepOf(step: Step, zoom: number): Exclude<Zoom, "text"> {
  if (step === "fit") return "fit";
  if (step === "in") return steps.find((step_zoom) => step_zoom > zoom + 0.01) ?? steps.at(-1)!;
  return steps.findLast((step_zoom) => step_zoom < zoom - 0.01) ?? steps[0]!;
}
