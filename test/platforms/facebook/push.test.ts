import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { push } from '#platforms/facebook/push/push.ts';
import { answerHandshake } from '#platforms/shared/push/handshake.ts';
import type { InboundEvent } from '#platforms/inbound.ts';
import type { PushRequest } from '#platforms/push.ts';
import { graphOf, refusal } from '../../harness/platforms/facebook-samples.ts';
import { trusting } from '../../harness/platforms/inbound.ts';
import { lost, ok } from '../../harness/platforms/script.ts';

const SECRET = 'test_app_secret';
const PERSON = '9001';
const AT_S = 1_763_700_000;
const AT = AT_S * 1000;

const requestOf = (body: unknown, path = '', headers: Record<string, string> = {}): PushRequest => ({
  path,
  headers,
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});
const read = (body: unknown) => push.read(requestOf(body));
const entry = (more: object) => ({ object: 'page', entry: [{ id: '101', time: AT_S, ...more }] });
/** What is told of a change, and of something in a conversation; all of it is told to the page. */
const changed = (value: object, field = 'feed') => toldOf(entry({ changes: [{ field, value }] }));
const talked = (value: object, list = 'messaging') =>
  toldOf(entry({ [list]: [{ sender: { id: PERSON }, recipient: { id: '101' }, timestamp: AT + 5, ...value }] }));
function toldOf(body: unknown): readonly InboundEvent[] {
  const pushed = read(body);
  expect(pushed.map(({ page }) => page)).toEqual(pushed.map(() => '101'));
  return pushed.map(({ event }) => event);
}
/** The one event there is. */
const only = <K extends InboundEvent['kind']>(kind: K, events: readonly InboundEvent[]) => {
  expect(events).toMatchObject([{ kind }]);
  return events[0] as Extract<InboundEvent, { kind: K }>;
};
const isVerified = (request: PushRequest, secret = SECRET, now?: number) =>
  push.verify(request, { ...trusting(secret), ...(now && { now: () => now }) });
const conversation = { platform_id: PERSON, page_id: '101', participant: { id: PERSON, name: '' } };

describe('the handshake', () => {
  const query = { 'hub.mode': 'subscribe', 'hub.challenge': '1158201444', 'hub.verify_token': 'ours' };

  it('gives the challenge back to who knows our token', () => {
    expect(answerHandshake(push, query, trusting(SECRET, 'ours'))).toEqual({ type: 'text', body: '1158201444' });
    const underscored = { hub_mode: 'subscribe', hub_challenge: '7', hub_verify_token: 'ours' };
    expect(answerHandshake(push, underscored, trusting(SECRET, 'ours'))).toEqual({ type: 'text', body: '7' });
  });

  it.each([
    [{ ...query, 'hub.verify_token': 'other' }, 'ours'],
    [{ ...query, 'hub.mode': 'unsubscribe' }, 'ours'],
    [{ 'hub.mode': 'subscribe', 'hub.challenge': '1' }, 'ours'],
    [{ ...query, 'hub.verify_token': '' }, ''],
    [{}, 'ours'],
  ])('refuses %j', (asked, token) => expect(answerHandshake(push, asked, trusting(SECRET, token))).toBeUndefined());
});

describe('a signature', () => {
  const body =
    '{"object":"instagram","entry":[{"id":"17841400000000000","time":1763700000,"changes":[{"field":"comments",' +
    '"value":{"id":"17890000000000001","text":"h\\u00e9llo"}}]}]}';
  const signature = 'sha256=71b8ab5940ea457b0a78339013d3fc98d2b0402cb1fbaec1dbcc476a4c10a22f';

  const signed = (text: string, header = signature) => requestOf(text, '', { 'x-hub-signature-256': header });

  it('is of the bytes as they came', () => {
    expect(Buffer.byteLength(body)).toBe(165);
    expect(isVerified(signed(body))).toBe(true);
    expect(isVerified(signed(body), 'another')).toBe(false);
    expect(isVerified(signed(body.replace('\\u00e9', 'é')))).toBe(false);
    expect(isVerified(signed(body, signature.slice(7)))).toBe(false);
  });

  it('is needed, and so is a secret', () => {
    expect(isVerified(requestOf(body))).toBe(false);
    expect(isVerified(requestOf(body, '', { 'x-hub-signature': 'sha1=00' }))).toBe(false);
    const header = `sha256=${createHmac('sha256', Buffer.alloc(0)).update(body).digest('hex')}`;
    expect(isVerified(signed(body, header), '')).toBe(false);
  });
});

