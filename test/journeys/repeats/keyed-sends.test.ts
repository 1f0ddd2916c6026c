import { describe, expect, test } from 'vitest';
import { lossy } from '../../harness/stores/lossy.ts';
import { absent, aComment, aReview, blind, lost, refused, silent, throttled } from '../../harness/platforms/social.ts';
import { openMemoryStore } from '../../harness/stores/reused.ts';
import type { Verdict } from '../../harness/platforms/network.ts';
import type { Answer, World } from '../../harness/world.ts';
import { requestOf, toolOf } from '../../harness/calls/operations.ts';
import { letTimePass, makeStage } from '../../harness/worlds/social.ts';

const it = test.extend('played', () => scene());

const SEND = 'messages.send';
const SETTLE = 'messages.send.settle';

/** A thread on a platform that repeats nothing, and a client that sends into it with keys. */
async function scene(surroundings: Parameters<typeof makeStage>[0] = {}) {
  const stage = await makeStage(surroundings);
  const { world, net } = stage;
  const account = await stage.connect('twitter');
  const thread = await stage.converse(account);
  const send = (key: string, text = 'Hi'): Promise<Answer> =>
    letTimePass(
      world,
      world.rest(`POST /v1/inbox/conversations/${thread}/messages`, { text }, { headers: { 'Idempotency-Key': key } }),
    );
  /** Sends with a key that one knows no end of: what became of it is not seen by whoever looks, either. */
  async function doubt(verdict: Verdict) {
    net.script('ours', SEND, verdict);
    net.script('ours', SETTLE, blind, blind, blind);
    const answer = await send('one');
    expect(answer.status).toBe(502);
    return answer;
  }
  const used = async () => (await world.rest('GET /v1/usage')).body.interactions_used;
  return { world, net, send, doubt, used, account };
}

const setStatus = (world: World, { id }: { id: string }, status: 'active' | 'reconnect_required') =>
  world.product.store.write(({ db }) => db.updateTable('accounts').set({ status }).where('id', '=', id).execute());

describe('a message with an Idempotency-Key', () => {
  it('is another request than one with another key, however equal', async ({ played }) => {
    const { net, send, doubt, used } = played;
    await doubt(lost);
    const other = await send('two');
    expect([other.status, other.body.message_id]).toEqual([200, net.seen[1]!.id]);
    expect([net.seen.length, await used()]).toEqual([2, 2]);
  });

  it.for([1, 60, 23 * 60])(
    'whose end nobody knew is found %s minutes later, and not sent again',
    async (minutes, { played }) => {
      const { world, net, send, doubt, used } = played;
      await doubt(lost);
      await world.pass(minutes * 60_000);
      const again = await send('one');
      expect([again.status, again.body.message_id]).toEqual([200, net.seen[0]!.id]);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect([net.seen.length, await used()]).toEqual([1, 1]);
    },
  );

  it('is sent again when it surely is not there', async ({ played }) => {
    const { world, net, send, doubt, used } = played;
    await doubt(silent);
    await world.pass(3_600_000);
    net.script('ours', SETTLE, absent);
    expect((await send('one')).status).toBe(200);
    expect([net.seen.length, await used()]).toEqual([1, 1]);
  });

  it('is not sent again while nobody can tell whether it is there', async ({ played: { world, net, send, used } }) => {
    net.script('ours', SEND, silent);
    for (let time = 1; time <= 2; time += 1) {
      net.script('ours', SETTLE, blind, blind, blind);
      expect((await send('one')).status).toBe(502);
      await world.pass(3_600_000);
    }
    expect([net.callsOf(SEND), net.seen.length, await used()]).toEqual([1, 0, 1]);
  });

  it('is tried anew after a refusal that may pass, and refused the same after one that stands', async ({
    played: { net, send, used },
  }) => {
    net.script('ours', SEND, throttled);
    expect([(await send('one')).status, (await send('one')).status]).toEqual([429, 200]);
    net.script('ours', SEND, refused);
    const [first, again] = [await send('two'), await send('two')];
    expect([first.status, again.status, again.body.error]).toEqual([400, 400, first.body.error]);
    expect([net.seen.length, await used()]).toEqual([1, 1]);
  });

  it('stays in doubt, and is found later, though its account cannot send meanwhile', async ({ played }) => {
    const { world, net, send, doubt, used, account } = played;
    const first = await doubt(lost);
    await setStatus(world, account, 'reconnect_required');
    const refused = await send('one');
    expect([refused.status, refused.body.error.code]).toEqual([502, first.body.error.code]);
    expect(refused.body.error.message).toContain('must be connected again');
    await setStatus(world, account, 'active');
    const again = await send('one');
    expect([again.status, again.body.message_id]).toEqual([200, net.seen[0]!.id]);
    expect([net.seen.length, await used()]).toEqual([1, 1]);
  });

  it('is waited for while it is sent, though its account cannot send any more', async ({ played }) => {
    const { world, net, send, account } = played;
    const gate = net.hold('ours', SEND);
    const first = send('one');
    await gate.met;
    await setStatus(world, account, 'reconnect_required');
    const again = send('one');
    for (let turns = 0; turns < 10; turns += 1) await world.rest('GET /v1/usage');
    gate.open();
    expect((await again).body).toEqual((await first).body);
    expect([(await again).status, (await send('one')).status, net.seen.length]).toEqual([200, 200, 1]);
  });

  it('answers its ids, or its refusal, though its account cannot send any more', async () => {
    const { surroundings } = lossy(await openMemoryStore());
    const { world, net, send, account } = await scene(surroundings);
    const made = await send('one');
    net.script('ours', SEND, refused);
    const denied = await send('two');
    await setStatus(world, account, 'reconnect_required');
    expect((await send('one')).body).toEqual(made.body);
    expect((await send('two')).body.error).toEqual(denied.body.error);
    expect((await send('three')).body.error.code).toBe('account.reconnection_required');
    expect(net.seen).toHaveLength(1);
  });
});

const comment = { post_id: 'post-1', comment_id: 'c1' };

describe('an answer with an Idempotency-Key', () => {
  it.each([
    ['reply_to_comment', 'twitter', 'comments.reply', comment],
    ['private_reply_to_comment', 'twitter', 'comments.private_reply', comment],
    ['reply_to_mention', 'twitter', 'mentions.reply', { media_id: 'm1' }],
    ['reply_to_review', 'google', 'reviews.reply', { review_id: 'r1' }],
  ] as const)('by %s stays in doubt, and is found later, though its account died', async (name, slug, op, place) => {
    const { world, net, connect } = await makeStage();
    const account = await connect(slug);
    net.comments.set('post-1', [aComment('post-1', { platform_id: 'c1' })]);
    net.reviews.set('ours', [aReview(world.clock.now(), { platform_id: 'r1' })]);
    const { route, body } = requestOf(toolOf(name), { ...place, account_id: account.id, text: 'Thanks' });
    const send = () => letTimePass(world, world.rest(route, body, { headers: { 'Idempotency-Key': 'one' } }));
    net.script('ours', op, ...(slug === 'google' ? [lost, lost, lost] : [lost]));
    net.script('ours', `${op}.settle`, blind, blind, blind);
    const first = await send();
    await setStatus(world, account, 'reconnect_required');
    const refusal = await send();
    expect([first.status, refusal.status, refusal.body.error.code]).toEqual([502, 502, first.body.error.code]);
    await setStatus(world, account, 'active');
    const [found, kept] = [await send(), await send()];
    expect([found.status, found.body.success, kept.body]).toEqual([200, true, found.body]);
    expect(net.seen.length).toBe(slug === 'google' ? 0 : 1);
  });
});
