import { computed, signal } from '@preact/signals';
import { makeActing, type Say } from '../lib/acting.ts';
import type { Call } from '../lib/call.ts';
import type { Answer } from '../lib/operations.ts';
import { sampleOf } from './samples.ts';

type TestingDeps = Readonly<{
  call: Call;
  webhook_id: string;
  event: string;
  newKey(): string;
  say: Say;
  /** Called after a test has been sent, whatever its result. */
  sent(): Promise<unknown>;
}>;

const UNANSWERED =
  'No answer came, so the test may have been sent: look at the deliveries. Pressing again sends another.';

export function makeTesting({ call, webhook_id, event: first, newKey, say, sent }: TestingDeps) {
  const event = signal(first);
  const typed = signal<ReadonlyMap<string, string>>(new Map());
  const result = signal<Answer<'test_webhook'> | undefined>(undefined);
  const problem = signal<string | undefined>(undefined);
  const { isBusy, act } = makeActing({ call, newKey, say, unanswered: UNANSWERED });
  const body = computed(() => typed.value.get(event.value) ?? sampleOf(event.value));

  return {
    isBusy,
    event: computed(() => event.value),
    body,
    result: computed(() => result.value),
    problem: computed(() => problem.value),

    choose(name: string): void {
      event.value = name;
      problem.value = undefined;
    },
    type: (text: string) => void (typed.value = new Map(typed.value).set(event.value, text)),
    restore(): void {
      const kept = new Map(typed.value);
      kept.delete(event.value);
      typed.value = kept;
      problem.value = undefined;
    },

    async send(): Promise<void> {
      problem.value = undefined;
      let payload: unknown;
      try {
        payload = JSON.parse(body.value);
      } catch (error) {
        problem.value = `The body is not JSON: ${(error as Error).message}`;
        return;
      }
      result.value = undefined;
      await act(async (callOnce) => {
        result.value = await callOnce('test_webhook', { webhook_id, event_type: event.value, payload });
        return undefined;
      });
      await sent();
    },
  };
}

export type Testing = ReturnType<typeof makeTesting>;