describe('a signed request', () => {
  const signed =
    'jTvGo4P6ZdxYiZj-0-weXUGYxBmDJ6sTwKbKd-UjGCs.' +
    'eyJ1c2VyX2lkIjoiMjE4NDcxIiwiYWxnb3JpdGhtIjoiSE1BQy1TSEEyNTYiLCJpc3N1ZWRfYXQiOjEyOTE4MzY4MDB9';
  const said = (path: string, request = signed) => requestOf(`signed_request=${request}`, path);

  it.each(['deauthorize', 'data-deletion'])('of %s is verified', (path) => {
    const isTaken = (request: PushRequest, secret?: string) => isVerified(request, secret, 1_291_836_800_000);
    expect(isTaken(said(path))).toBe(true);
    expect(isTaken(said(path), 'another')).toBe(false);
    expect(isTaken(said(path, `x${signed}`))).toBe(false);
    expect(isTaken(said(path, `.${signed.split('.')[1]}`))).toBe(false);
    expect(isTaken(requestOf('', path))).toBe(false);
  });

  it('that is longer than any is not looked into', () => {
    const padded = said('deauthorize', `${'='.repeat(150_000)}x`);
    expect(isVerified(padded)).toBe(false);
    const body = Buffer.concat([said('deauthorize').body, Buffer.from(`&more=${'x'.repeat(20_000)}`)]);
    expect(isVerified({ ...said('deauthorize'), body })).toBe(false);
  });

  it('with much padding is refused without delay', () => {
    const started = performance.now();
    expect(isVerified(said('deauthorize', `${'='.repeat(16_000)}x`))).toBe(false);
    expect(performance.now() - started).toBeLessThan(50);
  });

  it('reports who took the access back, or wants to be forgotten', () => {
    const revoked = { kind: 'revoked', why: expect.any(String) };
    expect(push.read(said('deauthorize'))).toEqual([{ user: '218471', event: revoked }]);
    expect(push.read(said('data-deletion'))).toEqual([{ user: '218471', event: { kind: 'deletion' } }]);
    expect(push.read(said('elsewhere'))).toEqual([]);
    expect(push.read(said('deauthorize', 'a.b'))).toEqual([]);
  });

  it('to be forgotten is answered with where to look', () => {
    const url = 'https://x/deletion/c';
    const status = { url, code: 'c' };
    expect(push.confirmDeletion!(said('data-deletion'), status)).toEqual({ url, confirmation_code: 'c' });
    expect(push.confirmDeletion!(said('deauthorize'), status)).toBeUndefined();
    expect(push.confirmDeletion!(requestOf({}), status)).toBeUndefined();
  });
});

