import { DAY } from '#kernel/clock.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  FRED,
  MIA,
  mp4,
  openFacebookWorld,
  openPage,
  png,
  refused,
  SUCCESS,
  type FacebookWorld,
  type Page,
} from '../../harness/worlds/twins/facebook.ts';

let world: FacebookWorld;
let page: Page;
beforeEach(async () => {
  world = await openFacebookWorld();
  page = await openPage(world);
  world.app.clear();
});
afterEach(() => world.close());

const told = (field: string) => world.app.updates().filter((update) => update[field] !== undefined);
const messagesOf = (all: readonly any[]) => all.map(({ message }) => message);

const windowClosed = refused(10, 2018278);
const noPageToken = refused(190, 2069032);

describe('comments', () => {
  const FIELDS =
    'id,message,from{id,name},parent{id},is_hidden,can_hide,can_remove,can_reply_privately,comment_count,like_count,user_likes,permalink_url';
  let post: string;
  beforeEach(async () => {
    post = (await page.post('/feed', { message: 'talk' })).json.id;
    await world.sandbox.settle();
    world.app.clear();
  });
  const comment = (message: string, on = post, person = FRED) => world.act('comment', { person, on, message });

  it('of followers reach the app and are read with their author by the Page alone', async () => {
    const { id } = await comment('hi');
    const from = { id: await world.psid(page.id, FRED), name: 'Fred Follower' };
    const value = { item: 'comment', verb: 'add', post_id: post, parent_id: post, comment_id: id, message: 'hi', from };
    expect(world.app.updates()).toMatchObject([{ field: 'feed', value }]);
    expect(id.split('_')[0]).toBe(post.split('_')[1]);
    expect(await page.list(`${post}/comments`, { fields: FIELDS })).toEqual([
      {
        id,
        message: 'hi',
        from,
        is_hidden: false,
        can_hide: true,
        can_remove: true,
        can_reply_privately: true,
        comment_count: 0,
        like_count: 0,
        user_likes: false,
        permalink_url: expect.stringContaining('comment_id='),
      },
    ]);
    const asUser = (await world.get(`${post}/comments`, page.user, { fields: 'from,message' })).json;
    expect(asUser.data).toEqual([{ id, message: 'hi' }]);
  });

  it('are filtered, ordered, counted and answered on one level', async () => {
    const first = await comment('1');
    world.clock.move(1000);
    const answer = await comment('1.1', first.id, MIA);
    world.clock.move(1000);
    await comment('2');
    world.clock.move(1000);
    const deeper = await page.post(`${answer.id}/comments`, { message: '1.2' });
    const list = async (params: object) =>
      messagesOf(await page.list(`${post}/comments`, { fields: 'message', ...params }));
    expect(await list({})).toEqual(['1', '2']);
    expect(await list({ order: 'reverse_chronological' })).toEqual(['2', '1']);
    expect(await list({ filter: 'stream' })).toEqual(['1', '1.1', '2', '1.2']);
    expect(await page.list(`${first.id}/comments`, { fields: 'message,parent' })).toMatchObject([
      { message: '1.1', parent: { id: first.id } },
      { id: deeper.json.id, parent: { id: first.id } },
    ]);
    const summed = (await page.get(`${post}/comments`, { summary: true, limit: 1, filter: 'stream' })).json;
    expect(summed).toMatchObject({ summary: { total_count: 4 }, paging: { next: expect.any(String) } });
    for (const params of [{ filter: 'all' }, { order: 'newest' }, { fields: 'author' }])
      expect(await page.get(`${post}/comments`, params)).toMatchObject(refused(100));
    const since = Math.floor(world.clock.now() / 1000);
    expect(await list({ since: since - 1 })).toEqual(['2']);
  });

  it('are hidden, liked, changed and deleted, and each is reported', async () => {
    const { id } = await comment('bad');
    const own = (await page.post(`${id}/comments`, { message: 'mine', fields: 'id,message' })).json;
    await world.sandbox.settle();
    world.app.clear();
    expect((await page.post(id, { is_hidden: true })).json).toEqual(SUCCESS);
    expect((await page.get(id, { fields: 'is_hidden' })).json.is_hidden).toBe(true);
    await page.post(id, { is_hidden: true });
    await page.post(id, { is_hidden: false });
    expect(await page.post(own.id, { is_hidden: true })).toMatchObject(refused(100));
    expect(await page.post(id, { message: 'x' })).toMatchObject(refused(200, undefined, 403));
    expect((await page.post(own.id, { message: 'mine!' })).status).toBe(200);
    for (let turn = 0; turn < 2; turn += 1) await page.post(`${id}/likes`);
    const liked = (await page.get(id, { fields: 'user_likes,like_count' })).json;
    expect(liked).toMatchObject({ user_likes: true, like_count: 1 });
    await page.remove(`${id}/likes`);
    await world.act('edit_comment', { comment: id, message: 'better' });
    expect((await page.remove(id)).json).toEqual(SUCCESS);
    expect(await page.remove(id)).toMatchObject(refused(100, 33));
    expect(await page.get(own.id)).toMatchObject(refused(100, 33));
    await world.sandbox.settle();
    expect(world.app.updates().map(({ value }) => [value.item, value.verb, value.from.id === page.id])).toEqual([
      ['comment', 'hide', false],
      ['comment', 'unhide', false],
      ['comment', 'edited', true],
      ['reaction', 'add', true],
      ['reaction', 'remove', true],
      ['comment', 'edited', false],
      ['comment', 'remove', false],
    ]);
  });

  it('are written by the app with text or picture, and show its hand', async () => {
    const comments = `${post}/comments`;
    const made = await page.post(comments, { message: 'first', fields: 'id,permalink_url' });
    expect(made.json).toMatchObject({ permalink_url: expect.any(String) });
    const newestFirst = { filter: 'toplevel', order: 'reverse_chronological', fields: 'from,message' };
    expect(await page.list(comments, newestFirst)).toMatchObject([{ from: { id: page.id }, message: 'first' }]);
    expect((await page.post(comments, { attachment_url: world.app.put('p', png()) })).status).toBe(200);
    expect(await page.post(comments, { message: ' ' })).toMatchObject(refused(100, 1705));
    expect(await world.post(comments, page.user, { message: 'x' })).toMatchObject(noPageToken);
    expect(await page.post('7_8/comments', { message: 'x' })).toMatchObject(refused(100, 33));
  });

  it('are answered in private once, within seven days, without opening a window', async () => {
    const { id } = await comment('price?');
    const write = (recipient: object) => page.post('/messages', { recipient, message: { text: 'psst' } });
    const both = await Promise.all([write({ comment_id: id }), write({ comment_id: id })]);
    const [taken, again] = both.sort((a, b) => a.status - b.status);
    expect([taken.status, taken.json]).toEqual([200, { message_id: expect.stringMatching(/^m_/) }]);
    expect(again).toMatchObject(refused(10_900));
    expect((await page.get(id, { fields: 'can_reply_privately' })).json.can_reply_privately).toBe(false);
    expect(await write({ id: await world.psid(page.id, FRED) })).toMatchObject(windowClosed);
    const late = await comment('late?');
    world.clock.move(7 * DAY);
    expect(await write({ comment_id: late.id })).toMatchObject(refused(10_903));
  });

  it('and posts that mention the Page are reported and can be read', async () => {
    const message = 'hello @Harbour Coffee';
    const { id } = await world.act('mention', { person: MIA, page: page.id, message });
    const value = { post_id: id, item: 'post', verb: 'add', message };
    expect(world.app.updates()).toMatchObject([{ field: 'mention', value }]);
    const tagged = await page.list('/tagged', { fields: 'message,from' });
    expect(tagged).toMatchObject([{ id, from: { name: 'Mia Message' } }]);
    expect((await page.get(id, { fields: 'message' })).status).toBe(200);
  });
});

