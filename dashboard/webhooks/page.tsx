import { useEffect, useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import { pressKey } from '../lib/call.ts';
import { makeSettling } from '../lib/debounce.ts';
import { Copy, Form } from '../lib/forms.tsx';
import type { Webhook, WebhookEvent } from '../lib/operations.ts';
import { firstAnswer } from '../lib/page.ts';
import { Icon, Time, Zone } from '../lib/parts.tsx';
import { call, show } from '../lib/shell.tsx';
import { say } from '../lib/toasts.tsx';
import { EndpointState, Health } from '../lib/webhooks/badges.tsx';
import { AddressField } from '../lib/webhooks/address-field.tsx';
import { EventsField } from '../lib/webhooks/events-field.tsx';
import { Verifying } from '../lib/webhooks/verifying.tsx';
import { makeWebhooks, type FormProblem } from './model.ts';

type Listed<T> = Readonly<{ data: readonly T[] }>;

const endpoints = firstAnswer<Listed<Webhook>>('list_webhooks').data;
const hasEndpoints = endpoints.length > 0;
const model = makeWebhooks({
  call,
  first: endpoints,
  catalogue: firstAnswer<Listed<WebhookEvent>>('events').data,
  newKey: pressKey,
  later: makeSettling(),
  say,
});

function Page(): JSX.Element {
  useEffect(() => void model.readHealth(), []);
  const { endpoints, made } = model;
  return (
    <div class="wide">
      <header class="bar">
        <h1>Webhooks</h1>
        <Zone />
      </header>
      {made.value !== undefined && <Made made={made.value} />}
      {endpoints.value.length === 0 ? <Empty /> : <List />}
      <Create />
      <Verifying />
    </div>
  );
}

function Empty(): JSX.Element {
  return (
    <div class="empty">
      <Icon name="webhooks" />
      <p>There are no webhooks yet. Add the address of your program below.</p>
      <p>To try webhooks on this machine, start a receiver in the folder of the server. It says what to do next:</p>
      <Copy what="the command" text="npm run receiver" />
    </div>
  );
}

function List(): JSX.Element {
  return (
    <ul class="rows card" aria-label="Endpoints">
      {model.endpoints.value.map((endpoint) => (
        <Row key={endpoint.id} endpoint={endpoint} />
      ))}
    </ul>
  );
}

function Row({ endpoint: { id, url, events, is_active } }: Readonly<{ endpoint: Webhook }>): JSX.Element {
  const health = model.healthOf(id);
  const lost = health?.last_7d.failed ?? 0;
  return (
    <li>
      <div>
        <a class="broken" href={`/dashboard/webhooks/${id}`}>
          {url}
        </a>
        <br />
        <small>{events.length === 1 ? events[0] : `${events.length} events`}</small>
        {health !== undefined && (
          <p>
            <small>
              <Health health={health} />
            </small>
          </p>
        )}
        {lost > 0 && (
          <a href={`/dashboard/webhooks/${id}?view=failed`} aria-label={`See what was given up: ${url}`}>
            See what was given up
          </a>
        )}
      </div>
      <EndpointState isActive={is_active} />
    </li>
  );
}

function Made({ made }: Readonly<{ made: NonNullable<typeof model.made.value> }>): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [made.id]);
  return (
    <section class="card secret" aria-labelledby="made">
      <h2 id="made" tabIndex={-1} ref={heading}>
        Keep this secret now: it is not shown again
      </h2>
      <p>
        Your program checks with it that a request comes from here. It belongs to <code>{made.url}</code>, added{' '}
        <Time at={made.created_at} />.
      </p>
      <Copy what="the secret" text={made.secret} />
      <div class="actions">
        <button type="button" class="primary" onClick={model.forget}>
          I have kept it
        </button>
        <a class="button" href={`/dashboard/webhooks/${made.id}#test`}>
          I have kept it: send a test
        </a>
      </div>
    </section>
  );
}

function Create(): JSX.Element {
  const problem = model.problem.value;
  const about = (field: FormProblem['field']) => (problem?.field === field ? problem.message : undefined);
  return (
    <details open={!hasEndpoints}>
      <summary>Add an endpoint</summary>
      <Form class="card" onFilled={({ url = '' }) => model.create(url)}>
        <AddressField
          hint="An https:// address of your program, which must answer 2xx within 10 seconds."
          placeholder="https://"
          problem={about('url')}
        />
        <EventsField choosing={model.choosing} legend="Events" />
        <p class="bad" role="alert">
          {about('events')}
        </p>
        <p class="bad" role="alert">
          {about('form')}
        </p>
        <button class="primary" aria-disabled={model.isBusy.value}>
          {model.isBusy.value ? 'Adding …' : 'Add endpoint'}
        </button>
      </Form>
    </details>
  );
}

show({ Page, heard: model.heard });
