import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { backUp } from '#db/store/backup.ts';
import { migrationOfKey } from '#db/providers/migrations.ts';
import { openStore } from '#db/store/open.ts';
import { resealRows } from '#db/upkeep/reseal.ts';
import { makeHashes, rehashMigrations } from '#engine/migrations/keys.ts';
import { makeSealer } from '#kernel/seal.ts';
import { textsIn } from '../../harness/folders.ts';
import { tablesOf } from '../../harness/stores/images.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { dashboardToken } from '../../harness/calls/dashboard.ts';
import { account, KEY, makeFile, migrationWorld, send } from './world.ts';

const HEADERS = { 'Idempotency-Key': 'start-1' };

/** What a text holds of a secret, in each of its spellings. */
const holds = (text: string): boolean =>
  [KEY, Buffer.from(KEY).toString('base64').slice(0, -4), Buffer.from(KEY).toString('hex')].some((one) =>
    text.includes(one),
  );

it('the key of a provider is nowhere in clear: answers, log, events, tables, the database file, a backup', async () => {
  const { file, folder } = await makeFile();
  const store = { file, synchronous: 'NORMAL' } as const;
  const { world, plays, get, start, stop } = await migrationWorld({ store, env: { LOG_LEVEL: 'trace' } });
  const answers: unknown[] = [];
  const note = async (answer: Promise<unknown>) => void answers.push(await answer);
  const key = await dashboardToken(world);
  const version = (await get()).authorisation.version;
  const body = { api_key: KEY, authorisation_version: version };
  for (let time = 0; time < 2; time += 1) {
    const { status, body: record } = await world.rest('POST /v1/migrations/zernio', body, { key, headers: HEADERS });
    expect(status).toBe(201);
    answers.push(record);
  }
  await note(start({ authorisation_version: KEY }));
  await note(start({ provider: KEY }));
  await note(get({ provider: KEY }));
  await note(start({ api_key: `${KEY} ${KEY}` }));
  plays.accounts = [account('bluesky')];
  await note(get({ refresh: true }));
  for (const path of ['/v1/posts', '/../x'])
    await note(send(world, path, { method: 'POST' }).then(async (answer) => [...answer.headers, await answer.text()]));
  plays.instead = (req) => void req.socket.destroy();
  await note(get({ refresh: true }));
  await note(send(world, '/v1/posts').then((answer) => answer.text()));
  await note(send(world, '/v1/posts', {}, `${KEY}x`).then((answer) => answer.text()));
  await note(fetch(`${world.root}/migrate/${KEY}/v1`).then((answer) => answer.text()));

  const { db } = world.product.store;
  const sealed = (await db.selectFrom('migrations').select('sealed').executeTakeFirstOrThrow()).sealed;
  const rowsOf = async (table: string) =>
    JSON.stringify((await sql`select * from ${sql.table(table)}`.execute(db)).rows);
  const contents = async () => (await Promise.all((await tablesOf()).map(rowsOf))).join('\n');
  const backup = await backUp(file, 1);
  const places: Readonly<Record<string, string>> = {
    answers: JSON.stringify(answers),
    log: world.log.join('\n'),
    tables: await contents(),
    files: textsIn(folder).join('\n'),
    backup: readFileSync(backup, 'latin1'),
  };
  for (const [place, text] of Object.entries(places)) expect([place, holds(text)]).toEqual([place, false]);
  // The search can find: this is in clear where it is looked for.
  for (const place of ['tables', 'files', 'backup'])
    expect([place, places[place]!.includes(sealed)]).toEqual([place, true]);
  expect(places['answers']).toContain('sk_0…nary');
  expect(places['log']).toContain('(forwarded)');

  await stop();
  expect(await contents()).not.toContain(sealed);
});

describeStores('a change of the master key', { kinds: ['file', 'postgres'] }, (stores) => {
  const [OLD, NEW] = ['11'.repeat(32), '22'.repeat(32)];
  const both = makeSealer([NEW, OLD]);
  const fresh = makeSealer([NEW]);

  it('keeps a migration at work, while both keys are there and after the old one has gone', async () => {
    const place = await stores.place();
    const { world, start, get } = await migrationWorld({ store: place });
    await start();
    const { store } = world.product;
    const found = (sealer: typeof both) => migrationOfKey(store.db, 'zernio', makeHashes(sealer)('zernio', KEY));
    expect([await found(both), await found(fresh)]).toEqual([expect.anything(), undefined]);
    const bare = await openStore(place);
    onTestFinished(() => bare.close());
    expect(await resealRows(bare, both)).toBeGreaterThan(0);
    expect([await rehashMigrations(bare, both), await rehashMigrations(bare, both)]).toEqual([1, 0]);
    expect(await found(fresh)).toEqual(expect.anything());
    expect((await get()).started).toBe(true);
  });
});
