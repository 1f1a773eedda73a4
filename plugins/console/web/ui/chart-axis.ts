/** The round numbers beside a chart. */

/** Lines across the chart above the lowest one, at most. */
const steps_max = 4;

/**
 * The values of the axis, the highest first: steps of a round number of the unit that reach above
 * `value`. Of nothing, only the lowest.
 */
export function axisOf(value: number, binary = false): readonly number[] {
  if (value <= 0) return [0];
  const unit = binary ? 1024 ** Math.floor(Math.log2(Math.max(1, value)) / 10) : 1;
  const least = value / unit / steps_max;
  const scale = 10 ** Math.floor(Math.log10(least));
  const wanted = [1, 2, 5, 10].find((one) => one * scale >= least)! * scale * unit;
  // There is no half an answer, and no half a byte.
  const step = Math.max(1, wanted);
  const count = Math.ceil(value / step);
  return Array.from({ length: count + 1 }, (_, place) => (count - place) * step);
}
