import { describe, expect } from 'vitest';
import { makeSealer } from '#kernel/seal.ts';
import { telegramOf } from '../../harness/platforms/telegram.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { openLasting } from '../../harness/worlds/restarts.ts';
import { list, postNow, publish } from '../../harness/calls/rest.ts';
import { it, type World } from '../../harness/world.ts';

const HEADER = 'x-telegram-bot-api-secret-token';
const OLD = '11'.repeat(32);
const NEW = '22'.repeat(32);

type Webhook = Readonly<{ url: string; secret_token: string }>;

/** Pushes an update to where a bot has its updates sent, on the server of a world. */
async function push(world: World, { url }: Pick<Webhook, 'url'>, secret: string | undefined, text: string) {
  const from = { id: 555, is_bot: false, first_name: 'Ann' };
  const chat = { id: 555, type: 'private', first_name: 'Ann' };
  const message = { message_id: 9, date: Math.floor(world.clock.now() / 1000), chat, from, text };
  const headers = { 'content-type': 'application/json', ...(secret !== undefined && { [HEADER]: secret }) };
  const body = JSON.stringify({ update_id: 9_000, message });
  const { status } = await fetch(new URL(new URL(url).pathname, world.root), { method: 'POST', headers, body });
  await world.settle();
  return status;
}

const conversations = async (world: World) =>
  (await list(world, '/v1/inbox/conversations')).map(({ last_message }) => JSON.stringify(last_message));

/** Where the bots have their updates sent. */
const webhooksOf = async ({ bots }: Pick<ReturnType<typeof telegramOf>, 'bots'>) =>
  (await bots()).flatMap(({ webhook }) => (webhook ? [webhook as Webhook] : []));

describe('updates', () => {
  it('with a wrong secret, or that of another bot, are refused and leave nothing behind', async ({ world }) => {
    const telegram = telegramOf(world);
    for (const nth of [0, 1]) await telegram.connect(nth);
    await telegram.hear();
    const [one, other] = await webhooksOf(telegram);
    expect(one!.secret_token).not.toBe(other!.secret_token);
    for (const wrong of [undefined, 'wrong', other!.secret_token])
      expect(await push(world, one!, wrong, 'Are you open?')).toBe(403);
    expect(await conversations(world)).toEqual([]);
    expect(await push(world, one!, one!.secret_token, 'Are you open?')).toBe(200);
    expect(await conversations(world)).toEqual([expect.stringContaining('Are you open?')]);
  });

  it('end with the account: its webhook is removed', async ({ world }) => {
    const telegram = telegramOf(world);
    const { account } = await telegram.connect();
    await telegram.hear();
    const [webhook] = await webhooksOf(telegram);
    expect((await world.rest(`DELETE /v1/accounts/${account}`)).status).toBe(200);
    await telegram.hear();
    expect(await webhooksOf(telegram)).toEqual([]);
    expect(await push(world, webhook!, webhook!.secret_token, 'Are you open?')).toBe(404);
  });
});

describe('a bot without a channel', () => {
  it('is warned of before a post is tried, which it cannot publish', async ({ world }) => {
    const telegram = telegramOf(world);
    const people = await telegram.control('people?network=telegram');
    const metadata = { bot_token: people[0].credentials['Bot token'] };
    const { body } = await world.rest('POST /v1/accounts/connect', { platform: 'telegram', metadata });
    const { account: channel } = await telegram.connect(1);
    const input = { text: 'News', account_ids: [body.account_id, channel] };
    const message = 'This bot has no channel: connect it again and name one.';
    expect((await world.rest('POST /v1/posts/validate', input)).body).toEqual({
      valid: true,
      errors: [],
      warnings: [{ platform: 'telegram', field: 'account_id', message, target: body.account_id }],
    });
    const told: unknown = expect.stringContaining(message);
    const post = (await world.rest('POST /v1/posts', { ...input, publish_now: true })).body;
    expect(post).toMatchObject({ status: 'partial', targets: [{ error: { message: told } }, { status: 'published' }] });
    const unnamed = (await world.rest('POST /v1/posts/validate', { text: 'News', platforms: ['telegram'] })).body;
    expect(unnamed).toEqual({ valid: true, errors: [], warnings: [] });
  });
});

describe('a message whose answer was lost', () => {
  it('has failed as a timeout at once, is there once, and is never sent again', async ({ world }) => {
    const telegram = telegramOf(world);
    const { account, person } = await telegram.open();
    const lost = { kind: 'lost', method: 'POST /bot{token}/sendMessage', times: 1 };
    await telegram.control('faults', { network: 'telegram', person, ...lost });
    const { body } = await publish(world, account, { text: 'Fresh bread' });
    const results = [{ error: { code: 'publishing.delivery.timeout' } }];
    expect(await postNow(world, body.id)).toMatchObject({ status: 'failed', results });
    expect((await world.rest(`POST /v1/posts/${body.id}/retry`, {})).status).toBe(409);
    await telegram.hear();
    const made = (await telegram.messages()).filter(({ text, forwarded }) => text === 'Fresh bread' && !forwarded);
    expect(made).toHaveLength(1);
  });
});

describeStores('a server that was restarted with another master key', { kinds: ['file', 'postgres'] }, (stores) => {
  it('shows the same comments of a channel post, goes on with them, and believes what is pushed', async () => {
    const { first, restart } = await openLasting(await stores.place());
    const before = telegramOf(first);
    const { post, comment, platformPost } = await before.open();
    const path = `/v1/inbox/comments/${post}` as const;
    const answered = await first.rest(`POST ${path}`, { comment_id: comment, text: 'It is.' });
    expect(answered.status).toBe(200);
    const ask = { person: 'Fred Follower', message: platformPost.replace(':', '#') };
    await before.control('telegram/comment', { ...ask, text: 'Spam' });
    await before.hear();
    const listed = (world: World) => list(world, path);
    const all = await listed(first);
    expect(all.map(({ text }) => text)).toEqual(['Is it rye?', 'Spam']);
    const [webhook] = await webhooksOf(before);

    const second = await restart({ sealer: makeSealer([NEW, OLD]) });
    const after = telegramOf(second);
    expect(await listed(second)).toEqual(all);
    const spam = all.find(({ text }) => text === 'Spam');
    expect((await second.rest(`DELETE ${path}/${spam.id}`)).status).toBe(200);
    expect((await after.messages()).find(({ text }) => text === 'Spam').deleted_at).toBeDefined();
    expect((await listed(second)).map(({ text }) => text)).toEqual(['Is it rye?']);
    expect(await push(second, webhook!, webhook!.secret_token, 'Still open?')).toBe(200);
    expect(await conversations(second)).toContainEqual(expect.stringContaining('Still open?'));
  });
});
