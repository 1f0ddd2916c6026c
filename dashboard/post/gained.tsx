import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { Days } from '../analytics/days.tsx';
import { everyDay, METRICS, type Metric } from '../analytics/model.ts';
import { ButtonTabs } from '../lib/frame/tabs.tsx';
import type { Analytics } from '../lib/operations.ts';

const chosen = signal<Metric | undefined>(undefined);

/** What a post gained in its first days; nothing if no platform reports numbers. */
export function Gained({ analytics }: Readonly<{ analytics: Analytics }>): JSX.Element | null {
  const counted = METRICS.filter(({ metric }) => metric !== 'published' && analytics.totals[metric] > 0);
  const shown = counted.find(({ metric }) => metric === chosen.value) ?? counted[0];
  if (shown === undefined) return null;
  const { metric, title } = shown;
  const tabs = counted.map((one) => ({
    view: one.metric,
    title: (
      <>
        {one.title} <b>{analytics.totals[one.metric].toLocaleString('en')}</b>
      </>
    ),
  }));
  return (
    <section aria-labelledby="gained">
      <header class="bar">
        <h2 id="gained">{title} by day</h2>
        {counted.length > 1 && (
          <ButtonTabs
            title="What the chart shows"
            tabs={tabs}
            current={metric}
            onChosen={(to) => void (chosen.value = to)}
          />
        )}
      </header>
      <Days metric={metric} title={title} days={everyDay(analytics)} metrics={counted} />
    </section>
  );
}
