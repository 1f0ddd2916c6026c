import type { Chat, User } from '@grammyjs/types';
import { Bot, type Context, GrammyError, InlineKeyboard, InputFile, InputMediaBuilder, Keyboard } from 'grammy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '#kernel/clock.ts';
import type { Render } from '#sandbox/telegram/render.ts';
import { png } from '../../harness/media-samples.ts';
import type { Json } from '../../harness/world.ts';
import { BOT, CHANNEL, FRED, MIA, openTelegramWorld, type TelegramWorld } from '../../harness/worlds/twins/telegram.ts';

/** What the simulator shows is what the published types of the Bot API say. */
export const typed = Object.freeze({
  user: (render: Render, id: string): User => render.userOf(id),
  chat: (render: Render, ...[chat]: Parameters<Render['chatOf']>): Chat => render.chatOf(chat),
});

let world: TelegramWorld;
let bot: Bot;
const clientOf = (secret: string) => new Bot(secret, { client: { apiRoot: `${world.at}/api` } });

beforeAll(async () => {
  world = await openTelegramWorld({ clock: systemClock });
  bot = clientOf(world.token);
  await bot.init();
});
afterAll(() => world?.close());

/** Expects a refusal that the client understands; without words any are right. */
async function expectRefused(asked: Promise<unknown>, code: number, words: unknown = expect.any(String)) {
  const error: unknown = await asked.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(GrammyError);
  expect(error).toMatchObject({ error_code: code, description: words });
}

/** Reads what waits, and confirms it. */
async function updates(api = bot.api) {
  const got = await api.getUpdates({ timeout: 0 });
  const last = got.at(-1);
  if (last) await api.getUpdates({ offset: last.update_id + 1, timeout: 0 });
  return got;
}

const start = (person: string, payload?: string) =>
  world.act('start', { person, bot: BOT, ...(payload && { payload }) });
const started = async (person = FRED, payload?: string) => {
  await start(person, payload);
  const got = await updates();
  return got.at(-1)!.message!.chat.id;
};

describe('a bot', () => {
  it('knows itself, its channel and its rights there', async () => {
    expect(bot.botInfo).toMatchObject({ is_bot: true, username: BOT });
    const channel = await bot.api.getChat(CHANNEL);
    expect(channel).toMatchObject({ type: 'channel', title: 'Harbour Coffee', linked_chat_id: expect.any(Number) });
    const self = await bot.api.getChatMember(CHANNEL, bot.botInfo.id);
    expect(self).toMatchObject({ status: 'administrator', can_post_messages: true });
    expect(await bot.api.getChatMemberCount(CHANNEL)).toBeGreaterThan(2);
    expect((await bot.api.getChatAdministrators(CHANNEL)).map(({ status }) => status)).toContain('creator');
  });

  it('is refused as the Bot API refuses', async () => {
    const foreign = clientOf(world.other);
    const revoked = `${world.token.slice(0, -1)}${world.token.endsWith('A') ? 'B' : 'A'}`;
    await expectRefused(clientOf(revoked).api.getMe(), 401, 'Unauthorized');
    await expectRefused(clientOf('1:short').api.getMe(), 404, 'Not Found');
    const { id } = await world.chat('Harbour Coffee chat');
    await expectRefused(
      foreign.api.sendMessage(id, 'Hi'),
      403,
      'Forbidden: bot is not a member of the supergroup chat',
    );
    await expectRefused(bot.api.sendMessage('@nobody_here', 'Hi'), 400, 'Bad Request: chat not found');
    await expectRefused(bot.api.sendMessage(CHANNEL, ' '), 400, 'Bad Request: message text is empty');
    await expectRefused(bot.api.sendMessage(CHANNEL, 'a'.repeat(4097)), 400, 'Bad Request: message is too long');
    const open = "can't parse entities: Can't find end tag corresponding to start tag";
    const unclosed = bot.api.sendMessage(CHANNEL, '<b>open', { parse_mode: 'HTML' });
    await expectRefused(unclosed, 400, expect.stringContaining(open));
  });
});

describe('a token', () => {
  it('is not in the journal', async () => {
    await fetch(`${world.at}/api/bot${world.token}/noSuchMethod`);
    const journal = await fetch(`${world.root}/sandbox/__control/requests`);
    const entries = await journal.text();
    expect(entries).toContain('POST /bot{token}/getMe');
    expect(entries).not.toContain(world.token.split(':')[1]);
  });
});

