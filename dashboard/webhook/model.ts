import { computed, signal } from '@preact/signals';
import { makeActing, type Say } from '../lib/acting.ts';
import { RefusedError, type Call } from '../lib/call.ts';
import type { Answer, LogEvent, WebhookEvent } from '../lib/operations.ts';
import { makeChoosing } from '../lib/webhooks/choosing.ts';

type WebhookDeps = Readonly<{
  call: Call;
  first: Answer<'get_webhook'>;
  catalogue: readonly WebhookEvent[];
  newKey(): string;
  later(run: () => void): void;
  say: Say;
  /** Goes back to the list with a message. */
  leave(words: string): void;
}>;

type Settings = Readonly<Pick<Answer<'get_webhook'>, 'url' | 'events'>>;
const FIELDS = ['url', 'events'] as const;
const TITLES = { url: 'the address', events: 'the events' };

const isSame = (one: string | readonly string[], other: string | readonly string[]): boolean =>
  [one].flat().toSorted().join() === [other].flat().toSorted().join();

const pick = (from: Settings, fields: readonly (typeof FIELDS)[number][]): Partial<Settings> =>
  Object.fromEntries(fields.map((field) => [field, from[field]]));

/** One endpoint: its state, its settings and its deletion. */
export function makeWebhook({ call, first, catalogue, newKey, later, say, leave }: WebhookDeps) {
  const endpoint = signal(first);
  /** The settings as the form shows them, and as they were stored then: others may change them meanwhile. */
  let form: Settings = first;
  let known: Settings = first;
  const problem = signal<string | undefined>(undefined);
  const choosing = makeChoosing(catalogue, first.events);
  const { isBusy, act } = makeActing({ call, newKey, say });
  const webhook_id = first.id;
  let isGone = false;

  async function refresh(): Promise<void> {
    if (isGone) return;
    endpoint.value = await call('get_webhook', { webhook_id });
  }

  return {
    isBusy,
    choosing,
    endpoint: computed(() => endpoint.value),
    problem: computed(() => problem.value),
    refresh: () => refresh().catch(() => undefined),

    async turn(is_active: boolean): Promise<void> {
      await act(async (callOnce) => {
        await callOnce('update_webhook', { webhook_id, is_active });
        await refresh();
        return is_active ? 'Switched on: events are sent from now on.' : 'Paused: nothing is sent or kept for later.';
      });
    },

    /** Stores what the person changed in the form. What somebody else changed as well is replaced only the second time. */
    async edit(url: string): Promise<void> {
      problem.value = undefined;
      const events = choosing.names.value;
      if (events.length === 0) {
        problem.value = 'Choose at least one event.';
        return;
      }
      const filled: Settings = { url, events: [...events] };
      const changed = FIELDS.filter((field) => !isSame(filled[field], form[field]));
      await act(async (callOnce) => {
        await refresh();
        const theirs = endpoint.value;
        const clashes = changed.filter(
          (field) => !isSame(theirs[field], known[field]) && !isSame(theirs[field], filled[field]),
        );
        known = { ...known, ...pick(theirs, clashes) };
        if (clashes.length > 0) {
          const what = clashes.map((field) => TITLES[field]).join(' and ');
          problem.value = `Somebody else has changed ${what} meanwhile, as shown above. Save again to replace that.`;
          return undefined;
        }
        try {
          if (changed.length > 0) await callOnce('update_webhook', { webhook_id, ...pick(filled, changed) });
        } catch (error) {
          if (!(error instanceof RefusedError) || typeof error.meta['field'] !== 'string') throw error;
          problem.value = error.message;
          return undefined;
        }
        await refresh();
        form = { ...form, ...pick(filled, changed) };
        known = { ...known, ...pick(endpoint.value, changed) };
        return 'Saved.';
      });
    },

    async remove(): Promise<void> {
      await act(async (callOnce) => {
        await callOnce('delete_webhook', { webhook_id });
        isGone = true;
        leave('The endpoint is deleted.');
        return undefined;
      });
    },

    heard({ category, resource_id }: LogEvent): void {
      if (category === 'webhook' && resource_id === webhook_id) later(() => void refresh().catch(() => undefined));
    },
  };
}
