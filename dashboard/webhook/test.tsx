import type { JSX } from 'preact';
import type { Answer, WebhookEvent } from '../lib/operations.ts';
import { Icon } from '../lib/parts.tsx';
import type { Testing } from './testing.ts';

type TestProps = Readonly<{
  testing: Testing;
  catalogue: readonly WebhookEvent[];
  /** Shows a delivery in the list. */
  see(id: string): void;
}>;

/** Sends a sample event, which can be edited first. */
export function Test({ testing, catalogue, see }: TestProps): JSX.Element {
  const { event, body, isBusy, problem, result } = testing;
  return (
    <section class="card narrow" aria-labelledby="test">
      <h2 id="test">Send a test</h2>
      <form
        class="option"
        onSubmit={(submitted) => {
          submitted.preventDefault();
          void testing.send();
        }}
      >
        <label htmlFor="event">Event</label>
        <select id="event" value={event.value} onChange={({ currentTarget }) => testing.choose(currentTarget.value)}>
          {catalogue.map((one) => (
            <option key={one.event}>{one.event}</option>
          ))}
        </select>
        <label htmlFor="body">Body, as JSON</label>
        <textarea
          id="body"
          class="code"
          spellcheck={false}
          rows={8}
          value={body.value}
          aria-describedby="body-problem"
          onInput={({ currentTarget }) => testing.type(currentTarget.value)}
        />
        <p class="bad" id="body-problem" role="alert">
          {problem.value}
        </p>
        <div class="actions">
          <button class="primary" aria-disabled={isBusy.value}>
            {isBusy.value ? 'Sending …' : 'Send test'}
          </button>
          <button type="button" onClick={testing.restore}>
            Back to the sample
          </button>
        </div>
      </form>
      <div role="status">{result.value !== undefined && <Result result={result.value} see={see} />}</div>
    </section>
  );
}

type ResultProps = Readonly<{ result: Answer<'test_webhook'>; see(id: string): void }>;

function Result({ result, see }: ResultProps): JSX.Element {
  const { status, response_status_code: code, response_duration_ms: took, error_message, delivery_id } = result;
  return (
    <div class={status === 'delivered' ? 'note fine' : 'refusal'}>
      <p>
        <Icon name={status === 'delivered' ? 'published' : 'failed'} />{' '}
        {status === 'delivered' ? 'It arrived' : 'It did not arrive'}:{' '}
        {code === 0 ? (error_message ?? 'no answer') : `answered ${code} after ${took} ms`}.
      </p>
      <button type="button" class="small" onClick={() => see(delivery_id)}>
        See the request
      </button>
    </div>
  );
}
