import { DAY } from '#kernel/clock.ts';
import { describe, expect, it } from 'vitest';
import { claimItem } from '#db/leash/answered.ts';
import { digestOf } from '#engine/leash/held.ts';
import { dashboardToken } from '../../harness/calls/dashboard.ts';
import { connectionOf, givePassword, leash, leashedKey } from '../../harness/calls/leash.ts';
import { callThrough, type Reply } from '../../harness/calls/operations.ts';
import { lost, silent, throttled, times } from '../../harness/platforms/social.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { aMessage, letTimePass, makeStage } from '../../harness/worlds/social.ts';

type Place = Parameters<typeof makeStage>[2];

/** A conversation in which somebody waits, and a connection that may answer. */
async function scene(limits: object = {}, place?: Place) {
  const { world, net, tell, connect, converse } = await makeStage({}, [], place);
  const twitter = await connect('twitter', 'one');
  const conversation = await converse(twitter, { thread: 'a' });
  const key = await leashedKey(world, 'answer', limits);
  const send = (text: string): Promise<Reply> =>
    callThrough(world, 'rest', 'send_dm', { conversation_id: conversation, text }, { key });
  const hear = async (id: string) => {
    world.clock.move(1000);
    const thread = { platform_id: 'a', participant: { id: 'fan-a', name: 'Fan' } };
    await tell(twitter, [{ kind: 'message', conversation: thread, message: aMessage(id, world.clock.now()) }]);
  };
  const tellOurs = (id: string) => {
    world.clock.move(1000);
    const thread = { platform_id: 'a', participant: { id: 'fan-a', name: 'Fan' } };
    const message = aMessage(id, world.clock.now(), { direction: 'outgoing' });
    return tell(twitter, [{ kind: 'message', conversation: thread, message }]);
  };
  /** Sends an answer that arrives, of which the platform does not say so. */
  const lose = async (text: string) => {
    net.script('one', 'messages.send', lost);
    net.script('one', 'messages.send.settle', ...times(3, silent));
    expect((await letTimePass(world, send(text))).code).toBe('platform.twitter.api_error');
  };
  const decide = async (id: string, name = 'approve_action'): Promise<Reply> => {
    const person = { key: await dashboardToken(world) };
    const { etag } = (await callThrough(world, 'rest', 'get_action', { action_id: id }, person)).body;
    const decided = await callThrough(world, 'rest', name, { action_id: id, etag }, person);
    await world.settle();
    return decided;
  };
  const effects = () => net.calls.filter((one) => one.endsWith('messages.send')).length;
  return { world, net, key, conversation, twitter, send, hear, tellOurs, lose, decide, effects };
}

describe('an answer of which nobody knows whether it was sent', () => {
  it('is looked for before the same is sent to what was written since', async () => {
    const { world, net, send, hear, lose } = await scene();
    await lose('Until six.');
    await hear('more');
    const again = await letTimePass(world, send('Until six.'));
    expect([again.status, again.body.success, net.seen.length]).toEqual([200, true, 1]);
    expect((await send('Until six.')).body).toMatchObject({ replayed: true });
    await hear('still more');
    expect((await send('Until six.')).body).not.toHaveProperty('replayed');
    expect(net.seen).toHaveLength(2);
  });

  it('is not sent again while the platform says nothing, and keeps nobody from another answer', async () => {
    const { world, net, send, hear, lose } = await scene();
    await lose('Until six.');
    await hear('more');
    net.script('one', 'messages.send.settle', ...times(3, silent));
    expect((await letTimePass(world, send('Until six.'))).code).toBe('platform.twitter.api_error');
    expect(net.seen).toHaveLength(1);
    expect((await send('Or seven.')).status).toBe(200);
    expect(net.seen).toHaveLength(2);
  });

  it.for(['ask', 'full'])('is settled too where the leash is %s by now', async (preset) => {
    const { world, net, key, twitter, send, hear, lose } = await scene();
    const brand_ids = [twitter.brand_id];
    await leash(world, key, { preset: 'answer', brand_ids });
    await lose('Until six.');
    await hear('more');
    await leash(world, key, { preset, brand_ids, password: await givePassword(world) });
    world.clock.move(180_000);
    const again = await letTimePass(world, send('Until six.'));
    expect([again.status, again.body.success, net.seen.length]).toEqual([200, true, 1]);
  });
});

