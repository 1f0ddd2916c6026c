import type { JSX } from 'preact';
import { shortDay } from '../lib/days.ts';
import { Chart } from './chart.tsx';
import type { everyDay, METRICS, Metric } from './model.ts';

type DaysProps = Readonly<{
  /** The metric that the chart shows. */
  metric: Metric;
  title: string;
  days: ReturnType<typeof everyDay>;
  /** The columns of the table. */
  metrics: readonly (typeof METRICS)[number][];
}>;

/** Numbers by day: one metric as a chart, and all of them in a table below. */
export function Days({ metric, title, days, metrics }: DaysProps): JSX.Element {
  return (
    <>
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
                {metrics.map((one) => (
                  <th key={one.metric} scope="col">
                    {one.title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {days.map((row) => (
                <tr key={row.day}>
                  <th scope="row">{shortDay(row.day)}</th>
                  {metrics.map((one) => (
                    <td key={one.metric} data-title={one.title}>
                      {row[one.metric].toLocaleString('en')}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}
