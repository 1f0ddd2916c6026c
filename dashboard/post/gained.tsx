import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { Chart } from '../analytics/chart.tsx';
import { everyDay, METRICS, type Metric } from '../analytics/model.ts';
import { shortDay } from '../lib/days.ts';
import type { Analytics } from '../lib/operations.ts';

const chosen = signal<Metric | undefined>(undefined);

/** What a post gained in its first days; nothing while no platform counts anything. */
export function Gained({ analytics }: Readonly<{ analytics: Analytics }>): JSX.Element | null {
  const counted = METRICS.filter(({ metric }) => metric !== 'published' && analytics.totals[metric] > 0);
  const shown = counted.find(({ metric }) => metric === chosen.value) ?? counted[0];
  if (shown === undefined) return null;
  const { metric, title } = shown;
  const days = everyDay(analytics);
  return (
    <section aria-labelledby="gained">
      <header class="bar">
        <h2 id="gained">{title} by day</h2>
        {counted.length > 1 && (
          <div class="tabs" role="group" aria-label="What the chart shows">
            {counted.map((one) => (
              <button
                key={one.metric}
                type="button"
                aria-pressed={one.metric === metric}
                onClick={() => void (chosen.value = one.metric)}
              >
                {one.title} <b>{analytics.totals[one.metric].toLocaleString('en')}</b>
              </button>
            ))}
          </div>
        )}
      </header>
      <div class="card">
        <Chart
          title={`${title} by day, as a chart; the table below has its numbers`}
          points={days.map((row) => ({ label: row.day, value: row[metric] }))}
        />
      </div>
      <details>
        <summary>The numbers as a table</summary>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by the keyboard */}
        <div class="scroll" tabIndex={0} role="group" aria-label="Numbers by day">
          <table class="attempts">
            <thead>
              <tr>
                <th scope="col">Day</th>
                {counted.map((one) => (
                  <th key={one.metric} scope="col">
                    {one.title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {days.map((row) => (
                <tr key={row.day}>
                  <td>{shortDay(row.day)}</td>
                  {counted.map((one) => (
                    <td key={one.metric}>{row[one.metric].toLocaleString('en')}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  );
}
