/** What bots ask the simulator of Telegram, what they hear, and how it behaves on bad days. */
import { DAY } from '#kernel/clock.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { png } from '../../harness/media-samples.ts';
import {
  BOT,
  CHANNEL,
  FRED,
  MIA,
  OLIVIA,
  openTelegramWorld,
  type TelegramWorld,
} from '../../harness/worlds/twins/telegram.ts';

let world: TelegramWorld;
beforeEach(async () => {
  world = await openTelegramWorld();
});
afterEach(() => world.close());

const bad = (why: string) => [400, `Bad Request: ${why}`];
const start = (payload: string, person = FRED) => world.act('start', { person, bot: BOT, payload });
const texts = (updates: any[]) => updates.map(({ message }) => message?.text);

describe('a bot', () => {
  it('is who its token says, asked by GET and POST alike', async () => {
    expect(await world.call('getMe')).toMatchObject({ id: world.bot, is_bot: true, username: BOT });
    const got = await world.ask(`${world.at}/api/bot${world.token}/getMe`);
    expect([got.status, got.json.result.username]).toEqual([200, BOT]);
    expect(await world.call('getMe', {}, '1:short')).toEqual([404, 'Not Found']);
    expect(await world.call('getMe', {}, `1:${'x'.repeat(35)}`)).toEqual([401, 'Unauthorized']);
    expect(await world.call('getNothing')).toEqual([404, 'Not Found']);
    const { token } = await world.act('new_token', { bot: BOT });
    expect(await world.call('getMe')).toEqual([401, 'Unauthorized']);
    expect(await world.call('getMe', {}, token)).toMatchObject({ username: BOT });
  });

  it('is made by BotFather, under a name of its own', async () => {
    const made = await world.act('make_bot', { person: OLIVIA, username: '@rye_bot', name: 'Rye' });
    expect(await world.call('getMe', {}, made.token)).toMatchObject({ username: 'rye_bot', first_name: 'Rye' });
    const again = (username: string) => world.act('make_bot', { person: OLIVIA, username, name: 'Rye' });
    await expect(again('RYE_bot')).rejects.toThrow('This username is already taken.');
    await expect(again('rye')).rejects.toThrow('A username of 5 to 32 letters that ends in bot.');
  });

  it('looks at chats and who is in them', async () => {
    const chat = await world.call('getChat', { chat_id: CHANNEL });
    expect(chat).toMatchObject({ type: 'channel', username: 'harbour_coffee', linked_chat_id: expect.any(Number) });
    const group = await world.call('getChat', { chat_id: chat.linked_chat_id });
    expect(group).toMatchObject({ type: 'supergroup', linked_chat_id: chat.id });
    const of = (user_id: unknown, chat_id: unknown = CHANNEL) => world.call('getChatMember', { chat_id, user_id });
    expect(await of(world.bot)).toMatchObject({ status: 'administrator', can_post_messages: true });
    expect(await of(world.bot, group.id)).toMatchObject({ status: 'administrator', can_pin_messages: true });
    expect((await of(Number(world.other.split(':')[0]))).status).toBe('left');
    const fred = await world.started();
    expect(await of(fred)).toMatchObject({ status: 'member', user: { username: 'fred' } });
    expect(await of(5)).toEqual(bad('user not found'));
    expect(await of(undefined)).toEqual(bad('user_id is missing'));
    const admins = await world.call('getChatAdministrators', { chat_id: CHANNEL });
    expect(admins.map(({ status }: any) => status)).toEqual(expect.arrayContaining(['administrator', 'creator']));
    expect(await world.call('getChatAdministrators', { chat_id: fred })).toEqual(
      bad('there are no administrators in the private chat'),
    );
    const count = await world.call('getChatMemberCount', { chat_id: CHANNEL });
    await world.act('remove_bot', { bot: BOT, chat: String(chat.id) });
    expect(await world.call('getChatMemberCount', { chat_id: CHANNEL })).toBe(count - 1);
    expect(await of(world.bot)).toMatchObject({ status: 'kicked', until_date: 0 });
  });
});