describe('an answer that a platform was too busy for', () => {
  it('is not given any more once somebody else has answered, and goes to what waits by now', async () => {
    const { net, send, hear, tellOurs } = await scene();
    net.script('one', 'messages.send', throttled);
    expect((await send('Until six.')).status).toBe(429);
    await tellOurs('by hand');
    expect((await send('Until six.')).status).toBe(202);
    expect(net.seen).toEqual([]);
    net.script('one', 'messages.send', throttled);
    await hear('more');
    expect((await send('Or seven.')).status).toBe(429);
    await hear('still more');
    expect((await send('Or seven.')).status).toBe(200);
    expect(net.seen).toHaveLength(1);
  });
});

describe('an answer that waits for a person', () => {
  it('is not given besides when its cap has room again, or the leash is longer', async () => {
    const { world, net, key, twitter, send, hear, decide } = await scene({ caps: { message: 1 } });
    expect((await send('One')).status).toBe(200);
    await hear('more');
    const held = await send('Two');
    expect(held.body.held.reasons).toEqual(['caps.message']);
    world.clock.move(DAY);
    expect((await send('Two')).body.id).toBe(held.body.id);
    await leash(world, key, { preset: 'full', brand_ids: [twitter.brand_id], password: await givePassword(world) });
    expect((await send('Two')).body.id).toBe(held.body.id);
    expect((await decide(held.body.id)).ok).toBe(true);
    expect(net.seen).toHaveLength(2);
  });

  it('keeps every other text for the same from going out besides, also while it is being given', async () => {
    const { world, net, key, send, hear, decide } = await scene({ caps: { message: 0 } });
    const { id } = (await send('One')).body;
    await leash(world, key, { preset: 'answer', password: await givePassword(world) });
    expect((await send('Two')).body.held.reasons).toEqual(['acts.message']);
    net.script('one', 'messages.send', throttled);
    await decide(id);
    expect((await send('Three')).status).toBe(202);
    expect(net.seen).toEqual([]);
    world.clock.move(30_000);
    await world.settle();
    expect(net.seen).toHaveLength(1);
    expect((await send('Four')).status).toBe(202);
    await hear('more');
    expect((await send('Five')).status).toBe(200);
    expect(net.seen).toHaveLength(2);
  });

  it('is not given without asking again once it had failed, perhaps after it was sent', async () => {
    const { world, net, key, send, decide } = await scene({ caps: { message: 0 } });
    const { id } = (await send('One')).body;
    net.script('one', 'messages.send', lost);
    net.script('one', 'messages.send.settle', ...times(200, silent));
    await letTimePass(world, decide(id));
    for (let tries = 0; tries < 25; tries += 1) {
      world.clock.move(30_000);
      await letTimePass(world, world.settle());
    }
    const person = { key: await dashboardToken(world) };
    const action = (await callThrough(world, 'rest', 'get_action', { action_id: id }, person)).body;
    expect(action).toMatchObject({ state: 'failed', error: { code: 'platform.twitter.api_error' } });
    await leash(world, key, { preset: 'answer', password: await givePassword(world) });
    const again = await send('One');
    expect([again.status, again.body.held?.reasons]).toEqual([202, ['acts.message']]);
    expect(net.seen).toHaveLength(1);
  });
});

describeStores('a claim of a process that died', (stores) => {
  it('before it sent anything keeps nobody from the answer, which is given once', async () => {
    const { world, net, key, conversation, twitter, send, hear } = await scene({}, await stores.place());
    const input = { conversation_id: conversation, text: 'Until six.' };
    const claim = { item: `dm ${twitter.id} hello-a`, digest: digestOf('send_dm', input), at: world.clock.now() };
    const of = { connection_id: await connectionOf(world, key), workspace_id: twitter.workspace_id };
    await world.product.store.write((tx) => claimItem(tx.db, { ...of, ...claim }));
    await hear('more');
    const replies = await Promise.all([1, 2, 3].map(() => send('Until six.')));
    const statuses = replies.map(({ status }) => status!);
    expect([statuses.includes(200), statuses.filter((one) => one >= 500)]).toEqual([true, []]);
    expect(net.seen).toHaveLength(1);
  });
});
