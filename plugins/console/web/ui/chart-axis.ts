/** Axis ticks of a chart at round numbers. */

/** The most lines above the lowest one. */
const steps_max = 4;

/**
 * The tick values, highest first: steps of a round number of the unit that reach above `value`. For
 * zero, only the lowest.
 */
export function axisOf(value: number, binary = false): readonly number[] {
  if (value <= 0) return [0];
  const unit = binary ? 1024 ** Math.floor(Math.log2(Math.max(1, value)) / 10) : 1;
  const step_min = value / unit / steps_max;
  const scale = 10 ** Math.floor(Math.log10(step_min));
  const rounded = [1, 2, 5, 10].find((step) => step * scale >= step_min)! * scale * unit;
  // Counts and bytes have no fractions.
  const step = Math.max(1, rounded);
  const count = Math.ceil(value / step);
  return Array.from({ length: count + 1 }, (_, index) => (count - index) * step);
}