describe('updates', () => {
  it('wait for a day, are confirmed by an offset, and come in pages', async () => {
    for (const payload of ['one', 'two', 'three']) await start(payload);
    const first = await world.call('getUpdates', { limit: 2 });
    expect(texts(first)).toEqual(['/start one', '/start two']);
    expect(texts(await world.call('getUpdates', { offset: -1 }))).toEqual(['/start three']);
    expect(texts(await world.call('getUpdates', { offset: first[1].update_id + 1 }))).toEqual(['/start three']);
    expect(await world.call('getUpdates', { offset: 'x' })).toEqual(bad('invalid offset specified'));
    await start('four');
    world.clock.move(DAY);
    expect(await world.updates()).toEqual([]);
  });

  it('are waited for, by one at a time', async () => {
    const wait = async (timeout: number) => {
      const waits = world.clock.nextWait();
      const asked = world.call('getUpdates', { timeout });
      await waits;
      return { asked };
    };
    const first = await wait(30);
    const second = await wait(30);
    const [code, why] = await first.asked;
    expect([code, why]).toEqual([409, expect.stringContaining('Conflict: terminated by other getUpdates request')]);
    await start('now');
    expect(texts(await second.asked)).toEqual(['/start now']);
    await world.updates();
    const third = await wait(600);
    world.clock.move(50_000);
    expect(await third.asked).toEqual([]);
  });

  it('are those that the bot wants', async () => {
    await world.call('getUpdates', { allowed_updates: ['callback_query'] });
    await start('one');
    expect(await world.updates()).toEqual([]);
    await world.call('getUpdates', { allowed_updates: [] });
    await start('two');
    expect(texts(await world.updates())).toEqual(['/start two']);
  });

  it('are pushed to a webhook in order, with its secret, until they are taken', async () => {
    const set = (more: object) => world.call('setWebhook', { url: `${world.app.url}/hook`, ...more });
    expect(await set({ url: 'nowhere' })).toEqual(bad('bad webhook: invalid URL specified'));
    expect(await set({ url: 'http://a.example/' })).toEqual(
      bad('bad webhook: An HTTPS URL must be provided for webhook'),
    );
    expect(await set({ url: 'https://a.example:99/' })).toEqual(
      bad('bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443'),
    );
    expect(await set({ secret_token: 'ä' })).toEqual(bad('secret token contains unallowed characters'));
    await start('early');
    world.app.answer(500);
    expect(await set({ secret_token: 's3cret', max_connections: 5 })).toBe(true);
    const [code, why] = await world.call('getUpdates');
    expect([code, why]).toEqual([409, expect.stringContaining("Conflict: can't use getUpdates method while webhook")]);
    await start('one');
    expect(await world.call('getWebhookInfo')).toMatchObject({
      url: `${world.app.url}/hook`,
      max_connections: 5,
      pending_update_count: 2,
      last_error_message: 'Wrong response from the webhook',
    });
    world.app.answer(200);
    await world.act('flush');
    await world.act('flush');
    const heard = world.app.pushes().slice(-2);
    expect(heard.map(({ body }) => JSON.parse(body).message.text)).toEqual(['/start early', '/start one']);
    expect(new Set(heard.map(({ headers }) => headers['x-telegram-bot-api-secret-token']))).toEqual(
      new Set(['s3cret']),
    );
    expect(await world.call('getWebhookInfo')).toMatchObject({ pending_update_count: 0 });
    world.app.answer(500);
    await start('dropped');
    expect(await world.call('deleteWebhook', { drop_pending_updates: true })).toBe(true);
    expect(await world.call('getWebhookInfo')).toMatchObject({ url: '', pending_update_count: 0 });
  });
});

