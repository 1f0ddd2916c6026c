import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { refused } from '../../../src/platforms/shared/errors.ts';
import { count, flag, instant, readable, statedTime, text, word } from '../../../src/platforms/shared/fields.ts';
import { postEventsOf } from '../../../src/platforms/shared/inbox/backfill.ts';
import { type PartBatch, pollParts } from '../../../src/platforms/shared/inbox/polling.ts';
import { claimsOf, sessionParser } from '../../../src/platforms/shared/session.ts';
import { platformOptions } from '../../../src/platforms/shared/options.ts';
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
    await expect(poll(fail, () => batch('b', 5), { messages: 5 })).rejects.toMatchObject({ reason: 'blocked' });
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
  expect(statedTime(undefined, 'soon', '1970-01-01T00:00:01Z')).toBe(1000);
  expect(() => statedTime('soon')).toThrow(expect.objectContaining({ kind: 'unknown' }));
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
