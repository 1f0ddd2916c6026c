import { HOUR } from '#kernel/clock.ts';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { productStore } from '#db/outbox/outbox.ts';
import { openStore } from '#db/store/open.ts';
import { deleteSettings, HOME, PAUSED, readSetting, writeSetting } from '#db/store/settings.ts';
import { openPause, takeOver } from '#engine/pause/index.ts';
import { makeLog } from '#kernel/log.ts';
import { makeBrowser, OWNER, says, sessionOf, setUp, signIn } from '../harness/calls/browser.ts';
import { freshDatabase, noPostgres, onPostgres, postgresUrl } from '../harness/stores/postgres.ts';
import { fakeClock } from '../harness/clock.ts';
import { makeFolder } from '../harness/folders.ts';
import { makeWorld, type World, type WorldOptions } from '../harness/world.ts';

const REFUSED = { status: 503, body: { error: { code: 'system.paused' } } };

const inAnHour = (world: World) => new Date(world.clock.now() + HOUR).toISOString();
const fileIn = (folder: string) => join(folder, 'rostra.db');

/** A server on a database file that has an account and a post that is due in an hour; it has ended. */
async function openOriginal() {
  const file = fileIn(makeFolder());
  const world = await makeWorld({ store: { file } });
  await setUp(world);
  const account = await world.connect();
  const schedule = (on: World, text: string) =>
    on.rest('POST /v1/posts', { text, account_ids: [account.id], scheduled_at: inAnHour(on) });
  const { id } = (await schedule(world, 'Due once')).body;
  await world.end();
  return { file, world, account, id: id as string, schedule };
}

/** A server on a copy of a database, with the clock and the owner of the original. */
async function openCopy(original: Awaited<ReturnType<typeof openOriginal>>, options: WorldOptions = {}) {
  const file = fileIn(makeFolder());
  copyFileSync(original.file, file);
  return makeWorld({ after: original.world, store: { file }, ...options });
}

const ready = async (world: World) => world.rest('GET /readyz', undefined, { key: null });
const status = async (world: World, id: string) => (await world.rest(`GET /v1/posts/${id}`)).body.status;

