import { HOUR } from '#kernel/clock.ts';
import { expect } from 'vitest';
import { makePageFinder } from '#engine/accounts/page-finder.ts';
import { COLUMNS, draftOf } from '#tools/posts/import-row.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { itIn, type World } from '../../harness/worlds/publishing.ts';
import type { ImportInput } from '#engine/publishing/create/import.ts';

type Source = AsyncIterable<Uint8Array>;

/** A file that is read more than once; `read` is told the number of the pass, from 1. */
function sourceOf(read: (pass: number) => AsyncIterable<Uint8Array>): Source {
  let pass = 0;
  return { [Symbol.asyncIterator]: () => read((pass += 1))[Symbol.asyncIterator]() };
}

const holding = (bytes: Uint8Array) =>
  sourceOf(async function* () {
    yield bytes;
  });

/** A file of so many rows, the even ones scheduled, in pieces; `pulled` hears how many rows were read of which pass. */
function fileOf(
  world: World,
  accountId: string,
  rows: number,
  pulled: (pass: number, read: number) => void | Promise<void> = () => {},
): Source {
  const at = new Date(world.clock.now() + HOUR).toISOString();
  return sourceOf(async function* (pass) {
    yield Buffer.from('text,account_ids,scheduled_at\n');
    for (let row = 0; row < rows; row += 10) {
      await pulled(pass, row);
      const ten = Array.from({ length: Math.min(10, rows - row) }, (_, n) => row + n);
      yield Buffer.from(ten.map((n) => `"Post, ${n}",${accountId},${n % 2 === 0 ? at : ''}\n`).join(''));
    }
  });
}

async function countPosts({ store }: World): Promise<number> {
  const { posts } = await store.db
    .selectFrom('posts')
    .select(({ fn }) => fn.countAll().as('posts'))
    .executeTakeFirstOrThrow();
  return Number(posts);
}

const importInto = (
  { authority, workspace, posts }: Pick<World, 'authority' | 'workspace' | 'posts'>,
  asked: Partial<ImportInput>,
) =>
  posts.importPosts({ authority, workspace }, { dryRun: false, columns: COLUMNS, needed: 'text', draftOf, ...asked });

