import { DAY } from '#kernel/clock.ts';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { openStore } from '#db/store/open.ts';
import { productStore } from '#db/outbox/outbox.ts';
import { listen, type Listening } from '../../harness/webhooks/event-source.ts';
import { migratedImage } from '../../harness/stores/images.ts';
import { it, makeWorld, type World } from '../../harness/world.ts';
import { block, onFreePlan } from '../../harness/calls/operations.ts';
import { refusalOf } from '../../harness/calls/rest.ts';
import { anEntry, log } from './entries.ts';

/** Waits end as soon as they can; this only says when to give up on a busy machine. */
const SOON = { timeout: 15_000 };

type Options = Readonly<{ key?: string; last?: string }>;

/** Opens stream_events; what every stream begins with is taken off. */
async function follow(world: World, query = '', { key = world.key, last }: Options = {}): Promise<Listening> {
  const headers = { Authorization: `Bearer ${key}`, ...(last !== undefined && { 'Last-Event-ID': last }) };
  const stream = await listen(`${world.root}/v1/events/stream${query}`, headers);
  if (stream.status === 200) expect(await stream.next()).toEqual({ retry: '3000' });
  return stream;
}

const summaries = (told: readonly { data?: any }[]) => told.map(({ data }) => data.summary);

describe('stream_events', () => {
  it('sends every entry as it is committed, in the words of list_events', async ({ world }) => {
    await log(world, { summary: 'before' });
    const stream = await follow(world);
    expect(Object.fromEntries(stream.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    await world.connect();
    const [connected] = await stream.take(1);
    const { body } = await world.rest('GET /v1/events?category=account');
    expect(connected).toEqual({ id: body.events[0].id, data: body.events[0] });
    await log(world, { summary: 'a' }, { summary: 'line\nbreak\r and \u2028' });
    expect(summaries(await stream.take(2))).toEqual(['a', 'line\nbreak\r and \u2028']);
  });

  it('sends nothing that was rolled back, and nothing of others', async ({ world }) => {
    const { workspaceId } = await world.stranger();
    const stream = await follow(world);
    const undone = world.product.store.write(async (tx) => {
      await tx.log(anEntry(world, { summary: 'undone' }));
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await log(world, { summary: 'theirs', workspaceId });
    await log(world, { summary: 'ours' });
    expect(summaries(await stream.take(1))).toEqual(['ours']);
  });

  it.for(['header', 'query'] as const)('goes on behind the last entry named in the %s', async (where, { world }) => {
    const post = (summary: string) => ({ summary, category: 'post' }) as const;
    const numbers = Array.from({ length: 250 }, (_, n) => `${n}`);
    await log(world, ...numbers.map(post));
    const first = await follow(world, '?category=post', { last: 'log_none' });
    const [gap, ...taken] = await first.take(121);
    expect(gap!.event).toBe('gap');
    first.leave();
    const id = taken.at(-1)!.id!;
    await log(world, post('meanwhile'));
    // A client that comes back repeats its address: what the header says is newer.
    const again =
      where === 'header'
        ? await follow(world, `?category=post&after=${taken[0]!.id}`, { last: id })
        : await follow(world, `?category=post&after=${id}`);
    const rest = await again.take(131);
    expect(summaries([...taken, ...rest])).toEqual([...numbers, 'meanwhile']);
  });

  it('says that there is a gap where the last entry is not kept, and begins with the oldest one that is', async () => {
    const world = await makeWorld();
    await onFreePlan(world);
    await log(world, { summary: 'old' });
    const { body } = await world.rest('GET /v1/events?limit=1');
    const theirs = await world.stranger();
    await log(world, { summary: 'not ours', workspaceId: theirs.workspaceId });
    const foreign = (await world.rest('GET /v1/events?limit=1', undefined, { key: theirs.key })).body.events[0].id;
    world.clock.move(2 * DAY);
    await log(world, { summary: 'kept' }, { summary: 'new' });
    for (const last of [body.events[0].id, foreign, 'log_none', 'garbage']) {
      const stream = await follow(world, '', { last });
      const [gap, ...rest] = await stream.take(3);
      expect(gap).toEqual({ event: 'gap', data: { last_event_id: last, retention_days: 1 } });
      expect(summaries(rest)).toEqual(['kept', 'new']);
      stream.leave();
    }
  });

  it('sends only what is asked for, and goes past the rest', async ({ world, account: { id: accountId } }) => {
    const stream = await follow(world, `?category=post,inbox&account_id=${accountId}`);
    await log(world, ...Array.from({ length: 300 }, () => ({ summary: 'other' })));
    await log(
      world,
      { summary: 'wrong account', category: 'post', accountId: 'acc_2' },
      { summary: 'wrong category', category: 'account', accountId },
      { summary: 'a', category: 'post', accountId },
      { summary: 'b', category: 'inbox', accountId },
    );
    expect(summaries(await stream.take(2))).toEqual(['a', 'b']);
  });

  it('says every 15 seconds that it is alive, however much there is that is not asked for', async ({ world }) => {
    const stream = await follow(world, '?category=post');
    for (let round = 0; round < 3; round += 1) {
      for (let second = 0; second < 15; second += 5) {
        await log(world, { summary: 'other' });
        world.clock.move(5000);
      }
      expect(await stream.take(1)).toEqual([{ comment: 'nothing new' }]);
    }
  });

  it('sends what another process wrote within a second', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rostra-stream-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'rostra.db');
    writeFileSync(file, await migratedImage());
    const world = await makeWorld({ store: { file } });
    const other = await openStore({ file });
    onTestFinished(() => other.close());
    const streams = [await follow(world), await follow(world), await follow(world, '?category=post')];
    const afar = anEntry(world, { summary: 'from afar', category: 'post' });
    await productStore(other, world.clock).write((tx) => tx.log(afar));
    world.clock.move(1000);
    for (const stream of streams) expect(summaries(await stream.take(1))).toEqual(['from afar']);
  });

  it('ends when the key is revoked, before anything more is sent', async ({ world }) => {
    const { body } = await world.rest('POST /v1/keys', { name: 'listener', scopes: ['analytics:read'] });
    const stream = await follow(world, '', { key: body.raw_key });
    await log(world, { summary: 'a' });
    // Making the key was logged before the stream began.
    expect(summaries(await stream.take(1))).toEqual(['a']);
    await world.rest(`DELETE /v1/keys/${body.id}`);
    await log(world, { summary: 'secret' });
    expect(await stream.next()).toBeUndefined();
  });

  it('ends when the key is limited to brands, before anything more is sent', async ({ world }) => {
    const { body } = await world.rest('POST /v1/keys', { name: 'listener' });
    const stream = await follow(world, '', { key: body.raw_key });
    await log(world, { summary: 'a' });
    expect(summaries(await stream.take(1))).toEqual(['a']);
    await world.rest(`PATCH /v1/keys/${body.id}`, { brand_ids: [world.brandId] });
    await log(world, { summary: 'of another brand' });
    expect(await stream.next()).toBeUndefined();
  });

  it('ends within 15 seconds when the subscription is unpaid or the key is narrowed', async ({ world }) => {
    const { body } = await world.rest('POST /v1/keys', { name: 'listener' });
    const narrowed = await follow(world, '?category=post', { key: body.raw_key });
    const unpaid = await follow(world, '?category=post');
    await world.rest(`PATCH /v1/keys/${body.id}`, { scopes: ['posts:read'] });
    world.clock.move(15_000);
    expect(await narrowed.next()).toBeUndefined();
    expect(await unpaid.take(1)).toEqual([{ comment: 'nothing new' }]);
    await block(world);
    world.clock.move(15_000);
    expect(await unpaid.next()).toBeUndefined();
  });

  it('ends when the server stops, and is not begun any more', async ({ world }) => {
    const streams = [await follow(world), await follow(world)];
    await log(world, { summary: 'last' });
    await world.product.stop();
    for (const stream of streams) {
      expect(summaries(await stream.take(1))).toEqual(['last']);
      expect(await stream.next()).toBeUndefined();
    }
    expect(await (await follow(world)).next()).toBeUndefined();
  });

  it('is had ten times by one key and fifty times by one workspace, and again when one is left', async ({ world }) => {
    const mine: Listening[] = [];
    for (let n = 0; n < 10; n += 1) mine.push(await follow(world));
    const refused = await follow(world);
    expect(refused.status).toBe(429);
    expect((await refused.refusal()).error).toMatchObject({ code: 'http.429', meta: { max: 10 } });
    mine[3]!.leave();
    await expect.poll(async () => (await follow(world)).status, SOON).toBe(200);
    for (let key = 0; key < 4; key += 1) {
      const other = await world.newKey();
      for (let n = 0; n < 10; n += 1) expect((await follow(world, '', { key: other })).status).toBe(200);
    }
    const last = await follow(world, '', { key: await world.newKey() });
    expect([last.status, (await last.refusal()).error]).toMatchObject([429, { code: 'http.429', meta: { max: 50 } }]);
    const { key } = await world.stranger();
    expect((await follow(world, '', { key })).status).toBe(200);
  });

  it('is taken from a client that does not read, which delays nobody', async () => {
    const world = await makeWorld({ surroundings: { deadlines: { stall: 1000 } } });
    const long = 'x'.repeat(20_000);
    for (let n = 0; n < 10; n += 1) await log(world, ...Array.from({ length: 50 }, () => ({ summary: long })));
    const { port, hostname } = new URL(world.root);
    const deaf = connect(Number(port), hostname);
    onTestFinished(() => void deaf.destroy());
    deaf.pause();
    await once(deaf, 'connect');
    deaf.write(
      `GET /v1/events/stream?after=none HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${world.key}\r\n\r\n`,
    );
    // One more than there may be, as long as the deaf one has its place.
    for (let n = 0; n < 9; n += 1) expect((await follow(world)).status).toBe(200);
    await expect.poll(async () => (await follow(world)).status, { timeout: 10_000 }).toBe(200);
    const keen = await follow(world, '?after=none', { key: await world.newKey() });
    expect(await keen.take(501)).toHaveLength(501);
  });

  it.for<[string, Record<string, string>, number, string]>([
    ['no header', {}, 401, 'auth.missing_header'],
    ['no such key', { Authorization: 'Bearer rostra_key_none' }, 401, 'auth.invalid_key'],
  ] as const)('is refused with %s', async ([, headers, status, code], { world }) => {
    const stream = await listen(`${world.root}/v1/events/stream`, headers);
    expect([stream.status, (await stream.refusal()).error.code]).toEqual([status, code]);
  });

  it('is refused to keys without the scope or limited to brands, while unpaid, and to HEAD', async ({ world }) => {
    const brand_ids = [world.brandId];
    for (const limits of [{ scopes: ['posts:read'] }, { brand_ids }, { brand_ids, scopes: ['analytics:read'] }]) {
      const answer = await world.rest('GET /v1/events/stream', undefined, { key: await world.newKey(limits) });
      expect([limits, answer.status, answer.body.error?.code]).toEqual([limits, 403, 'auth.insufficient_scope']);
    }
    const head = await fetch(`${world.root}/v1/events/stream`, {
      method: 'HEAD',
      headers: { Authorization: `Bearer ${world.key}` },
    });
    expect([head.status, head.headers.get('allow')]).toEqual([405, 'GET']);
    const refused = (query = '') => refusalOf(world.rest(`GET /v1/events/stream${query}`));
    expect(await refused('?category=news')).toEqual([400, 'validation.field_invalid']);
    expect(await refused('?account_id=acc_none')).toEqual([404, 'account.not_found']);
    await block(world);
    expect(await refused()).toEqual([402, 'billing.past_due']);
  });

  it('is described as what it is', async ({ world }) => {
    const { parameters, responses } = (await world.rest('GET /openapi.json')).body.paths['/events/stream'].get;
    expect(parameters.map(({ name, in: place }: { name: string; in: string }) => [name, place])).toEqual([
      ['after', 'query'],
      ['category', 'query'],
      ['account_id', 'query'],
      ['Last-Event-ID', 'header'],
    ]);
    expect(Object.keys(responses[200].content)).toEqual(['text/event-stream']);
    expect(responses[429].description).toContain('`http.429`');
  });

  it('is no tool of /mcp', ({ world }) => expect(world.mcp('stream_events')).rejects.toThrow('Unknown tool'));
});
