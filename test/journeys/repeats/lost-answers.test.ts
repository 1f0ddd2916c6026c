import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import type { Store } from '#db/store/open.ts';
import { describeStores, type Stores } from '../../harness/stores/stores.ts';
import { makeWorld, type Answer, type World } from '../../harness/world.ts';
import { leash, leashedKey } from '../../harness/calls/leash.ts';
import { requestOf, toolOf, TOOLS } from '../../harness/calls/operations.ts';
import { serveTest } from '../../harness/sockets.ts';
import { ASKS } from './asks.ts';

/** A server that dies after the first rows of an import were made. */
async function openMortal(stores: Stores) {
  const bare = await stores.open();
  const imported = () => bare.db.selectFrom('posts').select('id').where('source', '=', 'import').execute();
  let isMortal = true;
  let isDead = false;
  const write: Store['write'] = async (...args) => {
    if (isDead) throw new Error('the process is dead');
    const result = await bare.write(...args);
    const hasImported = (await imported()).length > 0;
    isDead ||= isMortal && hasImported;
    return result;
  };
  const world = await makeWorld({ surroundings: { store: { ...bare, write } } });
  const revive = () => void (isMortal = isDead = false);
  return { world, imported, revive };
}

function importing(world: World, input: Readonly<Record<string, unknown>>, key = world.key): Promise<Answer> {
  const { route, body } = requestOf(toolOf('import_posts'), input);
  return world.rest(route, body, { key, headers: { 'Idempotency-Key': 'once' } });
}

/** They need a connection with limits, or the real X: test/tools/connections and test/tools/twitter try them. */
const ELSEWHERE = ['approve_action', 'deny_action', 'test_twitter_credentials'];

it('there is something to ask of every operation by POST', () => {
  const guarded = TOOLS.filter(({ http, unguarded }) => http.method === 'POST' && !unguarded);
  expect([...Object.keys(ASKS), ...ELSEWHERE].toSorted()).toEqual(guarded.map(({ name }) => name).toSorted());
});

describeStores('the answer that was lost', (stores) => {
  it('is answered for a whole import that died between two of its transactions', async () => {
    const { world, imported, revive } = await openMortal(stores);
    const rows = Array.from({ length: 250 }, (_, row) => `Row ${row},${row % 50 === 7 ? 'soon' : ''}`);
    const send = () => importing(world, { csv: ['text,scheduled_at', ...rows].join('\n') });
    expect((await send()).status).toBe(500);
    expect((await imported()).length).toBeLessThan(200);
    revive();
    const { status, body, headers } = await send();
    expect([status, headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect(body).toMatchObject({ total_rows: 250, created: 245, failed: 5 });
    expect(body.errors.map(({ row }: { row: number }) => row)).toEqual([9, 59, 109, 159, 209]);
    expect(body.posts[0].text).toBe('Row 0');
    expect(await imported()).toHaveLength(245);
  });

  it('is answered for an import whose address failed, or had another file, meanwhile', async () => {
    const { world, imported, revive } = await openMortal(stores);
    const whole = ['text', ...Array.from({ length: 100 }, (_, row) => `Row ${row}`)].join('\n');
    let file: string | undefined = whole;
    const server = createServer((_, res) => void (file === undefined ? res.writeHead(404).end() : res.end(file)));
    const url = `${await serveTest(server)}/posts.csv`;
    expect((await importing(world, { url })).status).toBe(500);
    const begun = (await imported()).length;
    expect(begun).toBeLessThan(100);
    revive();
    file = undefined;
    expect((await importing(world, { url })).status).toBe(400);
    file = `text\nAnother\n${whole.slice(5)}`;
    const changed = await importing(world, { url });
    expect([changed.status, changed.body.error.code]).toEqual([409, 'resource.conflict']);
    expect(await imported()).toHaveLength(begun);
    file = whole;
    expect((await importing(world, { url })).body).toMatchObject({ total_rows: 100, created: 100, failed: 0 });
    expect(await imported()).toHaveLength(100);
  });

  it('is answered although the leash has become shorter since the work began', async () => {
    const { world, imported, revive } = await openMortal(stores);
    const { id, brand_id } = await world.connect();
    const key = await leashedKey(world, 'full', { brand_ids: [brand_id] });
    const rows = Array.from({ length: 250 }, (_, row) => `Row ${row},${id}`);
    const send = () => importing(world, { csv: ['text,account_ids', ...rows].join('\n') }, key);
    expect((await send()).status).toBe(500);
    revive();
    await leash(world, key, { preset: 'ask', brand_ids: [brand_id] });
    const { status, body } = await send();
    expect([status, body]).toMatchObject([200, { total_rows: 250, created: 250 }]);
    expect(await imported()).toHaveLength(250);
    expect((await world.rest('GET /v1/actions', undefined, { key })).body.count).toBe(0);
  });
});