describe('a comment', () => {
  const value = {
    item: 'comment',
    verb: 'add',
    post_id: '101_1',
    comment_id: '1_2',
    parent_id: '101_1',
    from: { id: PERSON, name: 'Ann' },
    message: 'Hi',
    created_time: AT_S - 60,
  };
  const comment = {
    platform_id: '1_2',
    platform_post_id: '101_1',
    page_id: '101',
    author: { id: PERSON, name: 'Ann' },
    is_owner: false,
    text: 'Hi',
    media: [],
    created_at: AT - 60_000,
    like_count: 0,
    reply_count: 0,
    is_hidden: false,
    is_liked: false,
    capabilities: { can_reply: true, can_delete: true, can_hide: true, can_like: true, can_private_reply: true },
  };

  it('is told to the page it was written on', () => {
    expect(changed(value)).toEqual([{ kind: 'comment', comment }]);
  });

  it('is a reply when its parent is no post', () => {
    const told = ['101_1', '101_77', undefined, '1_9'].map((parent_id) =>
      only('comment', changed({ ...value, parent_id })),
    );
    expect(told.map(({ comment }) => comment.parent_id)).toEqual([undefined, undefined, undefined, '1_9']);
  });

  it('is the account’s own when the page wrote it', () => {
    const from = { id: '101', name: 'Page' };
    expect(changed({ ...value, from, photo: 'https://p', video: 'https://v' })[0]).toMatchObject({
      comment: {
        is_owner: true,
        media: [
          { type: 'image', url: 'https://p' },
          { type: 'video', url: 'https://v' },
        ],
        capabilities: { can_hide: false, can_private_reply: false },
      },
    });
  });

  it('is read in its old form', () => {
    const { from: _, created_time: __, ...old } = value;
    const [fact] = changed({ ...old, sender_id: 9001, sender_name: 'Ann' });
    expect(fact).toEqual({ kind: 'comment', comment: { ...comment, created_at: AT } });
  });

  it('changes, and goes', () => {
    const after = (...verbs: readonly string[]) => verbs.flatMap((verb) => changed({ ...value, verb }));
    const edited = { kind: 'comment', edited: true, comment };
    expect(after('edited', 'edit', 'update')).toEqual([edited, edited, edited]);
    expect(after('remove', 'delete', 'hide', 'unhide')).toEqual([
      { kind: 'comment_gone', platform_id: '1_2' },
      { kind: 'comment_gone', platform_id: '1_2' },
      { kind: 'comment_hidden', platform_id: '1_2', hidden: true },
      { kind: 'comment_hidden', platform_id: '1_2', hidden: false },
    ]);
    expect(changed({ item: 'comment', verb: 'remove', comment_id: '1_2' })).toHaveLength(1);
  });

  it('says nothing when it cannot be read', () => {
    const broken = [
      { ...value, comment_id: undefined },
      { ...value, post_id: undefined },
      { ...value, verb: 'like' },
    ];
    expect(broken.flatMap((each) => changed(each))).toEqual([]);
    expect(changed({ ...value, item: 'reaction', reaction_type: 'love' })).toEqual([]);
    expect(changed({ ...value, comment_id: '1'.repeat(301) })).toEqual([]);
  });
});

describe('a post', () => {
  const value = {
    item: 'status',
    verb: 'add',
    post_id: '101_1',
    from: { id: '101', name: 'Page' },
    message: 'News',
    created_time: AT_S,
    published: 1,
    post: { permalink_url: 'https://fb/101_1', is_published: true },
  };
  const post = {
    platform_id: '101_1',
    page_id: '101',
    text: 'News',
    permalink: 'https://fb/101_1',
    comment_count: 0,
    like_count: 0,
    published_at: AT,
  };

  it('of the page may be commented on', () => {
    const told = (more: object = {}) => [{ kind: 'post', post: { ...post, ...more } }];
    expect(changed(value)).toEqual(told());
    expect(changed({ ...value, item: 'video', video_id: '5', link: 'https://v' })).toEqual(told());
    const photo = { ...value, item: 'photo', photo_id: '5', link: 'https://p' };
    expect(changed(photo)).toEqual(told({ thumbnail: 'https://p' }));
    const edited = { ...value, verb: 'edited', message: 'Old news', photos: ['https://a', 'https://b'] };
    expect(changed(edited)).toEqual(told({ text: 'Old news', thumbnail: 'https://a' }));
  });

  it('is reported when people see it, and only of the page’s own', () => {
    const others = [
      { ...value, published: 0 },
      { ...value, published: false },
      { ...value, post: { is_published: false } },
      { ...value, from: { id: PERSON, name: 'Ann' } },
      { ...value, verb: 'remove' },
      { ...value, post_id: undefined },
    ];
    expect(others.flatMap((each) => changed(each))).toEqual([]);
  });
});

describe('a mention', () => {
  const value = {
    item: 'post',
    verb: 'add',
    post_id: '9001_3',
    from: { id: PERSON, name: 'Ann' },
    message: 'Look at this Page',
    created_time: AT_S,
  };

  it('stands in a post or in a comment', () => {
    const mention = {
      platform_id: '9001_3',
      platform_post_id: '9001_3',
      page_id: '101',
      mention_type: 'post',
      author: { id: PERSON, name: 'Ann' },
      text: 'Look at this Page',
      media: [],
      created_at: AT,
    };
    expect(changed(value, 'mention')).toEqual([{ kind: 'mention', mention }]);
    const { from: _, ...old } = value;
    const inComment = { ...old, item: 'comment', comment_id: '3_4', sender_id: PERSON, sender_name: 'Ann' };
    expect(changed(inComment, 'mention')).toEqual([
      { kind: 'mention', mention: { ...mention, platform_id: '3_4', comment_id: '3_4', mention_type: 'comment' } },
    ]);
  });

  it('is new, and by somebody else', () => {
    for (const other of [{ verb: 'remove' }, { from: { id: '101', name: 'Page' } }, { post_id: undefined }])
      expect(changed({ ...value, ...other }, 'mention')).toEqual([]);
  });
});

