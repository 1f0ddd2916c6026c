import { useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import type { PlatformSetup } from '#kernel/config/platform-setup.ts';
import { pressKey } from '../lib/call.ts';
import { ask } from '../lib/confirm.tsx';
import { Form } from '../lib/forms.tsx';
import { Time, Trouble } from '../lib/parts.tsx';
import { call } from '../lib/shell.tsx';
import { say } from '../lib/toasts.tsx';
import { makeOwnApp } from './own-app-model.ts';

const model = makeOwnApp({ call, newKey: pressKey, say });

const FIELDS = [
  { name: 'client_id', label: 'Client ID', required: true },
  { name: 'client_secret', label: 'Client secret', required: true },
  { name: 'consumer_key', label: 'API key, to get pushes', required: false },
  { name: 'consumer_secret', label: 'API key secret', required: false },
];

/** Whether accounts can be connected only after an app has been entered. */
export const isAppMissing = model.isMissing;

export function enterApp(): void {
  const field = document.getElementById('app-client_id');
  field?.closest('details')?.setAttribute('open', '');
  field?.focus();
}

/** The workspace's own app, for platforms that bill the owner of the app. */
export function OwnApp({ setup: { title, platform, isSandbox } }: Readonly<{ setup: PlatformSetup }>): JSX.Element {
  useEffect(() => void model.read(), []);
  const app = model.app.value;
  return (
    <details>
      <summary>{app === null ? 'Your app: none yet' : 'Your app'}</summary>
      <p>
        {title} is used with an app of your own.{' '}
        {isSandbox && (
          <>
            People of the sandbox have one each: <a href={`/sandbox/${platform}`}>see them</a>.
          </>
        )}
      </p>
      <Problem />
      {app && (
        <>
          <p>
            Client ID <code>{app.client_id_hint}</code>, stored <Time at={app.updated_at} />
          </p>
          <div class="actions">
            <button type="button" aria-disabled={model.isBusy.value} onClick={() => void model.test()}>
              Test it
            </button>
            <button
              type="button"
              onClick={() =>
                ask(() => ({
                  title: `Remove your app of ${title}?`,
                  yes: 'Remove',
                  text: 'Its secrets are deleted, and accounts of this app must be connected again.',
                  isBusy: model.isBusy.value,
                  run: model.remove,
                }))
              }
            >
              Remove it
            </button>
          </div>
        </>
      )}
      {app !== undefined && <Fields isThere={app !== null} />}
    </details>
  );
}

function Problem(): JSX.Element | null {
  const problem = model.problem.value;
  return problem === undefined ? null : <Trouble text={`Your app could not be read: ${problem}`} again={model.read} />;
}

function Fields({ isThere }: Readonly<{ isThere: boolean }>): JSX.Element {
  return (
    <Form onFilled={model.store}>
      {FIELDS.map(({ name, label, required }) => (
        <div class="field" key={name}>
          <label htmlFor={`app-${name}`}>
            {label} {!required && <small>(optional)</small>}
          </label>
          <input
            id={`app-${name}`}
            name={name}
            required={required}
            spellcheck={false}
            {...(name.endsWith('_secret')
              ? { type: 'password', autocomplete: 'new-password' }
              : { type: 'text', autocomplete: 'off' })}
          />
        </div>
      ))}
      <button aria-disabled={model.isBusy.value}>{isThere ? 'Replace the app' : 'Store the app'}</button>
    </Form>
  );
}
