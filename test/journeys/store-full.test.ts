import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { migratedFile } from '../harness/stores/files.ts';
import { makeWorld, type World } from '../harness/world.ts';

/** A world on a SQLite file whose size can be limited, as a full disk does. */
async function worldOnDisk() {
  const { file } = await migratedFile();
  const lines: string[] = [];
  const record = (fields: object, message: string) => void lines.push(message);
  const world = await makeWorld({
    env: { FACEBOOK_CLIENT_ID: 'app', FACEBOOK_CLIENT_SECRET: 'app secret' },
    store: { file, synchronous: 'NORMAL', log: { info: record, warn: record } },
  });
  const limit = (pages: number) =>
    world.product.store.write(async (tx) => void (await sql.raw(`pragma max_page_count = ${pages}`).execute(tx.db)));
  return { world, lines, fill: () => limit(1), empty: () => limit(1_000_000) };
}

const complaints = (world: World) =>
  world.log.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn' || level === 'error');

const content = { text: 'x'.repeat(20_000) };

it('a full disk is answered with 503 everywhere, makes the server unready, and is logged once', async () => {
  const { world, lines, fill, empty } = await worldOnDisk();
  expect((await fetch(`${world.root}/readyz`)).status).toBe(200);
  await fill();
  const refused = await world.rest('POST /v1/brands', { name: 'B'.repeat(100) });
  // A small row may still fit into a page that is there; a large one does not.
  const posts = [];
  for (let count = 0; count < 5; count += 1) posts.push(await world.rest('POST /v1/posts', content));
  for (const { status, headers, body } of posts)
    expect([status, body.error?.code, headers.get('retry-after')]).toEqual([503, 'http.503', '5']);
  expect([201, 503]).toContain(refused.status);
  const tool = await world.mcp('create_post', content);
  expect([tool.isError, tool.body.error.code]).toEqual([true, 'http.503']);

  const body = JSON.stringify({ object: 'page', entry: [{ id: '1', time: 1, padding: 'x'.repeat(20_000) }] });
  const signature = `sha256=${createHmac('sha256', 'app secret').update(body).digest('hex')}`;
  const pushed = await fetch(`${world.root}/push/facebook`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Hub-Signature-256': signature },
    body,
  });
  expect([pushed.status, pushed.headers.get('retry-after')]).toEqual([503, '5']);

  // Reading goes on, and the cached answer of the last test write holds for five seconds.
  expect((await world.rest('GET /v1/posts')).status).toBe(200);
  expect((await fetch(`${world.root}/readyz`)).status).toBe(200);
  world.clock.move(5_000);
  const unready = await fetch(`${world.root}/readyz`);
  expect(await (await fetch(`${world.root}/metrics`)).text()).toContain('\nrostra_ready 0\n');
  expect([unready.status, await unready.json()]).toEqual([503, { status: 'unavailable', problems: ['store'] }]);

  await empty();
  world.clock.move(5_000);
  expect((await fetch(`${world.root}/readyz`)).status).toBe(200);
  expect((await world.rest('POST /v1/posts', content)).status).toBe(201);
  expect(lines.filter((line) => line.includes('unavailable'))).toHaveLength(1);
  expect(complaints(world)).toEqual([]);
});