describe('people', () => {
  it('write texts and files, answer comments, change what they said, and press buttons', async () => {
    const fred = await world.started();
    await expect(world.act('write', { person: FRED, bot: BOT })).rejects.toThrow('There is nothing to say.');
    await expect(world.act('write', { person: MIA, bot: BOT, text: 'x' })).rejects.toThrow(
      'They have not started this bot.',
    );
    await world.act('write', {
      person: FRED,
      bot: BOT,
      text: 'See #rye',
      kind: 'document',
      picture_url: world.app.put('a.png', png()),
    });
    await world.act('write', {
      person: FRED,
      bot: BOT,
      kind: 'voice',
      content: Buffer.from('OggS').toString('base64'),
    });
    const [document, voice] = await world.updates();
    expect(document.message).toMatchObject({
      caption: 'See #rye',
      caption_entities: [{ type: 'hashtag' }],
      document: { mime_type: 'image/png' },
    });
    expect(voice.message).toMatchObject({ voice: { duration: 3 }, from: { id: fred } });
    const lost = { person: FRED, bot: BOT, picture_url: `${world.app.url}/gone` };
    await expect(world.act('write', lost)).rejects.toThrow('There is no file at this address.');
    await world.act('edit', { message: `${world.bot}/${fred}#${document.message.message_id}`, text: 'See #oat' });
    expect((await world.updates())[0].edited_message).toMatchObject({
      caption: 'See #oat',
      edit_date: expect.any(Number),
    });

    const inline_keyboard = [
      [
        { text: 'Yes', callback_data: 'y' },
        { text: 'Site', url: 'https://a.example/' },
      ],
    ];
    const asked = await world.call('sendMessage', { chat_id: fred, text: 'Rye?', reply_markup: { inline_keyboard } });
    expect(asked.reply_markup).toEqual({ inline_keyboard });
    const press = (button: string, { message_id } = asked) =>
      world.act('press', { message: `${world.bot}/${fred}#${message_id}`, button });
    await press('Yes');
    const [{ callback_query: pressed }] = await world.updates();
    expect(pressed).toMatchObject({ data: 'y', message: { message_id: asked.message_id }, from: { id: fred } });
    expect(await world.call('answerCallbackQuery', { callback_query_id: pressed.id })).toBe(true);
    const late = bad('query is too old and response timeout expired or query ID is invalid');
    expect(await world.call('answerCallbackQuery', { callback_query_id: pressed.id }, world.other)).toEqual(late);
    world.clock.move(15 * 60_000 + 1);
    expect(await world.call('answerCallbackQuery', { callback_query_id: pressed.id })).toEqual(late);
    expect(await press('Site')).toBe('https://a.example/');
    const reply_markup = { keyboard: [['Now', { text: 'Later' }]] };
    const when = await world.call('sendMessage', { chat_id: fred, text: 'When?', reply_markup });
    expect(when).not.toHaveProperty('reply_markup');
    for (const button of ['Now', 'Later']) await press(button, when);
    expect(texts(await world.updates())).toEqual(['Now', 'Later']);
    await expect(press('Never', when)).rejects.toThrow('There is no such button.');
  });

  it('comment on posts, which appear in the discussion group', async () => {
    const { id } = await world.chat('Harbour Coffee');
    const { id: group } = await world.chat('Harbour Coffee chat');
    await world.act('post', { person: OLIVIA, chat: 'Harbour Coffee', text: 'By hand' });
    const [seen, copy] = await world.updates();
    expect(seen.channel_post).toMatchObject({ text: 'By hand', sender_chat: { id: Number(id) } });
    expect(copy.message).toMatchObject({
      is_automatic_forward: true,
      from: { id: 777000 },
      forward_origin: { type: 'channel', message_id: seen.channel_post.message_id },
    });
    const comment = { person: FRED, message: `${id}#${seen.channel_post.message_id}`, text: 'Is it rye?' };
    const made = await world.act('comment', comment);
    await world.act('comment', { ...comment, message: made.message, text: 'And oat?' });
    const [first, second] = await world.updates();
    expect(first.message).toMatchObject({ message_thread_id: copy.message.message_id, text: 'Is it rye?' });
    expect(second.message.reply_to_message.text).toBe('Is it rye?');
    expect(second.message.message_thread_id).toBe(copy.message.message_id);
    await world.act('edit', { message: `${id}#${seen.channel_post.message_id}`, text: 'By both hands' });
    expect((await world.updates())[0].edited_channel_post.text).toBe('By both hands');
    await world.act('admit', { bot: BOT, chat: group, member: true });
    await world.updates();
    for (const text of ['Not for bots', '/go', `@${BOT} hm`])
      await world.act('say_in_group', { person: FRED, chat: group, text });
    expect(texts(await world.updates())).toEqual(['/go', `@${BOT} hm`]);
  });

  it('see in the console what they can do, and there what was said', async () => {
    await world.started();
    await world.call('sendMessage', { chat_id: CHANNEL, text: 'Come <in>' });
    const page = (await world.ask('/sandbox/telegram')).text;
    for (const words of [
      'Come &lt;in&gt;',
      '@harbour_coffee_bot',
      world.token,
      '/start',
      'writes to bots, once they have',
    ])
      expect(page).toContain(words);
    const titles =
      'Start a bot|Write to a bot|Press a button|Block a bot|Unblock a bot|Write into a group|Change a message';
    const owners = 'Ask BotFather for a bot|Revoke the token of a bot|Post in a channel without the bot';
    const more =
      'Remove a bot from a channel or group|Make a group a supergroup|Behave differently|Send a delivery again';
    for (const title of [titles, owners, more].flatMap((all) => all.split('|'))) expect(page).toContain(title);
  });
});

