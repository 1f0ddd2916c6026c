/**
 * Comments, messages and updates of Instagram's simulator, by both log-ins, and the switches that make them hard to
 * read.
 */
import { DAY } from '#kernel/clock.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jpeg, mp4, pdf } from '../../harness/media-samples.ts';
import { refused, sha256 } from '../../harness/worlds/twins/facebook.ts';
import {
  COFFEE,
  FRED,
  openInstagramWorld,
  type Acting,
  type InstagramWorld,
} from '../../harness/worlds/twins/instagram.ts';

const MIA = 'mia.sandbox.test';

let world: InstagramWorld;
let own: Acting;
let linked: Acting;
let fred: string;
let post: string;
let image_url: string;
beforeAll(async () => {
  world = await openInstagramWorld();
  image_url = world.app.put('a.jpg', jpeg(40, 40), 'image/jpeg');
});
beforeEach(async () => {
  await world.sandbox.reset();
  world.app.clear();
  own = await world.login();
  linked = await world.facebookLogin();
  fred = await world.igsid(own.id);
  const fields = 'comments,messages,messaging_postbacks,messaging_referral,messaging_seen,message_reactions';
  await world.post(own, `${own.id}/subscribed_apps`, { subscribed_fields: fields });
  post = await world.publish(own, { image_url, caption: 'Open till six' });
});
afterAll(() => world.close());

const comment = async (text: string, on = post, person = FRED) =>
  (await world.act('comment', { person, on, text })).id as string;
const write = (input: object = {}) => world.act('message', { person: FRED, page: COFFEE, text: 'Hello', ...input });
const send = (message: object, by = own, more: object = {}) =>
  world.post(by, `${by.sender}/messages`, { recipient: { id: fred }, message, ...more });
const changes = () => world.entries().flatMap(({ changes: all = [] }: any) => all);
const messaging = () => world.entries().flatMap(({ messaging: all = [] }: any) => all);
const texts = (reply: any) => reply.json.data.map(({ text }: any) => text);

