import { describe, expect, it } from 'vitest';
import type { DirectConnect } from '#platforms/connect.ts';
import type { Bubble } from '#platforms/messages.ts';
import type { OutgoingPost, PublishCall } from '#platforms/posts.ts';
import type { PushTrust } from '#platforms/push.ts';
import { ALLOWED_UPDATES } from '#platforms/telegram/inbound/update.ts';
import { sanitizeEvent } from '#platforms/sanitize.ts';
import { telegram } from '#platforms/telegram/index.ts';
import type { SendCall } from '#platforms/sending.ts';
import { opened } from '../../harness/opened.ts';
import { answer, lost, NOW, ok, refused, type Script, scripted } from '../../harness/platforms/script.ts';
import { postOf } from '../../harness/platforms/steps.ts';

const TOKEN = '123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc';
const BOT = { id: 123456789, is_bot: true, first_name: 'Baker', username: 'baker_bot' };
const CHANNEL = {
  id: -1001234567890,
  type: 'channel',
  title: 'Bakery',
  username: 'bakery',
  description: 'Bread',
  linked_chat_id: -1009876543210,
};
const CHAT = String(CHANNEL.id);
const GROUP = String(CHANNEL.linked_chat_id);
const SESSION = { token: TOKEN, bot: '123456789', channel: { id: CHAT, username: 'bakery', group: GROUP } };
const SECONDS = NOW / 1000;

const result = (value: unknown) => ok({ ok: true, result: value });
const refusal = (code: number, description: string, parameters?: object) =>
  answer(code, { ok: false, error_code: code, description, ...(parameters && { parameters }) });

/** A Bot API that answers as scripted; its calls have the names of methods. */
const botOf = (script: Script, session: object = SESSION) =>
  scripted(script, {
    hosts: { api: 'https://api.telegram.org', web: 'https://t.me' },
    session: { ...session },
    nameOf: ({ url }) => new URL(url).pathname.split('/').at(-1)!,
  });

const connect = telegram.connect as DirectConnect;
const { publish, check, remove } = telegram.posts!;
const comments = telegram.comments!;
const messages = telegram.messages!;
const push = telegram.push!;
const poll = telegram.inbox!.poll!;

const sent = (message_id: number, chat: object = CHANNEL) => ({ message_id, date: SECONDS, chat });

describe('connecting', () => {
  const WILLING: Script = {
    getMe: result(BOT),
    getChat: result(CHANNEL),
    getChatMember: result({ status: 'administrator', can_post_messages: true }),
  };

  it('takes a bot with its channel, and a bot alone', async () => {
    const { bare, asked } = botOf(WILLING);
    const made = await connect.login(bare, { bot_token: ` ${TOKEN} `, channel: 'https://t.me/bakery' });
    expect(made).toMatchObject({
      profile: {
        platform_user_id: '123456789',
        username: 'bakery',
        name: 'Bakery',
        bio: 'Bread',
        profile_url: 'https://t.me/bakery',
        metadata: { bot_id: '123456789', bot_username: 'baker_bot', channel_id: CHAT, group_id: GROUP },
      },
      session: SESSION,
    });
    expect(asked.map(({ body }) => body)).toEqual([
      undefined,
      { chat_id: '@bakery' },
      { chat_id: '@bakery', user_id: BOT.id },
    ]);
    const alone = await connect.login(bare, { bot_token: TOKEN });
    expect(alone.session).toEqual({ token: TOKEN, bot: '123456789' });
    expect(alone.profile).toMatchObject({ username: 'baker_bot', name: 'Baker' });
    // The token stands in addresses alone, which are never logged.
    expect(asked.map(({ request }) => request.template)).not.toContainEqual(expect.stringContaining(TOKEN));
  });

  const supergroup = result({ ...CHANNEL, type: 'supergroup' });
  const stranger = refusal(403, 'Forbidden: bot is not a member of the channel chat');
  it.each([
    [{ bot_token: 'nonsense' }, {}, 'invalid_request'],
    [{ bot_token: TOKEN }, { getMe: refusal(401, 'Unauthorized') }, 'auth'],
    [{ bot_token: TOKEN }, { getMe: refusal(404, 'Not Found') }, 'auth'],
    [{ bot_token: TOKEN, channel: 'no channel' }, {}, 'invalid_request'],
    [{ bot_token: TOKEN, channel: '@gone' }, { getChat: refusal(400, 'Bad Request: chat not found') }, 'not_found'],
    [{ bot_token: TOKEN, channel: '@group' }, { getChat: supergroup }, 'invalid_request'],
    [{ bot_token: TOKEN, channel: '@bakery' }, { getChatMember: stranger }, 'permission_denied'],
    [
      { bot_token: TOKEN, channel: '@bakery' },
      { getChatMember: result({ status: 'administrator' }) },
      'permission_denied',
    ],
  ])('refuses %o by its reason', async (fields, answers, reason) => {
    const { bare } = botOf({ ...WILLING, ...answers });
    await expect(connect.login(bare, fields as never)).rejects.toMatchObject(refused(reason));
  });
});

