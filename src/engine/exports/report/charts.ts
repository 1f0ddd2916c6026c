import { scaleBand, scaleLinear } from 'd3-scale';
import { area, line } from 'd3-shape';
import { html, type Html } from '#kernel/text/html.ts';

const WIDTH = 720;
const HEIGHT = 220;
const MARGIN = Object.freeze({ top: 12, right: 12, bottom: 28, left: 56 });
const TICKS = 4;
/** More labels than this would overlap. */
const MOST_LABELS = 8;

export type Point = Readonly<{ label: string; value: number }>;

/** A number in full, with at most one decimal. */
export const fullNumber = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 1 });

/** A short form of a number: 1,234 or 1.2M. */
export function shortNumber(value: number): string {
  if (value < 10_000) return fullNumber(value);
  return new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(value);
}

const at = (value: number): string => value.toFixed(1);

function frame(points: readonly Point[]) {
  const x = scaleBand()
    .domain(points.map(({ label }) => label))
    .range([MARGIN.left, WIDTH - MARGIN.right])
    .paddingInner(0.2)
    .paddingOuter(0.1);
  const y = scaleLinear()
    .domain([0, Math.max(1, ...points.map(({ value }) => value))])
    .nice(TICKS)
    .range([HEIGHT - MARGIN.bottom, MARGIN.top]);
  return { x, y, middle: ({ label }: Point) => x(label)! + x.bandwidth() / 2 };
}

function axes(points: readonly Point[], { x, y, middle }: ReturnType<typeof frame>): Html {
  const every = Math.ceil(points.length / MOST_LABELS);
  const sample = points.filter((_, index) => index % every === 0);
  const whole = y.ticks(TICKS).filter(Number.isInteger);
  return html`${whole.map(
      (tick) =>
        html`<line
            class="grid"
            x1="${MARGIN.left}"
            x2="${WIDTH - MARGIN.right}"
            y1="${at(y(tick))}"
            y2="${at(y(tick))}"
          /><text class="tick" x="${MARGIN.left - 8}" y="${at(y(tick) + 4)}" text-anchor="end"
            >${shortNumber(tick)}</text
          >`,
    )}${sample.map(
      (point) =>
        html`<text class="tick" x="${at(middle(point))}" y="${HEIGHT - 8}" text-anchor="middle">${point.label}</text>`,
    )}<line class="axis" x1="${MARGIN.left}" x2="${at(x.range()[1])}" y1="${at(y(0))}" y2="${at(y(0))}" />`;
}

function drawing(title: string, inside: Html): Html {
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">${inside}</svg>`;
}

/** A bar for each point; `title` describes the chart to screen readers. */
export function bars(title: string, points: readonly Point[]): Html {
  const known = frame(points);
  const { x, y } = known;
  const drawn = points.map(
    ({ label, value }) =>
      html`<rect
        class="bar"
        x="${at(x(label)!)}"
        y="${at(y(value))}"
        width="${at(x.bandwidth())}"
        height="${at(y(0) - y(value))}"
        ><title>${label}: ${shortNumber(value)}</title></rect
      >`,
  );
  return drawing(title, html`${axes(points, known)}${drawn}`);
}

/** A line through all points over a filled area. */
export function curve(title: string, points: readonly Point[]): Html {
  const known = frame(points);
  const { y, middle } = known;
  const surface = area<Point>()
    .x(middle)
    .y0(y(0))
    .y1(({ value }) => y(value))([...points]);
  const edge = line<Point>()
    .x(middle)
    .y(({ value }) => y(value))([...points]);
  const dots = points.length > 60 ? [] : points;
  return drawing(
    title,
    html`${axes(points, known)}<path class="surface" d="${surface ?? ''}" /><path
        class="edge"
        d="${edge ?? ''}"
      />${dots.map(
        (point) =>
          html`<circle class="dot" cx="${at(middle(point))}" cy="${at(y(point.value))}" r="3"
            ><title>${point.label}: ${shortNumber(point.value)}</title></circle
          >`,
      )}`,
  );
}
