import type { JSX } from 'preact';
import type { Delivery, WebhookEvent } from '../lib/operations.ts';
import { Time } from '../lib/parts.tsx';
import { Select } from '../lib/frame/select.tsx';
import { LinkTabs } from '../lib/frame/tabs.tsx';
import { DeliveryState } from '../lib/webhooks/badges.tsx';
import type { Deliveries } from './deliveries.ts';
import { Detail } from './detail.tsx';
import { counted } from '#kernel/people/counted.ts';

const VIEWS = [
  { view: '', title: 'All', empty: 'Nothing was sent yet. Send a test, or wait for the first event.' },
  { view: 'pending', title: 'Waiting', empty: 'Nothing is waiting to be sent.' },
  { view: 'delivered', title: 'Delivered', empty: 'Nothing was delivered yet.' },
  { view: 'failed', title: 'Given up', empty: 'Nothing was given up.' },
] as const;

const query = new URLSearchParams(location.search);
const current = VIEWS.find(({ view }) => view === query.get('view')) ?? VIEWS[0];
const chosen = query.get('event') ?? '';

function addressOf(view: string, event: string): string {
  const fields = new URLSearchParams(Object.entries({ view, event }).filter(([, value]) => value !== ''));
  return `${location.pathname}?${fields}#deliveries`;
}

/** Keeps the id of the open delivery in the URL. */
function keep(id: string | undefined): void {
  const fields = new URLSearchParams(location.search);
  if (id === undefined) fields.delete('delivery');
  else fields.set('delivery', id);
  history.replaceState(null, '', `${location.pathname}?${fields}`);
}

/** Opens a delivery and moves the focus to it, unless the focus has moved elsewhere during the request. */
export const openRow =
  (deliveries: Deliveries) =>
  (id: string): void => {
    keep(id);
    const pressed = document.activeElement;
    const row = () => document.getElementById(`row-${id}`);
    const isListed = row() !== null;
    row()?.focus();
    void deliveries.open(id).then(() => {
      if (!isListed && document.activeElement === pressed) row()?.focus();
    });
  };

type ListProps = Readonly<{ deliveries: Deliveries; catalogue: readonly WebhookEvent[]; endpoint: string }>;

/** The list of deliveries; the open one shows its request and attempts. */
export function DeliveryList({ deliveries, catalogue, endpoint }: ListProps): JSX.Element {
  const { hasMore, newCount, problem } = deliveries;
  const rows = deliveries.deliveries.value;
  return (
    <section aria-labelledby="deliveries">
      <header class="bar">
        <h2 id="deliveries">Deliveries</h2>
        <LinkTabs
          title="State of deliveries"
          tabs={VIEWS}
          current={current.view}
          hrefOf={(view) => addressOf(view, chosen)}
        />
        <div class="filters">
          <Select
            title="Event"
            value={chosen}
            all="All events"
            options={catalogue.map(({ event }) => [event, event])}
            onChosen={(event) => location.assign(addressOf(current.view, event))}
          />
        </div>
      </header>
      {newCount.value > 0 && (
        <button type="button" onClick={deliveries.showNew}>
          Show {newCount.value} new
        </button>
      )}
      {rows.length === 0 ? (
        <p class="empty">{current.empty}</p>
      ) : (
        <ul class="rows card">
          {rows.map((one) => (
            <Row key={one.id} delivery={one} deliveries={deliveries} endpoint={endpoint} />
          ))}
        </ul>
      )}
      {problem.value !== undefined && (
        <p class="refusal" role="alert">
          {problem.value}
        </p>
      )}
      {hasMore.value && (
        <button type="button" onClick={() => void deliveries.more()}>
          Show more
        </button>
      )}
    </section>
  );
}

type RowProps = Readonly<{ delivery: Delivery; deliveries: Deliveries; endpoint: string }>;

function Row({ delivery, deliveries, endpoint }: RowProps): JSX.Element {
  const { id, event_type, attempt_count, created_at, description } = delivery;
  const isOpen = deliveries.opened.value?.id === id;
  return (
    <li>
      <div>
        <button
          type="button"
          id={`row-${id}`}
          class="link"
          aria-expanded={isOpen}
          onClick={() => {
            keep(isOpen ? undefined : id);
            if (isOpen) deliveries.close();
            else void deliveries.open(id);
          }}
        >
          {event_type}
        </button>
        <br />
        <small>
          <Time at={created_at} />
          {attempt_count > 0 && `, ${counted(attempt_count, 'attempt')}`}
          {answerOf(delivery)}
          {description !== null && `. ${description}`}
        </small>
      </div>
      <DeliveryState delivery={delivery} />
      {isOpen && <Detail deliveries={deliveries} id={id} endpoint={endpoint} />}
    </li>
  );
}

function answerOf({ attempt_count, response_status_code: code, response_duration_ms: took }: Delivery): string {
  if (attempt_count === 0) return '';
  return code === null ? ', no answer' : `, answered ${code} after ${took} ms`;
}
