/** A bar chart, with a text for each bar. */

export interface Bar {
  readonly key: string;
  readonly value: number;
  /** Read out, and shown while the pointer is on the bar. */ readonly text: string;
}

const height = 96;
const gap = 2;

export function BarChart({
  label,
  bars,
}: {
  readonly label: string;
  readonly bars: readonly Bar[];
}) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const width = 720 / Math.max(1, bars.length);
  return (
    <svg
      class="day-bars"
      viewBox={`0 0 720 ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <line x1="0" x2="720" y1={height - 0.5} y2={height - 0.5} />
      {bars.map(({ key, value, text }, place) => {
        const tall = value === 0 ? 0 : Math.max(2, (value / most) * (height - 4));
        return (
          <g key={key}>
            <title>{text}</title>
            <rect class="day-back" x={place * width} y="0" width={width} height={height} />
            <rect
              class="day-bar"
              x={place * width + gap / 2}
              y={height - tall}
              width={Math.max(1, width - gap)}
              height={tall}
              rx="1.5"
            />
          </g>
        );
      })}
    </svg>
  );
}
