import { MINUTE, HOUR } from '#kernel/clock.ts';
import { expect } from 'vitest';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { Platform } from '#platforms/platform.ts';
import { makeWorld, type Json, type World, type WorldOptions } from '../world.ts';
import { call } from '../calls/operations.ts';
import { callsOf, personOf, upset } from '../platforms/bluesky-people.ts';
import { byToken } from '../platforms/fake.ts';
import { makePostNetwork, publishingPlatform } from '../platforms/publishing.ts';

type Input = Readonly<Record<string, unknown>>;

/** Makes a post, which may well fail to be published; answers it. */
export async function make(world: World, input: Input): Promise<Json> {
  const { status, body } = await world.rest('POST /v1/posts', input);
  expect([input, [201, 207, 422].includes(status)]).toEqual([input, true]);
  return body;
}

/** Publishes a text of an account at once, whatever comes of it; answers the post. */
export const publish = (world: World, account: { id: string }, text = 'Hello', more: Input = {}): Promise<Json> =>
  make(world, { text, account_ids: [account.id], publish_now: true, ...more });

/** A world with a platform that takes any token, makes no request, and may count by `metrics`. */
export async function makeOfflineWorld(metrics?: NonNullable<Platform['posts']>['metrics']) {
  const { posts, ...rest } = publishingPlatform(makePostNetwork(), 'linkedin', { offline: true });
  const platform: Platform = { ...rest, connect: byToken, posts: { ...posts!, ...(metrics && { metrics }) } };
  const world = await makeWorld({ surroundings: { platforms: new Map([['linkedin', platform]]) } });
  async function connect(token: string) {
    const { body } = await world.rest('POST /v1/accounts/connect', { platform: 'linkedin', metadata: { token } });
    return { id: body.account_id as string };
  }
  return { world, connect };
}

/** A post that is public. */
export async function makePublished(world: World, text = 'News'): Promise<Json> {
  return publish(world, await world.connect(), text);
}

/** A post that alice published and bob could not: his grant is over. */
export async function makePartial(world: World): Promise<Json> {
  const [alice, bob] = [await world.connect(0), await world.connect(1)];
  upset(world, 'revoked', {}, 1);
  return make(world, { text: 'Half', account_ids: [alice.id, bob.id], publish_now: true });
}

/** A post that nobody could publish. */
export async function makeFailed(world: World): Promise<Json> {
  const account = await world.connect();
  upset(world, 'revoked');
  return publish(world, account, 'Never');
}

/** Connects a person whose grant has ended again, to the same account. */
export async function reconnect(world: World, account: { brand_id: string }, person = 0): Promise<void> {
  await world.connect(person, account.brand_id);
}

/** The texts of a person that everyone can see, in no order. */
export function publicTexts(world: World, person = 0): readonly string[] {
  const { network, handle } = personOf(world, person);
  const all = world.product.sandbox!.posts(network, handle);
  return all.filter(({ exists }) => exists).map(({ text }) => text);
}

/** Lets the answer to the next write of a person come a minute late, and waits until it was sent. */
export async function whileWriting<T>(world: World, work: () => Promise<T>, person = 0): Promise<{ work: Promise<T> }> {
  const method = 'com.atproto.repo.putRecord';
  upset(world, 'slow', { method, delay_ms: MINUTE }, person);
  const before = callsOf(world, method);
  const begun = work();
  while (callsOf(world, method) === before) await new Promise((resolve) => setImmediate(resolve));
  return { work: begun };
}

/** Makes an account one of another platform, none of whose posts can be published, removed or measured here. */
export async function disguise(world: World, accountId: string, platform: PlatformSlug = 'whatsapp'): Promise<void> {
  await world.product.store.write(async ({ db }) => {
    await db.updateTable('accounts').set({ platform }).where('id', '=', accountId).execute();
    await db.updateTable('targets').set({ platform }).where('account_id', '=', accountId).execute();
  });
}

/** Milliseconds from now as the API writes them. */
export function from(world: World, ms: number): string {
  return new Date(world.clock.now() + ms).toISOString();
}

/** A world with a connected account. */
export async function withAccount(options?: WorldOptions): Promise<World & { account: Json }> {
  const world = await makeWorld(options);
  return { ...world, account: await world.connect() };
}

/** A post to an account, made without being looked at; 422 is no error here. */
export async function postOf(
  world: World & { account?: Json },
  input: Readonly<Record<string, unknown>> = {},
): Promise<Json> {
  const account_ids = world.account === undefined ? [] : [world.account.id];
  return (await call(world, 'create_post', { text: 'Hello', account_ids, ...input })).body;
}

/** A time to come, as callers write it. */
export const inHours = (world: World, hours: number) => from(world, hours * HOUR);

/** Lets the next calls of the connected person meet a fault of the simulator. */
export function setFault(world: World, kind: 'throttled' | 'revoked' | 'lost' | 'error_after', times = 1): void {
  upset(world, kind, { times, ...(kind !== 'revoked' && { method: 'com.atproto.repo.putRecord' }) });
}

/** A second account, on another person and in a brand of its own. */
export async function secondAccount(world: World): Promise<Json> {
  const { body } = await world.rest('POST /v1/brands', { name: 'Second' });
  return world.connect(1, body.id);
}