describeStores('importing posts', { kinds: ['file', 'postgres'] }, (stores) => {
  const it = itIn(stores);

  const many = stores.kind === 'file' ? 500 : 150;

  it(`makes ${many} of them, 25 at a time, and holds no more rows than that`, async ({ world, account }) => {
    const { id, brand_id } = account;
    let most = 0;
    const file = fileOf(world, id, many, async (pass, read) => {
      if (pass === 2) most = Math.max(most, read - (await countPosts(world)));
    });
    const { posts, ...counts } = await importInto(world, { file });
    expect(counts).toMatchObject({ dry_run: false, total_rows: many, created: many, failed: 0, errors: [] });
    expect(posts.map(({ text }) => text)).toEqual(Array.from({ length: 100 }, (_, n) => `Post, ${n}`));
    expect(most).toBeLessThanOrEqual(25);
    expect([await countPosts(world), await world.used()]).toEqual([many, many / 2]);
    const events = await world.events();
    expect([events.length, new Set(events.map(({ name }) => name))]).toEqual([many / 2, new Set(['post.scheduled'])]);
    expect(events[0]!.data).toMatchObject({ post_id: posts[0]!.id, brand_id, status: 'scheduled' });
  });

  it('keeps what was made when it ends in the middle, and makes the rest when it is repeated', async ({ world }) => {
    const { id } = await world.account('bluesky');
    const torn = fileOf(world, id, 300, (pass, read) => {
      if (pass === 2 && read === 250) throw new Error('the disk is gone');
    });
    await expect(importInto(world, { file: torn })).rejects.toThrow('the disk is gone');
    expect([await countPosts(world), await world.used()]).toEqual([250, 125]);
    world.clock.move(1000);
    const checked = await importInto(world, { file: fileOf(world, id, 300), dryRun: true });
    const { created, failed, errors, total_rows } = await importInto(world, { file: fileOf(world, id, 300) });
    expect([total_rows, created, failed]).toEqual([300, 50, 250]);
    expect(checked).toMatchObject({ dry_run: true, total_rows, created, failed, errors, posts: [] });
    expect(errors[0]).toMatchObject({ row: 2, code: 'resource.conflict' });
    expect(errors.map(({ row }) => row)).toEqual(Array.from({ length: 250 }, (_, n) => n + 2));
    expect([await countPosts(world), await world.used()]).toEqual([300, 150]);
  });

  it.for([false, true])(
    'lets others in after every 25 rows at most (dry run: %s)',
    async (dryRun, { world, account }) => {
      let rows = 0;
      let most = 0;
      const counted: ImportInput['draftOf'] = (cells) => {
        if (rows === 0) setImmediate(() => ([most, rows] = [Math.max(most, rows), 0]));
        rows += 1;
        return draftOf(cells);
      };
      const csv = `text,account_ids\n${Array.from({ length: 400 }, (_, n) => `Post ${n},${account.id}\n`).join('')}`;
      expect((await importInto(world, { csv, dryRun, draftOf: counted })).created).toBe(400);
      expect(most).toBeLessThanOrEqual(25);
    },
  );

  it('searches a large file piece by piece', async ({ world }) => {
    let turns = 0;
    let done = false;
    const turn = () => {
      turns += 1;
      if (!done) setImmediate(turn);
    };
    setImmediate(turn);
    const bytes = Buffer.from(`text\n${`"${'x'.repeat(499_000)}"\n`.repeat(8)}`);
    expect(await importInto(world, { file: holding(bytes), dryRun: true })).toMatchObject({ total_rows: 8, failed: 8 });
    done = true;
    // Twice 4 MB in pieces of 16 KB.
    expect(turns).toBeGreaterThan(400);
  });

  it('that run twice at a time make every post once', async ({ world, account: { id } }) => {
    const other = await world.second();
    const at = new Date(world.clock.now() + HOUR).toISOString();
    const rows = Array.from({ length: 250 }, (_, n) => `Post ${n},${id},${at}`);
    const csv = ['text,account_ids,scheduled_at', ...rows].join('\n');
    const rooms = [world, { ...world, posts: other.posts }];
    const answers = await Promise.all(rooms.map((room) => importInto(room, { csv })));
    expect(answers.map(({ created, failed }) => created + failed)).toEqual([250, 250]);
    expect(answers.reduce((sum, { created }) => sum + created, 0)).toBe(250);
    expect([await countPosts(world), await world.used()]).toEqual([250, 250]);
  });

  it('that run at a time make every draft once, however late each of them began', async ({ world }) => {
    const { id } = await world.account('bluesky');
    const other = await world.second();
    const rows = Array.from({ length: 250 }, (_, n) => `Post ${n},${id}\n`);
    const source = (meanwhile: () => Promise<unknown>) =>
      sourceOf(async function* (pass) {
        if (pass === 2) await meanwhile();
        yield Buffer.from(`text,account_ids\n${rows.join('')}`);
      });
    let repeated: Awaited<ReturnType<typeof importInto>> | undefined;
    // The second one begins after the first and is done before it has made anything.
    const file = source(async () => {
      world.clock.move(1000);
      repeated = await importInto({ ...world, posts: other.posts }, { file: source(async () => {}) });
    });
    const first = await importInto(world, { file });
    expect([repeated!.created, repeated!.failed, first.created, first.failed]).toEqual([250, 0, 0, 250]);
    expect(new Set(first.errors.map(({ code }) => code))).toEqual(new Set(['resource.conflict']));
    expect(await countPosts(world)).toBe(250);
  });

  it('distinguishes its own drafts from those of others: a file may ask for the same one twice', async ({ world }) => {
    const { id } = await world.account('bluesky');
    const rows = Array.from({ length: 150 }, () => `Same,${id}\n`);
    const file = sourceOf(async function* () {
      world.clock.move(1000);
      yield Buffer.from(`text,account_ids\n${rows.join('')}`);
    });
    const { created, failed } = await importInto(world, { file });
    expect([created, failed, await countPosts(world)]).toEqual([150, 0, 150]);
  });

  it('whose allowance others take meanwhile reports the rows that were too late', async ({
    world,
    account: { id },
  }) => {
    const free = { ...world.workspace, plan: 'free' as const };
    const file = fileOf(world, id, 10, async (pass) => {
      if (pass === 2) await world.store.write((tx) => tx.charge('posts', free, 7).then(() => {}));
    });
    const { created, failed, errors } = await importInto({ ...world, workspace: free }, { file });
    // The drafts are free.
    expect([created, failed]).toEqual([5, 5]);
    expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['validation.post_limit_exhausted']));
    expect([await countPosts(world), await world.used()]).toEqual([5, 7]);
  });

  it('writes posts with many targets, more than one statement holds', async ({ world }) => {
    const accounts = [];
    for (let n = 0; n < 30; n += 1) accounts.push(await world.account('bluesky'));
    const ids = accounts.map(({ id }) => id).join('|');
    const at = new Date(world.clock.now() + HOUR).toISOString();
    const rows = Array.from({ length: 50 }, (_, n) => `Post ${n},${ids},${at}`);
    const file = holding(Buffer.from(['text,account_ids,scheduled_at', ...rows].join('\n')));
    const { created, posts } = await importInto(world, { file });
    expect([created, posts.every(({ targets }) => targets.length === 30)]).toEqual([50, true]);
    expect(posts[49]!.targets.map(({ account_id }) => account_id).join('|')).toBe(ids);
  });

  it('looks pages up once for 25 rows', async ({ world }) => {
    let looked = 0;
    const { id } = await world.account('facebook');
    const pages = makePageFinder({ store: world.store });
    const room = await world.second({
      pages: { ...pages, among: (accounts) => ((looked += 1), pages.among(accounts)) },
      platforms: new Map([...world.deps.platforms].map(([slug, one]) => [slug, { ...one, pages: {} as never }])),
    });
    const { errors } = await importInto({ ...world, posts: room.posts }, { file: fileOf(world, id, 400) });
    expect(errors.length).toBe(200);
    expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['account.no_active_page']));
    expect(looked).toBe(16);
  });

  it('looks accounts up by their names once for a file', async ({ world, account: { id } }) => {
    let looked = 0;
    const db = new Proxy(world.store.db, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => {
          if (name === 'selectFrom' && given[0] === 'accounts') looked += 1;
          return value.apply(target, given);
        };
      },
    });
    const room = await world.second({ store: { ...world.store, db } });
    const lookUps = async (account: string) => {
      looked = 0;
      const csv = `text,account_ids\n${`Post,${account}\n`.repeat(100)}`;
      expect((await importInto({ ...world, posts: room.posts }, { csv, dryRun: true })).failed).toBe(0);
      return looked;
    };
    expect(await lookUps('Bluesky:@PERSON1')).toBe((await lookUps(id)) + 1);
  });
});
