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

/** One endpoint: its state, its settings and its deletion. */
export function makeWebhook({ call, first, catalogue, newKey, later, say, leave }: WebhookDeps) {
  const endpoint = signal(first);
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

    /** Stores the URL and the chosen events. */
    async edit(url: string): Promise<void> {
      problem.value = undefined;
      const events = choosing.names.value;
      if (events.length === 0) {
        problem.value = 'Choose at least one event.';
        return;
      }
      await act(async (callOnce) => {
        try {
          await callOnce('update_webhook', { webhook_id, url, events });
        } catch (error) {
          if (!(error instanceof RefusedError) || typeof error.meta['field'] !== 'string') throw error;
          problem.value = error.message;
          return undefined;
        }
        await refresh();
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