describe('posts', () => {
  const post = (more: Partial<OutgoingPost> = {}) => postOf({ text: 'Fresh bread', ...more });
  const file = (kind: 'image' | 'video' | 'file', ref = kind as string) => ({ ref, kind });
  const FILES: Readonly<Record<string, ReturnType<typeof opened>>> = {
    image: opened(Buffer.from('picture'), 'image/png', { filename: 'a "b".png' }),
    gif: opened(Buffer.from('gif'), 'image/gif'),
    video: opened(Buffer.from('film'), 'video/mp4'),
    file: opened(Buffer.from('paper'), 'application/pdf', { filename: 'menu.pdf' }),
  };
  async function run(script: Script, content: OutgoingPost, session: object = SESSION) {
    const { acting, asked } = botOf(script, session);
    const call = { ...acting, post: content, done: {}, open: async (ref: string) => FILES[ref]! } as PublishCall;
    const done = await publish.run(call, 'send');
    return { published: publish.finish({ send: JSON.parse(JSON.stringify(done)) }, acting.hosts), asked };
  }

  it('are one request that is never repeated, whose answer nothing can replace', () => {
    expect(publish.steps(post())).toEqual([{ name: 'send', kind: 'visible' }]);
    expect(publish.settle).toBeUndefined();
  });

  it('of text have an address in public or for members', async () => {
    const options = { parse_mode: 'HTML', disable_notification: true, link_preview: false };
    const { published, asked } = await run({ sendMessage: result(sent(7)) }, post({ options }));
    expect(published).toEqual({
      platform_post_id: `${CHAT}:7`,
      permalink: 'https://t.me/bakery/7',
      metadata: { message_ids: ['7'] },
    });
    expect(asked[0]!.body).toEqual({
      chat_id: CHAT,
      text: 'Fresh bread',
      parse_mode: 'HTML',
      disable_notification: true,
      link_preview_options: { is_disabled: true },
    });
    const hidden = await run({ sendMessage: result(sent(7, { ...CHANNEL, username: undefined })) }, post());
    expect(hidden.published.permalink).toBe('https://t.me/c/1234567890/7');
  });

  it.each([
    ['image', 'sendPhoto', 'photo', 'a _b_.png image/png 7'],
    ['gif', 'sendAnimation', 'animation', 'file0 image/gif 3'],
    ['video', 'sendVideo', 'video', 'file0 video/mp4 4'],
    ['file', 'sendDocument', 'document', 'menu.pdf application/pdf 5'],
  ])('of one %s upload it with a caption', async (ref, method, field, shown) => {
    const kind = ref === 'gif' ? 'image' : (ref as 'image');
    const entities = [{ type: 'bold', offset: 0, length: 5 }];
    const content = post({ media: [file(kind, ref)], options: { entities } });
    const { asked } = await run({ [method]: result(sent(8)) }, content);
    expect(asked[0]!.form).toEqual({
      chat_id: CHAT,
      caption: 'Fresh bread',
      caption_entities: JSON.stringify(entities),
      [field]: shown,
    });
  });

  it('of several items are an album, and all its parts are known', async () => {
    const content = post({ media: [file('image'), file('video')], options: { has_spoiler: true } });
    const { published, asked } = await run({ sendMediaGroup: result([sent(8), sent(9)]) }, content);
    expect(published).toMatchObject({ platform_post_id: `${CHAT}:8`, metadata: { message_ids: ['8', '9'] } });
    const { media, ...files } = asked[0]!.form;
    expect(JSON.parse(media!)).toEqual([
      { type: 'photo', media: 'attach://file0', has_spoiler: true, caption: 'Fresh bread' },
      { type: 'video', media: 'attach://file1', has_spoiler: true },
    ]);
    expect(files).toEqual({ chat_id: CHAT, file0: 'a _b_.png image/png 7', file1: 'file1 video/mp4 4' });
  });

  it('are no album with a GIF in it', async () => {
    const content = post({ media: [file('image'), file('image', 'gif')] });
    await expect(run({}, content)).rejects.toMatchObject(refused('invalid_request'));
  });

  it('need a channel, and are unknown when the answer is lost', async () => {
    const alone = { token: TOKEN, bot: '123456789' };
    await expect(run({}, post(), alone)).rejects.toMatchObject(refused('invalid_request'));
    await expect(run({ sendMessage: lost() }, post())).rejects.toMatchObject({ kind: 'unknown' });
    await expect(run({ sendMessage: lost(false) }, post())).rejects.toMatchObject({ kind: 'not_sent' });
  });

  it('are checked as people see them', () => {
    const fields = (more: Partial<OutgoingPost>) => check!(post(more)).map(({ field }) => field);
    const media = [file('image')];
    expect(fields({ text: 'x'.repeat(1024), media })).toEqual([]);
    expect(fields({ text: 'x'.repeat(1025), media })).toEqual(['text']);
    expect(fields({ text: '😀'.repeat(513), media })).toEqual(['text']);
    const html = `<b>${'x'.repeat(1023)}</b>&amp;`;
    expect(fields({ text: html, media })).toEqual(['text']);
    expect(fields({ text: html, media, options: { parse_mode: 'HTML' } })).toEqual([]);
    expect(fields({ media: [...media, file('file')] })).toEqual(['media']);
    expect(fields({ media: [...media, { ...file('image'), content_type: 'image/gif' }] })).toEqual(['media']);
    expect(fields({ options: { parse_mode: 'BBCode' } })).toEqual(['platform_data.telegram.parse_mode']);
    const both = { parse_mode: 'HTML', entities: [] };
    expect(fields({ options: both })).toEqual(['platform_data.telegram.entities']);
  });

  it('are refused where Telegram could not read their HTML, with what is wrong', () => {
    const faults = (text: string) =>
      check!(post({ text, options: { parse_mode: 'HTML' } })).map(({ message }) => message);
    const fine = [
      '<b>a <i>b</i></b> <A HREF="https://a.example/?a>b">c</A> <code class=language-ts>d</code> a > b & &nbsp; c',
      '<blockquote expandable>a</blockquote><span class="tg-spoiler">b</span><b>c</><tg-emoji emoji-id="5">d</tg-emoji>',
      '<tg-time unix="1" format="r">a</tg-time ><pre\n>b</pre>',
    ];
    expect(fine.map(faults)).toEqual(fine.map(() => []));
    const wrong: readonly (readonly [text: string, fault: string])[] = [
      ['<b>a', '<b> is never closed'],
      ['<b><i>a</b></i>', '</b> stands where </i> is expected'],
      ['a</b>', '</b> closes no tag'],
      ['<font color="red">a</font>', '<font> is none of the tags'],
      ['a<br/>b', '<br/> is none of the tags'],
      ['1 < 2', 'written &lt;'],
      ['I <3 you', 'written &lt;'],
      ['<b', '<b> lacks its >'],
      ['<i x>a</i>', 'or the value of an attribute'],
      ['<a href=https://a.example>a</a>', 'not in quotes'],
      ['<a href="https://a.example>a</a>', 'not in quotes'],
      ['<b>a</b', '</b lacks its >'],
      ['<span class="red">a</span>', '<span> must have class="tg-spoiler"'],
      ['<tg-emoji>a</tg-emoji>', '<tg-emoji> must have an emoji-id'],
    ];
    for (const [text, fault] of wrong) expect([text, faults(text)]).toEqual([text, [expect.stringContaining(fault)]]);
    expect(check!(post({ text: '1 < 2 <b>' }))).toEqual([]);
  });

  it('are deleted with all their parts; what is gone is gone', async () => {
    const { acting, asked } = botOf({ deleteMessages: result(true) });
    await remove!(acting, `${CHAT}:8`, { message_ids: ['8', '9'] });
    await remove!(acting, `${CHAT}:8`, {});
    expect(asked.map(({ body }) => body)).toEqual([
      { chat_id: CHAT, message_ids: [8, 9] },
      { chat_id: CHAT, message_ids: [8] },
    ]);
    const gone = botOf({ deleteMessages: refusal(400, 'Bad Request: message to delete not found') });
    await remove!(gone.acting, `${CHAT}:8`, {});
  });
});

