import { computed, signal } from '@preact/signals';
import { makeActing, type Say } from '../lib/acting.ts';
import { isGone, type Call } from '../lib/call.ts';
import type { Answer, Delivery, DeliveryDetail, Input } from '../lib/operations.ts';
import { cursorAfter, without } from '../lib/paging.ts';

type DeliveriesPage = Answer<'list_webhook_deliveries'>;

type DeliveriesDeps = Readonly<{
  call: Call;
  input: Input<'list_webhook_deliveries'>;
  first: DeliveriesPage;
  newKey(): string;
  /** Debounces: runs once after several changes. */
  later(run: () => void): void;
  /** Runs after `ms` milliseconds, and replaces an earlier callback that has not run yet. */
  soon(run: () => void, ms: number): void;
  say: Say;
}>;

/** The open delivery. Until it has been read, it has only its id. */
type Opened = Readonly<{ id: string; detail?: DeliveryDetail; problem?: string }>;

/** When to check again: soon for a delivery that is due now, later for one with a later attempt. */
const DUE_MS = 2000;
const LATER_MS = 20_000;
/** How many deliveries to read one by one at the same time. */
const MOST_ASKED = 10;

/** The open delivery, with its attempts once they have been read. */
function makeOpened(call: Call, webhook_id: string) {
  const opened = signal<Opened | undefined>(undefined);

  /** Returns the delivery even if another one has been opened by then. */
  async function readDetail(id: string): Promise<DeliveryDetail | undefined> {
    try {
      const detail = await call('get_webhook_delivery', { webhook_id, delivery_id: id });
      if (opened.value?.id === id) opened.value = { id, detail };
      return detail;
    } catch (error) {
      if (opened.value?.id === id) opened.value = { id, problem: (error as Error).message };
      return undefined;
    }
  }

  return { opened, readDetail };
}

/** Reads deliveries one by one. A few are read at a time, those that have waited longest first. */
function makeEach(call: Call, webhook_id: string) {
  const asked = new Map<string, number>();
  let turn = 0;

  /** The current state of each; undefined if it is no longer stored. */
  return async (those: readonly Delivery[]): Promise<ReadonlyMap<string, Delivery | undefined>> => {
    const turnOf = ({ id }: Delivery) => asked.get(id) ?? 0;
    const next = those.toSorted((a, b) => turnOf(a) - turnOf(b)).slice(0, MOST_ASKED);
    turn += 1;
    const found = new Map<string, Delivery | undefined>();
    const read = async (id: string): Promise<void> => {
      asked.set(id, turn);
      try {
        found.set(id, await call('get_webhook_delivery', { webhook_id, delivery_id: id }));
      } catch (error) {
        if (isGone(error)) found.set(id, undefined);
      }
    };
    await Promise.all(next.map(({ id }) => read(id)));
    return found;
  };
}

/** New deliveries. `page` is set if there may be others between them and the list. */
type Fresh = Readonly<{ rows: readonly Delivery[]; page?: DeliveriesPage | undefined }>;
const NOTHING: Fresh = { rows: [] };

/** The rows of the list, and new rows that are not shown yet. */
function makeRows(first: DeliveriesPage, openId: () => string | undefined) {
  const rows = signal<readonly Delivery[]>(first.data);
  const cursor = signal(cursorAfter(first));
  const fresh = signal(NOTHING);

  return {
    rows,
    cursor,
    fresh,
    showFresh(): void {
      const { rows: more, page } = fresh.value;
      fresh.value = NOTHING;
      if (page === undefined) {
        rows.value = [...without(more, rows.value), ...rows.value];
        return;
      }
      const open = rows.value.filter(({ id }) => id === openId());
      rows.value = [...open, ...page.data];
      cursor.value = cursorAfter(page);
    },
    /** Takes the newest page and the deliveries that were read individually; undefined ones are no longer stored. */
    take(page: DeliveriesPage, read: ReadonlyMap<string, Delivery | undefined>): void {
      rows.value = rows.value.flatMap((one) => (read.has(one.id) ? (read.get(one.id) ?? []) : one));
      const more = without(page.data, rows.value);
      const hasHole = more.length === page.data.length && cursorAfter(page) !== undefined;
      fresh.value = { rows: more, page: hasHole ? page : undefined };
    },
    append(page: DeliveriesPage): void {
      rows.value = [...rows.value, ...without(page.data, rows.value)];
      cursor.value = cursorAfter(page);
    },
  };
}

