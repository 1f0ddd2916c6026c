/** A whole journey on a Bot API server that stands at TELEGRAM_API_ROOT: nothing of ours can be reached from there. */
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { png } from '../../harness/media-samples.ts';
import { listen, stop } from '../../harness/sockets.ts';
import { tablesOf } from '../../harness/stores/images.ts';
import { makeWorld, type Answer, type Json } from '../../harness/world.ts';

const CANARY = 'AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc';
const TOKEN = `123456789:${CANARY}`;
const CHANNEL = { id: -1001234567890, type: 'channel', title: 'Bakery', username: 'bakery', linked_chat_id: -1009876 };
const GROUP = { id: CHANNEL.linked_chat_id, type: 'supergroup', title: 'Talk' };
const ANN = { id: 555, first_name: 'Ann' };
const PRIVATE = { ...ANN, type: 'private' };
const PICTURE = png();

/** A Bot API that knows one bot: what it was called with, and the updates that wait. */
async function openBotApi() {
  const called: string[] = [];
  const updates: object[] = [];
  const refusals = new Map<string, readonly [code: number, description: string]>();
  let last = 40;
  const results: Readonly<Record<string, (given: Json) => unknown>> = {
    getMe: () => ({ id: 123456789, is_bot: true, first_name: 'Baker', username: 'baker_bot' }),
    getChat: () => CHANNEL,
    getChatMember: () => ({ status: 'administrator', can_post_messages: true }),
    getFile: ({ file_id }) => ({ file_id, file_path: 'photos/one.png' }),
    getUpdates: ({ offset = 0 }) => updates.filter((one: Json) => one.update_id >= offset),
  };
  const server = createServer((req, res) => {
    void (async () => {
      const [, file, token, method = ''] = /^\/(file\/)?bot([^/]+)\/(.+)$/.exec(req.url ?? '') ?? [];
      const body = (await buffer(req)).toString('latin1');
      res.setHeader('content-type', file === undefined ? 'application/json' : 'application/octet-stream');
      const refuse = (code: number, description: string) => {
        res.statusCode = code;
        res.end(JSON.stringify({ ok: false, error_code: code, description }));
      };
      if (token !== TOKEN) return refuse(401, 'Unauthorized');
      if (file !== undefined) return void res.end(PICTURE);
      called.push(method);
      const refusal = refusals.get(method);
      if (refusal) return refuse(...refusal);
      const given = req.headers['content-type'] === 'application/json' ? JSON.parse(body) : {};
      const chat = given.chat_id === '555' ? PRIVATE : given.chat_id === String(GROUP.id) ? GROUP : CHANNEL;
      const result = method.startsWith('send')
        ? { message_id: (last += 1), date: 1_795_262_400, chat }
        : (results[method]?.(given) ?? true);
      res.end(JSON.stringify({ ok: true, result }));
    })();
  });
  const port = await listen(server);
  onTestFinished(() => stop(server));
  let number = 0;
  return {
    url: `http://127.0.0.1:${port}`,
    called,
    refusals,
    report: (update: object) => void updates.push({ update_id: (number += 1), ...update }),
  };
}

