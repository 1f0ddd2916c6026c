import { opened, bareCall } from '../../harness/opened.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { facebook } from '#platforms/facebook/index.ts';
import type { InboundEvent } from '#platforms/inbound.ts';
import type { PushRequest, PushedEvent } from '#platforms/push.ts';
import type { Bubble } from '#platforms/messages.ts';
import type { PlatformConversation } from '#platforms/inbox-types.ts';
import type { PrepareCall } from '#platforms/sending.ts';
import { trusting } from '../../harness/platforms/inbound.ts';
import { PlatformError } from '#platforms/errors.ts';
import { readOn } from '../../harness/platforms/reading.ts';
import { refused } from '../../harness/platforms/script.ts';
import { FRED, MIA, OLIVIA, openFacebookWorld, png, type FacebookWorld } from '../../harness/worlds/twins/facebook.ts';
import { makeClient, type Client } from '../../harness/worlds/bluesky.ts';

const comments = facebook.comments!;
const mentions = facebook.mentions!;
const messages = facebook.messages!;
const push = facebook.push!;
const PICTURE = opened(png(4), 'image/png');
const GO = { type: 'postback', title: 'Go', payload: 'GO' };

let world: FacebookWorld;
let client: Client;
let acting: PrepareCall;
let page: string;

beforeEach(async () => {
  world = await openFacebookWorld();
  const { id, token, user } = await world.ready();
  page = id;
  const bakery = await world.pageOf(user, 'Harbour Bakery');
  client = makeClient(facebook.hosts.sandbox({ api: world.at, web: world.at }), () => world.clock.now(), [world.root]);
  const session = { user_token: user, user_id: '1', pages: { [id]: token, [bakery.id]: bakery.token } };
  acting = { ...client.acting(session), ...bareCall, open: async () => PICTURE };
  world.app.clear();
});

afterEach(async () => {
  await client.close();
  await world.close();
});

const state = (prepared: unknown = null, correlationId = 'snd_1.0') => ({
  prepared,
  correlationId,
  sentAt: world.clock.now(),
  taken: new Set<string>(),
});

/** What the simulator has pushed since, verified and read as the product does. */
async function pushed(): Promise<readonly PushedEvent[]> {
  await world.sandbox.settle();
  const requests = world.app.pushes().map(({ url, headers, body }): PushRequest => ({
    path: url.replace(/^\/push\/facebook\/?/, ''),
    headers: headers as Record<string, string>,
    body: Buffer.from(body),
  }));
  const trust = { ...trusting('sandbox'), now: world.clock.now };
  expect(requests.map((request) => push.verify(request, trust))).toEqual(requests.map(() => true));
  world.app.clear();
  return requests.flatMap((request) => push.read(request));
}
const facts = async () => (await pushed()).map(({ event: fact }) => fact);
type Told<K extends InboundEvent['kind']> = Extract<InboundEvent, { kind: K }>;
const only = async <K extends InboundEvent['kind']>(kind: K): Promise<Told<K>> => {
  const [fact, another] = await facts();
  expect([fact?.kind, another]).toEqual([kind, undefined]);
  return fact as Told<K>;
};

