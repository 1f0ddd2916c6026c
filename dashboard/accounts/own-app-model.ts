import { computed, signal } from '@preact/signals';
import { makeActing, type Say } from '../lib/acting.ts';
import type { Call } from '../lib/call.ts';
import type { Answer, Input } from '../lib/operations.ts';

type OwnAppDeps = Readonly<{ call: Call; newKey(): string; say: Say }>;
type App = Answer<'list_twitter_credentials'>['data'][number];

/** The app that the workspace itself registered with the platform. */
export function makeOwnApp({ call, newKey, say }: OwnAppDeps) {
  const app = signal<App | null | undefined>(undefined);
  const isMissing = signal(false);
  const problem = signal<string | undefined>(undefined);
  const { isBusy, act } = makeActing({ call, newKey, say });

  async function read(): Promise<void> {
    problem.value = undefined;
    try {
      const { data } = await call('list_twitter_credentials', {});
      isMissing.value = data.length === 0;
      app.value = data.find(({ brand_id }) => brand_id === null) ?? null;
    } catch (error) {
      problem.value = (error as Error).message;
    }
  }

  async function change(run: (callOnce: Call) => Promise<string>): Promise<boolean> {
    const isDone = await act(run);
    await read();
    return isDone;
  }

  return {
    isBusy,
    /** Undefined until it has been read; null if there is none. */
    app: computed(() => app.value),
    /** Whether neither the workspace nor any of its brands has an app. */
    isMissing: computed(() => isMissing.value),
    /** Why the app could not be read. */
    problem: computed(() => problem.value),
    read,

    store: (fields: Readonly<Record<string, string>>) =>
      change(async (callOnce) => {
        await callOnce('set_twitter_credentials', fields as Input<'set_twitter_credentials'>);
        return 'Stored. Accounts keep the app they were connected with until they are connected again.';
      }),

    test: () =>
      act(async (callOnce) => {
        const { valid, reason } = await callOnce('test_twitter_credentials', {});
        return valid ? 'The platform accepts the app.' : `The platform does not accept the app: ${reason}`;
      }),

    remove: () =>
      change(async (callOnce) => {
        await callOnce('delete_twitter_credentials', {});
        return 'Removed. Accounts of this app must be connected again.';
      }),
  };
}
