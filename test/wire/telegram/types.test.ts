/**
 * What the simulator of Telegram answers and tells is what the published types of the Bot API say. There is no schema of the
 * Bot API, only types, and only a compiler reads those: every answer of a long day on the simulator becomes a constant of the
 * type its method has in `@grammyjs/types`, in a file that is compiled. A literal of a type may neither lack a member
 * nor have one that the type does not know, so this is as strict as a schema without additional properties.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { png } from '../../harness/media-samples.ts';
import { BOT, CHANNEL, FRED, MIA, OLIVIA, openTelegramWorld } from '../../harness/worlds/twins/telegram.ts';

const COMPILER = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));
const HERE = fileURLToPath(new URL('.', import.meta.url));

const NONE = '(none)';

type Sample = readonly [type: string, value: unknown];

/** What the compiler has against the samples. */
async function flawsOf(samples: readonly Sample[]): Promise<string> {
  const folder = await mkdtemp(`${HERE}.types-`);
  onTestFinished(() => rm(folder, { recursive: true }));
  const imports = `import type { ApiMethods, Update } from '@grammyjs/types';\n`;
  // A message that is answered shows no further one, which its type says by a member that no JSON can have.
  const written = (value: unknown) =>
    JSON.stringify(
      value,
      (name, inner) => (name === 'reply_to_message' && inner !== NONE ? { ...inner, [name]: NONE } : inner),
      1,
    );
  const lines = samples.map(
    ([type, value], at) =>
      `export const sample${at}: ${type} = ${written(value).replaceAll(JSON.stringify(NONE), 'undefined')};`,
  );
  await writeFile(`${folder}/samples.ts`, imports + lines.join('\n'));
  const flags = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2024'];
  return new Promise((resolve) => {
    execFile(process.execPath, [COMPILER, ...flags, '--ignoreConfig', `${folder}/samples.ts`], (error, stdout) =>
      resolve(error === null ? '' : stdout || error.message),
    );
  });
}

