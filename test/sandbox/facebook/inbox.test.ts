import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FRED, MIA, mp4, openFacebookWorld, png, refused } from '../../harness/worlds/twins/facebook.ts';
import type { FacebookWorld } from '../../harness/worlds/twins/facebook.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let world: FacebookWorld;
let page: { id: string; token: string; user: string };
beforeEach(async () => {
  world = await openFacebookWorld();
  page = await world.ready();
  world.app.clear();
});
afterEach(() => world.close());

const get = (path: string, params: object = {}) => world.get(path, page.token, params as never);
const told = (field: string) => world.app.updates().filter((update) => update[field] !== undefined);

describe('comments', () => {
  const FIELDS =
    'id,message,from{id,name},parent{id},is_hidden,can_hide,can_remove,can_reply_privately,comment_count,like_count,user_likes,permalink_url';
  let post: string;
  beforeEach(async () => {
    post = (await world.post(`${page.id}/feed`, page.token, { message: 'talk' })).json.id;
    await world.sandbox.settle();
    world.app.clear();
  });
  const comment = (message: string, on = post, person = FRED) => world.act('comment', { person, on, message });

  it('of followers reach the app and are read with their author by the Page alone', async () => {
    const { id } = await comment('hi');
    const psid = await world.psid(page.id, FRED);
    expect(world.app.updates()).toMatchObject([
      {
        field: 'feed',
        value: {
          item: 'comment',
          verb: 'add',
          post_id: post,
          parent_id: post,
          comment_id: id,
          message: 'hi',
          from: { id: psid, name: 'Fred Follower' },
        },
      },
    ]);
    expect(id.split('_')[0]).toBe(post.split('_')[1]);
    expect((await get(`${post}/comments`, { fields: FIELDS })).json.data).toEqual([
      {
        id,
        message: 'hi',
        from: { id: psid, name: 'Fred Follower' },
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
    const asUser = (await world.get(`${post}/comments`, page.user, { fields: 'from,message' })).json.data[0];
    expect(asUser).toEqual({ id, message: 'hi' });
  });

  it('are filtered, ordered, counted and answered on one level', async () => {
    const first = await comment('1');
    world.clock.move(1000);
    const answer = await comment('1.1', first.id, MIA);
    world.clock.move(1000);
    await comment('2');
    world.clock.move(1000);
    const deeper = await world.post(`${answer.id}/comments`, page.token, { message: '1.2' });
    const list = async (params: object) =>
      (await get(`${post}/comments`, { fields: 'message', ...params })).json.data.map((one: any) => one.message);
    expect(await list({})).toEqual(['1', '2']);
    expect(await list({ order: 'reverse_chronological' })).toEqual(['2', '1']);
    expect(await list({ filter: 'stream' })).toEqual(['1', '1.1', '2', '1.2']);
    expect((await get(`${first.id}/comments`, { fields: 'message,parent' })).json.data).toMatchObject([
      { message: '1.1', parent: { id: first.id } },
      { id: deeper.json.id, parent: { id: first.id } },
    ]);
    expect((await get(`${post}/comments`, { summary: true, limit: 1, filter: 'stream' })).json).toMatchObject({
      summary: { total_count: 4 },
      paging: { next: expect.any(String) },
    });
    for (const params of [{ filter: 'all' }, { order: 'newest' }, { fields: 'author' }])
      expect(await get(`${post}/comments`, params)).toMatchObject(refused(100));
    const since = Math.floor(world.clock.now() / 1000);
    expect(await list({ since: since - 1 })).toEqual(['2']);
  });

  it('are hidden, liked, changed and deleted, and each is reported', async () => {
    const { id } = await comment('bad');
    const own = (await world.post(`${id}/comments`, page.token, { message: 'mine', fields: 'id,message' })).json;
    await world.sandbox.settle();
    world.app.clear();
    expect((await world.post(id, page.token, { is_hidden: true })).json).toEqual({ success: true });
    expect((await get(id, { fields: 'is_hidden' })).json.is_hidden).toBe(true);
    await world.post(id, page.token, { is_hidden: true });
    await world.post(id, page.token, { is_hidden: false });
    expect(await world.post(own.id, page.token, { is_hidden: true })).toMatchObject(refused(100));
    expect(await world.post(id, page.token, { message: 'x' })).toMatchObject(refused(200, undefined, 403));
    expect((await world.post(own.id, page.token, { message: 'mine!' })).status).toBe(200);
    for (let turn = 0; turn < 2; turn += 1) await world.post(`${id}/likes`, page.token);
    expect((await get(id, { fields: 'user_likes,like_count' })).json).toMatchObject({
      user_likes: true,
      like_count: 1,
    });
    await world.graph('DELETE', `${id}/likes`, {}, page.token);
    await world.act('edit_comment', { comment: id, message: 'better' });
    expect((await world.graph('DELETE', id, {}, page.token)).json).toEqual({ success: true });
    expect(await world.graph('DELETE', id, {}, page.token)).toMatchObject(refused(100, 33));
    expect(await get(own.id)).toMatchObject(refused(100, 33));
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
    const made = await world.post(`${post}/comments`, page.token, { message: 'first', fields: 'id,permalink_url' });
    expect(made.json).toMatchObject({ permalink_url: expect.any(String) });
    expect(
      (await get(`${post}/comments`, { filter: 'toplevel', order: 'reverse_chronological', fields: 'from,message' }))
        .json.data,
    ).toMatchObject([{ from: { id: page.id }, message: 'first' }]);
    expect(
      (await world.post(`${post}/comments`, page.token, { attachment_url: world.app.put('p', png()) })).status,
    ).toBe(200);
    expect(await world.post(`${post}/comments`, page.token, { message: ' ' })).toMatchObject(refused(100, 1705));
    expect(await world.post(`${post}/comments`, page.user, { message: 'x' })).toMatchObject(refused(190, 2069032));
    expect(await world.post('7_8/comments', page.token, { message: 'x' })).toMatchObject(refused(100, 33));
  });

  it('are answered in private once, within seven days, without opening a window', async () => {
    const { id } = await comment('price?');
    const reply = () =>
      world.post(`${page.id}/messages`, page.token, { recipient: { comment_id: id }, message: { text: 'psst' } });
    const both = await Promise.all([reply(), reply()]);
    expect(both.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 400]);
    expect(both.find(({ status }) => status === 200)?.json).toEqual({ message_id: expect.stringMatching(/^m_/) });
    expect(both.find(({ status }) => status === 400)).toMatchObject(refused(10_900));
    expect((await get(id, { fields: 'can_reply_privately' })).json.can_reply_privately).toBe(false);
    const psid = await world.psid(page.id, FRED);
    expect(
      await world.post(`${page.id}/messages`, page.token, { recipient: { id: psid }, message: { text: 'more' } }),
    ).toMatchObject(refused(10, 2018278));
    const late = await comment('late?');
    world.clock.move(7 * DAY);
    expect(
      await world.post(`${page.id}/messages`, page.token, {
        recipient: { comment_id: late.id },
        message: { text: 'x' },
      }),
    ).toMatchObject(refused(10_903));
  });

  it('and posts that mention the Page are reported and can be read', async () => {
    const mention = await world.act('mention', { person: MIA, page: page.id, message: 'hello @Harbour Coffee' });
    expect(world.app.updates()).toMatchObject([
      { field: 'mention', value: { post_id: mention.id, item: 'post', verb: 'add', message: 'hello @Harbour Coffee' } },
    ]);
    expect((await get(`${page.id}/tagged`, { fields: 'message,from' })).json.data).toMatchObject([
      { id: mention.id, from: { name: 'Mia Message' } },
    ]);
    expect((await get(mention.id, { fields: 'message' })).status).toBe(200);
  });
});

describe('messenger', () => {
  let psid: string;
  const send = (body: object) => world.post(`${page.id}/messages`, page.token, body as never);
  const say = (message: object, more: object = {}) =>
    send({ recipient: { id: psid }, messaging_type: 'RESPONSE', message, ...more });
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
    expect((await get(psid, { fields: 'first_name,last_name,profile_pic' })).json).toMatchObject({
      id: psid,
      first_name: 'Fred',
      last_name: 'Follower',
    });
    expect(await get(await world.psid(page.id, MIA))).toMatchObject(refused(100, 2018218));
  });

  it('sends within a day, echoes with the app’s own metadata, and reports delivery and reading', async () => {
    expect(await say({ text: 'too early' })).toMatchObject(refused(100, 2018001));
    const { id: mid } = await write({ text: 'hi' });
    world.app.clear();
    const sent = await say({ text: 'answer', metadata: 'msg_1' }, { reply_to: { mid } });
    expect(sent.json).toEqual({ recipient_id: psid, message_id: expect.any(String) });
    await world.act('read', { person: FRED, page: page.id });
    const [echo, delivery, read] = world.app.updates();
    expect(echo).toMatchObject({
      sender: { id: page.id },
      recipient: { id: psid },
      message: {
        mid: sent.json.message_id,
        is_echo: true,
        app_id: 'sandbox',
        metadata: 'msg_1',
        text: 'answer',
        reply_to: { mid },
      },
    });
    expect(delivery.delivery).toEqual({ mids: [sent.json.message_id], watermark: echo.timestamp });
    expect(read.read.watermark).toBeGreaterThanOrEqual(echo.timestamp);
    await world.act('page_message', { page: page.id, person: FRED, text: 'by hand' });
    expect(told('message').at(-1)).toMatchObject({
      message: { is_echo: true, app_id: expect.not.stringMatching('sandbox') },
    });
    world.clock.move(DAY);
    expect((await say({ text: 'in time' })).status).toBe(200);
    world.clock.move(1);
    expect(await say({ text: 'late' })).toMatchObject(refused(10, 2018278));
    const tagged = { messaging_type: 'MESSAGE_TAG', tag: 'HUMAN_AGENT' };
    expect((await say({ text: 'agent' }, tagged)).status).toBe(200);
    world.clock.move(6 * DAY);
    expect(await say({ text: 'late agent' }, tagged)).toMatchObject(refused(10, 2018278));
    for (const tag of ['ACCOUNT_UPDATE', 'POST_PURCHASE_UPDATE', 'NEWS'])
      expect(await say({ text: 'x' }, { messaging_type: 'MESSAGE_TAG', tag })).toMatchObject(refused(100));
  });

  it.each<[string, object, object?]>([
    ['nothing', {}],
    ['a long text', { text: 'x'.repeat(2001) }],
    ['text and file', { text: 'x', attachment: { type: 'image', payload: { url: 'https://x.example' } } }],
    ['an unknown key', { text: 'x', colour: 'red' }],
    ['an unknown kind of file', { attachment: { type: 'sticker', payload: { url: 'https://x.example' } } }],
    [
      'fourteen quick replies',
      {
        text: 'x',
        quick_replies: Array.from({ length: 14 }, () => ({ content_type: 'text', title: 'a', payload: 'b' })),
      },
    ],
    [
      'a long quick reply',
      { text: 'x', quick_replies: [{ content_type: 'text', title: 'x'.repeat(21), payload: 'b' }] },
    ],
    [
      'four buttons',
      {
        attachment: {
          type: 'template',
          payload: {
            template_type: 'button',
            text: 'x',
            buttons: Array.from({ length: 4 }, () => ({ type: 'postback', title: 'a', payload: 'b' })),
          },
        },
      },
    ],
    [
      'a button without payload',
      {
        attachment: {
          type: 'template',
          payload: { template_type: 'button', text: 'x', buttons: [{ type: 'postback', title: 'a' }] },
        },
      },
    ],
    [
      'a long title',
      {
        attachment: {
          type: 'template',
          payload: { template_type: 'generic', elements: [{ title: 'x'.repeat(81), subtitle: 'y' }] },
        },
      },
    ],
    [
      'a bare element',
      { attachment: { type: 'template', payload: { template_type: 'generic', elements: [{ title: 'x' }] } } },
    ],
    ['a list template', { attachment: { type: 'template', payload: { template_type: 'list', elements: [] } } }],
    ['an unknown messaging type', { text: 'x' }, { messaging_type: 'SHOUT' }],
    ['an answer to a strange message', { text: 'x' }, { reply_to: { mid: 'm_x' } }],
    ['a persona', { text: 'x' }, { persona_id: '1' }],
    ['a file that is not there', { attachment: { type: 'image', payload: { url: 'http://127.0.0.1:1/x.png' } } }],
  ])('refuses %s', async (_, message, more = {}) => {
    await write({ text: 'hi' });
    expect(await say(message, more)).toMatchObject(refused(100));
    expect(await world.list('messages')).toHaveLength(1);
  });

  it('sends files by address and by upload, many pictures in one call, and keeps them', async () => {
    await write({ text: 'hi' });
    const url = world.app.put('p.png', png());
    const kept = await say({ attachment: { type: 'image', payload: { url, is_reusable: true } } });
    expect(kept.json.attachment_id).toEqual(expect.any(String));
    expect(
      (await say({ attachment: { type: 'image', payload: { attachment_id: kept.json.attachment_id } } })).status,
    ).toBe(200);
    expect(
      await say({ attachment: { type: 'video', payload: { attachment_id: kept.json.attachment_id } } }),
    ).toMatchObject(refused(100, 2018074));
    expect(await say({ attachment: { type: 'video', payload: { url } } })).toMatchObject(refused(100, 2018047));
    const form = new FormData();
    form.set('message', JSON.stringify({ attachment: { type: 'video', payload: { is_reusable: true } } }));
    form.set('filedata', new Blob([mp4()], { type: 'video/mp4' }), 'v.mp4');
    const uploaded = await world.ask(`${world.at}/graph/v25.0/me/message_attachments?access_token=${page.token}`, {
      method: 'POST',
      body: form,
    });
    expect(
      (await say({ attachment: { type: 'video', payload: { attachment_id: uploaded.json.attachment_id } } })).status,
    ).toBe(200);
    expect(
      (
        await say({
          attachments: [1, 2].map((at) => ({ type: 'image', payload: { url: world.app.put(`q${at}`, png(at)) } })),
        })
      ).status,
    ).toBe(200);
    const { data } = (
      await get(`${page.id}/conversations`, { platform: 'messenger', user_id: psid, fields: 'messages{attachments}' })
    ).json;
    expect(data[0].messages.data.map((one: any) => one.attachments?.data.length)).toEqual([2, 1, 1, 1, undefined]);
    expect(data[0].messages.data[1].attachments.data[0]).toMatchObject({ mime_type: 'video/mp4', name: 'v.mp4' });
  });

  it('takes taps on buttons and quick replies, referrals, reactions and edits', async () => {
    const { id } = await write({ text: 'hi' });
    const buttons = [
      { type: 'web_url', title: 'Site', url: 'https://example.com' },
      { type: 'postback', title: 'Yes', payload: 'YES' },
    ];
    const template = await say({
      attachment: { type: 'template', payload: { template_type: 'button', text: 'Well?', buttons } },
    });
    const quick = await say({ text: 'Or?', quick_replies: [{ content_type: 'text', title: 'No', payload: 'NO' }] });
    await world.sandbox.settle();
    world.app.clear();
    await world.act('tap', { message: template.json.message_id, payload: 'YES' });
    await world.act('tap', { message: quick.json.message_id, payload: 'NO' });
    await world.act('referral', { person: FRED, page: page.id, ref: 'summer' });
    await world.act('referral', { person: MIA, page: page.id, ref: 'first' });
    await world.act('react_message', { message: quick.json.message_id, reaction: 'love' });
    await world.act('edit_message', { message: id, text: 'hi!' });
    expect(world.app.updates()).toMatchObject([
      { postback: { title: 'Yes', payload: 'YES', mid: expect.any(String) } },
      { message: { text: 'No', quick_reply: { payload: 'NO' } } },
      { referral: { ref: 'summer', source: 'SHORTLINK', type: 'OPEN_THREAD' } },
      { postback: { title: 'Get Started', referral: { ref: 'first' } } },
      { reaction: { reaction: 'love', action: 'react', mid: quick.json.message_id } },
      { message_edit: { mid: id, text: 'hi!', num_edit: 1 } },
    ]);
    await expect(world.act('tap', { message: template.json.message_id, payload: 'MAYBE' })).rejects.toThrow(
      'no such button',
    );
  });

  it('acts as a reader, and refuses people who cannot be reached', async () => {
    await write({ text: 'hi' });
    const unread = async () =>
      (await get(`${page.id}/conversations`, { fields: 'unread_count,can_reply,participants' })).json.data[0];
    expect(await unread()).toMatchObject({
      unread_count: 1,
      can_reply: true,
      participants: { data: [{ id: psid, name: 'Fred Follower' }, { id: page.id }] },
    });
    expect((await send({ recipient: { id: psid }, sender_action: 'mark_seen' })).json).toEqual({ recipient_id: psid });
    expect((await unread()).unread_count).toBe(0);
    expect((await send({ recipient: { id: psid }, sender_action: 'typing_on' })).status).toBe(200);
    expect(await send({ recipient: { id: psid }, sender_action: 'wave' })).toMatchObject(refused(100));
    expect(await send({ recipient: { id: '123' }, message: { text: 'x' } })).toMatchObject(refused(100, 2018001));
    await world.act('unavailable', { person: FRED, unavailable: true });
    expect(await say({ text: 'x' })).toMatchObject(refused(551, 1545041));
    await world.act('unavailable', { person: FRED, unavailable: false });
    expect(
      await world.post(`${page.id}/messages`, page.user, { recipient: { id: psid }, message: { text: 'x' } }),
    ).toMatchObject(refused(190, 2069032));
  });

  it('lists conversations by the last word and messages newest first, in pages', async () => {
    for (let at = 0; at < 30; at += 1) await write({ text: `n${at}` });
    world.clock.move(1000);
    await world.act('message', { person: MIA, page: page.id, text: 'me' });
    const { data } = (
      await get(`${page.id}/conversations`, {
        fields: 'id,snippet,message_count,updated_time,messages.limit(2){message,from,to,created_time}',
      })
    ).json;
    expect(data.map((one: any) => [one.snippet, one.message_count])).toEqual([
      ['me', 1],
      ['n29', 30],
    ]);
    expect(data[1].messages.data).toMatchObject([
      { message: 'n29', from: { id: psid }, to: { data: [{ id: page.id }] } },
      { message: 'n28' },
    ]);
    const more = (await world.ask(data[1].messages.paging.next)).json;
    expect(more.data.map((one: any) => one.message)).toEqual(['n27', 'n26']);
    expect((await get(`${data[1].id}/messages`, { fields: 'message', limit: 100 })).json.data).toHaveLength(30);
    expect((await get(more.data[0].id, { fields: 'message,from' })).json).toMatchObject({ message: 'n27' });
    expect((await get(`${page.id}/conversations`, { folder: 'spam' })).json.data).toEqual([]);
    expect(await get(`${page.id}/conversations`, { platform: 'fax' })).toMatchObject(refused(100));
    expect(await world.get(`${page.id}/conversations`, page.user)).toMatchObject(refused(190));
  });
});
