import { scaleBand, scaleLinear } from 'd3-scale';
import type { JSX } from 'preact';

const WIDTH = 720;
const HEIGHT = 200;
const MARGIN = Object.freeze({ top: 8, right: 8, bottom: 24, left: 60 });
const TICKS = 4;
/** With only a few days, bars would become too wide. */
const WIDEST_BAR = 48;
/** More labels would overlap on a phone. */
const MOST_LABELS = 5;

/** Formats a number for a small space, such as 1.2M. */
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

type Point = Readonly<{ label: string; value: number }>;
type ChartProps = Readonly<{ title: string; points: readonly Point[] }>;

/** One bar per day. Screen readers get the same numbers from the table. */
export function Chart({ title, points }: ChartProps): JSX.Element {
  const values = points.map(({ value }) => value);
  const x = scaleBand()
    .domain(points.map(({ label }) => label))
    .range([MARGIN.left, WIDTH - MARGIN.right])
    .padding(points.length > 120 ? 0 : 0.2);
  const y = scaleLinear()
    .domain([Math.min(0, ...values), Math.max(1, ...values)])
    .nice(TICKS)
    .range([HEIGHT - MARGIN.bottom, MARGIN.top]);
  const width = Math.min(x.bandwidth(), WIDEST_BAR);
  const middleOf = (label: string) => x(label)! + x.bandwidth() / 2;
  const every = Math.ceil(points.length / MOST_LABELS);
  return (
    <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={title}>
      {y
        .ticks(TICKS)
        .filter(Number.isInteger)
        .map((tick) => (
          <g key={tick}>
            <line x1={MARGIN.left} x2={WIDTH - MARGIN.right} y1={y(tick)} y2={y(tick)} />
            <text x={MARGIN.left - 8} y={y(tick) + 4} text-anchor="end">
              {short.format(tick)}
            </text>
          </g>
        ))}
      {points.map(({ label, value }, at) => (
        <g key={label}>
          <rect
            x={middleOf(label) - width / 2}
            width={width}
            y={y(Math.max(0, value))}
            height={Math.abs(y(value) - y(0))}
            class={value < 0 ? 'loss' : ''}
          >
            <title>{`${label}: ${value.toLocaleString('en')}`}</title>
          </rect>
          {at % every === 0 && (
            <text x={middleOf(label)} y={HEIGHT - 6} text-anchor="middle">
              {label.slice(5)}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}
