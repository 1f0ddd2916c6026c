import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { Days } from '../analytics/days.tsx';
import { everyDay, METRICS, type Metric } from '../analytics/model.ts';
import type { Analytics } from '../lib/operations.ts';

const chosen = signal<Metric | undefined>(undefined);

/** What a post gained in its first days; nothing if no platform reports numbers. */
export function Gained({ analytics }: Readonly<{ analytics: Analytics }>): JSX.Element | null {
  const counted = METRICS.filter(({ metric }) => metric !== 'published' && analytics.totals[metric] > 0);
  const shown = counted.find(({ metric }) => metric === chosen.value) ?? counted[0];
  if (shown === undefined) return null;
  const { metric, title } = shown;
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
      <Days metric={metric} title={title} days={everyDay(analytics)} metrics={counted} />
    </section>
  );
}
