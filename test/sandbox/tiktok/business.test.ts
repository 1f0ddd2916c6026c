import { SECOND, MINUTE, HOUR, DAY } from '#kernel/clock.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gif, jpeg, mp4, png } from '../../harness/media-samples.ts';
import {
  BUSINESS,
  FRED,
  MIA,
  OLIVIA,
  openTikTokWorld,
  PIA,
  SAM,
  type Business,
  type TikTokWorld,
} from '../../harness/worlds/twins/tiktok.ts';

let world: TikTokWorld;
beforeAll(async () => {
  world = await openTikTokWorld();
});
beforeEach(() => world.reset());
afterAll(() => world.close());

describe('access', () => {
  const client = { client_id: 'sandbox', client_secret: 'sandbox' };

  it('is a code, JSON, and an envelope whose code says how it went, with 200', async () => {
    const { pair, get, token, id } = await world.business();
    expect(pair).toMatchObject({
      expires_in: 86_400,
      refresh_token_expires_in: 31_536_000,
      open_id: expect.stringMatching(/^_000/),
      scope: BUSINESS.scope,
    });
    const profile = await get('/business/get/');
    expect(profile).toEqual({
      code: 0,
      message: 'OK',
      request_id: expect.any(String),
      data: { display_name: 'Harbour Coffee', profile_image: expect.any(String) },
    });
    expect((await get('/business/get/', { fields: ['username'] })).data).toEqual({ username: OLIVIA });
    expect((await get('/business/get/', { fields: ['shoe_size'] })).code).toBe(40_002);
    expect((await get('/business/get/', { business_id: '_000x' })).code).toBe(40_001);
    expect((await world.ask('GET', '/business/get/', 'nonsense', { business_id: id })).code).toBe(40_105);
    const bearer = { headers: { authorization: `Bearer ${token}` } };
    const at = `${world.at}/business/open_api/v1.3/business/get/?business_id=${id}`;
    expect((await world.fetch(at, bearer)).json.code).toBe(40_105);
    const form = await world.fetch(`${world.at}/business/open_api/v1.3/tt_user/oauth2/token/`, {
      method: 'POST',
      body: new URLSearchParams(client),
    });
    expect([form.status, form.json.code]).toEqual([200, 40_002]);
  });

  it('is asked for at an address that ends with a slash', async () => {
    expect((await world.fetch(world.dialog(BUSINESS))).status).toBe(200);
    expect((await world.fetch(world.dialog({ scope: BUSINESS.scope }))).status).toBe(400);
  });

  it('ends after a day, is renewed by a token that rotates, is looked up and revoked', async () => {
    const { pair, get } = await world.business();
    world.clock.move(DAY);
    expect((await get('/business/get/')).code).toBe(40_102);
    const renew = (refresh_token: string) =>
      world.ask('POST', '/tt_user/oauth2/refresh_token/', undefined, {
        ...client,
        grant_type: 'refresh_token',
        refresh_token,
      });
    const { data } = await renew(pair.refresh_token);
    expect(data.open_id).toBe(pair.open_id);
    expect((await renew(pair.refresh_token)).code).toBe(40_105);
    expect(await world.list('reused')).toMatchObject([{ kind: 'refresh' }]);
    const look = { app_id: 'sandbox', access_token: data.access_token };
    const info = await world.ask('POST', '/tt_user/token_info/get/', undefined, look);
    expect(info.data).toEqual({ app_id: 'sandbox', creator_id: pair.open_id, scope: BUSINESS.scope });
    const end = { ...client, access_token: data.access_token };
    expect((await world.ask('POST', '/tt_user/oauth2/revoke/', undefined, end)).code).toBe(0);
    expect(world.events()).toMatchObject([{ event: 'authorization.removed', content: { reason: 5 } }]);
    expect((await world.ask('POST', '/tt_user/token_info/get/', undefined, look)).code).toBe(40_105);
  });

  it('comes with an access token from the portal, too', async () => {
    const { access_token, business_id } = await world.act('api_key', { creator: SAM });
    expect((await world.act('api_key', { creator: SAM })).access_token).toBe(access_token);
    const { data } = await world.ask('GET', '/business/get/', access_token, { business_id });
    expect(data.display_name).toBe('Single Origin');
  });

  it('has a callback for each type of events', async () => {
    const app = { app_id: 'sandbox', secret: 'sandbox', event_type: 'COMMENT' };
    const update = (more: object) => world.ask('POST', '/business/webhook/update/', undefined, { ...app, ...more });
    const callback_url = `${world.app.url}/push/tiktok`;
    expect((await update({ callback_url, secret: 'wrong' })).code).toBe(40_002);
    expect((await update({ callback_url, event_type: 'POEM' })).code).toBe(40_002);
    expect((await update({ callback_url })).data).toEqual({
      app_id: 'sandbox',
      event_type: 'COMMENT',
      callback_url,
    });
  });
});