const state = { prepared: null, correlationId: 'snd_1.0', sentAt: NOW };

describe('comments', () => {
  const place = { post: `${CHAT}:7`, comment: `${GROUP}:80` };

  it('are answered in the discussion group', async () => {
    const { acting, asked } = botOf({ sendMessage: result(sent(81, { id: Number(GROUP), type: 'supergroup' })) });
    const made = await comments.reply!.send(acting, { ...place, text: 'Thank you' }, state);
    expect(made).toEqual({ comment_id: `${GROUP}:81` });
    expect(asked[0]!.body).toEqual({ chat_id: GROUP, text: 'Thank you', reply_parameters: { message_id: 80 } });
    const first = comments.reply!.send(acting, { post: place.post, text: 'First' }, state);
    await expect(first).rejects.toMatchObject({ reason: 'invalid_request' });
    expect(comments.reply!.settle).toBeUndefined();
  });

  it('are liked by a reaction, deleted, and told from posts', async () => {
    const { acting, asked } = botOf({
      setMessageReaction: result(true),
      deleteMessage: [result(true), refusal(400, 'Bad Request: message to delete not found')],
    });
    await comments.like!(acting, place, true);
    await comments.like!(acting, place, false);
    await comments.remove!(acting, place);
    await comments.remove!(acting, place);
    expect(asked.slice(0, 2).map(({ body }) => body.reaction)).toEqual([[{ type: 'emoji', emoji: '👍' }], []]);
    expect(await comments.isComment(acting, place)).toBe(true);
    expect(await comments.isComment(acting, { post: place.post, comment: place.post })).toBe(false);
    expect(await comments.isComment(acting, { post: place.post, comment: 'nonsense' })).toBe(false);
  });
});

