import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrashPointName } from '#call/crash-points.ts';
import { openProcesses, type Seat } from '../../harness/processes.ts';
import { askKeyed, askUntilSettled, openKinds, type Kind } from '../../harness/repeated.ts';
import { DATABASES } from '../two-servers.ts';

const LATER_MS = [1_000, 90_000, 600_000];
const KINDS = ['message', 'reply', 'draft', 'post', 'endpoint', 'key', 'brand'] as const;
const SENDS = ['message', 'reply'] as const;
/** Where a send is open, and nobody in the server that comes back knows of it. */
const OPEN: readonly CrashPointName[] = ['send.begun', 'send.answered', 'send.committed'];

describe.concurrent.each(DATABASES)('a server on $name that is killed over a request with a key', (database) => {
  if (database.missing !== undefined) return;
  let world: Awaited<ReturnType<typeof openProcesses>>;
  let seat: Seat;
  let kinds: Readonly<Record<string, Kind>>;
  let port = '0';

  beforeAll(async () => {
    world = await openProcesses({ oneClock: true });
    seat = world.seat('server', await database.open());
    await seat.start();
    // Whoever pushes knows one address, which stays.
    port = new URL(seat.root()).port;
    kinds = await openKinds(world, seat);
  });
  afterAll(() => world?.close());

  async function dieOver(kind: Kind, name: string, point: CrashPointName, laterMs: number): Promise<void> {
    seat.dieAt(point, 1);
    const asked = askKeyed(seat, kind, name).catch(() => undefined);
    expect(await seat.ended()).toBe('SIGKILL');
    expect(await asked).toBeUndefined();
    seat.pass(laterMs);
    await seat.start({ PORT: port });
  }

  it.each(KINDS.flatMap((kind) => LATER_MS.map((laterMs) => [kind, laterMs] as const)))(
    'between the work and the answer of a %s answers the repeat after %s ms, and makes it once',
    { concurrent: false },
    async (name, laterMs) => {
      const kind = kinds[name]!;
      const text = `A ${name} repeated after ${laterMs} on ${database.name.replaceAll(' ', '-')}`;
      await dieOver(kind, text, 'request.performed', laterMs);
      // No process is at work any more, and the repeat waits for nothing.
      const again = await askKeyed(seat, kind, text);
      expect(again).toMatchObject({ status: expect.toSatisfy((status: number) => status < 300) });
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect((await askKeyed(seat, kind, text)).body).toEqual(again.body);
      expect([text, await kind.count(text)]).toEqual([text, 1]);
    },
  );

  it.each(SENDS.flatMap((kind) => OPEN.map((point) => [kind, point] as const)))(
    'over a %s at %s has sent it once, though the repeat comes late',
    { concurrent: false },
    async (name, point) => {
      const kind = kinds[name]!;
      const text = `A ${name} at ${point} on ${database.name.replaceAll(' ', '-')}`;
      await dieOver(kind, text, point, 600_000);
      const again = await askUntilSettled(seat, kind, text);
      expect([text, again.status, await kind.count(text)]).toEqual([text, 200, 1]);
    },
  );
});