describe('publishing', () => {
  const film = () => world.app.put('a.mp4', mp4(), 'video/mp4');

  it('fetches a video, and names the post some minutes later', async () => {
    const account = await world.business();
    const made = await account.post('/business/video/publish/', { video_url: film(), post_info: { caption: 'Beans' } });
    const { share_id } = made.data;
    const status = async () => (await account.get('/business/publish/status/', { publish_id: share_id })).data;
    expect(await status()).toEqual({ status: 'PROCESSING_DOWNLOAD' });
    world.clock.move(2 * SECOND);
    expect(await status()).toEqual({ status: 'PUBLISH_COMPLETE' });
    world.clock.move(MINUTE);
    const { post_ids } = await status();
    expect(post_ids).toEqual([expect.stringMatching(/^7\d{18}$/)]);
    const fields = ['item_id', 'caption', 'share_url', 'create_time', 'likes', 'video_views'];
    const { data } = await account.get('/business/video/list/', { fields, filters: { video_ids: post_ids } });
    expect(data.videos).toEqual([
      {
        item_id: post_ids[0],
        caption: 'Beans',
        share_url: expect.stringContaining(`/@${OLIVIA}/video/${post_ids[0]}`),
        create_time: expect.stringMatching(/^\d{10}$/),
        likes: 0,
        video_views: 0,
      },
    ]);
    expect(world.events().map(({ event, user_openid, content }) => [event, user_openid, content.post_id])).toEqual([
      ['post.publish.complete', account.id, undefined],
      ['post.publish.publicly_available', account.id, post_ids[0]],
    ]);
  });

  it('fetches photos, and is refused where it is wrong', async () => {
    const account = await world.business();
    const photo_images = [world.app.put('a.jpg', jpeg(4, 5), 'image/jpeg')];
    const photo = (more: object) => account.post('/business/photo/publish/', { photo_images, post_info: {}, ...more });
    expect((await photo({ post_info: { title: 'Cups', caption: 'Two' } })).code).toBe(0);
    const video = (more: object) =>
      account.post('/business/video/publish/', { video_url: film(), post_info: {}, ...more });
    for (const wrong of [
      photo({ photo_cover_index: 1 }),
      photo({ photo_images: [] }),
      photo({ post_info: { title: 'a'.repeat(91) } }),
      photo({ post_info: { privacy_level: 'FOLLOWER_OF_CREATOR' } }),
      video({ post_info: undefined }),
      video({ post_info: { caption: 'a'.repeat(2201) } }),
      video({ video_url: 'https://files.example.com/a.mp4' }),
      account.get('/business/video/list/', { fields: ['colour'] }),
    ])
      expect((await wrong).code).toBe(40_002);
    expect((await account.get('/business/publish/status/', { publish_id: 'v_pub_url~1' })).code).toBe(40_007);
    await world.act('settings', { posts_a_day: 1 });
    expect((await video({})).code).toBe(40_004);
    const pia = await world.business(PIA);
    expect((await pia.get('/business/video/settings/')).data).toMatchObject({ duet_disabled: true });
    const allowing = await pia.post('/business/video/publish/', { video_url: film(), post_info: {} });
    expect([allowing.code, allowing.message]).toEqual([40_002, expect.stringContaining('disable_duet')]);
  });
});