describe('messages', () => {
  const conversation = { platform_id: '555', participant: { id: '555', name: 'Ann' } };
  const PRIVATE = { id: 555, type: 'private' };
  const voice = opened(Buffer.from('file'), 'audio/ogg', { filename: 'a.ogg' });
  const send = (acting: SendCall, bubble: Bubble) =>
    messages.bubble.send({ ...acting, open: async () => voice }, { conversation, bubble }, state);
  const text = (more: object = {}): Bubble => ({ kind: 'text', text: 'Hi', ...more });

  it('have text, buttons and keyboards', async () => {
    const { acting, asked } = botOf({ sendMessage: result(sent(3, PRIVATE)) });
    expect(await send(acting, text())).toEqual({ message_id: '555:3', created_at: NOW });
    const yes = { type: 'postback', title: 'Yes', payload: 'YES' };
    await send(acting, text({ buttons: [{ type: 'url', title: 'Shop', url: 'https://shop.example' }, yes] }));
    await send(acting, text({ quick_replies: [{ title: 'Red' }, { title: 'Blue' }] }));
    await send(acting, text({ quick_replies: [{ title: 'Red', payload: 'R' }, { title: 'Blue' }] }));
    expect(asked.map(({ body }) => body.reply_markup)).toEqual([
      undefined,
      { inline_keyboard: [[{ text: 'Shop', url: 'https://shop.example' }], [{ text: 'Yes', callback_data: 'YES' }]] },
      { keyboard: [[{ text: 'Red' }], [{ text: 'Blue' }]], one_time_keyboard: true, resize_keyboard: true },
      { inline_keyboard: [[{ text: 'Red', callback_data: 'R' }], [{ text: 'Blue', callback_data: 'Blue' }]] },
    ]);
    const long = send(acting, text({ buttons: [{ ...yes, payload: 'x'.repeat(65) }] }));
    await expect(long).rejects.toMatchObject(refused('invalid_request'));
  });

  it('carry files, voices and what Telegram has already', async () => {
    const { acting, asked } = botOf({
      sendVoice: result(sent(3, PRIVATE)),
      sendAudio: result(sent(4, PRIVATE)),
      sendPhoto: result(sent(5, PRIVATE)),
    });
    const media = { ref: 'med', kind: 'audio' } as const;
    await send(acting, { kind: 'attachment', type: 'audio', media, voice: true, caption: 'Listen' });
    await send(acting, { kind: 'attachment', type: 'audio', media });
    await send(acting, { kind: 'attachment', type: 'image', platform_attachment_id: 'AgAC', caption: 'Look' });
    expect(asked.map(({ form, body }) => body ?? form)).toEqual([
      { chat_id: '555', caption: 'Listen', voice: 'a.ogg audio/ogg 4' },
      { chat_id: '555', audio: 'a.ogg audio/ogg 4' },
      { chat_id: '555', photo: 'AgAC', caption: 'Look' },
    ]);
    const long = send(acting, { kind: 'attachment', type: 'audio', media, caption: 'x'.repeat(1025) });
    await expect(long).rejects.toMatchObject({ reason: 'invalid_request' });
  });

  it('to who never started the bot are refused by a code of their own', async () => {
    const texts = ['bot was blocked by the user', "bot can't initiate conversation with a user", 'user is deactivated'];
    for (const description of texts) {
      const { acting } = botOf({ sendMessage: refusal(403, `Forbidden: ${description}`) });
      await expect(send(acting, text())).rejects.toMatchObject({ code: 'telegram.cannot_message' });
    }
  });

  it('follow a group that has another id by now', async () => {
    const upgraded = 'Bad Request: group chat was upgraded to a supergroup chat';
    const moved = refusal(400, upgraded, { migrate_to_chat_id: -100777 });
    const { acting, asked } = botOf({ sendMessage: [moved, result(sent(3, { id: -100777, type: 'supergroup' }))] });
    expect(await send(acting, text())).toMatchObject({ message_id: '-100777:3' });
    expect(asked.map(({ body }) => body.chat_id)).toEqual(['555', '-100777']);
  });

  it('show files behind an address that never leaves the server', async () => {
    const { acting } = botOf({ getFile: result({ file_id: 'F', file_path: 'photos/a b.jpg' }) });
    const url = `https://api.telegram.org/file/bot${TOKEN}/photos/a%20b.jpg`;
    expect(await messages.locate!(acting, 'F')).toEqual({ url, filename: 'a b.jpg' });
  });
});

