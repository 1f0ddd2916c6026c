import { Fragment, type JSX } from 'preact';
import type { DeliveryDetail } from '../lib/operations.ts';
import { Time, Trouble } from '../lib/parts.tsx';
import type { Deliveries } from './deliveries.ts';

type Attempt = DeliveryDetail['attempts'][number];
type DetailProps = Readonly<{ deliveries: Deliveries; id: string; endpoint: string }>;

/** One delivery: what was sent, and the result of each attempt. */
export function Detail({ deliveries, id, endpoint }: DetailProps): JSX.Element {
  const { detail, problem } = deliveries.opened.value ?? {};
  if (problem !== undefined) return <Trouble text={problem} again={() => deliveries.open(id)} />;
  if (detail === undefined) return <div class="skeleton" aria-busy="true" />;
  const isTest = detail.description === 'Test delivery';
  const last = detail.attempts.findLast(({ request_headers }) => request_headers !== null);
  return (
    <section class="detail" aria-label={`Delivery of ${detail.event_type}`}>
      {detail.status === 'failed' && <Cure detail={detail} isTest={isTest} />}
      <Attempts attempts={detail.attempts} />
      {detail.attempts.length > 0 && detail.next_attempt_at !== null && (
        <p>
          The next attempt is due <Time at={detail.next_attempt_at} />.
        </p>
      )}
      <h3>Request</h3>
      {last?.request_headers ? (
        <>
          <p class="hint">
            The headers of attempt {last.attempt_number}, computed again from the body that is kept and the time that
            was signed.
          </p>
          <Headers headers={last.request_headers} />
        </>
      ) : (
        detail.payload !== null &&
        detail.attempts.length > 0 && (
          <p class="quiet">
            {detail.attempts.every(({ status_code }) => status_code === null)
              ? 'Its headers are not shown, as no request left so far.'
              : 'Its headers are not shown, as an older version sent it.'}
          </p>
        )
      )}
      {detail.payload === null ? (
        <p class="quiet">Its body is no longer kept.</p>
      ) : (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by the keyboard
        <pre class="card" tabIndex={0} role="group" aria-label="Body">
          <code>{JSON.stringify(detail.payload, undefined, 2)}</code>
        </pre>
      )}
      <p>
        <small>
          Delivery <code>{id}</code> of endpoint <code>{endpoint}</code>
        </small>
      </p>
      {!isTest && detail.status !== 'pending' && (
        <button type="button" aria-disabled={deliveries.isBusy.value} onClick={() => void deliveries.retry(id)}>
          Send it again
        </button>
      )}
    </section>
  );
}

type CureProps = Readonly<{ detail: DeliveryDetail; isTest: boolean }>;

function Cure({ detail: { error_message, response_status_code: code }, isTest }: CureProps): JSX.Element {
  return (
    <div class="refusal">
      <p>
        {isTest ? 'A test is sent once, and this one failed: ' : 'Given up: '}
        {code === null ? (error_message ?? 'no answer came') : `your program answered ${code}, and not 2xx`}.
      </p>
      <p>{cureOf(code, isTest)}</p>
    </div>
  );
}

/** What to check in the receiver. */
function cureOf(code: number | null, isTest: boolean): string {
  if (code === null)
    return 'Check that the program runs, that its address can be reached and that its certificate is valid.';
  if (code === 401 || code === 403)
    return 'Check that the program uses the secret of this endpoint, over the raw body.';
  if (code === 404 || code === 410) return 'Check the path of the address.';
  if (code >= 300 && code < 400) return 'Redirects are not followed: change the address to where it leads.';
  return `Look in the log of the program for what went wrong, fix it, then send ${isTest ? 'another test' : 'this again'}.`;
}

function Headers({ headers }: Readonly<{ headers: Readonly<Record<string, string>> }>): JSX.Element {
  return (
    <dl class="stacked">
      {Object.entries(headers).map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>
            <code>{value}</code>
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}

function Attempts({ attempts }: Readonly<{ attempts: readonly Attempt[] }>): JSX.Element {
  if (attempts.length === 0) return <p class="quiet">No attempt yet: it is sent within seconds.</p>;
  return (
    <>
      <h3>Attempts</h3>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by the keyboard */}
      <div class="scroll" tabIndex={0} role="group" aria-label="Attempts">
        <table class="attempts">
          <thead>
            <tr>
              <th>Attempt</th>
              <th>When</th>
              <th>Answer</th>
              <th>Took</th>
              <th>What it said</th>
            </tr>
          </thead>
          <tbody>
            {attempts.map((one) => (
              <tr key={one.attempt_number}>
                <td data-title="Attempt">{one.attempt_number}</td>
                <td data-title="When">
                  <Time at={one.created_at} />
                </td>
                <td data-title="Answer">{one.status_code ?? 'none'}</td>
                <td data-title="Took">{one.duration_ms} ms</td>
                <td data-title="What it said">
                  <bdi>{one.error_message ?? one.response_body ?? ''}</bdi>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
