import { MINUTE, HOUR } from '#kernel/clock.ts';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { describe, expect } from 'vitest';
import { it, type Json, type World } from '../../harness/world.ts';
import {
  callThrough,
  DOORS,
  expectInvalid,
  expectRefusal,
  INVALID,
  onFreePlan,
  type Reply,
  REQUIRED,
  type Via,
  forAssistants,
} from '../../harness/calls/operations.ts';
import { watch } from '../../harness/calls/progress.ts';
import { list } from '../../harness/calls/rest.ts';
import { serveTest } from '../../harness/sockets.ts';
import { endSession } from '../../harness/worlds/account.ts';
import { uploaded } from '../media/samples.ts';
import { disguise, from, publicTexts } from '../../harness/worlds/post-stage.ts';

/** How most files are written. */
const PLAIN = { encoding: 'utf-8', delimiter: ',' };

type Options = { dry_run?: boolean; key?: string };

/** Sends a form with a file. */
function sendFile(world: World, bytes: string | Buffer, query = '', options: Parameters<World['rest']>[2] = {}) {
  const form = new FormData();
  form.set('file', new Blob([Buffer.from(bytes as string)]), 'posts.csv');
  return world.rest(`POST /v1/posts/import${query}`, form, options);
}

/** Imports a text: as the file of a form, or as an argument. */
async function importCsv(world: World, via: Via, csv: string | Buffer, { dry_run, key }: Options = {}): Promise<Reply> {
  const asked = dry_run === undefined ? {} : { dry_run };
  const who = key === undefined ? {} : { key };
  if (via === 'mcp') return callThrough(world, via, 'import_posts', { csv: String(csv), ...asked }, who);
  const { status, body } = await sendFile(world, csv, dry_run === undefined ? '' : `?dry_run=${dry_run}`, who);
  const { code, meta = {} } = status < 400 ? {} : body.error;
  return { ok: status < 400, status, code, meta, body };
}

const listed = (world: World) => list(world, '/v1/posts?sort=created_asc');
const listedTexts = async (world: World) => (await listed(world)).map(({ text }) => text);
const used = async (world: World) => (await world.rest('GET /v1/usage')).body.posts_used;