describe('updates', () => {
  const SECRET = 's3cret_of-this-bot';
  const header = 'x-telegram-bot-api-secret-token';
  const ANN = { id: 555, is_bot: false, first_name: 'Ann', last_name: 'Ale', username: 'ann' };
  const supergroup = { id: Number(GROUP), type: 'supergroup', title: 'Talk' };
  const metadata = { bot_id: '123456789', channel_id: CHAT, group_id: GROUP };
  const read = (update: object) => {
    const body = Buffer.from(JSON.stringify({ update_id: 1, ...update }));
    return push
      .read({ path: '', headers: {}, body, metadata, hosts: { web: 'https://t.me' } })
      .map(({ event }) => event);
  };
  const chat = { ...ANN, type: 'private' };
  const said = (more: object) => ({ message_id: 9, date: SECONDS, chat, from: ANN, ...more });

  it('are believed with the secret of this bot alone', async () => {
    const verify = (value: string | undefined, account: string | null = SECRET) => {
      const headers: Record<string, string> = value === undefined ? {} : { [header]: value };
      const trust = { account: account ?? undefined } as PushTrust;
      return push.verify({ path: '', headers, body: Buffer.from('') }, trust);
    };
    expect(await verify(SECRET)).toBe(true);
    for (const wrong of [undefined, '', `${SECRET}x`, 'other']) expect(await verify(wrong)).toBe(false);
    expect(await verify(SECRET, null)).toBe(false);
  });

  it('are asked for with the secret of the account, and given back with it', async () => {
    const callback = 'https://us.example/push/telegram/p';
    const { acting, asked } = botOf({
      setWebhook: result(true),
      getWebhookInfo: [
        result({ url: callback, allowed_updates: ALLOWED_UPDATES }),
        result({ url: '' }),
        // As an earlier version asked for it.
        result({ url: callback, allowed_updates: ['message'] }),
      ],
      deleteWebhook: result(true),
    });
    const { kept } = (await push.subscribe!(acting, { callback, secret: SECRET, verifyToken: '' }))!;
    expect(asked[0]!.body).toMatchObject({ url: callback, secret_token: SECRET });
    expect(asked[0]!.body.allowed_updates).toContain('callback_query');
    for (const expected of [true, false, false]) expect(await push.isSubscribed!(acting, kept)).toBe(expected);
    await push.unsubscribe!(acting, kept, false);
  });

  it('of a private chat are messages with their files', () => {
    const photo = [{ file_id: 'small' }, { file_id: 'large' }];
    const [event] = read({ message: said({ caption: 'Look', photo, reply_to_message: said({ message_id: 8 }) }) });
    expect(event).toMatchObject({
      kind: 'message',
      conversation: { platform_id: '555', participant: { id: '555', name: 'Ann Ale', username: 'ann' } },
      message: {
        platform_id: '555:9',
        direction: 'incoming',
        text: 'Look',
        attachments: [{ type: 'image', ref: 'large' }],
        created_at: NOW,
        reply_to: '555:8',
      },
    });
    for (const [name, type] of [
      ['video', 'video'],
      ['video_note', 'video'],
      ['voice', 'audio'],
      ['audio', 'audio'],
      ['document', 'file'],
      ['sticker', 'image'],
    ] as const)
      expect(read({ message: said({ [name]: { file_id: 'F' } }) })).toMatchObject([
        { message: { attachments: [{ type, ref: 'F' }] } },
      ]);
  });

  it('of links and buttons are referrals and postbacks', () => {
    expect(read({ message: said({ text: '/start spring' }) })).toMatchObject([
      { kind: 'referral', platform_id: '555:9', referral: { ref: 'spring' } },
    ]);
    expect(read({ message: said({ text: '/start' }) })).toMatchObject([{ kind: 'message' }]);
    const inline_keyboard = [[{ text: 'Yes', callback_data: 'YES' }]];
    const tap = { id: '77', from: ANN, data: 'YES', message: said({ reply_markup: { inline_keyboard } }) };
    expect(read({ callback_query: tap })).toMatchObject([
      {
        kind: 'postback',
        conversation: { platform_id: '555' },
        platform_id: '77',
        title: 'Yes',
        payload: 'YES',
        at: NOW,
      },
    ]);
    // Of an old message Telegram sends only where it is, and no time.
    const [old] = read({ callback_query: { ...tap, message: { chat: said({}).chat, message_id: 9, date: 0 } } });
    expect(sanitizeEvent(old!, NOW)).toMatchObject({ kind: 'postback', payload: 'YES', at: NOW });
  });

  it('stop the clock of a tapped button', async () => {
    const { acting, asked } = botOf({ answerCallbackQuery: refusal(400, 'Bad Request: query is too old') });
    const [event] = read({ callback_query: { id: '77', from: ANN, data: 'YES', message: said({}) } });
    expect(await push.complete!(acting, event!)).toBe(event);
    expect(asked[0]!.body).toEqual({ callback_query_id: '77' });
  });

  const forward_origin = { type: 'channel', chat: CHANNEL, message_id: 7, date: SECONDS };
  const forwarded = { message_id: 70, chat: supergroup, is_automatic_forward: true, forward_origin };
  const forward = said({ text: 'Fresh bread', ...forwarded });

  it('of the discussion group are the comments of a post', () => {
    expect(read({ message: forward })).toMatchObject([
      { kind: 'post', post: { platform_id: `${CHAT}:7`, text: 'Fresh bread' } },
      { kind: 'alias', thing: 'post', platform_id: `${CHAT}:7`, alias: `${GROUP}:70` },
    ]);
    const comment = { ...said({ text: 'Yum' }), message_id: 80, chat: supergroup, message_thread_id: 70 };
    const direct = read({ message: { ...comment, reply_to_message: forward } });
    expect(direct.map(({ kind }) => kind)).toEqual(['post', 'alias', 'comment']);
    expect(direct[2]).toMatchObject({
      comment: {
        platform_id: `${GROUP}:80`,
        platform_post_id: `${GROUP}:70`,
        author: { id: '555', name: 'Ann Ale' },
        is_owner: false,
        text: 'Yum',
      },
    });
    expect(direct[2]).toHaveProperty('comment.parent_id', undefined);
    const below = { ...comment, message_id: 81, reply_to_message: comment };
    expect(read({ message: below })).toMatchObject([{ comment: { parent_id: `${GROUP}:80` } }]);
    expect(read({ edited_message: below })).toMatchObject([{ kind: 'comment', edited: true }]);
    expect(read({ message: { ...comment, sender_chat: CHANNEL } })).toMatchObject([{ comment: { is_owner: true } }]);
    expect(read({ message: { ...comment, message_thread_id: undefined } })).toEqual([]);
    // Another group is a conversation.
    const elsewhere = { ...comment, chat: { ...supergroup, id: -100555 } };
    expect(read({ message: elsewhere })).toMatchObject([
      { kind: 'message', conversation: { platform_id: '-100555', participant: { name: 'Talk' } } },
    ]);
  });

  it('of groups that move, channels that are written by hand, and bots that are removed', () => {
    const group = { id: -42, type: 'group', title: 'Talk' };
    expect(read({ message: { ...said({}), chat: group, migrate_to_chat_id: -10042 } })).toEqual([
      { kind: 'alias', thing: 'conversation', platform_id: '-10042', alias: '-42' },
    ]);
    const post = { message_id: 12, date: SECONDS, chat: CHANNEL, text: 'By hand' };
    expect(read({ channel_post: post })).toMatchObject([{ kind: 'post', post: { platform_id: `${CHAT}:12` } }]);
    expect(read({ channel_post: { ...post, chat: { ...CHANNEL, id: -1005 } } })).toEqual([]);
    expect(read({ channel_post: { ...post, text: undefined, media_group_id: 'a' } })).toEqual([]);
    const membership = (chat: object, status: string) => ({ my_chat_member: { chat, new_chat_member: { status } } });
    expect(read(membership(CHANNEL, 'kicked'))).toMatchObject([{ kind: 'revoked' }]);
    expect(read(membership(CHANNEL, 'administrator'))).toEqual([]);
    expect(read(membership({ ...CHANNEL, id: -1005 }, 'left'))).toEqual([]);
    expect(read({ poll: {} })).toEqual([]);
    expect(push.read({ path: '', headers: {}, body: Buffer.from('no json') })).toEqual([]);
  });

  it('are polled where nothing is pushed, from where the last poll ended', async () => {
    const tap = { id: '77', from: ANN, data: 'YES', message: said({}) };
    const { acting, asked } = botOf({
      getUpdates: [
        result([{ update_id: 40, message: said({ text: 'Hi' }) }]),
        result([
          { update_id: 41, strange: true },
          { update_id: 42, callback_query: tap },
        ]),
        result([]),
      ],
      answerCallbackQuery: result(true),
    });
    const first = await poll.read(acting, undefined);
    expect(first).toMatchObject({ events: [], baseline: [{ kind: 'message' }], cursor: { next: 41 }, more: false });
    const second = await poll.read(acting, first.cursor);
    expect(second).toMatchObject({ events: [{ kind: 'postback' }], cursor: { next: 43 } });
    expect(second).not.toHaveProperty('baseline');
    const third = await poll.read(acting, second.cursor);
    expect(third.cursor).toEqual({ next: 43 });
    const offsets = asked.filter(({ call }) => call === 'getUpdates').map(({ body }) => body.offset);
    expect(offsets).toEqual([undefined, 41, 43]);
  });

  describe('that a webhook takes', () => {
    const conflict = refusal(409, "Conflict: can't use getUpdates method while webhook is active");
    /** Polls that are refused so many milliseconds after the first one; what was called. */
    async function refusedAfter(...times: readonly number[]) {
      const { acting, calls } = botOf({ getUpdates: conflict, deleteWebhook: result(true) });
      let cursor: unknown = { next: 43 };
      for (const ms of times) {
        const batch = await poll.read({ ...acting, now: () => acting.now() + ms }, cursor);
        expect(batch).toMatchObject({ events: [], cursor: { next: 43 }, more: false });
        ({ cursor } = batch);
      }
      return calls();
    }

    it('are left to it while it may be one of a subscription that is being made', async () => {
      expect(await refusedAfter(0, 5_000, 59_999)).not.toContain('deleteWebhook');
      // The polls before ended with another subscription.
      expect(await refusedAfter(0, 5_000, 3_600_000)).not.toContain('deleteWebhook');
    });

    it('are taken back from a forgotten one after a minute', async () => {
      expect(await refusedAfter(0, 30_000, 60_000)).toEqual([...Array(3).fill('getUpdates'), 'deleteWebhook']);
    });
  });
});

