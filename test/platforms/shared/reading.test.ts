import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { PlatformError } from '#platforms/errors.ts';
import { refused, unclear } from '#platforms/shared/errors.ts';
import { count, flag, instant, readable, text, word } from '#platforms/shared/fields.ts';
import { backfillBy, postEventsOf } from '#platforms/shared/inbox/backfill.ts';
import { mergedPage } from '#platforms/shared/merged.ts';
import { metricsOf, metricsOfEach } from '#platforms/shared/metrics.ts';
import { type PartBatch, pollParts } from '#platforms/shared/inbox/polling.ts';
import { claimsOf, sessionParser } from '#platforms/shared/session.ts';
import { platformOptions } from '#platforms/shared/options.ts';
import { scripted } from '../../harness/platforms/script.ts';

const { acting } = scripted({}, { hosts: {}, nameOf: () => '' });
const gone = (id: string) => ({ kind: 'comment_gone', platform_id: id }) as const;

describe('a poll of several parts', () => {
  type Poll = (at: number | undefined) => PartBatch<number>;
  const poll = (mentions: Poll, messages: Poll, cursor?: unknown) =>
    pollParts({
      mentions: { position: z.number(), poll: async (_, at: number | undefined) => mentions(at) },
      messages: { position: z.number(), poll: async (_, at: number | undefined) => messages(at) },
    })(acting, cursor);
  const batch = (id: string, at: number, more: Partial<PartBatch<number>> = {}): PartBatch<number> => ({
    events: [gone(id)],
    at,
    more: false,
    ...more,
  });
  const fail = () => {
    throw refused('blocked');
  };

  it('gives each part its own position, and keeps first polls apart as the baseline', async () => {
    const first = await poll(
      () => batch('a', 1, { began: true }),
      () => batch('b', 5, { more: true }),
      {
        mentions: 'of another shape',
        messages: 4,
      },
    );
    expect(first).toEqual({
      events: [gone('b')],
      baseline: [gone('a')],
      cursor: { mentions: 1, messages: 5 },
      more: true,
    });
    const next = await poll(
      (at) => batch('a', at! + 1),
      (at) => batch('b', at! + 1),
      first.cursor,
    );
    expect(next.cursor).toEqual({ mentions: 2, messages: 6 });
  });

  it('goes on where one part fails, and fails where none makes progress', async () => {
    const some = await poll(fail, () => batch('b', 5), { mentions: 3 });
    expect(some).toMatchObject({ events: [gone('b')], cursor: { mentions: 3, messages: 5 } });
    await expect(poll(fail, fail)).rejects.toMatchObject({ reason: 'blocked' });
    const lost = () => {
      throw unclear();
    };
    await expect(poll(lost, () => batch('b', 5), { messages: 5 })).rejects.toMatchObject({ kind: 'unknown' });
  });

  it('is no failure where one part refuses and nothing is new in the other', async () => {
    const quiet = await poll(fail, () => batch('b', 5), { messages: 5 });
    expect(quiet).toMatchObject({ cursor: { messages: 5 }, skipped: [{ page: 'mentions' }] });
  });

  it('nor is a refusal that no table lists', async () => {
    const refuse = () => {
      throw new PlatformError('unknown', 'api_error', 'Strange.', { status: 400, unlisted: true });
    };
    const quiet = await poll(refuse, () => batch('b', 5), { messages: 5 });
    expect(quiet).toMatchObject({ cursor: { messages: 5 }, skipped: [{ page: 'mentions' }] });
  });
});

describe('a backfill of several parts', () => {
  const part = (name: string, reads = 1) => ({
    name,
    reads,
    read: async (_: unknown, after = '0') => ({ events: [gone(`${name} ${after}`)], after: String(Number(after) + 1) }),
  });
  const shut = {
    name: 'shut',
    async read() {
      throw refused('permission_denied');
    },
  };
  async function readAll(history: ReturnType<typeof backfillBy>) {
    const told: string[] = [];
    let batch = await history(acting, undefined);
    for (;;) {
      told.push(...batch.events.map((event) => (event as { platform_id: string }).platform_id));
      told.push(...(batch.skipped ?? []).map(({ page, error }) => `${page}: ${error.reason}`));
      if (!batch.more) return told;
      batch = await history(acting, JSON.parse(JSON.stringify(batch.cursor)));
    }
  }

  it('reads each as far as it may, and names those that refuse, first or last', async () => {
    const history = backfillBy(() => [shut, part('a', 2), part('b')]);
    expect(await readAll(history)).toEqual(['shut: permission_denied', 'a 0', 'a 1', 'b 0']);
    expect(await readAll(backfillBy(() => [part('a'), shut]))).toEqual(['a 0', 'shut: permission_denied']);
  });

  it('stops at what may pass, and ends where a part is gone', async () => {
    const lost = {
      name: 'lost',
      async read() {
        throw unclear();
      },
    };
    await expect(readAll(backfillBy(() => [lost, part('a')]))).rejects.toMatchObject({ kind: 'unknown' });
    expect(await backfillBy(() => [])(acting, { left: ['gone'], reads: 0 })).toMatchObject({ events: [], more: false });
  });
});