/** The deliveries of an endpoint. New ones are shown on request, so that nothing moves by itself. */
export function makeDeliveries({ call, input, first, newKey, later, soon, say }: DeliveriesDeps) {
  const { webhook_id } = input;
  const { opened, readDetail } = makeOpened(call, webhook_id);
  const { rows, cursor, fresh, showFresh, take, append } = makeRows(first, () => opened.value?.id);
  const readEach = makeEach(call, webhook_id);
  const problem = signal<string | undefined>(undefined);
  const { isBusy, act } = makeActing({ call, newKey, say });
  const pending = () => rows.value.filter(({ status }) => status === 'pending');

  function watch(): void {
    const waiting = pending();
    if (waiting.length === 0) return;
    const isDue = waiting.some(({ attempt_count }) => attempt_count === 0);
    soon(() => void refresh().catch(() => undefined), isDue ? DUE_MS : LATER_MS);
  }

  async function refresh({ isShown = false } = {}): Promise<void> {
    const page = await call('list_webhook_deliveries', input);
    const listed = new Map(page.data.map((one) => [one.id, one]));
    // Pending deliveries may no longer match the filter, or may be further down, so they are read individually.
    const read = new Map([...listed, ...(await readEach(pending().filter(({ id }) => !listed.has(id))))]);
    take(page, read);
    if (isShown) showFresh();
    const { id, detail } = opened.value ?? {};
    const now = id === undefined ? undefined : read.get(id);
    if (id !== undefined && now !== undefined && now.attempt_count !== detail?.attempt_count) await readDetail(id);
    watch();
  }

  async function open(id: string): Promise<void> {
    opened.value = { id };
    const detail = await readDetail(id);
    if (detail === undefined || opened.value?.id !== id) return;
    // A delivery that the URL names may be further down.
    if (!rows.value.some((one) => one.id === id)) rows.value = [detail, ...rows.value];
  }

  return {
    isBusy,
    deliveries: computed(() => rows.value),
    newCount: computed(() => fresh.value.rows.length),
    hasMore: computed(() => cursor.value !== undefined),
    opened: computed(() => opened.value),
    problem: computed(() => problem.value),
    watch,
    open,
    close: () => void (opened.value = undefined),
    showNew(): void {
      showFresh();
      watch();
    },
    /** Reads the list again and shows new deliveries. */
    reread: () => refresh({ isShown: true }).catch(() => undefined),

    async more(): Promise<void> {
      problem.value = undefined;
      try {
        const after = cursor.value;
        const page = await call('list_webhook_deliveries', { ...input, cursor: after });
        // New deliveries may have replaced the list during the request.
        if (cursor.value === after) append(page);
      } catch (error) {
        problem.value = (error as Error).message;
      }
    },

    /** Sends the event of a delivery again, as a new delivery. */
    async retry(delivery_id: string): Promise<void> {
      await act(async (callOnce) => {
        const detail = await callOnce('retry_webhook_delivery', { webhook_id, delivery_id });
        rows.value = [detail, ...rows.value.filter(({ id }) => id !== detail.id)];
        opened.value = { id: detail.id, detail };
        watch();
        return 'Sent again, as a new delivery.';
      });
    },

    /** Sends the events since a given time again. */
    async replay(since: string): Promise<void> {
      await act(async (callOnce) => {
        const { replayed } = await callOnce('replay_webhook', { webhook_id, since });
        await refresh({ isShown: true }).catch(() => undefined);
        if (replayed === 0) return 'Nothing that this endpoint wants happened since then.';
        return replayed === 1 ? 'One event is sent again.' : `${replayed} events are sent again.`;
      });
    },

    /** Any event may lead to a delivery. */
    heard: () => later(() => void refresh().catch(() => undefined)),
  };
}

export type Deliveries = ReturnType<typeof makeDeliveries>;
