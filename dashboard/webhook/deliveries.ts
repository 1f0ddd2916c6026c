import { computed, signal } from '@preact/signals';
import { makeActing, type Say } from '../lib/acting.ts';
import type { Call } from '../lib/call.ts';
import type { Answer, Delivery, DeliveryDetail, Input } from '../lib/operations.ts';
import { cursorAfter } from '../lib/paging.ts';

type DeliveriesDeps = Readonly<{
  call: Call;
  input: Input<'list_webhook_deliveries'>;
  first: Answer<'list_webhook_deliveries'>;
  newKey(): string;
  /** Runs once something may have changed. */
  later(run: () => void): void;
  /** Runs in so many milliseconds, instead of what was to run. */
  soon(run: () => void, ms: number): void;
  say: Say;
}>;

/** What is shown of one delivery: nothing while it is read. */
type Opened = Readonly<{ id: string; detail?: DeliveryDetail; problem?: string }>;

/** When to look again for a delivery that is due now, and for one whose next attempt comes later. */
const DUE_MS = 2000;
const LATER_MS = 20_000;

/** The delivery that is open, with its attempts once they are read. */
function makeOpened(call: Call, webhook_id: string) {
  const opened = signal<Opened | undefined>(undefined);

  async function readDetail(id: string): Promise<void> {
    try {
      const detail = await call('get_webhook_delivery', { webhook_id, delivery_id: id });
      if (opened.value?.id === id) opened.value = { id, detail };
    } catch (error) {
      if (opened.value?.id === id) opened.value = { id, problem: (error as Error).message };
    }
  }

  return { opened, readDetail };
}

/** The deliveries of an endpoint; new ones wait to be shown, so that nothing moves. */
export function makeDeliveries({ call, input, first, newKey, later, soon, say }: DeliveriesDeps) {
  const { webhook_id } = input;
  const deliveries = signal<readonly Delivery[]>(first.data);
  const cursor = signal(cursorAfter(first));
  const fresh = signal<readonly Delivery[]>([]);
  const { opened, readDetail } = makeOpened(call, webhook_id);
  const problem = signal<string | undefined>(undefined);
  const { isBusy, act } = makeActing({ call, newKey, say });

  function watch(): void {
    const pending = deliveries.value.filter(({ status }) => status === 'pending');
    if (pending.length === 0) return;
    const isDue = pending.some(({ attempt_count }) => attempt_count === 0);
    soon(() => void refresh().catch(() => undefined), isDue ? DUE_MS : LATER_MS);
  }

  async function refresh({ isShown = false } = {}): Promise<void> {
    const { data } = await call('list_webhook_deliveries', input);
    const known = new Set(deliveries.value.map(({ id }) => id));
    const read = new Map(data.map((one) => [one.id, one]));
    deliveries.value = deliveries.value.map((one) => read.get(one.id) ?? one);
    const more = data.filter(({ id }) => !known.has(id));
    if (isShown) deliveries.value = [...more, ...deliveries.value];
    fresh.value = isShown ? [] : more;
    const { id, detail } = opened.value ?? {};
    const now = id === undefined ? undefined : read.get(id);
    if (id !== undefined && now !== undefined && now.attempt_count !== detail?.attempt_count) await readDetail(id);
    watch();
  }

  async function open(id: string): Promise<void> {
    opened.value = { id };
    await readDetail(id);
    const { detail } = opened.value;
    // One that an address names may be further down.
    if (detail !== undefined && !deliveries.value.some((one) => one.id === id))
      deliveries.value = [detail, ...deliveries.value];
  }

  return {
    isBusy,
    deliveries: computed(() => deliveries.value),
    newCount: computed(() => fresh.value.length),
    hasMore: computed(() => cursor.value !== undefined),
    opened: computed(() => opened.value),
    problem: computed(() => problem.value),
    watch,
    open,
    close: () => void (opened.value = undefined),
    showNew(): void {
      deliveries.value = [...fresh.value, ...deliveries.value];
      fresh.value = [];
      watch();
    },
    /** Reads the list again, and shows what is new. */
    reread: () => refresh({ isShown: true }).catch(() => undefined),

    async more(): Promise<void> {
      problem.value = undefined;
      try {
        const page = await call('list_webhook_deliveries', { ...input, cursor: cursor.value });
        const known = new Set(deliveries.value.map(({ id }) => id));
        deliveries.value = [...deliveries.value, ...page.data.filter(({ id }) => !known.has(id))];
        cursor.value = cursorAfter(page);
      } catch (error) {
        problem.value = (error as Error).message;
      }
    },

    /** Sends the event of a delivery again, as a new one. */
    async retry(delivery_id: string): Promise<void> {
      await act(async (callOnce) => {
        const detail = await callOnce('retry_webhook_delivery', { webhook_id, delivery_id });
        deliveries.value = [detail, ...deliveries.value.filter(({ id }) => id !== detail.id)];
        opened.value = { id: detail.id, detail };
        watch();
        return 'Sent again, as a new delivery.';
      });
    },

    /** Sends what happened since a time again. */
    async replay(since: string): Promise<void> {
      await act(async (callOnce) => {
        const { replayed } = await callOnce('replay_webhook', { webhook_id, since });
        await refresh({ isShown: true }).catch(() => undefined);
        if (replayed === 0) return 'Nothing that this endpoint wants happened since then.';
        return replayed === 1 ? 'One event is sent again.' : `${replayed} events are sent again.`;
      });
    },

    /** Anything that happens may be delivered. */
    heard: () => later(() => void refresh().catch(() => undefined)),
  };
}

export type Deliveries = ReturnType<typeof makeDeliveries>;