describe('a message', () => {
  const message = { mid: 'm_1', text: 'Hello' };
  const incoming = { platform_id: 'm_1', direction: 'incoming', text: 'Hello', attachments: [], created_at: AT + 5 };
  const told = (more: object = {}) => ({
    kind: 'message',
    conversation,
    message: { ...incoming, metadata: {}, ...more },
  });

  /** What is told of a message that the page sent. */
  const echoed = (sent: object) =>
    talked({ sender: { id: '101' }, recipient: { id: PERSON }, message: { ...sent, is_echo: true } });

  it('comes in, also where another app is in charge of the conversation', () => {
    expect(talked({ message })).toEqual([told()]);
    expect(talked({ message }, 'standby')).toEqual([told()]);
  });

  it('carries what it answers, where it came from and what was tapped', () => {
    const referral = { ref: 'r', source: 'ADS', type: 'OPEN_THREAD', ad_id: '6', ads_context_data: { ad_title: 'T' } };
    const full = { ...message, reply_to: { mid: 'm_0' }, referral, quick_reply: { payload: 'YES' } };
    const metadata = { referral, quick_reply: { payload: 'YES' } };
    expect(talked({ message: full })).toEqual([told({ reply_to: 'm_0', metadata })]);
  });

  it('has attachments by their address', () => {
    const attachments = [
      { type: 'image', payload: { url: 'https://i' } },
      { type: 'fallback', title: 'A page', url: 'https://l', payload: null },
      { type: 'location', payload: { coordinates: { lat: 1.5, long: 2 } } },
    ];
    expect(only('message', talked({ message: { mid: 'm_1', attachments } })).message).toMatchObject({
      text: 'Shared a link: A page\nShared a location: 1.5, 2',
      attachments: [
        { type: 'image', url: 'https://i' },
        { type: 'fallback', url: 'https://l' },
      ],
      metadata: {
        location: { latitude: 1.5, longitude: 2 },
        shared: { type: 'fallback', title: 'A page', url: 'https://l' },
      },
    });
  });

  it('is an echo of one of ours, with the mark it was sent with', () => {
    const marked = { ...message, metadata: 'snd_1.0' };
    const outgoing = told({ direction: 'outgoing', correlation_id: 'snd_1.0' });
    expect(echoed({ ...marked, app_id: 42 })).toEqual([outgoing]);
    expect(talked({ message: marked })).toEqual([told()]);
  });

  it('that is a template reads as its words', () => {
    const said = (payload: object) => {
      const attachments = [{ type: 'template', title: '', payload }];
      return only('message', echoed({ mid: 'm_1', attachments })).message.text;
    };
    expect(said({ template_type: 'button', text: 'Choose', buttons: [] })).toBe('Choose');
    expect(said({ template_type: 'generic', elements: [{ title: 'Card' }] })).toBe('Card');
    expect(said({})).toBe('Sent something that cannot be shown here (template)');
  });

  it('is taken back', () => {
    const gone = { kind: 'message_gone', platform_id: 'm_1' };
    expect(talked({ message: { mid: 'm_1', is_deleted: true } })).toEqual([gone]);
    expect(talked({ message: { mid: 'm_1', is_deleted: 'true' } })).toEqual([gone]);
  });

  it('needs an id and somebody to talk with', () => {
    expect(talked({ message: { text: 'Hello' } })).toEqual([]);
    expect(talked({ sender: { user_ref: 'x' }, message })).toEqual([]);
    expect(talked({ sender: { id: '101' }, message })).toEqual([]);
    expect(talked({ reaction: { mid: 'm_1' } })).toEqual([]);
    expect(talked({ optin: { ref: 'x' } })).toEqual([]);
  });
});