describe('a server on a copied store', () => {
  it('does nothing that others notice, and says why', async () => {
    const original = await openOriginal();
    const { account, id, schedule } = original;
    const copy = await openCopy(original);
    const { status: code, body } = await ready(copy);
    expect([code, body.problems]).toEqual([503, [expect.stringMatching(/^paused: .*was moved or copied.*take-over/)]]);
    expect(copy.log.join('')).toMatch(/"msg":"paused\. If the server it comes from goes on/);

    // Its own work does not begin, whatever falls due.
    copy.clock.move(2 * HOUR);
    await copy.product.store.write(async () => {});
    expect(await status(copy, id)).toBe('scheduled');
    const called = copy.log.filter((line) => line.includes('"msg":"called"'));
    expect(called).toEqual([]);

    // What waits may be written, what leaves may not.
    expect(await copy.rest('POST /v1/posts', { text: 'A draft' })).toMatchObject({ status: 201 });
    expect(await schedule(copy, 'Later')).toMatchObject({ status: 201 });
    const now = { text: 'Now', account_ids: [account.id], publish_now: true };
    expect(await copy.rest('POST /v1/posts', now)).toMatchObject(REFUSED);
    expect(await copy.mcp('create_post', now)).toMatchObject({ isError: true, body: REFUSED.body });
    expect(await copy.rest(`POST /v1/posts/${id}/publish`)).toMatchObject(REFUSED);
    expect(await copy.rest(`DELETE /v1/accounts/${account.id}`)).toMatchObject(REFUSED);
    expect(await copy.rest(`POST /v1/accounts/${account.id}/sync`)).toMatchObject(REFUSED);
    expect(await copy.rest(`GET /v1/accounts/${account.id}/limits`)).toMatchObject(REFUSED);
    expect(await copy.rest('GET /v1/accounts')).toMatchObject({ status: 200 });
    expect(await copy.rest('POST /push/facebook', {}, { key: null })).toMatchObject(REFUSED);
  });

  it('is taken over by its owner, who looks at what fell due', async () => {
    const original = await openOriginal();
    const { account, id, schedule } = original;
    const copy = await openCopy(original);
    const later = (await schedule(copy, 'Later')).body.id;
    copy.clock.move(HOUR);
    const browser = makeBrowser(copy);
    expect(await browser.open('/sign-in')).toMatchObject(says(200, 'This server is paused.'));
    await signIn(browser);
    expect(await browser.open('/dashboard/keys')).toMatchObject(says(200, 'This server is paused.'));

    const guest = (await copy.product.modules.users.create('guest@example.org', 'Guest'))!;
    const other = await sessionOf(copy, guest.userId);
    expect(await other.open('/dashboard/take-over')).toMatchObject(says(200, 'Only the owner of this server'));

    const page = await browser.open('/dashboard/take-over');
    expect(page).toMatchObject(says(200, original.file));
    const done = await browser.submit(page, {}, '/dashboard/take-over');
    expect(done).toMatchObject(says(200, '2 posts were due or under way'));
    expect(done.words).not.toContain('This server is paused');
    expect(await ready(copy)).toMatchObject({ status: 200 });
    for (const due of [id, later]) {
      const { results, status: state } = (await copy.rest(`GET /v1/posts/${due}`)).body;
      expect([state, results[0].error_code]).toEqual(['failed', 'publishing.delivery.taken_over']);
    }
    // The simulator of the platform is a new one, so its accounts are, too.
    expect(account.platform).toBe('bluesky');
    const fresh = await copy.connect(1);
    const post = { text: 'And on', account_ids: [fresh.id], publish_now: true };
    expect((await copy.rest('POST /v1/posts', post)).body.status).toBe('published');
    expect((await signIn(makeBrowser(copy), OWNER)).status).toBe(302);
    await copy.end();

    const again = await makeWorld({ after: copy, store: { file: (await copyFileOf(copy))! } });
    expect(await ready(again)).toMatchObject({ status: 200 });
  });

  it('is not taken over while its original runs beside it', async () => {
    const original = await openOriginal();
    const copy = await openCopy(original);
    const running = await makeWorld({ after: original.world, store: { file: original.file } });
    const browser = await sessionOf(copy, copy.userId);
    const take = async () => browser.submit(await browser.open('/dashboard/take-over'), {}, '/dashboard/take-over');
    expect(await take()).toMatchObject(says(409, 'still runs'));
    expect(await ready(copy)).toMatchObject({ status: 503 });
    await running.end();
    await take();
    expect(await ready(copy)).toMatchObject({ status: 200 });
  });

  it('publishes what fell due where its owner says that nobody else has', async () => {
    const original = await openOriginal();
    const copy = await openCopy(original);
    copy.clock.move(HOUR);
    const browser = await signedIn(copy);
    const page = await browser.open('/dashboard/take-over');
    expect(await browser.submit(page, { publish_due: 'yes' }, '/dashboard/take-over')).toMatchObject(
      says(200, 'The pause has ended'),
    );
    await copy.settle();
    expect((await copy.rest(`GET /v1/posts/${original.id}`)).body.results[0].error_code).not.toBe(
      'publishing.delivery.taken_over',
    );
  });

  it('is not paused with PAUSED=off, and at home there from then on', async () => {
    const original = await openOriginal();
    const copy = await openCopy(original, { env: { PAUSED: 'off' } });
    expect(await ready(copy)).toMatchObject({ status: 200 });
    const file = (await copyFileOf(copy))!;
    await copy.end();
    expect(await ready(await makeWorld({ after: copy, store: { file } }))).toMatchObject({ status: 200 });
  });
});

describe('a server that finds its store at home', () => {
  it('goes on, also after an upgrade from a version that knew no home', async () => {
    const { file, world } = await openOriginal();
    const again = await makeWorld({ after: world, store: { file } });
    expect(await ready(again)).toMatchObject({ status: 200 });
    await again.product.store.write((tx) => deleteSettings(tx.db, [HOME]));
    await again.end();
    expect(await ready(await makeWorld({ after: again, store: { file } }))).toMatchObject({ status: 200 });
  });

  it.for([
    ['changed', { INSTALLATION: 'second' }],
    ['removed', {}],
  ] as const)('is paused where its name was %s, and taken over as the same store', async ([, env]) => {
    const { file, world } = await openOriginal();
    const named = await makeWorld({ after: world, store: { file }, env: { INSTALLATION: 'first' } });
    expect(await ready(named)).toMatchObject({ status: 200 });
    await named.end();
    const renamed = await makeWorld({ after: named, store: { file }, env });
    expect((await ready(renamed)).body.problems).toEqual([expect.stringContaining('(INSTALLATION)')]);
    const browser = await signedIn(renamed);
    expect(await browser.submit(await browser.open('/dashboard/take-over'), {}, '/dashboard/take-over')).toMatchObject(
      says(200, 'The pause has ended'),
    );
    expect(await ready(renamed)).toMatchObject({ status: 200 });
    await renamed.end();
    expect(await ready(await makeWorld({ after: renamed, store: { file }, env }))).toMatchObject({ status: 200 });
  });

  it('is paused by hand, which no takeover ends', async () => {
    const { file, world } = await openOriginal();
    const paused = await makeWorld({ after: world, store: { file }, env: { PAUSED: 'on' } });
    expect((await ready(paused)).body.problems).toEqual([
      'paused: It was started with PAUSED=on or --paused. Start it without them to end the pause.',
    ]);
    const browser = await signedIn(paused);
    expect(await browser.open('/dashboard/take-over')).toMatchObject(
      says(200, 'Start it without them to end the pause.'),
    );
  });
});

describe('the pause of a restored store', () => {
  async function restored() {
    const clock = fakeClock();
    const bare = await openStore({ file: fileIn(makeFolder()) });
    onTestFinished(() => bare.close());
    const store = productStore(bare, clock);
    await store.write((tx) => writeSetting(tx.db, HOME, JSON.stringify({ backupOf: 'then' })));
    const log = makeLog({ level: 'error' }, { write: () => {} });
    const pause = await openPause({ store, clock, log, setting: undefined, installation: undefined });
    let givenUp = 0;
    const giveUpDue = async () => (givenUp += 1);
    const take = () => takeOver({ store, clock, installation: undefined, giveUpDue }, { publishDue: false });
    return { store, pause, take, givenUp: () => givenUp };
  }

  it('is shown until the work of the server has begun, which is tried until it succeeds', async () => {
    const { pause, take } = await restored();
    let tries = 0;
    await pause.whenOver(async () => {
      tries += 1;
      if (tries === 1) throw new Error('SQLITE_BUSY');
    });
    await take();
    await pause.lookAgain();
    expect([tries, pause.state()?.why]).toEqual([1, expect.stringContaining('not begun yet')]);
    pause.refuse();
    await pause.lookAgain();
    expect([tries, pause.state()]).toEqual([2, undefined]);
    pause.stop();
  });

  it('is marked by its server only', async () => {
    const { store, pause } = await restored();
    const marked = () => readSetting(store.db, PAUSED);
    expect([pause.state()?.byHand, await marked()]).toEqual([false, undefined]);
    await pause.whenOver(async () => {});
    expect(await marked()).toContain('restored from a backup');
    pause.stop();
  });

  it('is ended once, by whoever comes first, also before a server has started', async () => {
    const { take, givenUp } = await restored();
    const both = await Promise.all([take(), take()]);
    expect([both.filter((count) => count === undefined).length, givenUp(), await take()]).toEqual([1, 1, undefined]);
  });
});

describe.runIf(noPostgres === undefined)('on PostgreSQL', () => {
  it('tells a copied or restored database from the one it was, and processes on that one from neither', async () => {
    const url = await freshDatabase('home');
    const first = await makeWorld({ store: { url } });
    const second = await makeWorld({ after: first, store: { url }, env: { INSTALLATION: 'production' } });
    expect([await ready(first), await ready(second)]).toMatchObject([{ status: 200 }, { status: 200 }]);
    await second.end();
    const unnamed = await makeWorld({ after: first, store: { url } });
    expect((await ready(unnamed)).body.problems).toEqual([expect.stringContaining('(INSTALLATION)')]);
    for (const world of [unnamed, first]) await world.end();

    const name = new URL(url).pathname.slice(1);
    await onPostgres(await postgresUrl(), (client) => client.query(`create database ${name}_copy template ${name}`));
    const copied = { store: { url: url.replace(name, `${name}_copy`) }, env: { INSTALLATION: 'production' } };
    const copy = await makeWorld({ after: first, ...copied });
    expect((await ready(copy)).body.problems).toEqual([expect.stringContaining('Its database is a copy')]);
    const browser = await sessionOf(copy, copy.userId);
    const take = async () => browser.submit(await browser.open('/dashboard/take-over'), {}, '/dashboard/take-over');
    const named = `${url}&application_name=ours`;
    const running = await makeWorld({ after: first, store: { url: named }, env: { INSTALLATION: 'production' } });
    expect(await take()).toMatchObject(says(409, 'still runs'));
    await running.end();
    // Another program in the original's database is none of our servers, whatever it locks.
    await onPostgres(url, async (client) => {
      await client.query('select pg_advisory_lock(815)');
      await take();
    });
    expect(await ready(copy)).toMatchObject({ status: 200 });
  });
});

async function signedIn(world: World) {
  const browser = makeBrowser(world);
  await signIn(browser);
  return browser;
}

const copyFileOf = async ({ product: { store } }: World) => (await store.location())?.path;
