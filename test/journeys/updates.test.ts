import { describe, expect } from 'vitest';
import { facebookOf } from '../harness/platforms/facebook.ts';
import { list } from '../harness/calls/rest.ts';
import { it, type World, type Json } from '../harness/world.ts';
import { standInOf } from './platforms/stand-in.ts';
import { callsOf, upset } from '../harness/platforms/bluesky-people.ts';

const HEARD = ['comment.received', 'dm.received', 'mention.received'];

/** Somebody who has an account on a network, and somebody else who says something to them there. */
type Scene = Readonly<{ connect(): Promise<string>; say(text: string): Promise<unknown> }>;

async function onBluesky(world: World): Promise<Scene> {
  const [ours, theirs] = world.product.sandbox!.people().filter(({ network }) => network === 'bluesky');
  const { act } = standInOf(world, 'bluesky', '');
  const post = await act('post', { person: ours!.handle, text: 'Are you there?' });
  return {
    connect: async () => (await world.connect(0)).id,
    async say(text) {
      await act('reply', { person: theirs!.handle, post: post.uri, text });
      await act('message', { person: theirs!.handle, whom: ours!.handle, text });
    },
  };
}

async function onFacebook(world: World): Promise<Scene> {
  const facebook = facebookOf(world);
  const page = ((await facebook.look('pages')) as Json[]).find(({ name }) => name === 'Harbour Coffee').id;
  const post = await facebook.act('page_post', { page, message: 'Are you there?' });
  return {
    connect: () => facebook.land(),
    async say(text) {
      await facebook.act('comment', { person: 'fred.sandbox.test', on: post.id, message: text });
      await facebook.act('message', { person: 'mia.sandbox.test', page, text });
    },
  };
}

const NETWORKS = { bluesky: onBluesky, facebook: onFacebook };
const CASES = (['bluesky', 'facebook'] as const).flatMap((network) =>
  [1, 50, 150, 2500].map((ms) => [network, ms] as const),
);

/** Lets three minutes pass; what is polled is heard. */
async function poll(world: World): Promise<void> {
  for (let minute = 0; minute < 3; minute += 1) await world.pass(60_000);
}

/** What is said in the conversation of an account, in no order. */
async function saidTo(world: World, account: string): Promise<readonly string[]> {
  const [thread] = await list(world, `/v1/inbox/conversations?account_id=${account}`);
  const messages = await list(world, `/v1/inbox/conversations/${thread.id}/messages`);
  return messages.map(({ text }): string => text).toSorted();
}

/** A family is one character of 25 bytes. */
const families = (count: number) => '👨‍👩‍👧‍👦'.repeat(count);

describe('a text of too many bytes', () => {
  it('is refused alike as a post, an answer and a message', async ({ world }) => {
    const scene = await onBluesky(world);
    const account = await scene.connect();
    await scene.say('hello');
    for (let minute = 0; minute < 2; minute += 1) await world.pass(60_000);
    const [thread] = (await world.rest('GET /v1/inbox/conversations')).body.data;
    const [post] = (await world.rest('GET /v1/inbox/comments')).body.data;
    const input = { text: families(200), account_ids: [account] };
    const words = 'text exceeds 3000 byte limit (5000/3000)';
    const { errors } = (await world.rest('POST /v1/posts/validate', input)).body;
    expect(errors.map(({ field, message }: Json) => `${field} ${message}`)).toEqual([words]);
    const made = await world.rest('POST /v1/posts', { ...input, publish_now: true });
    const answered = await world.rest(`POST /v1/inbox/comments/${post.id}`, { text: families(200) });
    const sent = await world.rest(`POST /v1/inbox/conversations/${thread.id}/messages`, { text: families(500) });
    expect([made, answered, sent].map(({ body }) => [body.error.code, body.error.message])).toEqual([
      ['validation.field_invalid', expect.stringContaining(`${words} (bluesky).`)],
      ['validation.field_invalid', expect.stringContaining(words)],
      ['validation.field_invalid', expect.stringContaining('text exceeds 10000 byte limit (12500/10000)')],
    ]);
  });
});

describe('what happens on the platform', () => {
  it.for(CASES)(
    'of %s %d ms after an account was connected is new activity, what was there before is not',
    async ([name, ms], { world }) => {
      const scene = await NETWORKS[name](world);
      const receiver = await world.receive(HEARD);
      await scene.say('long before');
      world.clock.move(3_600_000);
      await scene.say('just before');
      world.clock.move(400);
      const account = await scene.connect();
      // Nothing was read of it so far: neither what was there before, nor where new activity begins.
      world.clock.move(ms);
      await scene.say('hello');
      await scene.say('hello again');
      await poll(world);
      const told = receiver.received.map(({ body }) => `${body.event} ${(body.data as Json).content.text}`);
      expect(told.toSorted()).toEqual([
        'comment.received hello',
        'comment.received hello again',
        'dm.received hello',
        'dm.received hello again',
      ]);
      expect(await saidTo(world, account)).toEqual(['hello', 'hello again', 'just before', 'long before']);
    },
  );
});

describe('a message on bluesky', () => {
  it('that comes while the chat fails the first poll, after history was read, is new activity', async ({ world }) => {
    const scene = await onBluesky(world);
    const receiver = await world.receive(['dm.received']);
    await scene.say('before');
    world.clock.move(1000);
    // History does without the log, so only the poll fails.
    upset(world, 'throttled', { method: 'chat.bsky.convo.getLog', times: 1 });
    const account = await scene.connect();
    await world.settle();
    expect(callsOf(world, 'chat.bsky.convo.getLog')).toBe(1);
    world.clock.move(1000);
    await scene.say('hello');
    await poll(world);
    expect(receiver.received.map(({ body }) => (body.data as Json).content.text)).toEqual(['hello']);
    expect(await saidTo(world, account)).toEqual(['before', 'hello']);
  });
});
