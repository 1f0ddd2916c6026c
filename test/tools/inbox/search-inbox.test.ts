import { describe, expect, it } from 'vitest';
import { aComment, aMention, aReview } from '../../harness/platforms/social.ts';
import { call, expectInvalid, expectRefusal, expectRequired } from '../../harness/calls/operations.ts';
import type { Json } from '../../harness/world.ts';
import { allOf, makeStage } from '../../harness/worlds/social.ts';

/** Words of four kinds, written to two accounts, a minute after the other. */
async function scene() {
  const stage = await makeStage();
  const { world, net, tell, connect, converse } = stage;
  const [twitter, google] = [await connect('twitter', 'one'), await connect('google', 'two')];
  const at = (minute: number) => world.clock.now() - 3_600_000 + minute * 60_000;
  await converse(twitter, { thread: 'a', at: at(1) });
  const comment = (id: string, text: string, minute: number) =>
    ({ kind: 'comment', comment: aComment('post-1', { platform_id: id, text, created_at: at(minute) }) }) as const;
  await tell(twitter, [
    comment('c1', 'Is there rye bread?', 2),
    comment('c2', '我想买面包', 3),
    { kind: 'mention', mention: aMention({ platform_id: 'm1', text: 'The best BREAD 🍞 in town', created_at: at(4) }) },
  ]);
  const review = aReview(at(5), { platform_id: 'r1', text: 'Bread <b>was</b> cold' });
  net.reviews.set('two', [review]);
  await tell(google, [{ kind: 'review', review }]);
  const search = (q: string, more: object = {}) => call(world, 'search_inbox', { q, ...more });
  const found = async (q: string, more: object = {}) =>
    ((await search(q, more)).body.data as Json[]).map(({ kind, text }) => `${kind}: ${text}`);
  return { ...stage, comment, twitter, google, at, search, found };
}

const ALL = ['review: Bread <b>was</b> cold', 'mention: The best BREAD 🍞 in town', 'comment: Is there rye bread?'];

describe('search_inbox', () => {
  it('finds all kinds, newest first, with the thread of each and the words marked', async () => {
    const { twitter, at, search, found } = await scene();
    expect(await found('bread')).toEqual(ALL);
    const { status, body } = await search('rye bre');
    expect([status, body.kinds, body.is_complete]).toEqual([200, ['message', 'comment', 'mention', 'review'], true]);
    const [one] = body.data;
    expect(one).toMatchObject({
      kind: 'comment',
      account_id: twitter.id,
      platform: 'twitter',
      is_ours: false,
      marks: [
        { from: 9, to: 12 },
        { from: 13, to: 18 },
      ],
      created_at: new Date(at(2)).toISOString(),
      thread: { kind: 'comment', id: body.data[0].id },
    });
    const [message] = (await search('hello')).body.data;
    expect(message).toMatchObject({ kind: 'message', thread: { kind: 'conversation', id: expect.any(String) } });
  });

  it('finds words that are written without spaces, without their accents, by beginnings, and by pictures', async () => {
    const { found } = await scene();
    expect(await found('面包')).toEqual(['comment: 我想买面包']);
    expect(await found('包面')).toEqual([]);
    expect(await found('bré')).toEqual(ALL);
    expect(await found('🍞')).toEqual(ALL.slice(1, 2));
  });

  it.each([
    '"',
    "'",
    'a" OR "b',
    'NEAR(a b)',
    'words:x',
    '* AND',
    '^a',
    '\u{1F468}\u200D\u{1F469}',
    'x'.repeat(200),
    '%',
    "';--",
    '\\',
    '&|!()<->:*',
  ])('takes %j as words', async (q) => {
    const { search } = await scene();
    expect((await search(q)).status).toBe(200);
  });

  it('is narrowed by account, brand, platform and kind', async () => {
    const { twitter, google, found } = await scene();
    const { brand_id } = google;
    expect(await found('bread', { account_id: google.id })).toEqual(ALL.slice(0, 1));
    expect(await found('bread', { account_id: twitter.id, kind: 'mention' })).toEqual(ALL.slice(1, 2));
    expect(await found('bread', { platform: 'twitter' })).toEqual(ALL.slice(1));
    expect(await found('bread', { brand_id })).toEqual(ALL.slice(0, 1));
  });

  it('goes on page by page', async () => {
    const { world } = await scene();
    for (const limit of [1, 2, 3]) {
      const all = await allOf(world, 'search_inbox', { q: 'bread' }, limit);
      expect(all.map(({ kind }) => kind)).toEqual(['review', 'mention', 'comment']);
    }
  });

  it('finds what was changed by its new words, and nothing that is gone', async () => {
    const { tell, twitter, comment, found, world } = await scene();
    const edited = { ...comment('c1', 'Is there white bread?', 2), edited: true } as const;
    await tell(twitter, [edited, { kind: 'comment_gone', platform_id: 'c2' }]);
    await tell(twitter, [{ kind: 'message_edited', platform_id: 'hello-a', text: 'Rye?' } as never]).catch(() => {});
    void world;
    expect([await found('white'), await found('rye'), await found('面包')]).toEqual([
      ['comment: Is there white bread?'],
      [],
      [],
    ]);
  });

  it('finds nothing of an account that was disconnected, nor of other workspaces', async () => {
    const { world, twitter, found } = await scene();
    await call(world, 'disconnect_account', { account_id: twitter.id });
    expect(await found('bread')).toEqual(ALL.slice(0, 1));
  });

  it('leaves messages out for keys that may not read them', async () => {
    const { world } = await scene();
    const key = await world.newKey({ scopes: ['inbox:read'] });
    const ask = (more: object = {}) => call(world, 'search_inbox', { q: 'hello', ...more }, { key });
    const { body } = await ask();
    expect([body.data, body.kinds]).toEqual([[], ['comment', 'mention', 'review']]);
    await expectRefusal(ask({ kind: 'message' }), 'auth.insufficient_scope', { required_scope: 'dms:read' });
  });

  it('shows each key its brands alone', async () => {
    const { world, google } = await scene();
    const key = await world.newKey({ brand_ids: [google.brand_id] });
    const { data } = (await call(world, 'search_inbox', { q: 'bread' }, { key })).body;
    expect(data.map(({ kind }: Json) => kind)).toEqual(['review']);
  });

  it('refuses unknown accounts and brands, and what no text may be', async () => {
    const { search } = await scene();
    await expectRefusal(search('a', { account_id: 'acc_none' }), 'account.not_found');
    await expectRefusal(search('a', { brand_id: 'brd_none' }), 'brand.not_found');
    await expectInvalid(search('a\0b'), 'q');
    await expectInvalid(search('x'.repeat(201)), 'q');
  });

  it('goes on by the cursor alone', async () => {
    const { world, search } = await scene();
    const { next_cursor: cursor } = (await search('bread', { limit: 1 })).body;
    const { body } = await call(world, 'search_inbox', { cursor });
    expect(body.data.map(({ kind }: Json) => kind)).toEqual(['mention', 'comment']);
    await expectRequired(call(world, 'search_inbox', { brand_id: 'brd_none' }), 'q');
  });
});
