import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { CrashPointName } from '#call/crash-points.ts';
import { postTool } from '../harness/calls/requests.ts';
import { noPostgres, ownPostgres } from '../harness/stores/postgres.ts';
import { makeWorld, type World } from '../harness/world.ts';

/** A world whose PostgreSQL is shut down when the product passes a point. */
async function worldOnPostgres() {
  const postgres = await ownPostgres();
  const lines: string[] = [];
  const record = (_: object, message: string) => void lines.push(message);
  let armed: CrashPointName | undefined;
  const world = await makeWorld({
    store: { url: postgres.url, log: { info: record, warn: record } },
    surroundings: {
      crash(point) {
        if (point !== armed) return;
        armed = undefined;
        postgres.stop();
      },
    },
  });
  return {
    world,
    postgres,
    lines,
    stopAt(point: CrashPointName) {
      armed = point;
    },
    async stopped(): Promise<void> {
      while (armed !== undefined) await wait(10);
    },
  };
}

/** Lets the clock go on until the work is done, not much faster than PostgreSQL connects on a busy machine. */
async function goOn<T>(world: World, work: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const done = await work();
    if (done !== undefined) return done;
    world.clock.move(250);
    await wait(50);
  }
}

const complaints = (world: World) =>
  world.log.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn' || level === 'error');

describe.skipIf(noPostgres !== undefined)('PostgreSQL stopped and started again', () => {
  it('answers 503 meanwhile, logs it once, and loses and repeats nothing', { timeout: 60_000 }, async () => {
    const { world, postgres, lines, stopAt, stopped } = await worldOnPostgres();
    const receiver = await world.receive(['post.published']);
    const account = await world.connect();
    await world.settle();

    // The platform has published; what it answered cannot be written down.
    stopAt('publish.step.answered');
    const post = { text: 'Only once', account_ids: [account.id], publish_now: true };
    const publishing = world.rest('POST /v1/posts', post);
    await stopped();
    for (let count = 0; count < 3; count += 1) {
      const { status, headers, body } = await world.rest('GET /v1/posts');
      expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'http.503', '5']);
    }
    const mcp = await postTool(world.root, { Authorization: `Bearer ${world.key}` }, 'list_posts');
    // A tool error while the key is remembered, else a refusal of the request.
    expect(await mcp.text()).toContain('http.503');
    const page = await fetch(`${world.root}/dashboard`, { headers: { Cookie: `rostra-session=${'a'.repeat(64)}` } });
    expect([page.status, page.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('The server cannot do this at the moment. Try again in 5 s.');
    const token = await fetch(`${world.root}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', client_id: 'client_1', refresh_token: 'none' }),
    });
    expect([token.status, token.headers.get('retry-after')]).toEqual([503, '5']);
    world.clock.move(5_000);
    const unready = await fetch(`${world.root}/readyz`);
    expect(unready.status).toBe(503);
    expect((await unready.json()) as object).toEqual({ status: 'unavailable', problems: ['store'] });
    expect((await fetch(`${world.root}/healthz`)).status).toBe(200);
    expect(lines.filter((line) => line.includes('the store is unavailable'))).toHaveLength(1);

    await postgres.start();
    // However long its start takes, the request has not waited longer for it by the clock.
    while ((await world.rest('GET /v1/posts')).status !== 200) await wait(50);
    let answer: Awaited<typeof publishing> | undefined;
    void publishing.then((answered) => (answer = answered));
    const { status, body } = await goOn(world, async () => answer);
    expect([status, body.status]).toEqual([201, 'published']);

    // The receiver has answered; that cannot be written down for a while either.
    const delivered = async () => {
      const { body: list } = await world.rest(`GET /v1/webhooks/${receiver.id}/deliveries`);
      return (list.data ?? []).filter((delivery: { status: string }) => delivery.status === 'delivered');
    };
    await goOn(world, async () => ((await delivered()).length === 1 ? true : undefined));
    stopAt('delivery.sent');
    const another = world.rest('POST /v1/posts', { ...post, text: 'Once more' });
    await goOn(world, async () => (receiver.received.length === 2 ? true : undefined));
    await stopped();
    for (let seconds = 0; seconds < 10; seconds += 1) {
      world.clock.move(1_000);
      await wait(50);
    }
    await postgres.start();
    await goOn(world, async () => ((await delivered()).length === 2 ? true : undefined));
    expect((await delivered()).map(({ attempt_count }: { attempt_count: number }) => attempt_count)).toEqual([1, 1]);
    // Published, but perhaps not to be read back any more for the answer.
    expect([201, 503]).toContain((await another).status);
    await world.pass(3_600_000);
    expect(receiver.received).toHaveLength(2);
    const found = await world.rest('GET /v1/posts');
    expect(found.body.data).toHaveLength(2);
    world.clock.move(5_000);
    const isReady = async () => ((await fetch(`${world.root}/readyz`)).ok ? true : undefined);
    expect(await goOn(world, isReady)).toBe(true);
    expect(complaints(world)).toEqual([]);
  });
});
