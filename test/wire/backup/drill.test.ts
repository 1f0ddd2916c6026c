import { HOUR } from '#kernel/clock.ts';
import { copyFileSync, existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFolder } from '../../harness/folders.ts';
import { openProcesses, until, type Seat } from '../../harness/processes.ts';
import { openFacebook } from '../../harness/repeated.ts';
import { freshDatabase, noPostgres } from '../../harness/stores/postgres.ts';

const MASTER_KEY = '5a'.repeat(32);

type Env = Readonly<Record<string, string>>;

type Open = () => Promise<Env>;

const sqlite: Open = async () => ({});
const postgres: Open = async () => ({ DATABASE_URL: await freshDatabase('drill') });

const DATABASES: readonly Readonly<{ name: string; missing?: string | undefined; open: Open; openCopy: Open }>[] = [
  { name: 'SQLite', open: sqlite, openCopy: sqlite },
  { name: 'PostgreSQL', missing: noPostgres, open: postgres, openCopy: postgres },
  { name: 'SQLite that moves to PostgreSQL', missing: noPostgres, open: sqlite, openCopy: postgres },
];

/** Writes without a pause until it is told to stop; answers how many were taken. */
function writeDrafts(seat: Seat) {
  let isOver = false;
  let taken = 0;
  const writers = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      const { status } = await seat.rest('POST', '/v1/posts', { text: 'x'.repeat(2000) });
      if (status === 201) taken += 1;
    }
  });
  return async () => {
    isOver = true;
    await Promise.all(writers);
    return taken;
  };
}

describe.each(DATABASES)('a backup drill on $name', ({ name, missing, open, openCopy }) => {
  if (missing !== undefined) return;
  let world: Awaited<ReturnType<typeof openProcesses>>;
  beforeAll(async () => void (world = await openProcesses({ oneClock: true })));
  afterAll(() => world?.close());

  const heard = (id: string) =>
    world.receiver.received.filter(({ body }) => body.event === 'post.published' && body.data['post_id'] === id).length;
  const ready = async (seat: Seat) => (await fetch(`${seat.root()}/readyz`)).json() as Promise<{ problems?: string[] }>;

  it('saves under load, does nothing twice beside the original, and goes on once it is taken over', async () => {
    // Both have one clock, which the first one moves.
    const copy = world.seat(`${name}-copy`, { MASTER_KEY, ...(await openCopy()) });
    const original = world.seat(`${name}-original`, { MASTER_KEY, ...(await open()) });
    await original.start();
    const events = ['post.published', 'post.failed'];
    await original.rest('POST', '/v1/webhooks', { url: world.receiver.url, events });
    const { account, kinds } = await openFacebook(world, original);
    const schedule = async (text: string, hours: number) => {
      const at = new Date(original.now() + hours * HOUR).toISOString();
      const { body } = await original.rest('POST', '/v1/posts', { text, account_ids: [account], scheduled_at: at });
      return { id: body.id as string, text };
    };
    const soon = await schedule(`Soon on ${name}`, 1);
    const late = await schedule(`Late on ${name}`, 3);
    const file = join(makeFolder(), 'backup.tar');

    const stop = writeDrafts(original);
    await until(async () =>
      (await original.rest('GET', '/v1/posts?limit=1')).body.data.length > 0 ? true : undefined,
    );
    await original.command(['backup', file]);
    expect(await stop()).toBeGreaterThan(0);
    expect(readFileSync(file).includes(MASTER_KEY)).toBe(false);

    expect(await copy.command(['restore', file])).toContain('A server starts paused on it');
    copyFileSync(join(original.folder, 'first-run.txt'), join(copy.folder, 'first-run.txt'));
    await copy.start();
    expect((await ready(copy)).problems).toEqual([expect.stringContaining('restored from a backup of')]);

    original.pass(HOUR + 1000);
    await until(async () => (heard(soon.id) > 0 ? true : undefined));
    expect((await copy.rest('GET', `/v1/posts/${soon.id}`)).body.status).toBe('scheduled');
    const message = await copy.rest('POST', '/v1/posts', { text: 'Now', account_ids: [account], publish_now: true });
    expect([message.status, message.body.error?.code]).toEqual([503, 'system.paused']);
    expect([await kinds.post.count(soon.text), heard(soon.id)]).toEqual([1, 1]);

    await expect(copy.command(['take-over'])).rejects.toThrow('still runs');
    await original.kill();
    expect(await copy.command(['take-over'])).toContain('One post was due or under way');
    await until(async () => ((await ready(copy)).problems === undefined ? true : undefined));
    const { results } = (await copy.rest('GET', `/v1/posts/${soon.id}`)).body;
    expect(results[0].error_code).toBe('publishing.delivery.taken_over');

    original.pass(2 * HOUR);
    await until(async () => (heard(late.id) > 0 ? true : undefined));
    expect([await kinds.post.count(soon.text), await kinds.post.count(late.text)]).toEqual([1, 1]);
    expect([heard(soon.id), heard(late.id)]).toEqual([1, 1]);
    expect(existsSync(join(copy.folder, 'restored-settings.env'))).toBe(true);
    expect(readdirSync(original.folder).filter((one) => one.startsWith('.backup'))).toEqual([]);
  });
});
