import type { JSX } from 'preact';
import { makeSettling } from '../lib/debounce.ts';
import { shortDay } from '../lib/days.ts';
import { Connecting } from '../lib/frame/connecting.tsx';
import { may } from '../lib/frame/may.ts';
import type { AbleAccount, Analytics, Input, NamedBrand } from '../lib/operations.ts';
import { firstAnswer } from '../lib/page.ts';
import { Icon, inZone, Zone } from '../lib/parts.tsx';
import { markOf } from '../lib/platforms.ts';
import { call, show } from '../lib/shell.tsx';
import { Best } from './best.tsx';
import { Days } from './days.tsx';
import { Filters, type Choice } from './filters.tsx';
import { freshnessOf, makeAnalytics, METRICS, sayWithoutNumbers, withoutNumbers, type Answers } from './model.ts';
import { Save } from './save.tsx';

type Listed<T> = Readonly<{ data: readonly T[] }>;

const accounts = firstAnswer<Listed<AbleAccount>>('list_accounts').data;
const brands = firstAnswer<Listed<NamedBrand>>('list_brands').data;
const choice = firstAnswer<Choice>('choice');
const refusal = firstAnswer<string | undefined>('refusal');
const first = firstAnswer<Answers | undefined>('answers');
const model =
  first &&
  makeAnalytics({
    call,
    input: firstAnswer<Input<'get_analytics'>>('input'),
    first,
    later: makeSettling(1000),
  });
type Model = NonNullable<typeof model>;

function Page(): JSX.Element {
  return (
    <div class="wide">
      <header class="bar">
        <h1>Analytics</h1>
        <Zone />
      </header>
      {accounts.length === 0 ? (
        <div class="empty">
          <Icon name="analytics" />
          <p>Numbers appear once an account has posts.</p>
          <Connecting />
        </div>
      ) : (
        <>
          <Filters choice={choice} accounts={accounts} brands={brands} />
          {refusal !== undefined && (
            <p class="refusal" role="alert">
              {refusal} <a href="/dashboard/analytics">Show the last 28 days</a>
            </p>
          )}
          {model && <Numbers model={model} />}
        </>
      )}
    </div>
  );
}

function Numbers({ model }: Readonly<{ model: Model }>): JSX.Element {
  const whole = model.whole.value;
  const { from, to, previous } = whole;
  return (
    <>
      <Silent />
      <section aria-labelledby="totals">
        <h2 id="totals">
          {shortDay(from)} to {shortDay(to)}
        </h2>
        <p class="hint">
          Compared with {shortDay(previous.from)} to {shortDay(previous.to)}. {freshnessOf(whole, inZone)}
        </p>
        <Tiles model={model} />
      </section>
      {model.isEmpty.value ? (
        <div class="empty">
          <Icon name="analytics" />
          <p>Nothing was published or gained in this period or the one before.</p>
          {may('create_post') && <a href="/dashboard/compose">Write a post</a>}
        </div>
      ) : (
        <>
          <ByDay model={model} whole={whole} />
          <Best model={model} />
        </>
      )}
    </>
  );
}

/** Names the selected accounts whose platforms report no numbers. */
function Silent(): JSX.Element | null {
  const { platforms, isAll } = withoutNumbers(accounts, choice);
  if (platforms.length === 0) return null;
  const titles = platforms.map((slug) => markOf(slug).title);
  return <p class="note">{sayWithoutNumbers(titles, isAll)}</p>;
}

const SIGNS = { more: '▲', less: '▼', same: '=' } as const;

function Tiles({ model }: Readonly<{ model: Model }>): JSX.Element {
  return (
    <div class="tiles" role="group" aria-label="Total and what the chart shows">
      {model.tiles.value.map(({ metric, title, total, trend, words }) => (
        <button
          key={metric}
          type="button"
          class="card tile"
          aria-pressed={model.metric.value === metric}
          onClick={() => void (model.metric.value = metric)}
        >
          <span>{title}</span>
          <b>{total.toLocaleString('en')}</b>
          <small>
            <span aria-hidden="true">{SIGNS[trend]}</span> {words}
          </small>
        </button>
      ))}
    </div>
  );
}

function ByDay({ model, whole }: Readonly<{ model: Model; whole: Analytics }>): JSX.Element {
  const { metric, days } = model;
  const { title } = METRICS.find((one) => one.metric === metric.value)!;
  return (
    <section aria-labelledby="days">
      <header class="bar">
        <h2 id="days">{title} by day</h2>
        <Save what="days" name={`analytics-${whole.from}-${whole.to}.csv`} make={model.daysAsCsv} />
      </header>
      <Days metric={metric.value} title={title} days={days.value} metrics={METRICS} />
    </section>
  );
}

show({ Page, ...(model && { heard: model.heard }) });