describe('comments', () => {
  const written = async () => {
    const { id: post } = await world.act('page_post', { page, message: 'Open today' });
    await pushed();
    const { id: comment } = await world.act('comment', { person: FRED, on: post, message: 'Grüße <3' });
    return { post: post as string, comment: comment as string };
  };
  const itemsOf = async (post: string) => (await comments.list!(acting, { post }, { limit: 10 })).items;

  it('are pushed, completed, listed and changed', async () => {
    const at = await written();
    const { post, comment } = at;
    const told = await only('comment');
    const known = { platform_id: comment, platform_post_id: post, page_id: page, text: 'Grüße <3' };
    expect(told.comment).toMatchObject(known);
    const whole = await push.complete!(acting, told);
    const { items, cursor } = await comments.list!(acting, { post }, { limit: 10 });
    expect(cursor).toBeUndefined();
    expect(whole).toEqual({ kind: 'comment', comment: items[0] });
    expect(items[0]).toMatchObject({ author: { name: 'Fred Follower', avatar_url: expect.any(String) } });
    const all = { can_reply: true, can_delete: true, can_hide: true, can_like: true, can_private_reply: true };
    expect(items[0]!.capabilities).toEqual(all);

    await comments.hide!(acting, at, true);
    expect(await only('comment_hidden')).toEqual({ kind: 'comment_hidden', platform_id: comment, hidden: true });
    for (let i = 0; i < 2; i++) await comments.like!(acting, at, true);
    expect((await itemsOf(post))[0]).toMatchObject({ is_hidden: true, is_liked: true, like_count: 1 });
    for (let i = 0; i < 2; i++) await comments.like!(acting, at, false);
    await comments.hide!(acting, at, false);
    await world.act('edit_comment', { comment, message: 'Changed' });
    expect(await facts()).toMatchObject([
      { kind: 'comment_hidden', hidden: false },
      { kind: 'comment', edited: true, comment: { text: 'Changed' } },
    ]);
    for (let i = 0; i < 2; i++) await comments.remove!(acting, at);
    expect(await only('comment_gone')).toEqual({ kind: 'comment_gone', platform_id: comment });
    expect(await itemsOf(post)).toEqual([]);
  });

  it('are answered, and the answer is found again', async () => {
    const { send, settle } = comments.reply!;
    const { post, comment } = await written();
    const ask = { post, comment, text: 'Danke!' };
    const sent = state();
    expect(await settle!(acting, ask, sent)).toBe('unknown');
    const made = await send(acting, ask, sent);
    expect(made.permalink).toContain('comment_id=');
    expect(await settle!(acting, ask, sent)).toEqual(made);
    const replies = await comments.replies!(acting, { post, comment }, { limit: 10 });
    const ours = { platform_id: made.comment_id, parent_id: comment, is_owner: true };
    expect(replies.items).toMatchObject([ours]);
    expect(await facts()).toMatchObject([
      { kind: 'comment', comment: { platform_id: comment } },
      { kind: 'comment', comment: ours },
    ]);
    const below = { post, comment: made.comment_id, text: 'Und noch etwas' };
    for (const other of [below, { post, text: 'Hello all' }]) {
      const another = await send(acting, other, state());
      expect(await settle!(acting, other, state())).toEqual(another);
    }
  });

  it('are listed in stretches, oldest first', async () => {
    const { post } = await written();
    for (const message of ['two', 'three']) {
      world.clock.move(1000);
      await world.act('comment', { person: MIA, on: post, message });
    }
    const first = await comments.list!(acting, { post }, { limit: 2 });
    const second = await comments.list!(acting, { post }, { limit: 2, cursor: first.cursor });
    expect([...first.items, ...second.items].map(({ text }) => text)).toEqual(['Grüße <3', 'two', 'three']);
    expect(second.cursor).toBeUndefined();
    const since = first.items[1]!.created_at;
    expect((await comments.list!(acting, { post }, { limit: 1, since })).items).toMatchObject([{ text: 'three' }]);
    await expect(itemsOf(`${page}_1`)).rejects.toMatchObject(refused('not_found'));
  });

  it('are answered privately, once', async () => {
    const { send, settle } = comments.privateReply!;
    const { post, comment } = await written();
    await pushed();
    const ask = { post, comment, text: 'Just you and me' };
    const sent = state();
    expect(await settle!(acting, ask, sent)).toBe('unknown');
    const { message_id, conversation } = await send(acting, ask, sent);
    const platform_id = await world.psid(page, FRED);
    expect(conversation).toMatchObject({ platform_id, page_id: page });
    expect(await settle!(acting, ask, sent)).toMatchObject({ message_id, conversation: { platform_id } });
    expect((await facts()).filter(({ kind }) => kind === 'message')).toMatchObject([
      { conversation: { platform_id }, message: { platform_id: message_id, correlation_id: 'snd_1.0' } },
    ]);
    expect((await itemsOf(post))[0]!.capabilities.can_private_reply).toBe(false);
    await expect(send(acting, ask, state())).rejects.toMatchObject({ reason: 'private_reply_ineligible' });
  });

  it('are known by the post they stand below, whatever it is named by', async () => {
    const { post, comment } = await written();
    const isComment = (at: Readonly<{ post: string; comment: string }>) => comments.isComment(acting, { page, ...at });
    const { id: answer } = await world.act('comment', { person: MIA, on: comment, message: 'Me too' });
    expect(await isComment({ post, comment: answer })).toBe(true);
    expect(await isComment({ post: comment, comment: answer })).toBe(false);
    const token = acting.session['pages'] as Readonly<Record<string, string>>;
    const picture = { url: world.app.put('p', png()), caption: 'Bread' };
    const { json: photo } = await world.post(`${page}/photos`, token[page], picture);
    const { id: below } = await world.act('comment', { person: FRED, on: photo.post_id, message: 'Nice' });
    for (const name of [photo.id, photo.post_id]) {
      expect(await isComment({ post: name, comment: below })).toBe(true);
      expect(await isComment({ post: name, comment })).toBe(false);
    }
    for (let more = 0; more < 120; more += 1) {
      await world.act('comment', { person: MIA, on: photo.post_id, message: `${more}` });
      world.clock.move(1000);
    }
    expect(await isComment({ post: photo.id, comment: below })).toBe(true);
  });

  it('may be too old to be answered privately', async () => {
    const { post, comment } = await written();
    world.clock.move(8 * 86_400_000);
    const late = comments.privateReply!.send(acting, { post, comment, text: 'Hello' }, state());
    await expect(late).rejects.toMatchObject({ reason: 'private_reply_ineligible' });
  });
});