describe('what a message is besides words', () => {
  const said = (more: object) => only('message', talked({ message: { mid: 'm_1', ...more } })).message;
  const attached = (...attachments: readonly object[]) => said({ attachments });
  const url = 'https://c';
  const unsupported = (type: string) => ({ attachments: [], metadata: { unsupported: { type } } });

  it.each([
    [{ type: 'sticker', payload: { url, sticker_id: 7 } }, '', { sticker: { id: '7' } }],
    [
      { type: 'ig_post', payload: { url, ig_post_media_id: '9', title: 'T' } },
      'Shared a post: T',
      { shared: { id: '9' } },
    ],
    [{ type: 'share', payload: { url } }, 'Shared a post', { shared: { url } }],
    [{ type: 'ig_reel', payload: { url, reel_video_id: '8' } }, 'Shared a reel', { shared: { id: '8' } }],
    [
      { type: 'ig_story', payload: { story_media_id: '3', story_media_url: url } },
      'Shared a story',
      { story: { id: '3' } },
    ],
    [{ type: 'story_mention', payload: { url } }, 'Mentioned you in a story', { story: { url } }],
  ])('is %j', (attachment, text, metadata) => {
    expect(attached(attachment)).toMatchObject({ text, attachments: [{ url }], metadata });
  });

  it('has short words where there is no address', () => {
    const product = {
      elements: [
        { id: '1', title: 'Rye' },
        { id: '2', title: 'Spelt' },
      ],
    };
    expect(attached({ type: 'template', payload: { product } })).toMatchObject({
      text: 'Shared products: Rye, Spelt',
      metadata: { products: product.elements },
    });
    expect(attached({ type: 'like_heart' })).toMatchObject({ text: '❤️', attachments: [] });
    expect(said({ commands: [{ name: 'menu' }] })).toMatchObject({ text: '/menu' });
    const booking = attached({ type: 'appointment_booking', payload: { booking_id: '5', status: 'requested' } });
    expect(booking).toMatchObject({ text: 'Appointment requested', metadata: { appointment: { id: '5' } } });
  });

  it('is marked by its type where nothing of it can be shown', () => {
    for (const type of ['ephemeral', 'fallback', 'image', 'story', 'something_new'])
      expect(attached({ type, payload: null })).toMatchObject(unsupported(type));
    expect(said({ is_unsupported: true })).toMatchObject(unsupported('unknown'));
    expect(said({ is_unsupported: true, attachments: [{ type: 'ephemeral' }] })).toMatchObject(
      unsupported('ephemeral'),
    );
  });

  it('is told once where it is attached twice', () => {
    const payload = { url, sticker_id: 7 };
    expect(attached({ type: 'image', payload }, { type: 'sticker', payload }).attachments).toHaveLength(1);
    expect(attached({ type: 'share', payload: { url } }, { type: 'ig_post', payload: { url } }).attachments).toEqual([
      { type: 'ig_post', url },
    ]);
  });

  it('keeps the story that it answers', () => {
    const story = { id: '3', url };
    expect(said({ text: 'Lovely', reply_to: { story } })).toMatchObject({ text: 'Lovely', metadata: { story } });
    expect(said({ reply_to: { story } })).toMatchObject({ text: 'Replied to your story', metadata: { story } });
    const photo = { type: 'image', payload: { url } };
    expect(said({ reply_to: { story }, attachments: [photo] })).toMatchObject({ text: '', metadata: { story } });
  });
});