describe.each(['graph', 'graph-facebook'] as const)('comments by %s', (area) => {
  let by: Acting;
  beforeEach(() => {
    by = area === 'graph' ? own : linked;
  });

  it('are listed newest first with one level of answers, answered, hidden and deleted', async () => {
    const [first, second] = [await comment('First'), await comment('Second', post, MIA)];
    const reply = (await world.post(by, `${first}/replies`, { message: 'Thanks' })).json.id;
    await comment('To the answer', reply);
    const fields = 'id,text,timestamp,username,from{id,username},like_count,hidden,parent_id,media,user';
    const listed = await world.get(by, `${post}/comments`, { fields });
    expect(listed.json.data).toMatchObject([
      { id: second, text: 'Second', username: MIA },
      { id: first, from: { id: fred, username: FRED }, hidden: false, like_count: 0, media: { id: post } },
    ]);
    expect(listed.json.data[0]).not.toHaveProperty('parent_id');
    const replies = await world.get(by, `${first}/replies`, { fields });
    expect(texts(replies)).toEqual(['Thanks', 'To the answer']);
    expect(replies.json.data[0]).toMatchObject({ parent_id: first, username: COFFEE, user: { id: own.id } });
    expect((await world.post(by, first, { hide: true })).json).toEqual({ success: true });
    expect((await world.get(by, first, { fields: 'hidden' })).json.hidden).toBe(true);
    expect(await world.post(by, `${first}/replies`, { message: 'x' })).toMatchObject(refused(100));
    const { permalink } = (await world.get(by, post, { fields: 'permalink' })).json;
    const shown = await world.ask(permalink);
    expect([shown.text.includes('First'), shown.text.includes('Second')]).toEqual([false, true]);
    expect((await world.post(by, reply, { hide: true })).json).toEqual({ success: true });
    expect((await world.get(by, reply, { fields: 'hidden' })).json.hidden).toBe(false);
    expect((await world.del(by, first)).json).toEqual({ success: true });
    expect(await world.get(by, reply)).toMatchObject(refused(100, 33));
    expect((await world.get(by, post, { fields: 'comments_count' })).json.comments_count).toBe(1);
    expect((await world.post(by, `${post}/comments`, { message: 'First of all' })).status).toBe(200);
    expect(await world.post(by, `${post}/comments`, { message: 'x'.repeat(301) })).toMatchObject(refused(100));
  });

  it('are answered in private once, within a week, and open no window', async () => {
    const id = await comment('Do you open on Sunday?');
    const reply = (comment_id: string, text = 'Yes') =>
      world.post(by, `${by.sender}/messages`, { recipient: { comment_id }, message: { text } });
    const { json } = await reply(id);
    expect(json).toEqual({ recipient_id: fred, message_id: expect.any(String) });
    expect(await reply(id)).toMatchObject(refused(10, 2_534_025));
    expect(await send({ text: 'And more' }, by)).toMatchObject(refused(10, 2_534_022));
    const late = await comment('Late');
    world.clock.move(7 * DAY);
    expect(await reply(late)).toMatchObject(refused(10, 2_534_022));
  });

  it('are written, sent and read with the rights of their own', async () => {
    await write();
    const sent = await send({ text: 'ä'.repeat(500) }, by);
    expect(sent.json).toEqual({ recipient_id: fred, message_id: expect.any(String) });
    expect(await send({ text: 'ä'.repeat(501) }, by)).toMatchObject(refused(100));
    const path = `${by.sender}/conversations`;
    const fields =
      'id,updated_time,participants,messages.limit(20){id,created_time,from,to,message,attachments,reply_to}';
    const { json } = await world.get(by, path, { platform: 'instagram', fields });
    expect(json.data).toMatchObject([
      {
        participants: {
          data: [
            { id: fred, username: FRED },
            { id: own.id, username: COFFEE },
          ],
        },
      },
    ]);
    const [answer, question] = json.data[0].messages.data;
    expect(answer).toMatchObject({ id: sent.json.message_id, from: { id: own.id }, to: { data: [{ id: fred }] } });
    expect(question).toMatchObject({ message: 'Hello', from: { username: FRED } });
    expect((await world.get(by, path, { platform: 'instagram', user_id: '1' })).json.data).toEqual([]);
    expect((await world.get(by, answer.id, { fields: 'message' })).json.message).toHaveLength(500);
    const profile = 'name,username,profile_pic,follower_count,is_verified_user,is_user_follow_business';
    expect((await world.get(by, fred, { fields: profile })).json).toMatchObject({
      username: FRED,
      name: 'Fred Follower',
    });
    expect(await world.get(by, await world.igsid(own.id, MIA), { fields: 'name' })).toMatchObject(refused(100));
  });
});

describe('likes and mentions', () => {
  it('are there by the log-in of Facebook alone', async () => {
    const id = await comment('Nice');
    const path = `${own.id}/likes`;
    expect((await world.post(linked, path, { comment_id: id })).json).toEqual({ success: true });
    expect((await world.get(own, id, { fields: 'like_count' })).json.like_count).toBe(1);
    expect((await world.del(linked, path, { comment_id: id })).json).toEqual({ success: true });
    expect(await world.post(own, path, { comment_id: id })).toMatchObject(refused(2500));
    await world.act('settings', { likes_by_user_only: true });
    expect(await world.post(linked, path, { media_id: post })).toMatchObject(refused(190));
    const user = { ...linked, token: await world.facebookUser() };
    expect((await world.post(user, path, { media_id: post })).json).toEqual({ success: true });
    expect(await world.post(user, path, { media_id: '18000000000000000' })).toMatchObject(refused(100, 33));

    const media = (await world.act('mention', { person: MIA, page: COFFEE, text: 'Go there', tagged: true })).id;
    const said = await world.act('mention', { person: MIA, page: COFFEE, text: 'Best cup', in_comment: true });
    expect(changes().slice(-2)).toEqual([
      { field: 'mentions', value: { media_id: media } },
      { field: 'mentions', value: { media_id: said.media_id, comment_id: said.id } },
    ]);
    const read = async (fields: string) => (await world.get(linked, own.id, { fields })).json;
    expect(
      (await read(`mentioned_media.media_id(${media}){caption,username,media_type}`)).mentioned_media,
    ).toMatchObject({
      id: media,
      caption: `@${COFFEE} Go there`,
      username: MIA,
    });
    expect((await read(`mentioned_comment.comment_id(${said.id}){text,media{id}}`)).mentioned_comment).toMatchObject({
      text: `@${COFFEE} Best cup`,
      media: { id: said.media_id },
    });
    expect((await world.get(linked, `${own.id}/tags`)).json.data).toEqual([{ id: media }]);
    const answer = { media_id: said.media_id, comment_id: said.id, message: 'Thank you' };
    expect((await world.post(linked, `${own.id}/mentions`, answer)).status).toBe(200);
    expect((await world.get(own, `${own.id}/media`)).json.data).toEqual([{ id: post }]);
  });
});

