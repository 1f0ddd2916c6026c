/** Telegraf, unchanged but for the root of its API, drives the simulator of Telegram. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '#kernel/clock.ts';
import { png } from '../../harness/media-samples.ts';
import { BOT, CHANNEL, FRED, openTelegramWorld, type TelegramWorld } from '../../harness/worlds/twins/telegram.ts';
import { describeClients, requireClient } from '../clients/installed.ts';

describeClients('telegraf', () => {
  let world: TelegramWorld;
  let bot: any;
  let telegraf: any;
  // Addresses are resolved below the root, which therefore ends with a slash.
  const clientOf = (token: string) => new telegraf.Telegraf(token, { telegram: { apiRoot: `${world.at}/api/` } });

  beforeAll(async () => {
    telegraf = requireClient('telegraf');
    world = await openTelegramWorld({ clock: systemClock });
    bot = clientOf(world.token);
  });
  afterAll(() => world?.close());

  const refusal = (call: Promise<unknown>) =>
    call.then(
      () => expect.unreachable(),
      (error) => [error instanceof telegraf.TelegramError, error.code, error.description],
    );

  it('knows itself, and posts, finds again and deletes in its channel', async () => {
    expect(await bot.telegram.getMe()).toMatchObject({ id: world.bot, is_bot: true, username: BOT });
    const post = await bot.telegram.sendMessage(CHANNEL, telegraf.Format.fmt`A ${telegraf.Format.bold('rye')} today`);
    expect(post).toMatchObject({ text: 'A rye today', entities: [{ type: 'bold', offset: 2, length: 3 }] });
    const page = () => fetch(`${world.at}/www/harbour_coffee/${post.message_id}`);
    expect(await (await page()).text()).toContain('today');
    expect(await bot.telegram.deleteMessage(CHANNEL, post.message_id)).toBe(true);
    expect((await page()).status).toBe(404);
  });

  it('sends a picture and an album, and fetches the file back', async () => {
    const bytes = png(30, 20);
    const sent = await bot.telegram.sendPhoto(CHANNEL, { source: bytes }, { caption: 'Rye' });
    expect(sent).toMatchObject({ caption: 'Rye', photo: [{}, { width: 30, height: 20 }] });
    const link = await bot.telegram.getFileLink(sent.photo.at(-1).file_id);
    expect(Buffer.from(await (await fetch(link)).arrayBuffer()).equals(bytes)).toBe(true);
    const album = await bot.telegram.sendMediaGroup(CHANNEL, [
      { type: 'photo', media: { source: png(3, 2, 1) }, caption: 'Both' },
      { type: 'photo', media: { source: png(3, 2, 2) } },
    ]);
    expect(album).toMatchObject([{ caption: 'Both' }, { media_group_id: album[0].media_group_id }]);
  });

  it('hears by long polling what is written, and answers it with a button', async () => {
    const polling = clientOf(world.token);
    const answered = new Promise<any>((resolve, reject) => {
      polling.start((context: any) => {
        const keyboard = telegraf.Markup.inlineKeyboard([telegraf.Markup.button.callback('Menu', 'menu')]);
        return context.reply(`Hello ${context.payload}`, keyboard).then(resolve, reject);
      });
    });
    const tapped = new Promise<any>((resolve, reject) => {
      polling.action('menu', (context: any) => context.answerCbQuery('Here').then(resolve, reject));
    });
    const running = polling.launch();
    await world.act('start', { person: FRED, bot: BOT, payload: 'news' });
    const answer = await answered;
    expect(answer).toMatchObject({ text: 'Hello news', chat: { type: 'private' } });
    await world.act('press', { message: `${world.bot}/${answer.chat.id}#${answer.message_id}`, button: 'Menu' });
    expect(await tapped).toBe(true);
    polling.stop();
    await running;
  });

  it('understands refusals', async () => {
    const chat = '@nobody_here';
    const unknown = bot.telegram.sendMessage(chat, 'Hi');
    expect(await refusal(unknown)).toEqual([true, 400, 'Bad Request: chat not found']);
    const end = world.token.endsWith('A') ? 'B' : 'A';
    const revoked = clientOf(`${world.token.slice(0, -1)}${end}`);
    expect(await refusal(revoked.telegram.getMe())).toEqual([true, 401, 'Unauthorized']);
    const { id } = await world.chat('Harbour Coffee chat');
    const words = 'Forbidden: bot is not a member of the supergroup chat';
    expect(await refusal(clientOf(world.other).telegram.sendMessage(id, 'Hi'))).toEqual([true, 403, words]);
  });
});