describe('errors', () => {
  const throttled = { kind: 'throttled', reason: 'rate_limit', retryAfter: 35 };
  it.each([
    [429, 'Too Many Requests: retry after 35', { retry_after: 35 }, throttled],
    [500, 'Internal Server Error', undefined, { kind: 'unknown', reason: 'api_error' }],
    [401, 'Unauthorized', undefined, refused('auth')],
    [403, 'Forbidden: bot was kicked from the channel chat', undefined, refused('permission_denied')],
    [413, 'Request Entity Too Large', undefined, refused('invalid_request')],
    [400, 'Bad Request: chat not found', undefined, refused('not_found')],
    [400, "Bad Request: message can't be deleted", undefined, refused('permission_denied')],
    [
      400,
      "Bad Request: can't parse entities: Unexpected end",
      undefined,
      { message: 'Telegram cannot read the markup.' },
    ],
    [400, 'Bad Request: wrong file identifier', undefined, refused('invalid_request')],
  ])('%i %s', async (code, description, parameters, expected) => {
    const { acting } = botOf({ sendMessage: refusal(code, description, parameters) });
    const bubble = { kind: 'text', text: 'Hi' } as const;
    const conversation = { platform_id: '555', participant: { id: '555', name: '' } };
    await expect(messages.bubble.send(acting, { conversation, bubble }, state)).rejects.toMatchObject(expected);
  });
});
