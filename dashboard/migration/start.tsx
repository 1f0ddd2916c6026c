import type { JSX } from 'preact';
import { Form } from '../lib/forms.tsx';
import { openFirst } from '../lib/frame/select.tsx';
import type { makeMigration, Provider } from './model.ts';

type StartProps = Readonly<{
  model: ReturnType<typeof makeMigration>;
  provider: Provider;
  providers: readonly Provider[];
  /** The URL of the sandbox console for the simulated provider. */
  sandbox: string | null;
}>;

/** The form for the provider, its key, and the consent to what Rostra does with the key. */
export function Start({ model, provider, providers, sandbox }: StartProps): JSX.Element {
  const { authorisation } = model.migration.value;
  const problem = model.problem.value;
  return (
    <section class="card narrow" aria-labelledby="start">
      <h2 id="start">1. Start</h2>
      <div class="field">
        <label htmlFor="provider">Provider</label>
        <select
          id="provider"
          value={provider.name}
          onKeyDown={openFirst}
          onChange={({ currentTarget }) =>
            location.assign(`/dashboard/migration?provider=${encodeURIComponent(currentTarget.value)}`)
          }
        >
          {providers.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </div>
      <Form onFilled={({ key = '' }) => model.start(key)}>
        <div class="field">
          <label htmlFor="key">API key of {provider.title}</label>
          <p class="hint" id="key-hint">
            One that may read everything. It is kept encrypted.
            {sandbox !== null && (
              <>
                {' '}
                In the sandbox, {provider.title} is simulated: <a href={sandbox}>its console</a> has keys to try.
              </>
            )}
          </p>
          <input
            id="key"
            name="key"
            type="password"
            required
            maxLength={1024}
            autocomplete="off"
            spellcheck={false}
            aria-describedby="key-hint key-problem"
            aria-invalid={problem === undefined ? undefined : true}
          />
          <p class="bad" id="key-problem" role="alert">
            {problem}
          </p>
        </div>
        <label class="tick">
          <input type="checkbox" name="accepted" required />
          <span>{authorisation.text}</span>
        </label>
        <button class="primary" aria-disabled={model.isBusy.value}>
          {model.isBusy.value ? 'Reading the accounts …' : 'Start'}
        </button>
      </Form>
    </section>
  );
}
