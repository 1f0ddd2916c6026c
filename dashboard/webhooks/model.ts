import { computed, signal } from '@preact/signals';
import { mapAtOnce } from '#kernel/limits/at-once.ts';
import { makeActing, type Say } from '../lib/acting.ts';
import { RefusedError, type Call } from '../lib/call.ts';
import type { Answer, LogEvent, Webhook, WebhookEvent, WebhookHealth } from '../lib/operations.ts';
import { makeChoosing } from '../lib/webhooks/choosing.ts';

type WebhooksDeps = Readonly<{
  call: Call;
  first: readonly Webhook[];
  catalogue: readonly WebhookEvent[];
  newKey(): string;
  later(run: () => void): void;
  say: Say;
}>;

/** Why the form was refused, and the field that is wrong, or `form` for the whole. */
export type FormProblem = Readonly<{ field: 'url' | 'events' | 'form'; message: string }>;

/** An endpoint that has just been created, with the secret that is shown only once. */
type Made = Answer<'create_webhook'>;

/** How many endpoints to read at the same time. */
const AT_ONCE = 4;

export function makeWebhooks({ call, first, catalogue, newKey, later, say }: WebhooksDeps) {
  const endpoints = signal(first);
  const health = signal<ReadonlyMap<string, WebhookHealth>>(new Map());
  const made = signal<Made | undefined>(undefined);
  const problem = signal<FormProblem | undefined>(undefined);
  const choosing = makeChoosing(catalogue);
  const delivered = new Set<string>();
  let isListStale = false;
  const { isBusy, act } = makeActing({ call, newKey, say });

  async function readHealth(ids: readonly string[] = endpoints.value.map(({ id }) => id)): Promise<void> {
    await mapAtOnce(ids, AT_ONCE, async (id) => {
      const { stats } = await call('get_webhook', { webhook_id: id });
      health.value = new Map(health.value).set(id, stats);
    });
  }

  async function refresh(): Promise<void> {
    endpoints.value = (await call('list_webhooks', {})).data;
    await readHealth();
  }

  /** A delivery changes only the numbers of its own endpoint. */
  async function refreshChanged(): Promise<void> {
    const [ids, isWhole] = [[...delivered], isListStale];
    delivered.clear();
    isListStale = false;
    // After a failure, the next change reads everything again.
    await (isWhole ? refresh() : readHealth(ids)).catch(() => void (isListStale = true));
  }

  return {
    isBusy,
    choosing,
    endpoints: computed(() => endpoints.value),
    healthOf: (id: string) => health.value.get(id),
    made: computed(() => made.value),
    problem: computed(() => problem.value),

    readHealth: () => readHealth().catch(() => undefined),

    /** Returns true if the endpoint was created. */
    async create(url: string): Promise<boolean> {
      problem.value = undefined;
      const events = choosing.names.value;
      if (events.length === 0) {
        problem.value = { field: 'events', message: 'Choose at least one event.' };
        return false;
      }
      const isDone = await act(async (callOnce) => {
        try {
          made.value = await callOnce('create_webhook', { url, events });
        } catch (error) {
          if (!(error instanceof RefusedError) || typeof error.meta['field'] !== 'string') throw error;
          const { field } = error.meta;
          problem.value = { field: field === 'url' || field === 'events' ? field : 'form', message: error.message };
        }
        return undefined;
      });
      if (!isDone || problem.value !== undefined) return false;
      choosing.reset([]);
      await refresh().catch(() => undefined);
      return true;
    },
    /** Hides the secret after the person has saved it elsewhere. */
    forget: () => void (made.value = undefined),

    heard({ category, action, resource_id }: LogEvent): void {
      if (category !== 'webhook') return;
      if (action === 'delivery' && resource_id !== null) delivered.add(resource_id);
      else isListStale = true;
      later(() => void refreshChanged());
    },
  };
}
