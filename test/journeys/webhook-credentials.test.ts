import { readFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { openStore, type Store } from '#db/store/open.ts';
import { resealRows } from '#db/upkeep/reseal.ts';
import { sealAddresses } from '#engine/delivery/seal-addresses.ts';
import { makeSealer } from '#kernel/seal.ts';
import { textsIn } from '../harness/folders.ts';
import { startReceiver } from '../harness/webhooks/receiver.ts';
import { migratedFile } from '../harness/stores/files.ts';
import { describeStores } from '../harness/stores/stores.ts';
import { it, makeWorld, type World } from '../harness/world.ts';

const USER = 'ada-of-receivers';
const PASSWORD = 'pa%3Ass-of-receivers';
const BASIC = `Basic ${Buffer.from('ada-of-receivers:pa:ss-of-receivers').toString('base64')}`;

const withUser = (url: string, userinfo = `${USER}:${PASSWORD}`) => url.replace('https://', `https://${userinfo}@`);

async function receiverOf() {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  return receiver;
}

/** A test send; answers what the receiver was sent as Authorization. */
async function sent(world: World, id: string, receiver: Awaited<ReturnType<typeof receiverOf>>) {
  const answer = await world.rest(`POST /v1/webhooks/${id}/test`, { event_type: 'post.published', payload: {} });
  expect(answer.status).toBe(200);
  return receiver.received.at(-1)!.headers.authorization;
}

it('user and password of a webhook address are sent, and shown and stored nowhere', async () => {
  const { folder, file } = await migratedFile();
  const world = await makeWorld({ store: { file } });
  const receiver = await receiverOf();
  const events = ['account.connected'];
  const shown = withUser(receiver.url, '***:***');
  const { status, body: made } = await world.rest('POST /v1/webhooks', { url: withUser(receiver.url), events });
  expect([status, made.url]).toEqual([201, shown]);
  await world.connect();
  await world.settle();
  expect(receiver.received.map(({ headers }) => headers.authorization)).toEqual([BASIC]);
  receiver.answer(500, 500);
  await world.rest(`POST /v1/webhooks/${made.id}/test`, { event_type: 'post.published', payload: {} });
  const [delivery] = (await world.rest(`GET /v1/webhooks/${made.id}/deliveries`)).body.data;
  const answers = [
    made,
    (await world.rest('GET /v1/webhooks')).body,
    (await world.rest(`GET /v1/webhooks/${made.id}`)).body,
    (await world.rest(`PATCH /v1/webhooks/${made.id}`, { is_active: true })).body,
    (await world.rest(`GET /v1/webhooks/${made.id}/deliveries`)).body,
    (await world.rest(`GET /v1/webhooks/${made.id}/deliveries/${delivery.id}`)).body,
    (await world.rest('GET /v1/events')).body,
    (await world.mcp('get_webhook', { webhook_id: made.id })).body,
    (await world.mcp('list_webhooks')).body,
  ];
  const places: readonly string[] = [
    ...answers.map((answer) => JSON.stringify(answer)),
    world.log.join('\n'),
    ...textsIn(folder),
  ];
  for (const secret of [USER, PASSWORD, 'pa:ss-of', BASIC.slice(6)])
    expect(places.filter((text) => text.includes(secret))).toEqual([]);
});

it('the masked address keeps the stored user and password, on the same server alone', async ({ world }) => {
  const [receiver, other] = [await receiverOf(), await receiverOf()];
  const events = ['account.connected'];
  const { body: made } = await world.rest('POST /v1/webhooks', { url: withUser(receiver.url), events });
  const change = async (url: string) => {
    const { status, body } = await world.rest(`PATCH /v1/webhooks/${made.id}`, { url });
    return [status, body.url ?? body.error.code];
  };
  const moved = made.url.replace('/hook', '/hook/2?x=1');
  expect(await change(moved)).toEqual([200, moved]);
  expect(await sent(world, made.id, receiver)).toBe(BASIC);

  for (const url of [
    withUser(other.url, '***:***'),
    withUser(receiver.url, '***'),
    withUser(receiver.url, '***:new'),
    withUser(receiver.url, `${USER}:***`),
  ])
    expect(await change(url)).toEqual([400, 'validation.field_invalid']);
  expect(await sent(world, made.id, receiver)).toBe(BASIC);

  expect(await change(withUser(receiver.url, 'token'))).toEqual([200, withUser(receiver.url, '***')]);
  expect(await sent(world, made.id, receiver)).toBe(`Basic ${Buffer.from('token:').toString('base64')}`);
  expect(await change(receiver.url)).toEqual([200, receiver.url]);
  expect(await sent(world, made.id, receiver)).toBeUndefined();
  expect(await change(withUser(receiver.url, '***'))).toEqual([400, 'validation.field_invalid']);
  const blank = await world.rest('POST /v1/webhooks', { url: withUser(receiver.url, '***:***'), events });
  expect([blank.status, blank.body.error.code]).toEqual([400, 'validation.field_invalid']);
});

const [OLD, NEW] = ['11'.repeat(32), '22'.repeat(32)];

async function insert(store: Store, urls: readonly string[]): Promise<void> {
  await store.write(async ({ db }) => {
    const workspace = { id: 'ws_1', plan: 'free' as const, created_at: 0, brands_count: 0, storage_bytes: 0 };
    await db.insertInto('workspaces').values(workspace).execute();
    for (const [index, url] of urls.entries()) {
      const id = `whk_${index}`;
      const secret = makeSealer([OLD]).seal('secret', `endpoints.secret.${id}`);
      const facts = { secret, secret_hint: '', is_active: 1, slots: 16, failing: 0, removed_at: null } as const;
      const row = { id, workspace_id: 'ws_1', url, ...facts, created_at: 0, updated_at: 0 };
      await db.insertInto('endpoints').values(row).execute();
    }
  });
}

const stored = (store: Pick<Store, 'db'>) =>
  store.db.selectFrom('endpoints').select(['id', 'url', 'credentials']).orderBy('id').execute();

describeStores('addresses stored before', ({ open }) => {
  it('are sealed once, and sealed anew with the other secrets', async () => {
    const store = await open();
    await insert(store, ['https://example.org/a@b', withUser('https://example.org/hook')]);
    expect(await sealAddresses(store, makeSealer([OLD]))).toBe(1);
    expect(await sealAddresses(store, makeSealer([OLD]))).toBe(0);
    const before = await stored(store);
    expect(before.map(({ url }) => url)).toEqual(['https://example.org/a@b', 'https://***:***@example.org/hook']);
    expect(await resealRows(store, makeSealer([NEW, OLD]))).toBe(3);
    const [, after] = await stored(store);
    const text = makeSealer([NEW]).open(after!.credentials!, 'endpoints.credentials.whk_1');
    expect(JSON.parse(text)).toEqual({ user: USER, password: PASSWORD });
  });
});

it('addresses stored before are sealed by the start, and leave nothing in the file', async () => {
  const { file } = await migratedFile();
  const early = await openStore({ file });
  await insert(early, [withUser('https://example.org/hook')]);
  await early.close();
  expect(readFileSync(file, 'latin1')).toContain(PASSWORD);
  const world = await makeWorld({ store: { file } });
  expect(await stored(world.product.store)).toMatchObject([{ url: 'https://***:***@example.org/hook' }]);
  await world.product.stop();
  await world.product.close();
  expect(readFileSync(file, 'latin1')).not.toContain(PASSWORD);
});