describe('what else happens in a conversation', () => {
  const referral = { ref: 'r', source: 'SHORTLINK', type: 'OPEN_THREAD' };

  it('is a tap on a button', () => {
    const postback = { mid: 'm_2', title: 'Start', payload: 'GO', referral };
    const known = { kind: 'postback', conversation, at: AT + 5, payload: 'GO' };
    const platform_id = `postback:${PERSON}:${AT + 5}`;
    expect(talked({ postback })).toEqual([{ ...known, platform_id: 'm_2', title: 'Start', metadata: { referral } }]);
    expect(talked({ postback: { payload: 'GO' } })).toEqual([{ ...known, platform_id, title: '', metadata: {} }]);
    expect(talked({ postback: {} })[0]).toMatchObject({ platform_id });
  });

  it('is a link that was opened', () => {
    const platform_id = `referral:${PERSON}:${AT + 5}`;
    expect(talked({ referral })).toEqual([{ kind: 'referral', conversation, at: AT + 5, platform_id, referral }]);
  });

  it('is a correction of a message', () => {
    const edit = (message_edit: object) => talked({ message_edit });
    const edited = { kind: 'message_edited', platform_id: 'm_1', content: { text: 'Better' }, at: AT + 5 };
    expect(edit({ mid: 'm_1', text: 'Better', num_edit: 2 })).toEqual([edited]);
    expect(edit({ mid: 'm_1', text: 'Better', num_edit: '1' })).toEqual([edited]);
    // Instagram announces some new messages so.
    expect([edit({ mid: 'm_1', num_edit: 0 }), edit({ mid: 'm_1', text: 'x', num_edit: 0 })]).toEqual([[], []]);
  });

  it('is a reaction to a message, until it is withdrawn', () => {
    const known = { kind: 'reaction', conversation: PERSON, message: 'm_1', at: AT + 5 };
    const react = (more: object, who: object = {}) =>
      talked({ reaction: { mid: 'm_1', action: 'react', ...more }, ...who });
    const theirs = { ...known, direction: 'incoming' };
    expect(react({ reaction: 'love', emoji: '❤' })).toEqual([{ ...theirs, emojis: ['❤'] }]);
    expect(react({ reaction: 'like' })).toEqual([{ ...theirs, emojis: ['👍'] }]);
    expect(react({ reaction: 'other' })).toEqual([{ ...theirs, emojis: ['other'] }]);
    expect(react({ action: 'unreact', reaction: 'love' })).toEqual([{ ...theirs, emojis: [] }]);
    const page = { sender: { id: '101' }, recipient: { id: PERSON } };
    expect(react({ emoji: '🔥' }, page)).toEqual([{ ...known, direction: 'outgoing', emojis: ['🔥'] }]);
  });

  it('is nothing that belongs into an inbox', () => {
    const others = ['optin', 'pass_thread_control', 'take_thread_control', 'account_linking', 'policy_enforcement'];
    expect(others.flatMap((name) => talked({ [name]: { metadata: 'x' } }))).toEqual([]);
  });

  it('is that messages arrived, or were read', () => {
    const receipt = { kind: 'receipt', conversation: PERSON, watermark: AT, at: AT + 5 };
    const delivered = { ...receipt, status: 'delivered' };
    const mids = ['m_1', 'm_2'];
    expect(talked({ delivery: { mids, watermark: AT } })).toEqual([{ ...delivered, message_ids: mids }]);
    expect(talked({ delivery: { watermark: AT } })).toEqual([delivered]);
    expect(talked({ read: { watermark: AT } })).toEqual([{ ...receipt, status: 'read' }]);
    expect(talked({ read: {} })).toEqual([]);
  });
});

describe('a body', () => {
  const change = (comment_id: string) => ({ field: 'feed', value: { item: 'comment', verb: 'remove', comment_id } });
  const gone = (id: string, page = '101') => ({ page, event: { kind: 'comment_gone', platform_id: id } });

  it('holds many entries of many pages', () => {
    const body = {
      object: 'page',
      entry: [
        { id: '101', time: AT_S, changes: [change('1'), change('2')] },
        { id: '202', time: AT, messaging: [{ sender: { id: '5' }, recipient: { id: '202' }, read: { watermark: 1 } }] },
        { id: '202', time: AT_S, changes: [change('3')] },
      ],
    };
    const receipt = { kind: 'receipt', status: 'read', conversation: '5', watermark: 1, at: AT };
    expect(read(body)).toEqual([gone('1'), gone('2'), { page: '202', event: receipt }, gone('3', '202')]);
  });

  it('may be wrapped in an array, and a change may stand in the entry itself', () => {
    expect(read([entry({ changes: [change('1')] }), entry(change('2'))])).toEqual([gone('1'), gone('2')]);
  });

  it('loses only what cannot be read', () => {
    const otherFields = [{ field: 'feed' }, { field: 'feed', value: { item: 5 } }, { field: 'live_videos', value: {} }];
    const page = { id: '101', changes: [null, 7, {}, ...otherFields, change('1')], messaging: [null, {}] };
    expect(read({ entry: [null, 'x', {}, page] })).toEqual([gone('1')]);
    expect(['', 'no json', 'null', '[]', '{"entry":{}}', '7'].flatMap((body) => read(body))).toEqual([]);
  });

  it('without any time is about nothing that can be dated', () => {
    const undated = { item: 'comment', verb: 'add', post_id: '101_1', comment_id: '1_2' };
    expect(read({ entry: [{ id: '101', changes: [{ field: 'feed', value: undated }] }] })).toEqual([]);
  });
});