describe('a channel post', () => {
  it('has the entities of HTML and MarkdownV2, and those that are found', async () => {
    const text = 'A <b>rye</b> at <a href="https://a.example/">us</a> &amp; #bread';
    const html = await bot.api.sendMessage(CHANNEL, text, { parse_mode: 'HTML' });
    expect(html).toMatchObject({
      text: 'A rye at us & #bread',
      chat: { type: 'channel', username: 'harbour_coffee' },
      entities: [
        { type: 'bold', offset: 2, length: 3 },
        { type: 'text_link', offset: 9, length: 2, url: 'https://a.example/' },
        { type: 'hashtag', offset: 14, length: 6 },
      ],
    });
    const marked = (words: string) => bot.api.sendMessage(CHANNEL, words, { parse_mode: 'MarkdownV2' });
    const { entities } = await marked('*A* `b` \\. [c](https://a.example/)');
    expect(entities?.map(({ type }) => type)).toEqual(['bold', 'code', 'text_link']);
    await expectRefused(marked('a.b'), 400, expect.stringContaining("Character '.' is reserved"));
  });

  it('is shown to visitors by its link, until it is deleted', async () => {
    const post = await bot.api.sendMessage(CHANNEL, 'Come and <see>');
    const visit = async (path: string) => {
      const got = await fetch(`${world.at}/www/${path}`);
      return [got.status, (await got.text()).includes('Come and &lt;see&gt;')];
    };
    const id = String(post.chat.id).replace('-100', '');
    const places = [`harbour_coffee/${post.message_id}`, `c/${id}/${post.message_id}`, 'harbour_coffee'];
    expect(await Promise.all(places.map(visit))).toEqual(places.map(() => [200, true]));
    await bot.api.deleteMessage(CHANNEL, post.message_id);
    expect(await Promise.all(places.map(visit))).toEqual([
      [404, false],
      [404, false],
      [200, false],
    ]);
    expect(await visit('nobody/1')).toEqual([404, false]);
  });

  it('may be a picture, a document or an album, and is deleted', async () => {
    const photo = await bot.api.sendPhoto(CHANNEL, new InputFile(png(30, 20), 'a.png'), { caption: 'Rye' });
    expect(photo).toMatchObject({ caption: 'Rye', photo: [{}, { width: 30, height: 20 }] });
    const { file_id, file_unique_id } = photo.photo.at(-1)!;
    const again = await bot.api.sendPhoto(CHANNEL, file_id);
    expect(again.photo.at(-1)!.file_unique_id).toBe(file_unique_id);
    const stolen = clientOf(world.other).api.sendPhoto('@single_origin', file_id);
    await expectRefused(stolen, 400, expect.stringContaining('wrong file identifier'));
    const document = await bot.api.sendDocument(CHANNEL, new InputFile(Buffer.from('%PDF-1.4'), 'menu.pdf'));
    expect(document.document).toMatchObject({ file_name: 'menu.pdf', file_size: 8 });
    const album = await bot.api.sendMediaGroup(CHANNEL, [
      InputMediaBuilder.photo(new InputFile(png(3, 2, 1), '1.png'), { caption: 'Both' }),
      InputMediaBuilder.photo(new InputFile(png(3, 2, 2), '2.png')),
    ]);
    expect(new Set((album as Json[]).map(({ media_group_id: group }) => group)).size).toBe(1);
    const ids = album.map((one) => one.message_id);
    expect(await bot.api.deleteMessages(CHANNEL, ids)).toBe(true);
    const remove = () => bot.api.deleteMessage(CHANNEL, photo.message_id);
    expect(await remove()).toBe(true);
    await expectRefused(remove(), 400, 'Bad Request: message to delete not found');
    const file = await bot.api.getFile(document.document.file_id);
    const got = await fetch(`${world.at}/api/file/bot${world.token}/${file.file_path}`);
    expect(await got.text()).toBe('%PDF-1.4');
  });

  it('is forwarded to the discussion group, where it is commented on, answered and liked', async () => {
    await updates();
    const post = await bot.api.sendMessage(CHANNEL, 'Comment on this');
    const [forward] = await updates();
    expect(forward!.message).toMatchObject({
      is_automatic_forward: true,
      forward_origin: { type: 'channel', message_id: post.message_id },
      text: 'Comment on this',
    });
    const { id } = await world.chat('Harbour Coffee');
    await world.act('comment', { person: FRED, message: `${id}#${post.message_id}`, text: 'Is it rye?' });
    const [said] = await updates();
    const { chat, message_id, message_thread_id } = said!.message!;
    expect(said!.message!.reply_to_message?.message_id).toBe(forward!.message!.message_id);
    expect(message_thread_id).toBe(forward!.message!.message_id);
    const reply = await bot.api.sendMessage(chat.id, 'It is.', { reply_parameters: { message_id } });
    expect(reply).toMatchObject({ message_thread_id, reply_to_message: { message_id } });
    expect(await bot.api.setMessageReaction(chat.id, message_id, [{ type: 'emoji', emoji: '👍' }])).toBe(true);
    expect(await bot.api.deleteMessage(chat.id, message_id)).toBe(true);
    const lost = bot.api.sendMessage(chat.id, 'Where?', { reply_parameters: { message_id } });
    await expectRefused(lost, 400, 'Bad Request: message to be replied not found');
  });
});