describe('comments', () => {
  async function begin() {
    const account = await world.business();
    const { id: video_id } = await world.act('post', { creator: OLIVIA, text: 'Beans' });
    world.app.clear();
    const list = async (more: object = {}) =>
      (await account.get('/business/comment/list/', { video_id, ...more })).data.comments;
    const comment = (text = 'Lovely', person = FRED) => world.act('comment', { person, post: video_id, text });
    return { account, video_id, list, comment };
  }

  it('are pushed with ids that are bare numbers, and listed', async () => {
    const { account, video_id, list, comment } = await begin();
    const { id } = await comment();
    const [event] = world.events();
    expect(event).toMatchObject({ client_key: 'sandbox', event: 'comment.update', user_openid: account.id });
    expect(event.text).toContain(`"comment_id":${id},"video_id":${video_id},`);
    expect(event.content).toMatchObject({ comment_type: 'comment', comment_action: 'insert', text: 'Lovely' });
    const [shown] = await list();
    expect(shown).toMatchObject({
      comment_id: id,
      video_id,
      text: 'Lovely',
      username: FRED,
      display_name: 'Fred Follower',
      owner: false,
      status: 'PUBLIC',
      create_time: expect.stringMatching(/^\d{10}$/),
      unique_identifier: event.content.unique_identifier,
    });
    await world.act('settings', { text_ids: true });
    await comment('Again');
    expect(world.events()[1].text).toContain('"comment_id":"7');
  });

  it('are answered, liked, hidden, and deleted where they are one’s own', async () => {
    const { account, video_id, list, comment } = await begin();
    const { id: comment_id } = await comment();
    const reply = await account.post('/business/comment/reply/create/', { video_id, comment_id, text: 'Thanks' });
    expect(reply.data).toMatchObject({ parent_comment_id: comment_id, text: 'Thanks' });
    const own = (await account.post('/business/comment/create/', { video_id, text: 'First' })).data.comment_id;
    expect((await account.post('/business/comment/create/', { video_id, text: 'a'.repeat(151) })).code).toBe(40_002);
    await account.post('/business/comment/like/', { comment_id, action: 'LIKE' });
    await account.post('/business/comment/hide/', { video_id, comment_id, action: 'HIDE' });
    const all = await list({ include_replies: true, sort_field: 'create_time', sort_order: 'asc' });
    const shown = all.find((one: any) => one.comment_id === comment_id);
    expect(shown).toMatchObject({ liked: true, likes: 1, replies: 1, status: 'HIDDEN', reply_list: [{ owner: true }] });
    expect((await list({ status: 'PUBLIC' })).map((one: any) => one.comment_id)).toEqual([own]);
    const replies = await account.get('/business/comment/reply/list/', { video_id, comment_id });
    expect(replies.data.comments).toMatchObject([{ text: 'Thanks', parent_comment_id: comment_id }]);
    await account.post('/business/comment/hide/', { video_id, comment_id, action: 'UNHIDE' });
    await account.post('/business/comment/like/', { comment_id, action: 'UNLIKE' });
    expect((await account.post('/business/comment/delete/', { comment_id })).code).toBe(40_001);
    expect((await account.post('/business/comment/delete/', { comment_id: own })).code).toBe(0);
    expect(await list()).toMatchObject([{ comment_id, liked: false, status: 'PUBLIC' }]);
    expect(world.events().map(({ content }) => content.comment_action)).toEqual([
      'insert',
      'insert',
      'insert',
      'set_to_hidden',
      'set_to_public',
      'delete',
    ]);
    expect((await account.post('/business/comment/hide/', { comment_id, action: 'BURN' })).code).toBe(40_002);
  });

  it('are nobody else’s, and come in pages of thirty at most', async () => {
    const { account, video_id, comment } = await begin();
    const { id: comment_id } = await comment();
    for (let n = 0; n < 2; n += 1) await comment(`Number ${n}`, MIA);
    const page = (cursor: number) => account.get('/business/comment/list/', { video_id, cursor, max_count: 2 });
    const { data } = await page(0);
    expect([data.comments.length, data.has_more, data.cursor]).toEqual([2, true, 2]);
    expect((await page(2)).data).toMatchObject({ comments: [{}], has_more: false });
    expect((await account.get('/business/comment/list/', { video_id, max_count: 31 })).code).toBe(40_002);
    const only = await account.get('/business/comment/list/', { video_id, comment_ids: [comment_id] });
    expect(only.data.comments).toMatchObject([{ comment_id }]);
    const other = await world.business(SAM);
    expect((await other.get('/business/comment/list/', { video_id })).code).toBe(40_007);
    expect((await other.post('/business/comment/like/', { comment_id, action: 'LIKE' })).code).toBe(40_007);
  });

  it('name the account, which is fetched within two days', async () => {
    const { account } = await begin();
    const { post: item_id } = await world.act('mention', { person: FRED, account: OLIVIA, text: 'Go there' });
    const { comment } = await world.act('mention', { person: MIA, account: OLIVIA, text: 'Yes', post: item_id });
    expect(world.events().map(({ event }) => event)).toEqual(['brand_mention.video', 'brand_mention.comment']);
    const ask = (kind: string, path: string, more: Record<string, string> = {}) =>
      account.get(`/business/mention/${kind}/${path}/`, more);
    expect((await ask('video', 'list')).data.videos).toMatchObject([
      { item_id, caption: expect.stringContaining(`@${OLIVIA} Go there`), creator_handle_name: FRED },
    ]);
    const fresh = await ask('comment', 'get', { item_id, comment_id: comment });
    expect(fresh.data.comment).toMatchObject({ comment_text: expect.stringContaining('Yes'), comment_type: 'COMMENT' });
    expect((await ask('comment', 'list')).data.comments).toHaveLength(1);
    world.clock.move(47 * HOUR);
    const again = await world.business();
    const late = () => again.get('/business/mention/video/get/', { item_id });
    expect((await late()).data.video).toMatchObject([{ item_id }]);
    world.clock.move(HOUR);
    expect((await late()).code).toBe(40_007);
  });
});