describe('lists of several parts', () => {
  const shut = async () => {
    throw refused('permission_denied');
  };

  it('show what one part has while another refuses, and fail when all do', async () => {
    const open = async () => ({ items: [3, 1], isLast: true });
    const page = { limit: 10 };
    const found = await mergedPage({ shut, open }, (at) => at, page);
    expect(found).toMatchObject({ items: [3, 1], cursor: undefined, skipped: [{ page: 'shut' }] });
    await expect(mergedPage<number>({ shut, also: shut }, (at) => at, page)).rejects.toMatchObject({
      reason: 'permission_denied',
    });
  });

  it('end with a page that is empty, even if its list claims to go on', async () => {
    const empty = async () => ({ items: [], isLast: false });
    expect(await mergedPage<number>({ empty }, (at) => at, { limit: 10 })).toMatchObject({
      items: [],
      cursor: undefined,
    });
    const full = async (offset: number) => ({ items: [9 - offset], isLast: false });
    const { cursor } = await mergedPage({ empty, full }, (at) => at, { limit: 1 });
    expect(await mergedPage({ empty, full }, (at) => at, { limit: 1, cursor })).toMatchObject({ items: [8] });
  });

  it('have the metrics of posts beside one that refuses, and fail when all do', async () => {
    const posts = ['1', '2'].map((id) => ({ id, metadata: {} }));
    const counts = { likes: 1, comments: 0, shares: 0, saves: 0 };
    const found = await metricsOfEach(posts, ({ id }) => (id === '1' ? shut() : Promise.resolve(counts)));
    expect(Object.fromEntries(found)).toMatchObject({ 1: { reason: 'permission_denied' }, 2: counts });
    const some = await metricsOf(posts, 1, async ([id]) => (id === '1' ? shut() : [['2', counts]]));
    expect(some).toEqual(found);
    await expect(metricsOfEach(posts, shut)).rejects.toMatchObject({ reason: 'permission_denied' });
  });
});

it('a backfill reports listed posts with what is known of them', () => {
  const post = { platform_post_id: 'p', text: 'x', created_at: 7, media: [{ type: 'image', url: 'https://i' }] };
  expect(postEventsOf([post])).toMatchObject([
    { kind: 'post', post: { platform_id: 'p', thumbnail: 'https://i', comment_count: 0, published_at: 7 } },
  ]);
});

it('fields that are missing or invalid get a value, and unreadable entries are left out', () => {
  const Item = z.object({ id: z.string(), text, word, flag, count });
  expect(readable(Item, [{ id: 'a', text: 7, count: -1 }, null, { id: 7 }, { id: 'b', flag: true, count: 2 }])).toEqual(
    [
      { id: 'a', text: undefined, word: '', flag: false, count: 0 },
      { id: 'b', word: '', flag: true, count: 2 },
    ],
  );
  expect(instant.safeParse('soon').success).toBe(false);
});

it('a stored session of another shape asks for a reconnect, and a token shows its end', () => {
  const sessionOf = sessionParser(z.object({ token: z.string() }));
  expect(sessionOf({ token: 'x', more: 1 })).toEqual({ token: 'x' });
  expect(() => sessionOf({})).toThrow(expect.objectContaining({ kind: 'refused', reason: 'auth' }));
  const jwt = (claims: object) => `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`;
  expect(claimsOf(jwt({ exp: 7, scope: 'a' }))).toEqual({ expiresAt: 7000, scope: 'a' });
  expect([claimsOf(jwt({ exp: 'x' })), claimsOf('opaque')]).toEqual([{}, {}]);
});

it('options of a post are read as a whole, and what is wrong with them is named', () => {
  const { optionsOf, checking } = platformOptions(
    'pinterest',
    z.object({ alts: z.array(z.string().max(2)).optional() }),
  );
  const post = { text: '', media: [], segments: [], visibility: 'public' };
  expect(optionsOf({ ...post, options: { alts: ['ab'] } })).toEqual({ alts: ['ab'] });
  expect(optionsOf({ ...post, options: { alts: ['abc'] } })).toEqual({});
  const check = checking((_post, { add, option }) => {
    add('text', 'is dull');
    add('media.0', 'is late', 2);
    option('alts', 'is odd');
  });
  expect(check({ ...post, options: { alts: ['ab', 'abc'] } })).toEqual([
    { field: 'platform_data.pinterest.alts.1', message: expect.any(String) },
    { field: 'text', message: 'is dull' },
    { field: 'media.0', message: 'is late', segment_index: 1 },
    { field: 'platform_data.pinterest.alts', message: 'is odd' },
  ]);
});