describe.each(DOORS)('import_posts through %s', (via) => {
  it('makes drafts, and schedules what names a time, with all that a row can say', async ({ world, pair }) => {
    const [alice, bob] = pair;
    const receiver = await world.receive(['post.scheduled', 'post.published']);
    const at = from(world, HOUR);
    const rows = [
      'text,title,account_ids,scheduled_at,visibility,first_comment,platform_data,board_id',
      `Tomorrow,Big,${alice.id} | ${bob.id},${at},public,First,"{""bluesky"":{""langs"":[""de""]}}",`,
      'Someday,,,,,,,',
      `"Well, maybe",,${alice.id},,,,,board-1`,
    ];
    const { ok, status = 200, body } = await importCsv(world, via, rows.join('\r\n'));
    const { posts, ...counts } = body;
    expect([ok, status]).toEqual([true, 200]);
    expect(counts).toEqual({ dry_run: false, ...PLAIN, total_rows: 3, created: 3, failed: 0, errors: [] });
    const made = await listed(world);
    expect(posts).toEqual(via === 'rest' ? made : forAssistants('import_posts', { posts: made }).posts);
    expect(made).toMatchObject([
      {
        status: 'scheduled',
        text: 'Tomorrow',
        title: 'Big',
        visibility: 'public',
        first_comment: 'First',
        platform_data: { bluesky: { langs: ['de'] } },
        scheduled_at: at,
        source: 'import',
        targets: [
          { account_id: alice.id, status: 'scheduled' },
          { account_id: bob.id, status: 'scheduled' },
        ],
      },
      { status: 'draft', text: 'Someday', title: null, scheduled_at: null, targets: [] },
      { status: 'draft', text: 'Well, maybe', targets: [{ account_id: alice.id, board_id: 'board-1' }] },
    ]);
    expect(await used(world)).toBe(1);
    await world.settle();
    const told = receiver.received.map(({ body: { event, data } }) => [event, data['post_id'], data['scheduled_at']]);
    expect(told).toEqual([['post.scheduled', posts[0].id, at]]);
    await world.pass(HOUR);
    for (const person of [0, 1]) expect(publicTexts(world, person)).toContain('Tomorrow');
  });

  it('reports every row that cannot be made, and makes the others', async ({ world, account }) => {
    const dead = await world.connect(1);
    const elsewhere = await world.connect(2);
    await disguise(world, elsewhere.id);
    await endSession(world, dead.id);
    const { id } = account;
    const at = from(world, HOUR);
    const rows: readonly (readonly [cells: string, code: string, message: RegExp])[] = [
      [`,${id},${at},,,`, REQUIRED, /^text is required/],
      [`"  ",${id},${at},,,`, REQUIRED, /^text is required/],
      [`a,,${at},,,`, REQUIRED, /^account_ids is required/],
      ['a,,,,,board', REQUIRED, /^account_ids is required/],
      [`a,${id},${from(world, -HOUR)},,,`, INVALID, /is in the past/],
      [`a,${id},2026-12-01,,,`, INVALID, /^scheduled_at: must be RFC 3339/],
      [`a,${id},2026-13-05T10:00:00Z,,,`, INVALID, /^scheduled_at: must be a day that exists, which 2026-13-05 does/],
      [`a,${id},2026-12-05 24:30,,,`, INVALID, /^scheduled_at: must be a time that exists, which 24:30 does not/],
      [`a,acc_none,${at},,,`, 'account.not_found', /acc_none/],
      [`a,${id}|${id},,,,`, 'publishing.duplicate_target', /./],
      [`a,${dead.id},${at},,,`, 'account.reconnection_required', /^bluesky @bob.* must be connected again/],
      [`a,${elsewhere.id},,,,`, 'resource.not_supported', /whatsapp/],
      [`${'x'.repeat(301)},${id},${at},,,`, INVALID, /300/],
      [`a,${id},,secret,,`, INVALID, /^visibility: /],
      [`a,${id},,,{oops,`, INVALID, /^platform_data: .*JSON/],
      [`a,${id},,,[],`, INVALID, /^platform_data: /],
      [`a,${id},,,"{""myspace"":{}}",`, INVALID, /^platform_data/],
      [`a,${id},,,,,b,c`, INVALID, /more cells/],
      [`a "quote",${id},,,,`, INVALID, /quotes/],
    ];
    const csv = ['text,account_ids,scheduled_at,visibility,platform_data,board_id', ...rows.map(([cells]) => cells)];
    const { body } = await importCsv(world, via, [...csv, `good,${id},${at},,,`, 'fine,,,,,'].join('\n'));
    expect(body).toMatchObject({ total_rows: rows.length + 2, created: 2, failed: rows.length });
    expect(body.errors).toEqual(
      rows.map(([, code, message], index) => ({ row: index + 2, code, message: expect.stringMatching(message) })),
    );
    expect(await listedTexts(world)).toEqual(['good', 'fine']);
    expect(await used(world)).toBe(1);
  });

  it('checks every row of a dry run, and makes nothing', async ({ world, account: { id } }) => {
    const receiver = await world.receive(['post.scheduled']);
    const at = from(world, HOUR);
    const csv = `text,account_ids,scheduled_at\none,${id},${at}\none,${id},${at}\ntwo,,\nthree,nobody,\n`;
    const { body } = await importCsv(world, via, csv, { dry_run: true });
    expect(body).toMatchObject({ dry_run: true, total_rows: 4, created: 2, failed: 2, posts: [] });
    expect(body.errors).toMatchObject([
      { row: 3, code: 'resource.conflict' },
      { row: 5, code: 'account.not_found' },
    ]);
    await world.settle();
    expect([await listed(world), await used(world), receiver.received]).toEqual([[], 0, []]);
    const { total_rows, created, failed, errors } = (await importCsv(world, via, csv, { dry_run: false })).body;
    expect([total_rows, created, failed, errors]).toEqual([4, 2, 2, body.errors]);
  });

  it('makes nothing twice when a file is imported again, mended', async ({ world, account: { id } }) => {
    const at = from(world, HOUR);
    const csv = (third: string) => `text,account_ids,scheduled_at\none,${id},${at}\ntwo,${id},\nthree,${third},${at}\n`;
    expect((await importCsv(world, via, csv('oops'))).body).toMatchObject({ created: 2, failed: 1 });
    world.clock.move(MINUTE);
    const { body } = await importCsv(world, via, csv(id));
    expect(body).toMatchObject({ created: 1, failed: 2, posts: [{ text: 'three' }] });
    expect(body.errors).toMatchObject([
      { row: 2, code: 'resource.conflict', message: expect.stringContaining('24 hours') },
      { row: 3, code: 'resource.conflict' },
    ]);
    expect(await used(world)).toBe(2);
  });

  it('allows drafts that say the same in one file, and a draft of what create_post made', async ({
    world,
    account,
  }) => {
    const draft = { text: 'same', account_ids: [account.id] };
    expect((await callThrough(world, via, 'create_post', draft)).ok).toBe(true);
    const row = `same,${account.id}\n`;
    const { body } = await importCsv(world, via, `text,account_ids\n${row}${row}`);
    expect(body).toMatchObject({ created: 2, failed: 0 });
  });

  it('keeps to the brands of the key', async ({ world, pair: [alice, bob] }) => {
    const key = await world.newKey({ brand_ids: [alice.brand_id] });
    const { key: stranger } = await world.stranger();
    const csv = `text,account_ids\nmine,${alice.id}\ntheirs,${bob.id}\nboth,${alice.id}|${bob.id}\nnobodys,\n`;
    const { body } = await importCsv(world, via, csv, { key });
    expect(body).toMatchObject({ created: 1, failed: 3, posts: [{ text: 'mine' }] });
    expect(body.errors).toMatchObject([
      { row: 3, code: 'account.not_found' },
      { row: 4, code: 'account.not_found' },
      { row: 5, code: REQUIRED },
    ]);
    const foreign = (await importCsv(world, via, csv, { key: stranger })).body;
    expect(foreign).toMatchObject({ created: 1, failed: 3, posts: [{ text: 'nobodys' }] });
    expect(await listedTexts(world)).toEqual(['mine']);
  });

  it('counts every row against the allowance, and charges those that will go out', async ({ world }) => {
    await onFreePlan(world);
    const { id } = await world.connect(0, world.brandId);
    const at = from(world, HOUR);
    const csv = (count: number) => {
      const rows = Array.from({ length: count }, (_, n) => `${n},${id},${n < 4 ? at : ''}`);
      return ['text,account_ids,scheduled_at', ...rows].join('\n');
    };
    const over = await importCsv(world, via, csv(11));
    expect([over.status ?? 429, over.code, over.meta]).toEqual([429, 'billing.post_limit', { plan: 'free', max: 10 }]);
    expect([await listed(world), await used(world)]).toEqual([[], 0]);
    // A dry run takes nothing, so it needs nothing.
    expect((await importCsv(world, via, csv(11), { dry_run: true })).body).toMatchObject({ created: 11 });
    expect((await importCsv(world, via, csv(10))).body).toMatchObject({ created: 10, failed: 0 });
    expect(await used(world)).toBe(4);
    expect((await importCsv(world, via, 'text\na\nb\nc\nd\ne\nf\ng')).code).toBe('billing.post_limit');
    expect((await importCsv(world, via, 'text\na\nb\nc\nd\ne\nf')).body).toMatchObject({ created: 6 });
  });

  it('shows the first hundred posts, and a thousand errors', async ({ world, account: { id } }) => {
    const rows = [
      ...Array.from({ length: 150 }, (_, n) => `Post ${n},${id}`),
      ...Array.from({ length: 1100 }, (_, n) => `Lost ${n},nobody`),
    ];
    const { body } = await importCsv(world, via, ['text,account_ids', ...rows].join('\n'));
    expect(body).toMatchObject({ total_rows: 1250, created: 150, failed: 1100 });
    expect([body.posts.length, body.posts[99].text, body.errors.length]).toEqual([100, 'Post 99', 1000]);
  });

  it.for([
    ['nothing', '', REQUIRED, { field: 'text' }],
    ['no text column', 'title\na', REQUIRED, { field: 'text' }],
    ['a column twice', 'text,title,title\na,b,c', INVALID, { field: 'title' }],
    ['too many rows', `text\n${'a\n'.repeat(10_001)}`, INVALID, { field: 'file', max_rows: 10_000 }],
  ] as const)('refuses a file with %s', async ([, csv, code, meta], { shared: world }) => {
    const { status, ...reply } = await importCsv(world, via, csv);
    expect([status ?? 400, reply]).toMatchObject([400, { ok: false, code, meta }]);
    expect(await listed(world)).toEqual([]);
  });

  it('takes a file with a header alone', async ({ world }) => {
    const { body } = await importCsv(world, via, 'text\n');
    expect(body).toEqual({ dry_run: false, ...PLAIN, total_rows: 0, created: 0, failed: 0, errors: [], posts: [] });
  });

  it.for([
    [{}, REQUIRED, 'file'],
    [{ csv: 'text\na', url: 'https://example.org/a.csv' }, INVALID, 'file'],
    [{ url: 'ftp://example.org/a.csv' }, INVALID, 'url'],
    [{ csv: 'text\na', dry_run: 'perhaps' }, INVALID, 'dry_run'],
  ] as const)('refuses input %#', async ([input, code, field], { shared: world }) => {
    // A form cannot be empty.
    const asked = via === 'rest' ? { note: 'a', ...input } : input;
    await expectRefusal(callThrough(world, via, 'import_posts', asked), code, { field });
    expect(await listed(world)).toEqual([]);
  });

  it('fetches an address, once, up to 10 MB', async ({ world }) => {
    const asked: (string | undefined)[] = [];
    const server = createServer((req, res) => {
      asked.push(req.url);
      if (req.url === '/large.csv') res.end(`text\n${`${'x'.repeat(1023)}\n`.repeat(10_240)}`);
      else if (req.url === '/posts.csv') res.end('text\nover there\n');
      else res.writeHead(404).end();
    });
    const at = await serveTest(server);
    const fetching = (url: string) => callThrough(world, via, 'import_posts', { url });
    const { body } = await fetching(`${at}/posts.csv`);
    expect([body.posts.map(({ text }: { text: string }) => text), asked]).toEqual([['over there'], ['/posts.csv']]);
    const { status = 413, code, meta } = await fetching(`${at}/large.csv`);
    expect([status, code, meta]).toEqual([413, 'http.413', { max_bytes: 10_485_760 }]);
    for (const url of [`${at}/none`, `${world.root}/healthz`]) await expectInvalid(fetching(url), 'url');
    // Nothing of it stays on the disk.
    const left = readdirSync(world.config.dataDir, { recursive: true, withFileTypes: true });
    expect(left.filter((entry) => entry.isFile() && /(?:media|spool)/.test(entry.parentPath))).toEqual([]);
  });
});