describe('completing', () => {
  const added = { item: 'comment', verb: 'add', post_id: '101_1', comment_id: '1_2' };
  const [pushed] = changed({ ...added, from: { id: PERSON, name: 'Ann' } });
  const [message] = talked({ message: { mid: 'm_1', text: 'Hello' } });
  const shown = { id: '1_2', created_time: '2026-11-21T10:00:00+0000' };

  it('reads what may be done with a comment', async () => {
    const { acting, asked } = graphOf({
      'GET /1_2': ok({
        ...shown,
        message: 'Hi',
        from: { id: PERSON, name: 'Ann B', picture: { data: { url: 'https://a' } } },
        parent: { id: '1_1' },
        can_comment: true,
        permalink_url: 'https://c',
      }),
    });
    expect(await push.complete!(acting, pushed!)).toMatchObject({
      kind: 'comment',
      comment: {
        platform_id: '1_2',
        platform_post_id: '101_1',
        parent_id: '1_1',
        author: { id: PERSON, name: 'Ann B', avatar_url: 'https://a' },
        permalink: 'https://c',
        capabilities: { can_reply: true, can_hide: false },
      },
    });
    expect(asked[0]!.bearer).toBe('PAGE-101');
  });

  it('keeps the name that Graph does not give', async () => {
    const { acting } = graphOf({ 'GET /1_2': ok(shown) });
    expect(await push.complete!(acting, pushed!)).toMatchObject({ comment: { author: { id: PERSON, name: 'Ann' } } });
  });

  it('introduces people, once they are unknown', async () => {
    const { acting, asked } = graphOf({
      'GET /9001': [ok({ first_name: 'Ann', last_name: 'Bee', profile_pic: 'https://a' }), ok({ name: 'Ann' })],
    });
    const whole = await push.complete!(acting, message!);
    const participant = { id: PERSON, name: 'Ann Bee', avatar_url: 'https://a' };
    expect(whole).toMatchObject({ conversation: { participant } });
    expect(await push.complete!(acting, whole)).toEqual(whole);
    expect(await push.complete!(acting, message!)).toMatchObject({ conversation: { participant: { name: 'Ann' } } });
    expect(asked).toHaveLength(2);
  });

  it('reads a mention where it stands', async () => {
    const mentioned = (value: object) => changed({ verb: 'add', post_id: '9001_3', ...value }, 'mention')[0]!;
    const { acting, asked } = graphOf({
      'GET /9001_3': ok({ message: 'Look', permalink_url: 'https://m', full_picture: 'https://p' }),
      'GET /3_4': ok({ attachment: { type: 'photo', media: { image: { src: 'https://p' } } } }),
    });
    const media = [{ type: 'image', url: 'https://p' }];
    const inPost = mentioned({ item: 'post', sender_id: PERSON, sender_name: 'Ann' });
    expect(await push.complete!(acting, inPost)).toMatchObject({
      mention: { author: { id: PERSON, name: 'Ann' }, text: 'Look', permalink: 'https://m', media },
    });
    expect(asked[0]!.query['fields']).toContain('full_picture');
    const inComment = mentioned({ item: 'comment', comment_id: '3_4', message: 'Told' });
    expect(await push.complete!(acting, inComment)).toMatchObject({ mention: { text: 'Told', media } });
    expect(asked[1]!.query['fields']).toContain('attachment');
  });

  it('leaves to the caller what becomes of a fact when it fails, and asks nothing about others', async () => {
    const { acting } = graphOf({ 'GET /9001': lost() });
    await expect(push.complete!(acting, message!)).rejects.toMatchObject({ kind: 'unknown' });
    const gone = { kind: 'comment_gone', platform_id: '1' } as const;
    expect(await push.complete!(acting, gone)).toBe(gone);
  });
});

describe('registering', () => {
  const ask = { clientId: '42', clientSecret: 's', callback: 'https://x/push/facebook', verifyToken: 'ours' };

  it('tells the app where to push', async () => {
    const { bare, asked } = graphOf({ 'POST /42/subscriptions': ok({ success: true }) });
    await push.register!(bare, ask);
    expect(asked[0]!.form).toMatchObject({
      object: 'page',
      callback_url: 'https://x/push/facebook',
      verify_token: 'ours',
      include_values: 'true',
    });
    expect(asked[0]!.form['fields']!.split(',')).toEqual(expect.arrayContaining(['feed', 'mention', 'messages']));
    expect(asked[0]!.bearer).toBe('42|s');
  });

  it('fails when the app refuses', async () => {
    const { bare } = graphOf({ 'POST /42/subscriptions': refusal(190) });
    await expect(push.register!(bare, ask)).rejects.toMatchObject({ reason: 'auth' });
  });
});
