import { useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import { pressKey } from '../lib/call.ts';
import { ask } from '../lib/confirm.tsx';
import { makeSettling } from '../lib/debounce.ts';
import { Copy } from '../lib/forms.tsx';
import type { Answer, Input, WebhookEvent } from '../lib/operations.ts';
import { firstAnswer } from '../lib/page.ts';
import { Time, Zone } from '../lib/parts.tsx';
import { showNamed } from '../lib/frame/named.ts';
import { makeTimer } from '../lib/frame/timer.ts';
import { call, show } from '../lib/shell.tsx';
import { say, sayNext } from '../lib/toasts.tsx';
import { EndpointState, Health } from '../lib/webhooks/badges.tsx';
import { Verifying } from '../lib/webhooks/verifying.tsx';
import { DeliveryList, openRow } from './delivery-list.tsx';
import { makeDeliveries } from './deliveries.ts';
import { Edit } from './edit.tsx';
import { makeWebhook } from './model.ts';
import { Again } from './again.tsx';
import { Test } from './test.tsx';
import { makeTesting } from './testing.ts';

const first = firstAnswer<Answer<'get_webhook'>>('get_webhook');
const catalogue = firstAnswer<Readonly<{ data: readonly WebhookEvent[] }>>('events').data;
const model = makeWebhook({
  call,
  first,
  catalogue,
  newKey: pressKey,
  later: makeSettling(),
  say,
  leave(words) {
    sayNext(words);
    location.assign('/dashboard/webhooks');
  },
});

const deliveries = makeDeliveries({
  call,
  input: firstAnswer<Input<'list_webhook_deliveries'>>('input'),
  first: firstAnswer<Answer<'list_webhook_deliveries'>>('list_webhook_deliveries'),
  newKey: pressKey,
  later: makeSettling(1000),
  soon: makeTimer(),
  say,
});
const testing = makeTesting({
  call,
  webhook_id: first.id,
  event: first.events[0] ?? catalogue[0]!.event,
  newKey: pressKey,
  say,
  sent: () => Promise.all([deliveries.reread(), model.refresh()]),
});
const given = new URLSearchParams(location.search).get('delivery');

function Page(): JSX.Element {
  useEffect(() => {
    deliveries.watch();
    if (given !== null) void deliveries.open(given);
    showNamed();
  }, []);
  const { url, is_active } = model.endpoint.value;
  const host = new URL(url).host;
  document.title = `${is_active ? '' : 'Paused: '}${host} · Rostra`;
  return (
    <div class="wide">
      <p>
        <a href="/dashboard/webhooks">All webhooks</a>
      </p>
      <header class="bar">
        <h1 class="broken">{host}</h1>
        <EndpointState isActive={is_active} />
        <Zone />
      </header>
      <Summary />
      <GivenUp />
      <DeliveryList deliveries={deliveries} catalogue={catalogue} endpoint={first.id} />
      <Test testing={testing} catalogue={catalogue} see={openRow(deliveries)} />
      <Again deliveries={deliveries} isActive={is_active} />
      <Edit model={model} />
      <Verifying />
    </div>
  );
}

function Summary(): JSX.Element {
  const { url, events, is_active, secret_hint, stats, created_at } = model.endpoint.value;
  const isBusy = model.isBusy.value;
  return (
    <section class="card target" aria-label="Endpoint">
      <dl>
        <dt>Address</dt>
        <dd>
          <Copy what="the address" text={url} />
        </dd>
        <dt>Events</dt>
        <dd>{events.length < catalogue.length ? events.join(', ') : `all ${events.length}`}</dd>
        <dt>Health</dt>
        <dd>
          <Health health={stats} />
        </dd>
        <dt>Secret</dt>
        <dd>
          <code>{secret_hint}</code>. If you lost it, add the address again and delete this endpoint.
        </dd>
        <dt>Added</dt>
        <dd>
          <Time at={created_at} />
        </dd>
      </dl>
      {!is_active && <p class="note">Paused: nothing is sent or kept for later. A test can still be sent.</p>}
      <div class="actions">
        <button type="button" aria-disabled={isBusy} onClick={() => void model.turn(!is_active)}>
          {is_active ? 'Pause' : 'Switch on'}
        </button>
        <button type="button" aria-disabled={isBusy} onClick={askToDelete}>
          Delete
        </button>
      </div>
    </section>
  );
}

const askToDelete = (): void =>
  ask(() => ({
    title: 'Delete this endpoint?',
    yes: 'Delete',
    text: `Nothing more is sent to ${new URL(model.endpoint.value.url).host}, and the history of its deliveries is removed. This cannot be undone.`,
    isBusy: model.isBusy.value,
    run: model.remove,
  }));

/** Events that were given up after ten attempts, and what to do about them. */
function GivenUp(): JSX.Element | null {
  const { failed } = model.endpoint.value.stats.last_7d;
  if (failed === 0) return null;
  return (
    <section class="refusal" aria-labelledby="given-up">
      <h2 id="given-up">{failed === 1 ? 'One delivery was given up' : `${failed} deliveries were given up`}</h2>
      <p>
        In the last 7 days. An event is given up after ten attempts in 14 hours, a test after one. See what your program
        answered, fix it, then send the events again: one by one, or all since a time.
      </p>
      <div class="actions">
        <a class="button" href="?view=failed#deliveries">
          See them
        </a>
        <a class="button" href="#again">
          Send again since …
        </a>
      </div>
    </section>
  );
}

show({
  Page,
  heard(event) {
    model.heard(event);
    deliveries.heard();
  },
  shortcuts: [{ keys: 'u', does: 'Back to all webhooks', run: () => location.assign('/dashboard/webhooks') }],
});