describe('messages', () => {
  const PAIR = { person: FRED, account: OLIVIA };

  /** An account that Fred has written to, with nothing pushed so far. */
  async function begin(account?: Business) {
    const business = account ?? (await world.business());
    const { parent_id: conversation_id } = await world.act('write', { ...PAIR, text: 'Are you open?' });
    const [event] = world.events();
    world.app.clear();
    const send = (more: object) =>
      business.post('/business/message/send/', { recipient_type: 'CONVERSATION', recipient: conversation_id, ...more });
    const say = (body = 'Until six.') => send({ message_type: 'TEXT', text: { body } });
    const content = async () => (await business.get('/business/message/content/list/', { conversation_id })).data;
    const list = async (conversation_type: string) =>
      (await business.get('/business/message/conversation/list/', { conversation_type })).data.conversations;
    return { business, conversation_id, event, send, say, content, list };
  }

  it('arrive, are answered and echoed', async () => {
    const { business, conversation_id, event, say, content, list } = await begin();
    expect(conversation_id).toMatch(/\+/);
    expect(event).toMatchObject({
      event: 'im_receive_msg',
      user_openid: business.id,
      content: {
        from: FRED,
        to: OLIVIA,
        from_user: { role: 'personal_account', id: event.content.unique_identifier },
        to_user: { role: 'business_account', id: business.id },
        conversation_id,
        type: 'text',
        text: { body: 'Are you open?' },
        timestamp: world.clock.now(),
        is_follower: false,
      },
    });
    expect([await list('STRANGER'), await list('SINGLE')]).toMatchObject([[{ conversation_id }], []]);
    const { message_id } = (await say()).data.message;
    expect(world.events()).toMatchObject([
      { event: 'im_send_msg', content: { message_id, text: { body: 'Until six.' }, message_tag: { source: 'API' } } },
    ]);
    expect([await list('STRANGER'), await list('SINGLE')]).toMatchObject([[], [{ conversation_id }]]);
    const { messages, participants } = await content();
    expect(messages).toMatchObject([
      { message_id, message_type: 'TEXT', sender: OLIVIA, text: { body: 'Until six.' } },
      { message_type: 'TEXT', sender: FRED, recipient: OLIVIA },
    ]);
    expect(participants).toMatchObject([
      { role: 'BUSINESS_ACCOUNT' },
      { role: 'PERSONAL_ACCOUNT', is_follower: false },
    ]);
    await world.act('read', PAIR);
    await world.act('answer', { ...PAIR, text: 'From my phone' });
    expect(world.events().slice(1)).toMatchObject([
      { event: 'im_mark_read_msg', content: { conversation_id, read: { last_read_timestamp: world.clock.now() } } },
      { event: 'im_send_msg', content: { message_tag: { source: 'APP' } } },
    ]);
  });

  it('are sent ten times within 48 hours after each message, and never first', async () => {
    const { business, say } = await begin();
    for (let n = 0; n < 10; n += 1) expect((await say(`Number ${n}`)).code).toBe(0);
    expect((await say()).code).toBe(40_064);
    await world.act('write', { ...PAIR, text: 'And?' });
    expect((await say()).code).toBe(0);
    world.clock.move(DAY);
    world.clock.move(DAY - 1);
    const fresh = await begin(await world.business());
    world.clock.move(2 * DAY - 1);
    const renewed = await world.business();
    const late = { recipient_type: 'CONVERSATION', recipient: fresh.conversation_id, message_type: 'TEXT' };
    const text = { body: 'Late' };
    expect((await renewed.post('/business/message/send/', { ...late, text })).code).toBe(0);
    world.clock.move(1);
    expect((await renewed.post('/business/message/send/', { ...late, text })).code).toBe(40_064);
    expect((await business.post('/business/message/send/', { ...late, recipient: 'x', text })).code).not.toBe(0);
  });

  it('have one content each, which is checked', async () => {
    const { business, send } = await begin();
    const media = async (bytes: Uint8Array) => {
      const body = new FormData();
      for (const [name, value] of Object.entries({ business_id: business.id, media_type: 'IMAGE' }))
        body.set(name, value);
      body.set('file', new Blob([new Uint8Array(bytes)]), 'a.png');
      const headers = { 'access-token': business.token };
      const url = `${world.at}/business/open_api/v1.3/business/message/media/upload/`;
      return (await world.fetch(url, { method: 'POST', headers, body })).json;
    };
    expect((await media(gif())).code).toBe(40_908);
    expect((await media(png(3, 2, 3 * 1024 * 1024))).code).toBe(40_002);
    const { media_id } = (await media(png())).data;
    expect((await send({ message_type: 'IMAGE', image: { media_id } })).code).toBe(0);
    const button = (title: string, id = 'a') => ({ type: 'REPLY', title, id });
    const card = (more: object, type = 'QA_BUTTON_CARD') =>
      send({ message_type: 'TEMPLATE', template: { type, title: 'Which?', buttons: [button('Rye')], ...more } });
    expect((await card({})).code).toBe(0);
    expect((await card({ buttons: [button('a'.repeat(40))] }, 'QA_LINK_CARD')).code).toBe(0);
    expect((await send({ message_type: 'SENDER_ACTION', sender_action: 'MARK_READ' })).data.message.message_id).toBe(
      '',
    );
    const quoted = world.events()[0].content.message_id;
    const reference = { referenced_message_info: { referenced_message_id: quoted } };
    expect((await send({ message_type: 'TEXT', text: { body: 'That one' }, ...reference })).code).toBe(0);
    for (const wrong of [
      { message_type: 'TEXT', text: { body: '' } },
      { message_type: 'TEXT', text: { body: 'a'.repeat(6001) } },
      { message_type: 'TEXT', text: { body: 'Both' }, image: { media_id } },
      { message_type: 'IMAGE', image: { media_id }, ...reference },
      { message_type: 'IMAGE', image: { media_id: '1' } },
      { message_type: 'POEM' },
      { message_type: 'TEXT', text: { body: 'x' }, recipient: 'nobody' },
    ])
      expect([wrong, (await send(wrong)).code]).toEqual([wrong, 40_002]);
    for (const wrong of [
      { buttons: [] },
      { buttons: ['1', '2', '3', '4'].map((id) => button('A', id)) },
      { buttons: [button('a'.repeat(21))] },
      { buttons: [{ type: 'LINK', title: 'A', url: 'https://example.com' }] },
      { title: 'a'.repeat(41) },
    ])
      expect([wrong, (await card(wrong)).code]).toEqual([wrong, 40_002]);
    expect((await send({ message_type: 'SHARE_POST', share_post: { item_id: '1' } })).code).toBe(40_007);
    expect((await send({ message_type: 'TEXT', text: { body: 'x' }, direct_reply: {} })).code).toBe(40_001);
    await world.act('settings', { image_send: false });
    expect((await send({ message_type: 'IMAGE', image: { media_id } })).code).toBe(40_001);
  });

  it('come with pictures behind a log-in, buttons, links and advertisements', async () => {
    const { business, conversation_id, send, list } = await begin();
    await send({
      message_type: 'TEMPLATE',
      template: { type: 'QA_BUTTON_CARD', title: 'Which?', buttons: [{ type: 'REPLY', title: 'Rye', id: 'rye-1' }] },
    });
    const { message_id } = world.events()[0].content;
    await world.act('press', { message: message_id, button: 'Rye' });
    await world.act('write', { ...PAIR, url: world.app.put('cup.png', png()) });
    await world.act('write', { ...PAIR, sticker: true });
    await world.act('refer', { ...PAIR, ref: 'spring' });
    await world.act('refer', PAIR);
    const [, pressed, picture, sticker, link, ad] = world.events();
    expect(pressed.content).toMatchObject({
      type: 'text',
      text: { body: 'Rye' },
      reply_source_payload: { reply_source_msg_id: message_id, reply_source_unique_id: 'rye-1' },
    });
    expect([picture.content.type, sticker.content.type]).toEqual(['image', 'sticker']);
    expect(link).toMatchObject({ event: 'im_referral_msg', content: { referral: { short_link: { ref: 'spring' } } } });
    expect(ad.content.referral).toMatchObject({ source: 'ad', ad: { ad_id: expect.any(String) } });
    expect((await list('SINGLE'))[0].referral).toMatchObject({ ad: [{}], short_link: [{ ref: 'spring' }] });
    const { media_id } = picture.content.image;
    const named = { conversation_id, message_id: picture.content.message_id, media_id, media_type: 'IMAGE' };
    const { download_url } = (await business.post('/business/message/media/download/', named)).data;
    expect((await world.fetch(download_url)).status).toBe(403);
    const other = await world.business(SAM);
    expect((await world.fetch(download_url, { headers: { 'x-user': other.token } })).status).toBe(403);
    const got = await world.fetch(download_url, { headers: { 'x-user': business.token } });
    expect([got.status, got.headers.get('content-type')]).toEqual([200, 'image/png']);
  });

  it('are the newest twenty alone, and without a word where the writer is in Europe', async () => {
    const { content } = await begin();
    for (let n = 0; n < 25; n += 1) await world.act('write', { ...PAIR, text: `Number ${n}` });
    const { messages } = await content();
    expect([messages.length, messages[0].text.body, messages[19].text.body]).toEqual([20, 'Number 24', 'Number 5']);
    await world.act('settings', { europe: true });
    world.app.clear();
    await world.act('write', { ...PAIR, text: 'Secret' });
    const [event] = world.events();
    expect([event.event, Object.keys(event.content).toSorted()]).toEqual([
      'im_receive_msg_eu',
      ['timestamp', 'to', 'to_user'],
    ]);
  });
});