describe('messages', () => {
  const talk = async (): Promise<PlatformConversation> => {
    await world.act('message', { person: FRED, page, text: 'Hello' });
    const { conversation, message } = await only('message');
    expect(message).toMatchObject({ direction: 'incoming', text: 'Hello', created_at: world.clock.now() });
    return conversation;
  };
  const say = async (conversation: PlatformConversation, bubble: Bubble, mark = 'snd_1.0') => {
    const plan: unknown = await messages.bubble.prepare!(acting, { conversation, bubble });
    return messages.bubble.send(acting, { conversation, bubble }, state(plan, mark));
  };
  const text = (words: string, more: object = {}): Bubble => ({ kind: 'text', text: words, ...more });

  it('come from people who can be introduced', async () => {
    const conversation = await talk();
    expect(conversation.platform_id).toBe(await world.psid(page, FRED));
    const fact = { kind: 'message', conversation, message: {} } as unknown as InboundEvent;
    const participant = { name: 'Fred Follower', avatar_url: expect.stringContaining('http') };
    expect(await push.complete!(acting, fact)).toMatchObject({ conversation: { participant } });
  });

  it('of every kind arrive, come back as echoes with their mark, and are delivered and read', async () => {
    const conversation = await talk();
    const url = world.app.put('a.png', png(4), 'image/png');
    const image = { kind: 'attachment', type: 'image' } as const;
    const bubbles: readonly Bubble[] = [
      text('Hi Fred'),
      text('Choose', { quick_replies: [{ title: 'Yes' }, { title: 'No', payload: 'N' }] }),
      text('Tap', { buttons: [{ type: 'url', title: 'Open', url: 'https://example.com/' }, GO] }),
      { kind: 'cards', cards: [{ title: 'Card', subtitle: 'Sub', buttons: [{ type: 'postback', title: 'Buy' }] }] },
      { ...image, media: { ref: 'r', kind: 'image', filename: 'a.png' } },
      { ...image, media: { ref: 'r', kind: 'image' }, url },
    ];
    for (const [at, bubble] of bubbles.entries()) {
      const correlation_id = `snd_1.${at}`;
      const { message_id } = await say(conversation, bubble, correlation_id);
      const { platform_id } = conversation;
      const sent = { correlation_id, platform_id: message_id, direction: 'outgoing' };
      const told = await facts();
      expect(told).toMatchObject([
        { kind: 'message', conversation: { platform_id }, message: sent },
        { kind: 'receipt', status: 'delivered', message_ids: [message_id] },
      ]);
      const { message } = told[0] as Told<'message'>;
      if (bubble.kind === 'text') expect(message.text).toBe(bubble.text);
      if (bubble.kind === 'cards') expect(message.text).toBe('Card');
      if (bubble.kind === 'attachment') expect(message.attachments).toMatchObject([{ type: 'image' }]);
    }
    await world.act('read', { person: FRED, page });
    expect(await only('receipt')).toMatchObject({ status: 'read', watermark: expect.any(Number) });
  });

  it('may be answered with a tap, and answer one another', async () => {
    const conversation = await talk();
    const chips = text('Choose', { quick_replies: [{ title: 'Yes', payload: 'Y' }] });
    const { message_id: chipped } = await say(conversation, chips);
    const { message_id: buttoned } = await say(conversation, text('Tap', { buttons: [GO] }));
    await pushed();
    await world.act('tap', { message: chipped, payload: 'Y' });
    const chip = await only('message');
    expect(chip.message).toMatchObject({ text: 'Yes', metadata: { quick_reply: { payload: 'Y' } } });
    await world.act('tap', { message: buttoned, payload: 'GO' });
    expect(await only('postback')).toMatchObject({ title: 'Go', payload: 'GO', platform_id: expect.any(String) });
    await say(conversation, text('Good', { reply_to: chip.message.platform_id }));
    expect((await facts())[0]).toMatchObject({ message: { reply_to: chip.message.platform_id } });
    await world.act('message', { person: FRED, page, text: 'Indeed', reply_to: buttoned });
    expect((await only('message')).message.reply_to).toBe(buttoned);
    await world.act('referral', { person: FRED, page, ref: 'sale', ad_id: '5' });
    expect(await only('referral')).toMatchObject({ referral: { ref: 'sale', ad_id: '5', source: 'ADS' } });
    await world.act('referral', { person: MIA, page, ref: 'sale' });
    expect(await only('postback')).toMatchObject({ title: 'Get Started', metadata: { referral: { ref: 'sale' } } });
    await world.act('page_message', { page, person: FRED, text: 'By hand' });
    expect((await facts())[0]).toMatchObject({ message: { direction: 'outgoing', text: 'By hand' } });
  });

  it('are found again when their answer is lost', async () => {
    const { send, settle } = messages.bubble;
    const ask = { conversation: await talk(), bubble: text('Only once') };
    const sent = state();
    expect(await settle!(acting, ask, sent)).toBe('unknown');
    await world.act('order', { method: 'POST page/messages', when: 'after', status: 500, code: 2 });
    await expect(send(acting, ask, sent)).rejects.toMatchObject({ kind: 'unknown' });
    const [echo] = await facts();
    const { platform_id: message_id } = (echo as Told<'message'>).message;
    expect(await settle!(acting, ask, sent)).toEqual({ message_id, created_at: world.clock.now() });
  });

  it('end with their window, and with whom they cannot reach', async () => {
    const conversation = await talk();
    await world.act('unavailable', { person: FRED, unavailable: true });
    await expect(say(conversation, text('Hi'))).rejects.toMatchObject({ reason: 'window_closed' });
    await world.act('unavailable', { person: FRED });
    world.clock.move(86_400_001);
    await expect(say(conversation, text('Hi'))).rejects.toMatchObject(refused('window_closed'));
    const nobody = { ...conversation, platform_id: '999' };
    await expect(say(nobody, text('Hi'))).rejects.toMatchObject(refused('not_found'));
    await messages.seen!(acting, conversation);
  });
});

