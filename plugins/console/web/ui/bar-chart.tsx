/** A bar chart of days with axes and a description of the hovered day. */
import { useState } from "preact/hooks";
import { axisOf } from "./chart-axis";

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

export function BarChart({ empty, ...chart }: BarChartProps) {
  return chart.bars.some((bar) => sumOf(bar) > 0) ? (
    <Drawn {...chart} />
  ) : (
    <p class="chart chart-empty muted">{empty}</p>
  );
}

function Drawn({ label, bars, format, binary = false }: Omit<BarChartProps, "empty">) {
  const [at, setAt] = useState<number | null>(null);
  const ticks = axisOf(Math.max(0, ...bars.map(sumOf)), binary);
  const top = ticks[0] || 1;
  const step = width / Math.max(1, bars.length);
  const every = Math.max(1, Math.ceil(bars.length / labels_max));
  return (
    <div class="chart">
      <p class="chart-hovered small num" aria-hidden="true">
        {at === null ? "" : bars[at]?.text}
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
        onPointerLeave={() => setAt(null)}
      >
        {ticks.map((tick) => (
          <line
            key={tick}
            x1="0"
            x2={width}
            y1={height * (1 - tick / top)}
            y2={height * (1 - tick / top)}
          />
        ))}
        {bars.map((bar, place) => (
          <g key={bar.key} onPointerEnter={() => setAt(place)}>
            <rect class="day-back" x={place * step} y="0" width={step} height={height} />
            <Stack bar={bar} x={place * step} step={step} top={top} />
          </g>
        ))}
      </svg>
      <div class="chart-days small muted num" aria-hidden="true">
        {bars.map(
          ({ key, label: day }, place) =>
            (bars.length - 1 - place) % every === 0 && (
              <span key={key} style={{ left: `${((place + 0.5) / bars.length) * 100}%` }}>
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
  top,
}: {
  readonly bar: Bar;
  readonly x: number;
  readonly step: number;
  readonly top: number;
}) {
  let below = 0;
  return (
    <>
      {bar.values.map((value, series) => {
        const from = below;
        below += value;
        // A minimum height keeps small values visible.
        const tall = value === 0 ? 0 : Math.max(1.5, (value / top) * height);
        return (
          <rect
            key={series}
            class={`day-bar day-bar-${series}`}
            x={x + (step * gap_share) / 2}
            y={height - (from / top) * height - tall}
            width={step * (1 - gap_share)}
            height={tall}
          />
        );
      })}
    </>
  );
}