describe('messages', () => {
  it('have a window of a day, or of seven for a human agent', async () => {
    expect(await send({ text: 'First' })).toMatchObject(refused(100, 2_534_014));
    await write();
    world.clock.move(DAY + 1);
    expect(await send({ text: 'Late' })).toMatchObject(refused(10, 2_534_022));
    const tagged = { messaging_type: 'MESSAGE_TAG', tag: 'HUMAN_AGENT' };
    expect((await send({ text: 'From a person' }, own, tagged)).status).toBe(200);
    expect(await send({ text: 'x' }, own, { ...tagged, tag: 'ACCOUNT_UPDATE' })).toMatchObject(refused(100));
    world.clock.move(6 * DAY);
    expect(await send({ text: 'Too late' }, own, tagged)).toMatchObject(refused(10, 2_534_022));
  });

  it('carry files, up to ten pictures, stickers, buttons, cards, quick replies and answers', async () => {
    const { id: mid } = await write();
    const film = world.app.put('a.mp4', mp4({}), 'video/mp4');
    const paper = world.app.put('a.pdf', pdf, 'application/pdf');
    const file = (type: string, url: string) => ({ type, payload: { url } });
    const fine = [
      { attachment: file('image', image_url) },
      { attachment: file('video', film) },
      { attachment: file('file', paper) },
      { attachments: Array.from({ length: 10 }, () => file('image', image_url)) },
      { attachment: { type: 'like_heart' } },
      { attachment: { type: 'MEDIA_SHARE', payload: { id: post } } },
      { text: 'Which?', quick_replies: [{ content_type: 'text', title: 'This', payload: 'THIS' }] },
      {
        attachment: {
          type: 'template',
          payload: {
            template_type: 'generic',
            elements: [
              { title: 'Card', subtitle: 'One', buttons: [{ type: 'postback', title: 'Buy', payload: 'BUY' }] },
            ],
          },
        },
      },
    ];
    for (const message of fine) expect(await send(message)).toMatchObject({ status: 200 });
    expect((await send({ text: 'Yes' }, own, { reply_to: { mid } })).status).toBe(200);
    for (const message of [
      { attachment: file('image', paper) },
      { attachment: file('image', 'http://127.0.0.1:1/none.jpg') },
      { attachments: Array.from({ length: 11 }, () => file('image', image_url)) },
      {
        text: 'x',
        quick_replies: Array.from({ length: 14 }, () => ({ content_type: 'text', title: 'a', payload: 'b' })),
      },
    ])
      expect(await send(message)).toMatchObject(refused(100));
    const saved = { message: { attachment: { type: 'image', payload: { url: image_url, is_reusable: true } } } };
    const { attachment_id } = (await world.post(linked, `${linked.sender}/message_attachments`, saved)).json;
    expect((await send({ attachment: { type: 'image', payload: { attachment_id } } }, linked)).status).toBe(200);
    expect((await world.post(own, `${own.id}/message_attachments`, saved)).status).toBe(400);

    world.app.clear();
    const messages = await world.list('messages');
    const tap = (payload: string, at: (one: any) => boolean) =>
      world.act('tap', { message: messages.find(at).id, payload });
    await tap('THIS', ({ quick_replies }) => quick_replies !== undefined);
    await tap('BUY', ({ pieces }) => pieces[0]?.payload?.elements !== undefined);
    expect(messaging()).toMatchObject([
      { sender: { id: fred }, recipient: { id: own.id }, message: { text: 'This', quick_reply: { payload: 'THIS' } } },
      { postback: { mid: expect.any(String), title: 'Buy', payload: 'BUY' } },
    ]);
  });

  it('show all they have to the twenty newest of a conversation alone', async () => {
    for (let at = 0; at < 22; at += 1) await write({ text: `No ${at}` });
    const fields = 'messages.limit(50){id,message}';
    const { data } = (await world.get(own, 'me/conversations', { platform: 'instagram', fields })).json;
    const all = data[0].messages.data;
    expect([all.length, all.filter(({ message }: any) => message !== undefined).length]).toEqual([22, 20]);
  });

  it('come with what people do in conversations', async () => {
    const { id: mid } = await write({ attachment_url: image_url });
    await send({ text: 'Welcome' });
    await world.sandbox.settle();
    const answer = messaging().at(-1).message.mid;
    await world.act('react_message', { message: answer, reaction: 'love' });
    await world.act('read', { person: FRED, page: COFFEE });
    await world.act('edit_message', { message: mid, text: 'Hello!' });
    await world.act('unsend', { message: mid });
    const { id: story } = await world.act('own_post', { page: COFFEE, text: 's', picture_url: image_url, story: true });
    await world.act('story_reply', { person: FRED, story, text: 'Wow' });
    await world.act('story_mention', { person: FRED, page: COFFEE });
    await world.act('referral', { person: FRED, page: COFFEE, ref: 'poster' });
    await world.act('referral', { person: FRED, page: COFFEE, ref: 'ad', ad_id: '12', text: 'From your ad' });
    await world.act('page_message', { page: COFFEE, person: FRED, text: 'By hand' });
    const got = messaging();
    expect(got[0]).toMatchObject({
      sender: { id: fred },
      recipient: { id: own.id },
      timestamp: expect.any(Number),
      message: { mid, text: 'Hello', attachments: [{ type: 'image', payload: { url: expect.any(String) } }] },
    });
    expect((await fetch(got[0].message.attachments[0].payload.url)).status).toBe(200);
    expect(got[1]).toEqual({
      sender: { id: own.id },
      recipient: { id: fred },
      timestamp: expect.any(Number),
      message: { mid: answer, text: 'Welcome', is_echo: true },
    });
    expect(got.slice(2)).toMatchObject([
      { reaction: { mid: answer, action: 'react', reaction: 'love', emoji: expect.any(String) } },
      { read: { mid: answer } },
      { message_edit: { mid, text: 'Hello!', num_edit: 1 } },
      { message: { mid, is_deleted: true } },
      { message: { text: 'Wow', reply_to: { story: { id: story, url: expect.any(String) } } } },
      { message: { attachments: [{ type: 'story_mention' }] } },
      { referral: { ref: 'poster', type: 'OPEN_THREAD' } },
      { message: { text: 'From your ad', referral: { ref: 'ad', ad_id: '12', source: 'ADS' } } },
      { message: { text: 'By hand', is_echo: true } },
    ]);
    expect(got.some((one) => 'delivery' in one)).toBe(false);
  });

  it('are marked as seen, and never go to somebody out of reach', async () => {
    await write();
    const act = (sender_action: string, more = {}) =>
      world.post(own, 'me/messages', { recipient: { id: fred }, sender_action, ...more });
    expect((await act('mark_seen')).json).toEqual({ recipient_id: fred });
    const [{ id }] = await world.list('messages');
    expect((await act('react', { payload: { message_id: id, reaction: 'love' } })).status).toBe(200);
    const { json } = await world.get(own, 'me/conversations', { platform: 'instagram', fields: 'unread_count' });
    expect(json.data[0].unread_count).toBe(0);
    await world.act('unavailable', { person: FRED, unavailable: true });
    expect(await send({ text: 'x' })).toMatchObject(refused(551));
  });
});