it('import_posts takes files up to 10 MB, and no JSON', async ({ world }) => {
  const large = `text\n${`${'x'.repeat(1023)}\n`.repeat(10_240)}`;
  const { status, code, meta } = await importCsv(world, 'rest', large);
  expect([status, code, meta]).toEqual([413, 'http.413', { max_bytes: 10_485_760 }]);
  const json = await world.rest('POST /v1/posts/import', { csv: 'text\na' });
  expect([json.status, json.body.error.code]).toEqual([400, 'validation.body_invalid']);
  expect(await listed(world)).toEqual([]);
});

it.for([
  ['utf-8', ';', 'text;title\r\nGrüße, 5 €;a\r\n', (text: string) => Buffer.from(`\uFEFF${text}`)],
  ['utf-16le', '\t', 'text\ttitle\nGrüße, 5 €\ta\n', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
  ['utf-16be', ',', 'text,title\n"Grüße, 5 €",a\n', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
  // The euro sign has a byte of its own there.
  ['windows-1252', ';', 'text;title\nGrüße, 5 \x80;a\n', (text: string) => Buffer.from(text, 'latin1')],
] as const)(
  'import_posts reads files as Excel writes them: %s, %j',
  async ([encoding, delimiter, text, write], { world }) => {
    const { body } = await importCsv(world, 'rest', write(text));
    expect(body).toMatchObject({ encoding, delimiter, total_rows: 1, created: 1, failed: 0 });
    expect(body.posts).toMatchObject([{ text: 'Grüße, 5 €', title: 'a' }]);
  },
);

const CAFE = Buffer.from('Caf\xe9\n', 'latin1');

it.for([
  ['among lines in UTF-8', [`text\n${'Grüße\n'.repeat(30)}`, CAFE], 32],
  ['before lines in UTF-8', ['text\n', CAFE, `${'plain\n'.repeat(30)}Grüße\n`], 2],
  ['in a file with the mark of UTF-8', ['\uFEFFtext\nplain\n', CAFE], 3],
  ['of which the rest is UTF-8', ['text\n', 'Grüße, ', CAFE], 2],
] as const)('import_posts makes nothing of a file that has a line in another encoding %s', async (given, { world }) => {
  const [, parts, line] = given;
  const { code, meta, body } = await importCsv(world, 'rest', Buffer.concat(parts.map((part) => Buffer.from(part))));
  expect([code, meta]).toEqual([INVALID, { field: 'file', row: line }]);
  expect(body.error.message).toContain(`The file is UTF-8, except for line ${line}. Save it as "CSV UTF-8"`);
  expect(await listed(world)).toEqual([]);
});

it('import_posts reads Windows-1252 of which two bytes could be a character of UTF-8', async ({ world }) => {
  // Eszett and a closing quote.
  const file = Buffer.from('text\nGr\xf6\xdfe\n\x84Viel Spa\xdf\x93 sagt J\xf6rg\n', 'latin1');
  const { body } = await importCsv(world, 'rest', file);
  expect([body.encoding, body.posts.map(({ text }: Json) => text)]).toEqual([
    'windows-1252',
    ['Größe', '„Viel Spaß“ sagt Jörg'],
  ]);
});

describe.each(DOORS)('a file for import_posts through %s', (via) => {
  it('has no column that nobody reads', async ({ world }) => {
    const { code, meta, body } = await importCsv(world, via, 'text,media_url\na,https://a.example/x.png\n');
    expect([code, meta.field]).toEqual([INVALID, 'media_url']);
    expect(body.error.message).toContain('There is no column "media_url"; did you mean "media"?');
    expect(await listed(world)).toEqual([]);
  });

  it('names media by address and by id', async ({ world, account: { id } }) => {
    const stored = await uploaded(world);
    const rows = ['text,media,account_ids', `Look,${stored} | https://a.example/x.png,${id}`, `,${stored},${id}`];
    const { body } = await importCsv(world, via, rows.join('\n'));
    expect(body).toMatchObject({ created: 2, failed: 0 });
    const ours = { source: stored, source_type: 'media_id', type: 'image' };
    const theirs = { source: 'https://a.example/x.png', source_type: 'url', type: 'image' };
    expect(body.posts.map(({ media }: Json) => media)).toEqual([[ours, theirs], [ours]]);
    const wrong = await importCsv(world, via, `text,media,account_ids\nOh,med_none,${id}\n`);
    expect(wrong.body.errors).toMatchObject([{ row: 2, code: 'media.not_found' }]);
  });

  it('names accounts by platform and username, where that is one', async ({ world, pair: [alice, bob] }) => {
    const rows = (...names: string[]) => ['text,account_ids', ...names.map((name, n) => `${n},${name}`)].join('\n');
    const named = rows(
      `bluesky:${alice.username}|Bluesky:@${bob.username.toUpperCase()}`,
      'bluesky:nobody.example',
      'x:y',
    );
    const { body } = await importCsv(world, via, named);
    expect(body.posts.map(({ targets }: Json) => targets.map(({ account_id }: Json) => account_id))).toEqual([
      [alice.id, bob.id],
    ]);
    expect(body.errors).toMatchObject([
      { row: 3, code: 'account.not_found', message: expect.stringContaining('bluesky:nobody.example') },
      { row: 4, code: 'account.not_found' },
    ]);
    await rename(world, bob.id, alice.username);
    const twice = await importCsv(world, via, rows(`bluesky:${alice.username}`));
    expect(twice.body.errors).toMatchObject([{ row: 2, code: INVALID }]);
    for (const id of [alice.id, bob.id]) expect(twice.body.errors[0].message).toContain(id);
    const key = await world.newKey({ brand_ids: [alice.brand_id] });
    const own = `text,account_ids\nmine,bluesky:${alice.username}`;
    expect((await importCsv(world, via, own, { key })).body.created).toBe(1);
  });

  it('has times that begin with the year', async ({ world, account: { id } }) => {
    const times = ['31.12.2026 14:00', '12/31/2026 14:00', '31-12-26'];
    const rows = [...times.map((time) => `a,${id},${time}`), `b,${id},2026-12-31 14:00`];
    const { body } = await importCsv(world, via, ['text,account_ids,scheduled_at', ...rows].join('\n'));
    const form = via === 'rest' ? '2026-12-31 14:00' : '2026-12-31T14:00:00Z';
    for (const [index, time] of times.entries())
      expect(body.errors[index]).toMatchObject({
        row: index + 2,
        code: INVALID,
        message: `scheduled_at: ${time} is not clear; write the year first, such as ${form}`,
      });
    // Assistants say which offset they mean.
    expect(body.posts.map(({ scheduled_at }: Json) => scheduled_at)).toEqual(
      via === 'rest' ? ['2026-12-31T14:00:00.000Z'] : [],
    );
  });
});

/** Gives an account a username. */
async function rename({ product }: World, id: string, username: string): Promise<void> {
  await product.store.write(({ db }) => db.updateTable('accounts').set({ username }).where('id', '=', id).execute());
}

it('import_posts reports what is left of the allowance', async ({ world }) => {
  await onFreePlan(world);
  const { id } = await world.connect(0, world.brandId);
  const { headers } = await sendFile(world, `text,account_ids,scheduled_at\na,${id},${from(world, HOUR)}\nb,,`);
  expect([headers.get('x-posts-limit'), headers.get('x-posts-remaining')]).toEqual(['10', '9']);
  const over = await sendFile(world, `text\n${'a\n'.repeat(10)}`);
  expect([over.status, over.headers.get('x-posts-remaining')]).toEqual([429, '9']);
  expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0);
});

it('import_posts runs once for an Idempotency-Key', async ({ world }) => {
  const send = () => sendFile(world, 'text\na\nb\n', '', { headers: { 'Idempotency-Key': 'import-1' } });
  const [first, second] = [await send(), await send()];
  expect([second.headers.get('idempotency-replayed'), second.body]).toEqual(['true', first.body]);
  expect(await listed(world)).toHaveLength(2);
});

it('import_posts reports to an assistant how far it is', async ({ world }) => {
  const { steps, result } = await watch(world, 'import_posts', { csv: `text\n${'a\n'.repeat(250)}` });
  expect(steps).toEqual([
    ['p1', 100, 250],
    ['p1', 200, 250],
    ['p1', 250, 250],
  ]);
  expect(result).toMatchObject({ id: 7, result: { structuredContent: { created: 250 } } });
});