describe('a conversation', () => {
  it('begins with the person, who may end it', async () => {
    await updates();
    const mia = await started(MIA, 'spring');
    expect((await bot.api.sendMessage(mia, 'Welcome')).chat).toMatchObject({ id: mia, type: 'private' });
    await world.act('block', { person: MIA, bot: BOT });
    await expectRefused(bot.api.sendMessage(mia, 'Hello?'), 403, 'Forbidden: bot was blocked by the user');
    const [left] = await updates();
    expect(left!.my_chat_member!.new_chat_member.status).toBe('kicked');
    const unasked = clientOf(world.other).api.sendMessage(mia, 'Hi');
    await expectRefused(unasked, 403, "Forbidden: bot can't initiate conversation with a user");
  });

  it('has buttons and keyboards, which people press', async () => {
    const fred = await started();
    const keyboard = new InlineKeyboard().text('Yes', 'answer:yes').url('Site', 'https://a.example');
    const asked = await bot.api.sendMessage(fred, 'Rye?', { reply_markup: keyboard });
    await world.act('press', { message: `${bot.botInfo.id}/${fred}#${asked.message_id}`, button: 'Yes' });
    const [pressed] = await updates();
    expect(pressed!.callback_query).toMatchObject({ data: 'answer:yes', message: { message_id: asked.message_id } });
    expect(await bot.api.answerCallbackQuery(pressed!.callback_query!.id, { text: 'Noted' })).toBe(true);
    const choice = await bot.api.sendMessage(fred, 'When?', { reply_markup: new Keyboard().text('Now').oneTime() });
    await world.act('press', { message: `${bot.botInfo.id}/${fred}#${choice.message_id}`, button: 'Now' });
    expect((await updates())[0]!.message).toMatchObject({ text: 'Now', from: { is_bot: false } });
    const bad = new InlineKeyboard().text('Long', 'x'.repeat(65));
    const refused = bot.api.sendMessage(fred, 'Hm', { reply_markup: bad });
    await expectRefused(refused, 400, 'Bad Request: BUTTON_DATA_INVALID');
  });

  it('goes on in the supergroup that a group becomes', async () => {
    const group = await world.chat('Harbour Coffee crew');
    await world.act('say_in_group', { person: FRED, chat: group.id, text: 'Hello all' });
    await updates();
    await world.act('migrate', { chat: group.id });
    const moved = await updates();
    const to = moved[0]!.message!.migrate_to_chat_id!;
    expect(moved[1]!.message!.migrate_from_chat_id).toBe(Number(group.id));
    const sent = bot.api.sendMessage(group.id, 'Still here?');
    await expect(sent).rejects.toMatchObject({ error_code: 400, parameters: { migrate_to_chat_id: to } });
    expect((await bot.api.sendMessage(to, 'Here now')).chat.type).toBe('supergroup');
  });
});

describe('updates', () => {
  const SECRET = 'x-telegram-bot-api-secret-token';

  it('reach a bot of grammY by long polling', async () => {
    await updates();
    const polling = clientOf(world.token);
    const heard = new Promise<Context>((resolve) => void polling.on('message:text', resolve));
    const running = polling.start();
    await start(FRED, 'news');
    expect((await heard).message!.text).toBe('/start news');
    await polling.stop();
    await running;
  });

  it('are not to be had while a webhook is set, and wait for who asks afterwards', async () => {
    const insecure = bot.api.setWebhook('http://a.example/');
    await expectRefused(insecure, 400, expect.stringContaining('An HTTPS URL must be provided'));
    await updates();
    const url = `${world.root}/push/telegram/1`;
    expect(await bot.api.setWebhook(url, { secret_token: 's3cret', allowed_updates: ['message'] })).toBe(true);
    await expectRefused(bot.api.getUpdates(), 409);
    await start(FRED);
    const expected = { url, pending_update_count: 1, allowed_updates: ['message'] };
    expect(await bot.api.getWebhookInfo()).toMatchObject(expected);
    expect(await bot.api.deleteWebhook()).toBe(true);
    expect((await updates()).map(({ message }) => message?.text)).toEqual(['/start']);
  });

  it('are pushed in order with the secret, again until they are taken', async () => {
    await updates();
    const { app } = world;
    await bot.api.setWebhook(`${app.url}/push`, { secret_token: 's3cret' });
    app.answer(500);
    await start(FRED, 'one');
    expect(app.pushes()).toHaveLength(1);
    app.clear();
    app.answer(200);
    await start(FRED, 'two');
    await world.act('flush');
    expect(app.pushes().map(({ headers, body }) => [headers[SECRET], JSON.parse(body).message.text])).toEqual([
      ['s3cret', '/start one'],
      ['s3cret', '/start two'],
    ]);
    expect(await bot.api.getWebhookInfo()).toMatchObject({ pending_update_count: 0 });
    await bot.api.deleteWebhook();
    expect(await updates()).toEqual([]);
  });
});
