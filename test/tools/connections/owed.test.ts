import { describe, expect, it } from 'vitest';
import type { StoreOptions } from '#db/store/open.ts';
import { leashedKey } from '../../harness/calls/leash.ts';
import { call, callThrough, onFreePlan, useInteractions, type Reply } from '../../harness/calls/operations.ts';
import { aComment, aMention, aReview, blocked, lost, silent, times } from '../../harness/platforms/social.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { aMessage, letTimePass, makeStage } from '../../harness/worlds/social.ts';

type Answer = Readonly<{ tool: string; arguments: Readonly<Record<string, string>> }>;

/** Two accounts to which everything was written once, and a connection that may answer. */
async function scene(limits: object = {}, store?: StoreOptions) {
  const { world, net, tell, connect, converse } = await makeStage({}, [], store);
  const [twitter, google] = [await connect('twitter', 'one'), await connect('google', 'two')];
  const at = world.clock.now() - 60_000;
  const comment = aComment('post-1', { platform_id: 'c1' });
  net.comments.set('post-1', [comment]);
  const conversation = await converse(twitter, { thread: 'a', at });
  await tell(twitter, [
    { kind: 'comment', comment },
    { kind: 'mention', mention: aMention({ platform_id: 'm1' }) },
  ]);
  const review = aReview(at, { platform_id: 'r1' });
  net.reviews.set('two', [review]);
  await tell(google, [{ kind: 'review', review }]);
  const key = await leashedKey(world, 'answer', limits);
  const does = (name: string, input: Readonly<Record<string, unknown>>): Promise<Reply> =>
    callThrough(world, 'rest', name, input, { key });
  const send = (text: string, more: object = {}) => does('send_dm', { conversation_id: conversation, text, ...more });
  const hear = (id: string) => {
    const thread = { platform_id: 'a', participant: { id: 'fan-a', name: 'Fan' } };
    return tell(twitter, [{ kind: 'message', conversation: thread, message: aMessage(id, world.clock.now()) }]);
  };
  const owed = async (kind: string): Promise<Answer> => {
    const { data } = (await call(world, 'list_unanswered', { kind })).body;
    return data[0].answer;
  };
  const effects = () => net.calls.filter((one) => /(send|reply)$/.test(one)).length;
  return { world, net, tell, converse, twitter, google, key, does, send, hear, owed, effects };
}

const expectHeld = async (reply: Promise<Reply>, reason: string) => {
  const { status, body } = await reply;
  expect([status, body.held?.reasons]).toEqual([202, [reason]]);
};