/** Everything that bots are answered and told on a day on which all of it happens. */
async function recorded(): Promise<readonly Sample[]> {
  const world = await openTelegramWorld();
  onTestFinished(() => world.close());
  const samples: Sample[] = [];
  const keep = (method: string, result: any) => {
    if (Array.isArray(result) && typeof result[1] === 'string') throw new Error(`${method}: ${result.join(' ')}`);
    samples.push([`Awaited<ReturnType<ApiMethods<never>['${method}']>>`, result]);
    return result;
  };
  const call = async (method: string, params: object = {}) => keep(method, await world.call(method, params));
  const send = async (kind: string, bytes: Uint8Array, fields: object = {}) => {
    const method = `send${kind[0]!.toUpperCase()}${kind.slice(1)}`;
    return keep(method, await world.upload(method, { chat_id: CHANNEL, ...fields }, { [kind]: bytes }));
  };

  await call('getMe');
  await call('getWebhookInfo');
  const fred = await world.started();
  for (const chat_id of [CHANNEL, fred]) {
    const { linked_chat_id } = await call('getChat', { chat_id });
    if (linked_chat_id !== undefined) await call('getChat', { chat_id: linked_chat_id });
  }
  for (const user_id of [world.bot, fred, Number(world.other.split(':')[0])])
    await call('getChatMember', { chat_id: CHANNEL, user_id });
  await call('getChatAdministrators', { chat_id: CHANNEL });
  await call('getChatMemberCount', { chat_id: CHANNEL });

  const inline_keyboard = [
    [
      { text: 'Yes', callback_data: 'y' },
      { text: 'Site', url: 'https://a.example/' },
    ],
  ];
  const html = '<b>Rye</b> at <a href="https://a.example/">us</a> #bread /go @some_one me@a.example';
  await call('sendMessage', { chat_id: CHANNEL, text: html, parse_mode: 'HTML', reply_markup: { inline_keyboard } });
  const asked = await call('sendMessage', { chat_id: fred, text: 'Rye?', reply_markup: { inline_keyboard } });
  await call('sendMessage', { chat_id: fred, text: 'So?', reply_parameters: { message_id: asked.message_id } });
  const photo = await send('photo', png(30, 20), { caption: 'A #rye' });
  await call('getFile', { file_id: photo.photo.at(-1).file_id });
  const size = { width: '4', height: '5', duration: '3' };
  for (const kind of ['video', 'animation', 'audio', 'voice', 'document']) await send(kind, Buffer.from('bytes'), size);
  const media = ['1.png', '2.png'].map((name) => ({ type: 'photo', media: world.app.put(name, png()), caption: 'x' }));
  await call('sendMediaGroup', { chat_id: CHANNEL, media });
  await call('sendChatAction', { chat_id: fred, action: 'typing' });
  const reaction = [{ type: 'emoji', emoji: '👍' }];
  await call('setMessageReaction', { chat_id: CHANNEL, message_id: photo.message_id, reaction });

  const { id: channel } = await world.chat('Harbour Coffee');
  const { id: small } = await world.chat('Harbour Coffee crew');
  await world.act('press', { message: `${world.bot}/${fred}#${asked.message_id}`, button: 'Yes' });
  for (const kind of ['photo', 'video', 'voice', 'audio', 'document'])
    await world.act('write', { person: FRED, bot: BOT, text: 'See', kind, picture_url: media[0]!.media });
  await world.act('post', { person: OLIVIA, chat: channel, text: 'By hand' });
  const { message } = await world.act('comment', {
    person: MIA,
    message: `${channel}#${photo.message_id}`,
    text: 'Oh',
  });
  await world.act('comment', { person: FRED, message, text: 'Ah' });
  await world.act('edit', { message, text: 'Oh!' });
  await world.act('edit', { message: `${channel}#${photo.message_id}`, text: 'By hand!' });
  await world.act('say_in_group', { person: FRED, chat: small, text: '/hello' });
  await world.act('migrate', { chat: small });
  for (const act of ['block', 'unblock']) await world.act(act, { person: FRED, bot: BOT });
  await world.act('admit', { bot: BOT, chat: channel, member: true });
  await world.act('remove_bot', { bot: BOT, chat: channel });
  const told = await call('getUpdates');
  const query = told.find((one: any) => one.callback_query).callback_query.id;
  await call('answerCallbackQuery', { callback_query_id: query });
  await call('deleteMessage', { chat_id: fred, message_id: asked.message_id });
  await call('deleteMessages', { chat_id: fred, message_ids: [asked.message_id + 1] });

  await call('setWebhook', { url: `${world.app.url}/hook` });
  await world.act('write', { person: FRED, bot: BOT, text: 'Pushed' });
  samples.push(...world.app.pushes().map(({ body }): Sample => ['Update', JSON.parse(body)]));
  await call('getWebhookInfo');
  await call('deleteWebhook');
  return samples;
}

it('what the twin of Telegram answers and tells compiles against the types of the Bot API', async () => {
  const samples = await recorded();
  expect(await flawsOf(samples)).toBe('');
  const updates = samples.flatMap(([type, value]) => (type.includes('getUpdates') ? (value as object[]) : []));
  const kinds = 'message channel_post edited_message edited_channel_post callback_query my_chat_member'.split(' ');
  expect(kinds.filter((kind) => !updates.some((one) => kind in one))).toEqual([]);
});

it('is held to them: a member too many or too few does not compile', async () => {
  const user = { id: 1, is_bot: false, first_name: 'Ann' };
  const me = "Awaited<ReturnType<ApiMethods<never>['getChatMember']>>";
  expect(await flawsOf([[me, { status: 'member', user, rank: 1 }]])).toMatch(/rank.* does not exist/);
  expect(await flawsOf([[me, { status: 'kicked', user }]])).toMatch(/until_date.* is missing/);
});