describe('updates', () => {
  it('are signed, escaped and sent for subscribed accounts alone', async () => {
    await comment('Größe? 😀');
    const [push] = world.app.pushes();
    expect(push!.body).toMatch(/Gr\\u00f6\\u00dfe\? \\ud83d\\ude00/);
    expect(push!.headers['x-hub-signature-256']).toBe(`sha256=${sha256(push!.body)}`);
    expect(JSON.parse(push!.body)).toMatchObject({
      object: 'instagram',
      entry: [
        {
          id: own.id,
          time: expect.any(Number),
          changes: [
            {
              field: 'comments',
              value: {
                from: { id: fred, username: FRED },
                text: 'Größe? 😀',
                media: { id: post, media_product_type: 'FEED' },
              },
            },
          ],
        },
      ],
    });
    const listed = await world.get(own, 'me/subscribed_apps');
    expect(listed.json.data[0].subscribed_fields).toContain('comments');
    await world.del(own, `${own.id}/subscribed_apps`);
    await comment('Unheard');
    expect(world.app.pushes()).toHaveLength(1);
    await world.post(linked, `${linked.sender}/subscribed_apps`, { subscribed_fields: 'feed' });
    await comment('Heard by the Page');
    expect(changes().at(-1).value.text).toBe('Heard by the Page');
    expect(await world.post(own, `${own.id}/subscribed_apps`, { subscribed_fields: 'feed' })).toMatchObject(
      refused(100),
    );
  });

  it('can be flat, with bare ids, doubled, turned round, badly signed, wrapped and late', async () => {
    await world.act('settings', { push_flat: true, push_comment_id: true, numeric_ids: true });
    const id = await comment('Flat');
    const { body } = world.app.pushes()[0]!;
    expect(body).toContain(`"entry":[{"id":${own.id},`);
    expect(JSON.parse(body).entry[0]).toMatchObject({
      field: 'comments',
      value: { comment_id: Number(id), text: 'Flat' },
    });
    await write();
    expect(world.app.pushes()[1]!.body).toContain(`"recipient":{"id":${own.id}}`);
    world.app.clear();
    await world.act('settings', {
      push_flat: false,
      numeric_ids: false,
      push_paused: true,
      push_reverse: true,
      push_duplicate: true,
      push_wrap: true,
    });
    await comment('One');
    await comment('Two');
    expect(world.app.pushes()).toEqual([]);
    await world.act('flush');
    expect(changes().map(({ value }: any) => value.text)).toEqual(['Two', 'One', 'Two', 'One']);
    expect(world.app.pushes()[0]!.body).toMatch(/^\[/);
    await world.act('settings', { push_paused: false, push_wrong_signature: true });
    await comment('Forged');
    const last = world.app.pushes().at(-1)!;
    expect(last.headers['x-hub-signature-256']).not.toBe(`sha256=${sha256(last.body)}`);
  });
});

describe('what goes wrong', () => {
  it('is throttled with its headers, ordered, and lost after the effect', async () => {
    const usage = (await world.get(own, own.id, { fields: 'username' })).headers;
    expect(JSON.parse(usage.get('x-app-usage')!)).toHaveProperty('call_count');
    expect(Object.keys(JSON.parse(usage.get('x-business-use-case-usage')!))).toEqual([own.id]);
    world.sandbox.setFault({ network: 'instagram', person: COFFEE, kind: 'throttled', method: 'GET page/media' });
    const { status, json, headers } = await world.get(own, `${own.id}/media`);
    expect([status, json.error.code]).toEqual([400, 80_002]);
    const [block] = JSON.parse(headers.get('x-business-use-case-usage')!)[own.id];
    expect(block).toMatchObject({ type: 'instagram', estimated_time_to_regain_access: expect.any(Number) });
    await write();
    await world.act('order', { method: 'POST page/messages', when: 'after', code: 1, subcode: 1_357_046, status: 500 });
    expect(await send({ text: 'Sent all the same' })).toMatchObject(refused(1, 1_357_046, 500));
    await world.sandbox.settle();
    expect(messaging().at(-1).message).toMatchObject({ is_echo: true, text: 'Sent all the same' });
    const container = (await world.post(own, `${own.id}/media`, { image_url })).json.id;
    world.sandbox.setFault({ network: 'instagram', person: COFFEE, kind: 'lost', method: 'POST page/media_publish' });
    await expect(world.post(own, `${own.id}/media_publish`, { creation_id: container })).rejects.toThrow();
    const found = (await world.get(own, container, { fields: 'status_code' })).json;
    expect(found.status_code).toBe('PUBLISHED');
    expect(await world.get(own, own.id, { fields: 'nonsense' })).toMatchObject(refused(100));
    expect((await world.ask(`${world.at}/graph/v3.0/me?access_token=${own.token}`)).json.error.code).toBe(2635);
  });
});
