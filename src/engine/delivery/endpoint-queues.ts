import type { DueEndpoint } from '#db/delivery/due.ts';
import { deal, paceAfter, type Pace } from './fairness.ts';
import type { DeliveryLimits } from './ports.ts';

type EndpointQueue = {
  pace: Pace;
  saved: Pace;
  /** Attempts without a response yet; each uses a socket. */
  sending: number;
  /** Deliveries whose result is not stored yet. */
  readonly busy: Set<string>;
};

/** The endpoints this process is sending to, and their capacity. */
export type EndpointQueues = ReturnType<typeof makeEndpointQueues>;

/** A queue exists only while its endpoint has an attempt in progress; the pace is stored with the endpoint. */
export function makeEndpointQueues(limits: DeliveryLimits) {
  const queues = new Map<string, EndpointQueue>();
  let last: string | undefined;

  const storedPace = ({ slots, failing }: DueEndpoint): Pace => ({
    slots: Math.min(slots, limits.slots),
    failing: failing === 1,
  });
  const used = (which: (queue: EndpointQueue) => boolean) =>
    [...queues.values()].reduce((sum, queue) => (which(queue) ? sum + queue.sending : sum), 0);

  return Object.freeze({
    /** How many deliveries each due endpoint may start now; `failing` says whether to include failing endpoints. */
    shares(due: readonly DueEndpoint[], { failing: withFailing }: Readonly<{ failing: boolean }>): Map<string, number> {
      const all = due.map((endpoint) => {
        const { id } = endpoint;
        const queue = queues.get(id);
        const pace = queue?.pace ?? storedPace(endpoint);
        return { id, free: pace.slots - (queue?.sending ?? 0), failing: pace.failing };
      });
      const candidates = withFailing ? all : all.filter((candidate) => !candidate.failing);
      const room = {
        total: limits.sockets - used(() => true),
        failing: Math.floor(limits.sockets / 2) - used((queue) => queue.pace.failing),
      };
      const shares = deal(candidates, room, last);
      last = [...shares.keys()].at(-1) ?? last;
      return shares;
    },
    begin(endpoint: DueEndpoint, deliveryId: string): void {
      const pace = storedPace(endpoint);
      const queue = queues.get(endpoint.id) ?? { pace, saved: pace, sending: 0, busy: new Set() };
      queues.set(endpoint.id, queue);
      queue.sending += 1;
      queue.busy.add(deliveryId);
    },
    /** Frees the socket of an attempt; `ok` is undefined if the result says nothing about the endpoint. */
    answered(id: string, ok: boolean | undefined): void {
      const queue = queues.get(id)!;
      queue.sending -= 1;
      if (ok !== undefined) queue.pace = paceAfter(queue.pace, ok, limits.slots);
    },
    /** Ends a delivery whose result was stored or given up. */
    end(id: string, deliveryId: string): void {
      queues.get(id)!.busy.delete(deliveryId);
    },
    /** Removes unused queues. Call it before reading the store: until then, queues know the pace better. */
    prune(): void {
      for (const [id, queue] of queues) if (queue.busy.size === 0) queues.delete(id);
    },
    busy: (): ReadonlyMap<string, ReadonlySet<string>> => new Map([...queues].map(([id, queue]) => [id, queue.busy])),
    idle: () => [...queues.values()].every((queue) => queue.busy.size === 0),
    /** The paces that are not stored yet. */
    unsaved(ids: ReadonlySet<string>): { id: string; pace: Pace; wasFailing: boolean }[] {
      return [...ids].sort().flatMap((id) => {
        const queue = queues.get(id);
        return queue && !same(queue.pace, queue.saved)
          ? [{ id, pace: queue.pace, wasFailing: queue.saved.failing }]
          : [];
      });
    },
    saved(id: string, pace: Pace): void {
      const queue = queues.get(id);
      if (queue) queue.saved = pace;
    },
  });
}

function same(a: Pace, b: Pace): boolean {
  return a.slots === b.slots && a.failing === b.failing;
}
