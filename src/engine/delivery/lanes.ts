import type { DueEndpoint } from '#db/delivery/due.ts';
import { deal, paceAfter, type Pace } from './fairness.ts';
import type { DeliveryLimits } from './ports.ts';

type Lane = {
  pace: Pace;
  /** What the store knows of the pace. */
  saved: Pace;
  /** Attempts that have no answer yet; each holds a socket. */
  sending: number;
  /** Deliveries whose attempt is not written down yet. */
  readonly busy: Set<string>;
};

/** Which endpoints this process is sending to, and how much more each may get. */
export type Lanes = ReturnType<typeof makeLanes>;

/** Starts with no attempt under way. A lane lives while its endpoint has one; beyond that the store keeps its pace. */
export function makeLanes(limits: DeliveryLimits) {
  const lanes = new Map<string, Lane>();
  let last: string | undefined;

  const used = (which: (lane: Lane) => boolean) =>
    [...lanes.values()].reduce((sum, lane) => (which(lane) ? sum + lane.sending : sum), 0);

  return Object.freeze({
    /** How many deliveries each due endpoint gets now; those whose last attempt failed may be left out. */
    shares(due: readonly DueEndpoint[], { failing: withFailing }: Readonly<{ failing: boolean }>): Map<string, number> {
      const all = due.map(({ id, slots, failing }) => {
        const lane = lanes.get(id);
        const pace = lane?.pace ?? { slots: Math.min(slots, limits.slots), failing: failing === 1 };
        return { id, free: pace.slots - (lane?.sending ?? 0), failing: pace.failing };
      });
      const asks = withFailing ? all : all.filter((ask) => !ask.failing);
      const room = {
        total: limits.sockets - used(() => true),
        failing: Math.floor(limits.sockets / 2) - used((lane) => lane.pace.failing),
      };
      const shares = deal(asks, room, last);
      last = [...shares.keys()].at(-1) ?? last;
      return shares;
    },
    begin({ id, slots, failing }: DueEndpoint, deliveryId: string): void {
      const pace = { slots: Math.min(slots, limits.slots), failing: failing === 1 };
      const lane = lanes.get(id) ?? { pace, saved: pace, sending: 0, busy: new Set() };
      lanes.set(id, lane);
      lane.sending += 1;
      lane.busy.add(deliveryId);
    },
    /** An attempt has its answer: the socket is free. Undefined when nothing can be learnt from it. */
    answered(id: string, ok: boolean | undefined): void {
      const lane = lanes.get(id)!;
      lane.sending -= 1;
      if (ok !== undefined) lane.pace = paceAfter(lane.pace, ok, limits.slots);
    },
    /** The attempt is written down, or given up. */
    end(id: string, deliveryId: string): void {
      lanes.get(id)!.busy.delete(deliveryId);
    },
    /** Before the store is read anew: until then a lane knows the pace better than what was read before it ended. */
    prune(): void {
      for (const [id, lane] of lanes) if (lane.busy.size === 0) lanes.delete(id);
    },
    busy: (): ReadonlyMap<string, ReadonlySet<string>> => new Map([...lanes].map(([id, lane]) => [id, lane.busy])),
    idle: () => [...lanes.values()].every((lane) => lane.busy.size === 0),
    /** Paces among these endpoints that the store does not know yet. */
    unsaved(ids: ReadonlySet<string>): { id: string; pace: Pace }[] {
      return [...ids].sort().flatMap((id) => {
        const lane = lanes.get(id);
        return lane && !same(lane.pace, lane.saved) ? [{ id, pace: lane.pace }] : [];
      });
    },
    saved(id: string, pace: Pace): void {
      const lane = lanes.get(id);
      if (lane) lane.saved = pace;
    },
  });
}

function same(a: Pace, b: Pace): boolean {
  return a.slots === b.slots && a.failing === b.failing;
}