describe('what was there before', () => {
  it('is read page by page', async () => {
    const { id: post } = await world.act('page_post', { page, message: 'Old news' });
    await world.act('comment', { person: FRED, on: post, message: 'Nice' });
    await world.act('message', { person: FRED, page, text: 'First' });
    await world.act('page_message', { page, person: FRED, text: 'Second' });
    const { facts: found, steps } = await readOn(facebook.inbox!.history!, acting);
    expect(steps).toBeLessThanOrEqual(21);
    const conversation = { platform_id: await world.psid(page, FRED), participant: { name: 'Fred Follower' } };
    expect(found).toMatchObject([
      { kind: 'message', conversation, message: { direction: 'incoming', text: 'First' } },
      { kind: 'message', conversation, message: { direction: 'outgoing', text: 'Second' } },
      { kind: 'post', post: { platform_id: post, page_id: page, text: 'Old news', comment_count: 1 } },
    ]);
  });
});

describe('mentions', () => {
  it('are pushed, listed and answered', async () => {
    const { id: post } = await world.act('mention', { person: MIA, page, message: 'Try this place' });
    const told = await only('mention');
    expect(told.mention).toMatchObject({ platform_id: post, author: { name: 'Mia Message' }, mention_type: 'post' });
    const whole = (await push.complete!(acting, told)) as typeof told;
    const { items } = await mentions.list!(acting, { limit: 10, page });
    expect(items).toEqual([whole.mention]);
    const ask = { post, page, text: 'Thank you' };
    const made = await mentions.reply!.send(acting, ask, state());
    expect(await mentions.reply!.settle!(acting, ask, state())).toEqual(made);
    await pushed();
    await world.act('mention', { person: MIA, page, message: 'Here, too', in_comment: true });
    const inComment = (await facts()).find(({ kind }) => kind === 'mention') as typeof told;
    expect(inComment.mention).toMatchObject({ mention_type: 'comment', comment_id: inComment.mention.platform_id });
    expect(await push.complete!(acting, inComment)).toMatchObject({ mention: { text: 'Here, too' } });
  });
});

