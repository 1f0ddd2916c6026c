import { describe, expect, it } from 'vitest';
import { UNANSWERED_KINDS } from '#db/inbox/unanswered.ts';
import { listUnanswered } from '#tools/inbox/list-unanswered.ts';
import { aComment, aMention, aReview, socialPlatforms } from '../../harness/platforms/social.ts';
import { call, expectInvalid, expectRefusal } from '../../harness/calls/operations.ts';
import type { MessageParts } from '#platforms/messages.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import { aMessage, allOf, makeStage } from '../../harness/worlds/social.ts';

type Item = Readonly<{
  kind: string;
  id: string;
  text: string;
  answer: Readonly<{ tool: string; arguments: Readonly<Record<string, string>> }>;
}>;

/** Two accounts to which everything was written, a minute after the other. */
async function scene() {
  const stage = await makeStage();
  const { world, net, tell, connect, converse } = stage;
  const [twitter, google] = [await connect('twitter', 'one'), await connect('google', 'two')];
  const began = world.clock.now() - 3_600_000;
  const at = (minutes: number) => began + minutes * 60_000;
  const comments = [1, 4].map((minute) =>
    aComment('post-1', { platform_id: `c${minute}`, text: `Comment ${minute}`, created_at: at(minute) }),
  );
  net.comments.set('post-1', comments);
  await converse(twitter, { thread: 'a', at: at(2) });
  await tell(twitter, [
    ...comments.map((comment) => ({ kind: 'comment', comment }) as const),
    { kind: 'mention', mention: aMention({ platform_id: 'm3', text: 'Mention 3', created_at: at(3) }) },
  ]);
  const review = aReview(at(5), { platform_id: 'r5', text: 'é'.repeat(300) });
  net.reviews.set('two', [review]);
  await tell(google, [{ kind: 'review', review }]);
  const list = (input: object = {}) => call(world, 'list_unanswered', { ...input });
  const texts = async (input: object = {}) => {
    const { body } = await list(input);
    return (body.data as Item[]).map(({ text }) => text.slice(0, 15));
  };
  return { ...stage, twitter, google, at, list, texts };
}

const EVERYTHING = ['é'.repeat(15), 'Comment 4', 'Mention 3', 'Text of hello-a', 'Comment 1'];