describe('a connection that may answer', () => {
  it.each([
    ['conversation', 'message'],
    ['comment', 'comment'],
    ['review', 'comment'],
    ['mention', 'comment'],
  ])('answers a %s once, and asks for anything more', async (kind, act) => {
    const { does, owed, effects } = await scene();
    const { tool, arguments: place } = await owed(kind);
    const first = await does(tool, { ...place, text: 'Until six.' });
    expect([first.status, first.body.success]).toEqual([200, true]);
    const again = await does(tool, { ...place, text: 'Until six.' });
    expect(again.body).toEqual({ ...first.body, replayed: true });
    await expectHeld(does(tool, { ...place, text: 'And tomorrow?' }), `acts.${act}`);
    expect(effects()).toBe(1);
  });

  it('asks where nobody else wrote last, and where the item is not stored', async () => {
    const { world, net, tell, twitter, google, does, send, owed, effects } = await scene();
    const { arguments: place } = await owed('comment');
    const mention = await owed('mention');
    const own = aComment('post-1', { platform_id: 'c2', is_owner: true });
    const unknown = aComment('post-1', { platform_id: 'c3' });
    net.comments.set('post-1', [...net.comments.get('post-1')!, own, unknown]);
    await tell(twitter, [{ kind: 'comment', comment: own }]);
    const on = { account_id: twitter.id, post_id: 'post-1', text: 'Hi' };
    await expectHeld(does('reply_to_comment', { ...on, comment_id: 'c2' }), 'acts.comment');
    await expectHeld(does('reply_to_comment', { ...on, comment_id: 'c3' }), 'acts.comment');
    await expectHeld(does('reply_to_comment', { ...on }), 'acts.comment');
    await expectHeld(does('private_reply_to_comment', { ...place, text: 'Hi' }), 'acts.message');
    await expectHeld(does('reply_to_mention', { ...mention.arguments, comment_id: 'c1', text: 'Hi' }), 'acts.comment');
    await expectHeld(does('reply_to_mention', { account_id: twitter.id, media_id: 'p9', text: 'Hi' }), 'acts.comment');
    const review = { account_id: google.id, review_id: 'r9', text: 'Thanks' };
    await expectHeld(does('reply_to_review', review), 'acts.comment');
    expect((await call(world, 'send_dm', { ...(await owed('conversation')).arguments, text: 'Ours' })).ok).toBe(true);
    await expectHeld(send('Theirs'), 'acts.message');
    expect(effects()).toBe(1);
  });

  it('answers again what is written after its answer', async () => {
    const { world, net, send, hear, effects } = await scene();
    expect((await send('Until six.')).status).toBe(200);
    world.clock.move(1000);
    await hear('more');
    expect((await send('Until six.')).body).not.toHaveProperty('replayed');
    await expectHeld(send('Or seven.'), 'acts.message');
    expect([effects(), net.texts('one')]).toEqual([2, [undefined, undefined]]);
  });

  it('may try another answer after a certain refusal, and no other while nobody knows', async () => {
    const { world, net, send, twitter, effects } = await scene();
    net.script('one', 'messages.send', blocked);
    expect((await send('One')).ok).toBe(false);
    net.script('one', 'messages.send', lost);
    net.script('one', 'messages.send.settle', ...times(3, silent));
    expect((await letTimePass(world, send('Two'))).code).toBe(`platform.${twitter.platform}.api_error`);
    await expectHeld(send('Three'), 'acts.message');
    expect((await letTimePass(world, send('Two'))).status).toBe(200);
    expect([effects(), net.seen.length]).toEqual([2, 1]);
  });

  it.for([
    ['as what it is', { platform_post_id: 'post-1', comment_id: 'c1' }],
    ['as a post', { platform_post_id: 'c1' }],
  ] as const)('answers a comment once that is stored as a mention too, %s', async ([, place]) => {
    const { world, net, tell, twitter, does, owed, effects } = await scene();
    await tell(twitter, [{ kind: 'mention', mention: aMention({ platform_id: 'm2', ...place }) }]);
    const { tool, arguments: on } = await owed('comment');
    net.script('one', 'comments.reply', lost);
    net.script('one', 'comments.reply.settle', ...times(3, silent));
    const reply = { ...on, comment_id: 'c1', text: 'Until six.' };
    expect((await letTimePass(world, does(tool, reply))).code).toBe('platform.twitter.api_error');
    const mention = { account_id: twitter.id, mention_id: 'm2', text: 'Until six.' };
    await expectHeld(does('reply_to_mention', mention), 'acts.comment');
    expect(effects()).toBe(1);
  });

  it('comes too late where somebody has answered before anything of it had begun', async () => {
    const { world, tell, twitter, send, effects } = await scene();
    await onFreePlan(world);
    await useInteractions(world, 50);
    expect((await send('Mine')).code).toBe('validation.interaction_limit_exhausted');
    const thread = { platform_id: 'a', participant: { id: 'fan-a', name: 'Fan' } };
    const message = aMessage('ours', world.clock.now(), { direction: 'outgoing' });
    await tell(twitter, [{ kind: 'message', conversation: thread, message }]);
    // Of a credit that is used up nobody is asked.
    expect((await send('Mine')).code).toBe('validation.interaction_limit_exhausted');
    world.clock.move(31 * 24 * 3_600_000);
    await expectHeld(send('Mine'), 'acts.message');
    expect(effects()).toBe(0);
  });

  it('is counted, so many a day', async () => {
    const { world, twitter, converse, does, send, key } = await scene({ caps: { message: 1 } });
    const other = await converse(twitter, { thread: 'b' });
    expect((await send('One')).status).toBe(200);
    expect((await send('One')).status).toBe(200);
    const leash = (await callThrough(world, 'rest', 'get_leash', {}, { key })).body;
    expect(leash.caps).toEqual({
      message: { max: 1, left: 0 },
      comment: { max: 100, left: 100 },
      moderate: { max: 200, left: 200 },
    });
    const held = does('send_dm', { conversation_id: other, text: 'Two' });
    await expectHeld(held, 'caps.message');
    world.clock.move(24 * 3_600_000);
    await expectHeld(does('send_dm', { conversation_id: other, text: 'Three' }), 'acts.message');
    const { data } = (await callThrough(world, 'rest', 'list_actions', {}, { key })).body;
    for (const { id: action_id } of data) expect((await does('withdraw_action', { action_id })).ok).toBe(true);
    expect((await does('send_dm', { conversation_id: other, text: 'Three' })).status).toBe(200);
  });

  it('is the only one that the leash lets answer', async () => {
    const { world, owed, effects } = await scene();
    const { tool, arguments: place } = await owed('conversation');
    const key = await leashedKey(world, 'ask');
    await expectHeld(callThrough(world, 'rest', tool, { ...place, text: 'Hi' }, { key }), 'acts.message');
    expect(effects()).toBe(0);
  });
});

describeStores('of answers that are given at once', (stores) => {
  it('one goes out, and the others wait for a person', async () => {
    const { send, effects } = await scene({}, await stores.place());
    const replies = await Promise.all(['One', 'Two', 'Three', 'Four'].map((text) => send(text)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 202)).toHaveLength(3);
    expect(effects()).toBe(1);
  });
});