describe('a bad day', () => {
  it('has errors that were ordered, before and after the effect', async () => {
    const order = {
      method: 'POST /bot{token}/sendMessage',
      when: 'before',
      status: 429,
      description: 'Too Many Requests: retry after 7',
    };
    await world.act('order', { ...order, retry_after: 7 });
    const send = () => world.call('sendMessage', { chat_id: CHANNEL, text: 'Rye' });
    expect(await send()).toEqual([429, 'Too Many Requests: retry after 7', { retry_after: 7 }]);
    await world.act('order', { when: 'after', status: 500 });
    expect(await send()).toEqual([500, 'Internal Server Error']);
    expect((await world.list('messages')).filter(({ text }) => text === 'Rye')).toHaveLength(2);
    expect(await send()).toMatchObject({ text: 'Rye' });
  });

  it('has faults: too many requests, a dead token, a lost answer', async () => {
    const fault = (kind: 'throttled' | 'expired' | 'error_after') =>
      world.sandbox.setFault({ network: 'telegram', person: BOT, method: 'POST /bot{token}/getMe', kind });
    fault('throttled');
    expect(await world.call('getMe')).toEqual([429, 'Too Many Requests: retry after 5', { retry_after: 5 }]);
    fault('expired');
    expect(await world.call('getMe')).toEqual([401, 'Unauthorized']);
    expect(await world.call('getMe')).toMatchObject({ username: BOT });
  });

  it('lets bots say only so much in a minute', async () => {
    await world.act('settings', { messages_per_minute: 1 });
    const send = () => world.call('sendMessage', { chat_id: CHANNEL, text: 'Rye' });
    // What a channel says is said by nobody; a person hears a bot.
    const fred = await world.started();
    const tell = () => world.call('sendMessage', { chat_id: fred, text: 'Rye' });
    expect(await tell()).toMatchObject({ text: 'Rye' });
    expect(await tell()).toEqual([429, 'Too Many Requests: retry after 60', { retry_after: 60 }]);
    world.clock.move(60_000);
    expect(await tell()).toMatchObject({ text: 'Rye' });
    expect([await send(), await send()]).toMatchObject([{ text: 'Rye' }, { text: 'Rye' }]);
  });

  it('delivers twice, in reverse, with a wrong secret or not at all', async () => {
    await world.call('setWebhook', { url: `${world.app.url}/hook`, secret_token: 's3cret' });
    const heard = async (setting: string) => {
      const before = world.app.pushes().length;
      await world.act('settings', { push_paused: true, [setting]: true });
      for (const payload of ['one', 'two']) await start(payload);
      expect(world.app.pushes()).toHaveLength(before);
      await world.act('settings', { push_paused: false });
      await world.act('flush');
      await world.act('settings', { [setting]: false });
      return world.app.pushes().slice(before);
    };
    const said = (pushes: any[]) => pushes.map(({ body }) => JSON.parse(body).message.text.slice(7)).join(' ');
    expect(said(await heard('push_duplicate'))).toBe('one one two two');
    expect(said(await heard('push_reverse'))).toBe('two one');
    const wrong = await heard('push_wrong_signature');
    expect(wrong.map(({ headers }) => headers['x-telegram-bot-api-secret-token'])).toEqual(['wrong', 'wrong']);
  });

  it('ends with a reset, after which tokens still count', async () => {
    await world.started();
    await world.act('settings', { messages_per_minute: 9 });
    await world.sandbox.reset();
    expect(await world.call('getMe')).toMatchObject({ username: BOT });
    expect(await world.list('messages')).toEqual([]);
    expect(await world.list('settings')).toMatchObject({ messages_per_minute: 0 });
    expect((await world.call('getChat', { chat_id: CHANNEL })).title).toBe('Harbour Coffee');
  });
});