describe('list_unanswered', () => {
  it('says which kinds it lists', () => {
    const names = UNANSWERED_KINDS.map((kind) => `${kind}s`);
    expect(listUnanswered.summary).toContain(`${names.slice(0, -1).join(', ')} and ${names.at(-1)} in one list`);
  });

  it('is one list of all kinds, newest first, each with the call that answers it', async () => {
    const { world, twitter, google, at, list } = await scene();
    const { status, body } = await list();
    expect([status, body.kinds]).toEqual([200, ['conversation', 'comment', 'review', 'mention']]);
    const [review, comment, mention, conversation] = body.data;
    const fan = { id: 'fan', name: 'Fan', avatar_url: null };
    expect(review).toEqual({
      kind: 'review',
      id: expect.stringMatching(/^rev_/),
      account_id: google.id,
      brand_id: google.brand_id,
      platform: 'google',
      author: { id: 'guest', name: 'Guest', username: null, avatar_url: null },
      text: 'é'.repeat(200),
      created_at: new Date(at(5)).toISOString(),
      rating: 4,
      answer: { tool: 'reply_to_review', arguments: { account_id: google.id, review_id: review.id } },
    });
    expect(comment).toMatchObject({
      kind: 'comment',
      id: expect.stringMatching(/^cmt_/),
      account_id: twitter.id,
      author: { ...fan, username: 'fan' },
      text: 'Comment 4',
      platform_post_id: 'post-1',
      answer: {
        tool: 'reply_to_comment',
        arguments: { account_id: twitter.id, post_id: 'post-1', comment_id: comment.id },
      },
    });
    expect(mention).toMatchObject({
      kind: 'mention',
      id: expect.stringMatching(/^mnt_/),
      author: { ...fan, username: null },
      answer: { tool: 'reply_to_mention', arguments: { account_id: twitter.id, mention_id: mention.id } },
    });
    expect(conversation).toMatchObject({
      kind: 'conversation',
      author: { id: 'fan-a', name: 'Fan' },
      text: 'Text of hello-a',
      unread_count: 1,
      created_at: new Date(at(2)).toISOString(),
      answer: { tool: 'send_dm', arguments: { conversation_id: conversation.id } },
    });
    for (const limit of [1, 2, 3, 50]) {
      const all = (await allOf(world, 'list_unanswered', {}, limit)) as unknown as Item[];
      expect([limit, all.map(({ text }) => text.slice(0, 15))]).toEqual([limit, EVERYTHING]);
    }
  });

  it('filters by account, brand, platform, kind and time, and refuses what is not there', async () => {
    const { connect, google, twitter, at, list, texts } = await scene();
    const quiet = await connect('twitter', 'quiet');
    const ofTwitter = EVERYTHING.slice(1);
    const filters: readonly (readonly [object, readonly string[]])[] = [
      [{ account_id: twitter.id }, ofTwitter],
      [{ account_id: quiet.id }, []],
      [{ account_id: twitter.id, brand_id: google.brand_id }, []],
      [{ brand_id: google.brand_id }, EVERYTHING.slice(0, 1)],
      [{ platform: 'twitter' }, ofTwitter],
      [{ kind: 'comment' }, ['Comment 4', 'Comment 1']],
      [{ kind: 'review', platform: 'twitter' }, []],
      [{ since: new Date(at(3)).toISOString() }, EVERYTHING.slice(0, 2)],
    ];
    for (const [filter, expected] of filters) expect([filter, await texts(filter)]).toEqual([filter, expected]);
    await expectRefusal(list({ account_id: 'acc_none' }), 'account.not_found', { id: 'acc_none' });
    await expectRefusal(list({ brand_id: 'brd_none' }), 'brand.not_found', { id: 'brd_none' });
    await expectInvalid(list({ kind: 'post' }), 'kind');
    const { next_cursor: cursor } = (await list({ platform: 'twitter', limit: 1 })).body;
    await expectInvalid(list({ platform: 'google', cursor }), 'cursor');
    expect(await texts({ cursor })).toEqual(ofTwitter.slice(1));
  });

  it('shows conversations to those alone who may read them, and to each key its brands', async () => {
    const { world, google, list } = await scene();
    const key = await world.newKey({ scopes: ['inbox:read'] });
    const ask = (input: object, limits: string) => call(world, 'list_unanswered', { ...input }, { key: limits });
    const { body } = await ask({}, key);
    expect(body.kinds).toEqual(['comment', 'review', 'mention']);
    expect(body.data.map(({ kind }: Item) => kind)).toEqual(['review', 'comment', 'mention', 'comment']);
    const meta = { required_scope: 'dms:read' };
    await expectRefusal(ask({ kind: 'conversation' }, key), 'auth.insufficient_scope', meta);
    const ofBrand = await world.newKey({ brand_ids: [google.brand_id] });
    expect((await ask({}, ofBrand)).body.data.map(({ kind }: Item) => kind)).toEqual(['review']);
    expect((await list()).body.data).toHaveLength(5);
  });

  it('has nothing left after a triage, and nothing that cannot be answered or needs none', async () => {
    const { world, net, connect, tell, twitter, texts, list } = await scene();
    const answerAll = async () => {
      const items = (await allOf(world, 'list_unanswered', {}, 2)) as unknown as Item[];
      for (const { answer } of items) {
        const { ok } = await call(world, answer.tool, { ...answer.arguments, text: 'Thank you' });
        expect([answer.tool, ok]).toEqual([answer.tool, true]);
      }
      return items.length;
    };
    expect(await answerAll()).toBe(5);
    const before = net.seen.length;
    expect(await answerAll()).toBe(0);
    expect(net.seen).toHaveLength(before);
    // Hidden, archived, our own, or of an account that cannot answer: nobody waits.
    const zalo = await connect('zalo', 'zalo');
    const silence = { can_reply: false, can_private_reply: false };
    const capabilities = { ...aComment('post-1').capabilities, ...silence };
    const conversation = { platform_id: 'b', participant: { id: 'fan-b', name: 'Fan' } };
    await tell(zalo, [{ kind: 'comment', comment: aComment('post-9') }]);
    await tell(twitter, [
      { kind: 'comment', comment: aComment('post-1', { is_hidden: true }) },
      { kind: 'comment', comment: aComment('post-1', { is_owner: true }) },
      { kind: 'message', conversation, message: aMessage('b1', world.clock.now()) },
    ]);
    const [item] = (await list()).body.data as Item[];
    await call(world, 'update_conversation', { conversation_id: item!.id, status: 'archived' });
    expect(await texts()).toEqual([]);
    // Of what can be answered in private alone, that is the way.
    const inPrivate = { ...capabilities, can_private_reply: true };
    await tell(twitter, [
      { kind: 'comment', comment: aComment('post-1', { text: 'Closed', capabilities }) },
      { kind: 'comment', comment: aComment('post-1', { text: 'In private', capabilities: inPrivate }) },
    ]);
    const { data: open, next_cursor } = (await list({ limit: 1 })).body;
    expect([open.length, open[0].text, open[0].answer.tool, next_cursor]).toEqual([
      1,
      'In private',
      'private_reply_to_comment',
      '',
    ]);
    // A review whose answer is taken away waits again, as somebody does who writes again.
    const { data } = (await call(world, 'get_reviews')).body;
    await call(world, 'delete_review_reply', { review_id: data[0].id });
    const again = { platform_id: 'a', participant: { id: 'fan-a', name: 'Fan' } };
    await tell(twitter, [{ kind: 'message', conversation: again, message: aMessage('a2', world.clock.now() + 1) }]);
    expect((await texts()).toSorted()).toEqual(['In private', 'Text of a2', 'é'.repeat(15)]);
  });

  it('offers what reaches a person after the window of the platform has closed, or says that nothing does', async () => {
    const DAY = 86_400_000;
    const windows: Readonly<Partial<Record<PlatformSlug, Pick<MessageParts, 'window' | 'tags'>>>> = {
      instagram: { window: { ms: DAY }, tags: { HUMAN_AGENT: 7 * DAY } },
      whatsapp: { window: { ms: DAY, code: 'whatsapp.window_closed', later: 'send_whatsapp_template' } },
      tiktok: { window: { ms: 2 * DAY } },
    };
    const { world, connect, converse, net } = await makeStage({}, (social) => {
      const like = socialPlatforms(social).get('zalo')!;
      return Object.entries(windows).map(([slug, own]) => {
        const messages = { ...like.messages!, parts: { ...like.messages!.parts, ...own } };
        return { ...like, slug: slug as PlatformSlug, messages };
      });
    });
    const threads: Record<string, string> = {};
    const accounts: Record<string, string> = {};
    for (const slug of Object.keys(windows) as PlatformSlug[]) {
      const account = await connect(slug, slug);
      accounts[slug] = account.id;
      threads[slug] = await converse(account, { thread: slug, at: world.clock.now() });
    }
    const answers = async () => {
      const { data } = (await call(world, 'list_unanswered')).body;
      return Object.fromEntries(
        data.map(({ platform, answer, blocked }: Item & { platform: string; blocked?: string }) => [
          platform,
          blocked ?? answer,
        ]),
      );
    };
    const blockedOf = async () => {
      const { data } = (await call(world, 'list_conversations')).body;
      return Object.fromEntries(data.map((one: { platform: string; blocked: unknown }) => [one.platform, one.blocked]));
    };
    const dm = (slug: string, more: object = {}) => ({
      tool: 'send_dm',
      arguments: { conversation_id: threads[slug], ...more },
    });
    const open = { instagram: dm('instagram'), whatsapp: dm('whatsapp'), tiktok: dm('tiktok') };
    expect(await answers()).toEqual(open);
    expect(await blockedOf()).toEqual({ instagram: null, whatsapp: null, tiktok: null });
    await world.pass(DAY + 1);
    const tagged = dm('instagram', { message_tag: 'HUMAN_AGENT' });
    const template = {
      tool: 'send_whatsapp_template',
      arguments: { account_id: accounts['whatsapp'], to: 'fan-whatsapp' },
    };
    expect(await answers()).toEqual({ ...open, instagram: tagged, whatsapp: template });
    expect(await blockedOf()).toEqual({
      instagram: 'platform.instagram.window_closed',
      whatsapp: 'whatsapp.window_closed',
      tiktok: null,
    });
    await world.pass(6 * DAY);
    const [instagram, tiktok] = ['platform.instagram.window_closed', 'platform.tiktok.window_closed'];
    expect(await answers()).toEqual({ instagram, whatsapp: template, tiktok });
    // The platform has the last word: nothing is refused here.
    await call(world, 'send_dm', { conversation_id: threads['tiktok'], text: 'Late' });
    expect(net.texts('tiktok')).toHaveLength(1);
  });

  it('says of what has no words what it is', async () => {
    const { world, net, twitter, google, tell } = await scene();
    const media = [{ type: 'image', url: 'https://pictures.example/1' }];
    const comment = aComment('post-1', { text: '', media });
    net.comments.get('post-1')!.push(comment);
    const review = aReview(world.clock.now(), {
      text: '',
      media: [{ type: 'video', url: 'https://pictures.example/2' }],
    });
    await tell(twitter, [
      { kind: 'comment', comment },
      { kind: 'mention', mention: aMention({ text: '', media }) },
    ]);
    await tell(google, [
      { kind: 'review', review },
      { kind: 'review', review: aReview(world.clock.now(), { text: '' }) },
    ]);
    const textsOf = async (kind: string) => {
      const { data } = (await call(world, 'list_unanswered', { kind })).body;
      return data.map(({ text }: Item) => text.slice(0, 10));
    };
    expect(await textsOf('comment')).toContain('[image]');
    expect(await textsOf('mention')).toContain('[image]');
    expect(await textsOf('review')).toEqual(expect.arrayContaining(['[video]', '']));
  });

  it('says of an account that has to be connected again that it cannot answer', async () => {
    const { world, twitter, list } = await scene();
    await world.product.store.write(({ db }) =>
      db.updateTable('accounts').set({ status: 'reconnect_required' }).where('id', '=', twitter.id).execute(),
    );
    const items = (await list()).body.data as readonly (Item & { account_id: string; blocked?: string })[];
    for (const { account_id, answer, blocked } of items) {
      const isDead = account_id === twitter.id;
      expect([blocked, answer === undefined]).toEqual([isDead ? 'account.reconnection_required' : undefined, isDead]);
    }
    expect(items.some(({ blocked }) => blocked !== undefined)).toBe(true);
  });

  it('pages through items of the same time without losing or repeating one', async () => {
    const { world, net, tell, connect } = await makeStage();
    const accounts = [await connect('twitter', 'one'), await connect('twitter', 'two')];
    const created_at = world.clock.now() - 60_000;
    for (const account of accounts) {
      const conversation = { platform_id: `t-${account.id}`, participant: { id: 'fan', name: 'Fan' } };
      await tell(account, [
        ...['c1', 'c2', 'c3'].map((platform_id) => {
          const comment = aComment('post-1', { platform_id, created_at });
          return { kind: 'comment', comment } as const;
        }),
        { kind: 'mention', mention: aMention({ platform_id: 'm1', created_at }) },
        { kind: 'message', conversation, message: aMessage(`m-${account.id}`, created_at) },
      ]);
    }
    expect(net.calls.filter((made) => made.includes('list'))).toEqual([]);
    for (const limit of [1, 2, 3, 4, 100]) {
      const all = (await allOf(world, 'list_unanswered', {}, limit)) as unknown as (Item & { account_id: string })[];
      const names = all.map(({ account_id, id }) => `${account_id} ${id}`);
      expect([limit, names.length, new Set(names).size]).toEqual([limit, 10, 10]);
    }
  });
});