describe('the push end point', () => {
  it('is registered for the app', async () => {
    const ask = { clientId: 'sandbox', clientSecret: 'sandbox', verifyToken: 'sandbox' };
    await push.register!(client.bare, { ...ask, callback: `${world.app.url}/push/facebook` });
    expect(world.app.handshakes()).toBeGreaterThan(0);
    world.app.refuseHandshakes();
    const refused = push.register!(client.bare, { ...ask, callback: `${world.app.url}/push/facebook?again` });
    await expect(refused).rejects.toThrow(PlatformError);
  });

  it('hears who took the access back, or wants to be forgotten', async () => {
    await world.act('revoke_app', { person: OLIVIA });
    await world.act('delete_data', { person: OLIVIA });
    const told = await pushed();
    expect(told.map(({ event: fact }) => fact.kind)).toEqual(['revoked', 'deletion']);
    expect(told[0]!.user).toMatch(/^\d+$/);
    expect(told[1]!.user).toBe(told[0]!.user);
  });

  it('reads what is wrapped, doubled and reordered', async () => {
    await world.act('settings', { push_wrap: true, push_duplicate: true, push_reverse: true });
    await world.act('message', { person: FRED, page, text: 'Twice' });
    const told = await facts();
    expect(told).toHaveLength(2);
    expect(told[0]).toEqual(told[1]);
  });
});

describe('the backfill', () => {
  it('shows what people sent besides words, and how they reacted', async () => {
    for (const kind of ['image', 'sticker', 'fallback', 'template', 'ig_reel'])
      await world.act('send', { person: FRED, page, kind });
    const [message] = await world.list('messages');
    await world.act('react_message', { message: message.id, reaction: 'love' });
    const { events } = await facebook.inbox!.history!(acting, undefined);
    const shown = events.map((event) =>
      event.kind === 'message'
        ? [event.message.text, event.message.attachments.map(({ type }) => type).join()]
        : [event.kind, event.kind === 'reaction' ? event.emojis.join() : ''],
    );
    expect(shown).toEqual([
      ['', 'image'],
      ['reaction', '❤️'],
      ['', 'image'],
      ['Shared a link: A page', 'link'],
      ['Shared a product: Rye bread', ''],
      ['Shared a link: How we bake', 'link'],
    ]);
  });
});
