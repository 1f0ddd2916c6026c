import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import type { PlatformSetup } from '#kernel/config/platform-setup.ts';
import { makeActing } from '../lib/acting.ts';
import { pressKey } from '../lib/call.ts';
import { Form } from '../lib/forms.tsx';
import type { Answer, Input } from '../lib/operations.ts';
import { Time } from '../lib/parts.tsx';
import { call } from '../lib/shell.tsx';
import { say } from '../lib/toasts.tsx';

/** The app of the workspace; undefined before it is read, null if there is none. */
const app = signal<Answer<'list_twitter_credentials'>['data'][number] | null | undefined>(undefined);
const { isBusy, act } = makeActing({ newKey: pressKey, say });

async function read(): Promise<void> {
  const { data } = await call('list_twitter_credentials', {});
  app.value = data.find(({ brand_id }) => brand_id === null) ?? null;
}

const change = async (run: (key: string) => Promise<string>): Promise<boolean> => {
  const isDone = await act(run);
  await read().catch(() => undefined);
  return isDone;
};

const store = (fields: Readonly<Record<string, string>>) =>
  change(async (key) => {
    await call('set_twitter_credentials', fields as Input<'set_twitter_credentials'>, key);
    return 'Stored. Accounts keep the app they were connected with until they are connected again.';
  });

const test = () =>
  act(async (key) => {
    const { valid, reason } = await call('test_twitter_credentials', {}, key);
    return valid ? 'The platform takes the app.' : `The platform does not take the app: ${reason}`;
  });

const remove = () =>
  change(async (key) => {
    await call('delete_twitter_credentials', {}, key);
    return 'Removed. Accounts of this app must be connected again.';
  });

const FIELDS = [
  { name: 'client_id', label: 'Client ID', required: true },
  { name: 'client_secret', label: 'Client secret', required: true },
  { name: 'consumer_key', label: 'API key, to get pushes', required: false },
  { name: 'consumer_secret', label: 'API key secret', required: false },
];

/** The workspace's own app, on platforms that bill the owner of the app. */
export function OwnApp({ setup: { title, platform, isSandbox } }: Readonly<{ setup: PlatformSetup }>): JSX.Element {
  useEffect(() => void read().catch(() => undefined), []);
  return (
    <details>
      <summary>{app.value ? 'Your app' : 'Your app: none yet'}</summary>
      <p>
        {title} is used with an app of your own.{' '}
        {isSandbox && (
          <>
            People of the sandbox have one each: <a href={`/sandbox/${platform}`}>see them</a>.
          </>
        )}
      </p>
      {app.value && (
        <>
          <p>
            Client ID <code>{app.value.client_id_hint}</code>, stored <Time at={app.value.updated_at} />
          </p>
          <div class="actions">
            <button type="button" aria-disabled={isBusy.value} onClick={() => void test()}>
              Test it
            </button>
            <button type="button" aria-disabled={isBusy.value} onClick={() => void remove()}>
              Remove it
            </button>
          </div>
        </>
      )}
      <Form onFilled={store}>
        {FIELDS.map(({ name, label, required }) => (
          <div class="field" key={name}>
            <label htmlFor={`app-${name}`}>
              {label} {!required && <small>(optional)</small>}
            </label>
            <input id={`app-${name}`} name={name} required={required} autocomplete="off" spellcheck={false} />
          </div>
        ))}
        <button aria-disabled={isBusy.value}>{app.value ? 'Replace the app' : 'Store the app'}</button>
      </Form>
    </details>
  );
}