describe('messenger', () => {
  let psid: string;
  const send = (body: object) => page.post('/messages', body);
  const say = (message: object, more: object = {}) =>
    send({ recipient: { id: psid }, messaging_type: 'RESPONSE', message, ...more });
  const fileOf = (type: string, payload: object) => ({ attachment: { type, payload } });
  const template = (template_type: string, payload: object) => fileOf('template', { template_type, ...payload });
  const write = (input: object) => world.act('message', { person: FRED, page: page.id, ...input });
  beforeEach(async () => {
    psid = await world.psid(page.id, FRED);
  });

  it('reports to the app what a person writes, with files that can be fetched', async () => {
    const { id } = await write({ text: 'hallo ü' });
    await write({ attachment_url: world.app.put('p.png', png()) });
    const [text, picture] = world.app.updates();
    expect(text).toEqual({
      sender: { id: psid },
      recipient: { id: page.id },
      timestamp: world.clock.now(),
      message: { mid: id, text: 'hallo ü' },
    });
    expect(picture.message.attachments).toMatchObject([{ type: 'image' }]);
    expect((await world.ask(picture.message.attachments[0].payload.url)).headers.get('content-type')).toBe('image/png');
    const known = (await page.get(psid, { fields: 'first_name,last_name,profile_pic' })).json;
    expect(known).toMatchObject({ id: psid, first_name: 'Fred', last_name: 'Follower' });
    expect(await page.get(await world.psid(page.id, MIA))).toMatchObject(refused(100, 2018218));
  });

  it('sends within a day, echoes with the app’s own metadata, and reports delivery and reading', async () => {
    expect(await say({ text: 'too early' })).toMatchObject(refused(100, 2018001));
    const { id: mid } = await write({ text: 'hi' });
    world.app.clear();
    const message = { text: 'answer', metadata: 'msg_1' };
    const sent = await say(message, { reply_to: { mid } });
    expect(sent.json).toEqual({ recipient_id: psid, message_id: expect.any(String) });
    await world.act('read', { person: FRED, page: page.id });
    const [echo, delivery, read] = world.app.updates();
    expect(echo).toMatchObject({
      sender: { id: page.id },
      recipient: { id: psid },
      message: { mid: sent.json.message_id, is_echo: true, app_id: 'sandbox', ...message, reply_to: { mid } },
    });
    expect(delivery.delivery).toEqual({ mids: [sent.json.message_id], watermark: echo.timestamp });
    expect(read.read.watermark).toBeGreaterThanOrEqual(echo.timestamp);
    await world.act('page_message', { page: page.id, person: FRED, text: 'by hand' });
    const byHand = { is_echo: true, app_id: expect.not.stringMatching('sandbox') };
    expect(told('message').at(-1)).toMatchObject({ message: byHand });
    world.clock.move(DAY);
    expect((await say({ text: 'in time' })).status).toBe(200);
    world.clock.move(1);
    expect(await say({ text: 'late' })).toMatchObject(windowClosed);
    const tagged = { messaging_type: 'MESSAGE_TAG', tag: 'HUMAN_AGENT' };
    expect((await say({ text: 'agent' }, tagged)).status).toBe(200);
    world.clock.move(6 * DAY);
    expect(await say({ text: 'late agent' }, tagged)).toMatchObject(windowClosed);
    for (const tag of ['ACCOUNT_UPDATE', 'POST_PURCHASE_UPDATE', 'NEWS'])
      expect(await say({ text: 'x' }, { messaging_type: 'MESSAGE_TAG', tag })).toMatchObject(refused(100));
  });

  const button = { type: 'postback', title: 'a' };
  const chip = { content_type: 'text', title: 'a', payload: 'b' };
  it.each<[string, object, object?]>([
    ['nothing', {}],
    ['a long text', { text: 'x'.repeat(2001) }],
    ['text and file', { text: 'x', ...fileOf('image', { url: 'https://x.example' }) }],
    ['an unknown key', { text: 'x', colour: 'red' }],
    ['an unknown kind of file', fileOf('sticker', { url: 'https://x.example' })],
    ['fourteen quick replies', { text: 'x', quick_replies: Array.from({ length: 14 }, () => chip) }],
    ['a long quick reply', { text: 'x', quick_replies: [{ ...chip, title: 'x'.repeat(21) }] }],
    [
      'four buttons',
      template('button', { text: 'x', buttons: Array.from({ length: 4 }, () => ({ ...button, payload: 'b' })) }),
    ],
    ['a button without payload', template('button', { text: 'x', buttons: [button] })],
    ['a long title', template('generic', { elements: [{ title: 'x'.repeat(81), subtitle: 'y' }] })],
    ['a bare element', template('generic', { elements: [{ title: 'x' }] })],
    ['a list template', template('list', { elements: [] })],
    ['an unknown messaging type', { text: 'x' }, { messaging_type: 'SHOUT' }],
    ['an answer to a strange message', { text: 'x' }, { reply_to: { mid: 'm_x' } }],
    ['a persona', { text: 'x' }, { persona_id: '1' }],
    ['a file that is not there', fileOf('image', { url: 'http://127.0.0.1:1/x.png' })],
  ])('refuses %s', async (_, message, more = {}) => {
    await write({ text: 'hi' });
    expect(await say(message, more)).toMatchObject(refused(100));
    expect(await world.list('messages')).toHaveLength(1);
  });

  it('sends files by address and by upload, many pictures in one call, and keeps them', async () => {
    await write({ text: 'hi' });
    const url = world.app.put('p.png', png());
    const { attachment_id } = (await say(fileOf('image', { url, is_reusable: true }))).json;
    expect(attachment_id).toEqual(expect.any(String));
    expect((await say(fileOf('image', { attachment_id }))).status).toBe(200);
    expect(await say(fileOf('video', { attachment_id }))).toMatchObject(refused(100, 2018074));
    expect(await say(fileOf('video', { url }))).toMatchObject(refused(100, 2018047));
    const body = new FormData();
    body.set('message', JSON.stringify(fileOf('video', { is_reusable: true })));
    body.set('filedata', new Blob([mp4()], { type: 'video/mp4' }), 'v.mp4');
    const uploads = `${world.at}/graph/v25.0/me/message_attachments?access_token=${page.token}`;
    const uploaded = (await world.ask(uploads, { method: 'POST', body })).json;
    expect((await say(fileOf('video', { attachment_id: uploaded.attachment_id }))).status).toBe(200);
    const pictures = [1, 2].map((at) => ({ type: 'image', payload: { url: world.app.put(`q${at}`, png(at)) } }));
    expect((await say({ attachments: pictures })).status).toBe(200);
    const asked = { platform: 'messenger', user_id: psid, fields: 'messages{attachments}' };
    const [{ messages }] = await page.list('/conversations', asked);
    expect(messages.data.map((one: any) => one.attachments?.data.length)).toEqual([2, 1, 1, 1, undefined]);
    expect(messages.data[1].attachments.data[0]).toMatchObject({ mime_type: 'video/mp4', name: 'v.mp4' });
  });

  it('takes taps on buttons and quick replies, referrals, reactions and edits', async () => {
    const { id } = await write({ text: 'hi' });
    const buttons = [
      { type: 'web_url', title: 'Site', url: 'https://example.com' },
      { type: 'postback', title: 'Yes', payload: 'YES' },
    ];
    const asked = (await say(template('button', { text: 'Well?', buttons }))).json.message_id;
    const chips = [{ content_type: 'text', title: 'No', payload: 'NO' }];
    const quick = (await say({ text: 'Or?', quick_replies: chips })).json.message_id;
    await world.sandbox.settle();
    world.app.clear();
    await world.act('tap', { message: asked, payload: 'YES' });
    await world.act('tap', { message: quick, payload: 'NO' });
    await world.act('referral', { person: FRED, page: page.id, ref: 'summer' });
    await world.act('referral', { person: MIA, page: page.id, ref: 'first' });
    await world.act('react_message', { message: quick, reaction: 'love' });
    await world.act('edit_message', { message: id, text: 'hi!' });
    expect(world.app.updates()).toMatchObject([
      { postback: { title: 'Yes', payload: 'YES', mid: expect.any(String) } },
      { message: { text: 'No', quick_reply: { payload: 'NO' } } },
      { referral: { ref: 'summer', source: 'SHORTLINK', type: 'OPEN_THREAD' } },
      { postback: { title: 'Get Started', referral: { ref: 'first' } } },
      { reaction: { reaction: 'love', action: 'react', mid: quick } },
      { message_edit: { mid: id, text: 'hi!', num_edit: 1 } },
    ]);
    const missed = world.act('tap', { message: asked, payload: 'MAYBE' });
    await expect(missed).rejects.toThrow('no such button');
  });

  it('acts as a reader, and refuses people who cannot be reached', async () => {
    await write({ text: 'hi' });
    const conversations = () => page.list('/conversations', { fields: 'unread_count,can_reply,participants' });
    const act = (sender_action: string) => send({ recipient: { id: psid }, sender_action });
    const participants = { data: [{ id: psid, name: 'Fred Follower' }, { id: page.id }] };
    expect(await conversations()).toMatchObject([{ unread_count: 1, can_reply: true, participants }]);
    expect((await act('mark_seen')).json).toEqual({ recipient_id: psid });
    expect(await conversations()).toMatchObject([{ unread_count: 0 }]);
    expect((await act('typing_on')).status).toBe(200);
    expect(await act('wave')).toMatchObject(refused(100));
    expect(await send({ recipient: { id: '123' }, message: { text: 'x' } })).toMatchObject(refused(100, 2018001));
    await world.act('unavailable', { person: FRED, unavailable: true });
    expect(await say({ text: 'x' })).toMatchObject(refused(551, 1545041));
    await world.act('unavailable', { person: FRED, unavailable: false });
    const message = { recipient: { id: psid }, message: { text: 'x' } };
    expect(await world.post(`${page.id}/messages`, page.user, message)).toMatchObject(noPageToken);
  });

  it('lists conversations by the last word and messages newest first, in pages', async () => {
    for (let at = 0; at < 30; at += 1) await write({ text: `n${at}` });
    world.clock.move(1000);
    await world.act('message', { person: MIA, page: page.id, text: 'me' });
    const fields = 'id,snippet,message_count,updated_time,messages.limit(2){message,from,to,created_time}';
    const listed = await page.list('/conversations', { fields });
    const newest = { message: 'n29', from: { id: psid }, to: { data: [{ id: page.id }] } };
    expect(listed).toMatchObject([
      { snippet: 'me', message_count: 1 },
      { snippet: 'n29', message_count: 30, messages: { data: [newest, { message: 'n28' }] } },
    ]);
    const [, { id, messages }] = listed;
    const more = (await world.ask(messages.paging.next)).json.data;
    expect(messagesOf(more)).toEqual(['n27', 'n26']);
    expect(await page.list(`${id}/messages`, { fields: 'message', limit: 100 })).toHaveLength(30);
    expect((await page.get(more[0].id, { fields: 'message,from' })).json).toMatchObject({ message: 'n27' });
    expect(await page.list('/conversations', { folder: 'spam' })).toEqual([]);
    expect(await page.get('/conversations', { platform: 'fax' })).toMatchObject(refused(100));
    expect(await world.get(`${page.id}/conversations`, page.user)).toMatchObject(refused(190));
  });
});
