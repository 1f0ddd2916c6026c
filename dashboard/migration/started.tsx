import type { JSX } from 'preact';
import { ask } from '../lib/confirm.tsx';
import { Copy } from '../lib/forms.tsx';
import { Time } from '../lib/parts.tsx';
import { Assessment } from './assessment.tsx';
import { cureOf, type makeMigration, type Provider } from './model.ts';

type Model = ReturnType<typeof makeMigration>;
type StartedProps = Readonly<{ model: Model; provider: Provider }>;

/** The steps after the start, up to the end. */
export function Started({ model, provider }: StartedProps): JSX.Element {
  const { assessment, assessment_error, assessed_at, key_hint } = model.migration.value;
  return (
    <>
      <section class="card narrow target" aria-labelledby="look">
        <h2 id="look">2. What comes, and what stays</h2>
        <p class="hint">
          Read with the key <code>{key_hint}</code>
          {assessed_at !== null && (
            <>
              , last <Time at={assessed_at} />
            </>
          )}
        </p>
        {assessment_error !== null && (
          <p class="refusal" role="alert">
            {cureOf(assessment_error)}
          </p>
        )}
        {assessment !== null && <Assessment assessment={assessment} provider={provider} />}
        <div class="actions">
          <button type="button" aria-disabled={model.isBusy.value} onClick={() => void model.look()}>
            {model.isBusy.value ? 'Reading …' : 'Read the accounts again'}
          </button>
        </div>
      </section>
      <Point model={model} provider={provider} />
      <Connect model={model} />
      <section class="card narrow" aria-labelledby="stop">
        <h2 id="stop">Stop</h2>
        <p class="hint">Stop it when your programs no longer need the provider, or to start again with another key.</p>
        <button type="button" aria-disabled={model.isBusy.value} onClick={() => askToStop(model, provider)}>
          Stop the migration
        </button>
      </section>
    </>
  );
}

const askToStop = (model: Model, provider: Provider): void =>
  ask(() => ({
    title: `Stop the migration from ${provider.title}?`,
    yes: 'Stop',
    text: 'Programs that still use the address of the migration are refused at once, and the key is erased. Accounts that are connected here stay connected.',
    isBusy: model.isBusy.value,
    run: model.stop,
  }));

function Point({ model, provider: { title } }: StartedProps): JSX.Element {
  const { base_url, forwarded_calls: calls } = model.migration.value;
  return (
    <section class="card narrow" aria-labelledby="point">
      <h2 id="point">3. Point your programs here</h2>
      <p class="hint">
        Give them this address in place of that of {title}, and change nothing else: each request with the same key goes
        on to {title}, and its answer comes back as it is.
      </p>
      <Copy what="the address" text={base_url ?? ''} />
      <p>
        {calls === 0 ? 'No request came yet.' : `Requests that were passed on: ${calls.toLocaleString('en')}.`}{' '}
        <small>
          With code: <code>docs/migrate.md</code>
        </small>
      </p>
    </section>
  );
}

function Connect({ model }: Pick<StartedProps, 'model'>): JSX.Element {
  const { assessment, cut_over: done } = model.migration.value;
  const all = assessment?.servable_accounts ?? 0;
  return (
    <section class="card narrow" aria-labelledby="connect">
      <h2 id="connect">4. Connect the accounts</h2>
      <p id="moved">{assessment === null ? `Connected here: ${done}` : `Connected here: ${done} of ${all}`}</p>
      {all > 0 && <progress aria-labelledby="moved" max={all} value={done} />}
      <p class="hint">
        Each account is connected anew, since only its owner can agree to that. It is recognised by its platform and its
        name or address.
      </p>
      <a class="button" href="/dashboard/accounts#connect">
        Connect an account
      </a>
    </section>
  );
}