it('goes from a token to posts, comments and messages, polled, and the token never leaves the server', async () => {
  const api = await openBotApi();
  const world = await makeWorld({ env: { TELEGRAM_API_ROOT: api.url, LOG_LEVEL: 'trace' } });
  const receiver = await world.receive([
    'dm.received',
    'dm.referral',
    'dm.postback',
    'comment.received',
    'account.connected',
  ]);
  const answers: string[] = [];
  const rest = async (call: `${string} /${string}`, body?: unknown): Promise<Answer> => {
    const answer = await world.rest(call, body);
    answers.push(JSON.stringify([...answer.headers, answer.body]));
    return answer;
  };
  const hear = async () => {
    await world.pass(6000);
    await world.pass(6000);
  };
  const { now } = world.clock;
  const seconds = () => Math.floor(now() / 1000);

  const metadata = { bot_token: TOKEN, channel: '@bakery' };
  const wrong = await rest('POST /v1/accounts/connect', {
    platform: 'telegram',
    metadata: { ...metadata, bot_token: `123456789:${'x'.repeat(35)}` },
  });
  expect([wrong.status, wrong.body.error.code]).toEqual([401, 'platform.telegram.auth']);
  const { status, body: account } = await rest('POST /v1/accounts/connect', { platform: 'telegram', metadata });
  expect([status, account.username]).toEqual([201, 'bakery']);
  await hear();

  const form = new FormData();
  form.set('file', new Blob([PICTURE], { type: 'image/png' }), 'bread.png');
  const media = (await rest('POST /v1/media/upload', form)).body.id as string;
  const post = { account_ids: [account.account_id], publish_now: true, text: 'Fresh <b>bread</b>' };
  const options = { media_ids: [media], platform_data: { telegram: { parse_mode: 'HTML' } } };
  const published = (await rest('POST /v1/posts', { ...post, ...options })).body;
  expect(published).toMatchObject({
    status: 'published',
    results: [{ platform_post_id: `${CHANNEL.id}:41`, permalink: 'https://t.me/bakery/41' }],
  });

  const forward_origin = { type: 'channel', chat: CHANNEL, message_id: 41 };
  const root = {
    message_id: 70,
    date: seconds(),
    chat: GROUP,
    is_automatic_forward: true,
    forward_origin,
    caption: 'Fresh bread',
  };
  api.report({ message: root });
  api.report({
    message: { message_id: 71, date: seconds(), chat: GROUP, from: ANN, text: 'Is it rye?', message_thread_id: 70 },
  });
  const photo = [{ file_id: 'small' }, { file_id: 'large' }];
  api.report({ message: { message_id: 1, date: seconds(), chat: PRIVATE, from: ANN, text: '/start spring' } });
  api.report({ message: { message_id: 2, date: seconds(), chat: PRIVATE, from: ANN, caption: 'My loaf', photo } });
  const tapped = { message_id: 3, date: seconds(), chat: PRIVATE };
  api.report({ callback_query: { id: '9', from: ANN, data: 'YES', message: tapped } });
  await hear();
  expect(receiver.received.map(({ body }) => body.event).toSorted()).toEqual([
    'account.connected',
    'comment.received',
    'dm.postback',
    'dm.received',
    'dm.referral',
  ]);
  expect(api.called).toContain('answerCallbackQuery');

  const [comment] = (await rest(`GET /v1/inbox/comments/${published.id}`)).body.data;
  expect(comment).toMatchObject({ text: 'Is it rye?', author: { name: 'Ann' } });
  const replied = await rest(`POST /v1/inbox/comments/${published.id}`, { comment_id: comment.id, text: 'It is.' });
  expect(replied.status).toBe(200);
  expect((await rest(`POST /v1/inbox/comments/${published.id}/${comment.id}/like`)).status).toBe(200);

  const [conversation] = (await rest('GET /v1/inbox/conversations')).body.data;
  const path = `/v1/inbox/conversations/${conversation.id}/messages` as const;
  const picture = ((await rest(`GET ${path}`)).body.data as Json[]).find(({ attachment_url: url }) => url);
  const file = await fetch(picture.attachment_url);
  expect(Buffer.from(await file.arrayBuffer()).equals(PICTURE)).toBe(true);
  answers.push(JSON.stringify([...file.headers]));
  expect((await rest(`POST ${path}`, { text: 'Lovely' })).status).toBe(200);
  api.refusals.set('sendMessage', [403, 'Forbidden: bot was blocked by the user']);
  const blocked = await rest(`POST ${path}`, { text: 'Still there?' });
  expect([blocked.status, blocked.body.error.code]).toEqual([403, 'telegram.cannot_message']);

  await rest(`POST /v1/posts/${published.id}/unpublish`);
  expect(api.called).toContain('deleteMessages');
  api.refusals.set('getUpdates', [401, 'Unauthorized']);
  await hear();
  const [gone] = (await rest('GET /v1/accounts')).body.data;
  expect(gone).toMatchObject({ status: 'reconnect_required' });
  await rest('GET /v1/events');

  const { db } = world.product.store;
  const tables = await Promise.all(
    (await tablesOf()).map(async (name) => {
      const { rows } = await sql`select * from ${sql.table(name)}`.execute(db);
      return [name, JSON.stringify(rows)] as const;
    }),
  );
  const places = [
    ['answers', answers.join('\n')],
    ['webhooks', receiver.received.map(({ raw }) => raw).join('\n')],
    ['log', world.log.join('\n')],
    ...tables,
  ] as const;
  expect(places.filter(([, text]) => text.includes(CANARY)).map(([place]) => place)).toEqual([]);
});
