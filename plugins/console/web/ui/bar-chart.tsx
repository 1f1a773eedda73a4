/** A bar chart of days with axes and a description of the hovered day. */
import { useState } from "preact/hooks";
import { axisOf } from "./chart-axis";

/** The bar of one day. */
export interface Bar {
  readonly key: string;
  /** From the bottom up, one per series. */
  readonly values: readonly number[];
  /** The label of the day on the axis. */
  readonly label: string;
  /** Shown while the pointer is on the bar. */
  readonly text: string;
}

interface BarChartProps {
  /** What the chart shows, with its total, for screen readers. */
  readonly label: string;
  readonly bars: readonly Bar[];
  readonly format: (value: number) => string;
  /** Values are bytes: the axis uses round numbers of their units. */
  readonly binary?: boolean;
  /** Shown instead when every value is zero. */
  readonly empty: string;
}

const height = 120;
const width = 720;
const gap_share = 0.2;
/** Indices of the labelled days. */
const labels_max = 3;

const sumOf = ({ values }: Bar): number => values.reduce((sum, value) => sum + value, 0);

/** The chart, or a sentence if all values are zero. */
export function BarChart({ empty, ...chart }: BarChartProps) {
  return chart.bars.some((bar) => sumOf(bar) > 0) ? (
    <Chart {...chart} />
  ) : (
    <p class="chart chart-empty muted">{empty}</p>
  );
}

function Chart({ label, bars, format, binary = false }: Omit<BarChartProps, "empty">) {
  const [hovered, setHovered] = useState<number | null>(null);
  const ticks = axisOf(Math.max(0, ...bars.map(sumOf)), binary);
  const value_max = ticks[0] || 1;
  const step = width / Math.max(1, bars.length);
  const label_step = Math.max(1, Math.ceil(bars.length / labels_max));
  return (
    <div class="chart">
      <p class="chart-hovered small num" aria-hidden="true">
        {hovered === null ? "" : bars[hovered]?.text}
      </p>
      <div class="chart-ticks small muted num" aria-hidden="true">
        {ticks.map((tick) => (
          <span key={tick}>{format(tick)}</span>
        ))}
      </div>
      <svg
        class="day-bars"
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
        onPointerLeave={() => setHovered(null)}
      >
        {ticks.map((tick) => (
          <line
            key={tick}
            x1="0"
            x2={width}
            y1={height * (1 - tick / value_max)}
            y2={height * (1 - tick / value_max)}
          />
        ))}
        {bars.map((bar, index) => (
          <g key={bar.key} onPointerEnter={() => setHovered(index)}>
            <rect class="day-back" x={index * step} y="0" width={step} height={height} />
            <Stack bar={bar} x={index * step} step={step} value_max={value_max} />
          </g>
        ))}
      </svg>
      <div class="chart-days small muted num" aria-hidden="true">
        {bars.map(
          ({ key, label: day }, index) =>
            (bars.length - 1 - index) % label_step === 0 && (
              <span key={key} style={{ left: `${((index + 0.5) / bars.length) * 100}%` }}>
                {day}
              </span>
            ),
        )}
      </div>
    </div>
  );
}

/** The stacked values of a day. */
function Stack({
  bar,
  x,
  step,
  value_max,
}: {
  readonly bar: Bar;
  readonly x: number;
  readonly step: number;
  readonly value_max: number;
}) {
  let sum = 0;
  return (
    <>
      {bar.values.map((value, series) => {
        const value_below = sum;
        sum += value;
        // A minimum height keeps small values visible.
        const bar_height = value === 0 ? 0 : Math.max(1.5, (value / value_max) * height);
        return (
          <rect
            key={series}
            class={`day-bar day-bar-${series}`}
            x={x + (step * gap_share) / 2}
            y={height - (value_below / value_max) * height - bar_height}
            width={step * (1 - gap_share)}
            height={bar_height}
          />
        );
      })}
    </>
  );
}
