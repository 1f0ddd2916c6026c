import { expect, it, test } from 'vitest';
import { unknownResultError } from '#engine/inbox/record/send-state.ts';
import { envelope } from '#kernel/envelope.ts';
import type { InboundEvent } from '#platforms/inbound.ts';
import {
  absent,
  blind,
  broken,
  lost,
  pending,
  refused,
  silent,
  throttled,
  times,
  unsent,
} from '../../harness/platforms/social.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { asError, makeWorld, type World } from '../../harness/worlds/sending.ts';

const SEND = 'messages.send';
const SETTLE = 'messages.send.settle';
const UNKNOWN = { code: 'platform.twitter.api_error', status: 502 };

/** The message of ours as the platform pushes it back, bearing our mark. */
function echo(world: World, mark: string, id: string): InboundEvent {
  const conversation = { platform_id: 'thread', participant: { id: 'fan', name: 'Fan' } };
  const said = { direction: 'outgoing', text: 'Hi', attachments: [], created_at: world.clock.now() } as const;
  const message = { ...said, platform_id: id, correlation_id: mark };
  return { kind: 'message', conversation, message };
}

/** Sends an image and a text, which are two messages to the platform. */
function sayWithImage({ inbox, drive, authority, workspace }: World, thread: string, text: string) {
  const attachments = [{ source: 'att-1', source_type: 'platform_attachment_id', type: 'image' } as const];
  const acting = { authority, workspace, signal: new AbortController().signal, progress: () => {} };
  return drive(inbox.conversations.send(acting, thread, { attachments, text }).catch(asError));
}

describeStores('sending', { kinds: ['file', 'postgres'] }, (stores) => {
  const it = test
    .extend('world', () => makeWorld(stores))
    .extend('account', ({ world }) => world.account('twitter'))
    .extend('thread', ({ world, account }) => world.conversation(account));

  it('writes down what was sent, with its row, its events and its credit', async ({ world, thread }) => {
    const answer = await world.say(thread, 'Hi');
    const { id, mark } = world.net.seen[0]!;
    expect(answer).toEqual({ success: true, message_ids: [id], message_id: id });
    expect(await world.events()).toMatchObject([
      { name: 'dm.sent', data: { platform_id: id, content: { text: 'Hi' }, recipient: { id: 'fan' } } },
      { name: 'dm.status.sent', data: { mids: [id], message_ids: [id], conversation_id: thread, status: 'sent' } },
    ]);
    const [send] = await world.sends();
    expect(send).toMatchObject({ status: 'done', unheard: 0, lease_token: null, error: null });
    expect(mark).toBe(`${send!.id}.0`);
    const { data } = await world.inbox.conversations.messages(world.authority, thread, { limit: 10 });
    expect(data.map(({ text, direction, status }) => [text, direction, status])).toEqual([
      ['Hi', 'outgoing', 'sent'],
      ['Hello', 'incoming', 'received'],
    ]);
    expect(await world.used()).toBe(1);
  });

  it('refuses for good, gives the credit back, emits an event, and tries again when asked again', async ({
    world,
    thread,
  }) => {
    world.net.script('ours', SEND, refused);
    expect(await world.say(thread, 'Hi')).toMatchObject({ code: 'platform.twitter.window_closed', status: 400 });
    const failed = { status: 'failed', mids: [], recipient_id: 'fan', error_code: 'platform.twitter.window_closed' };
    expect(await world.events()).toMatchObject([{ name: 'dm.status.failed', data: failed }]);
    expect([await world.used(), world.net.seen]).toEqual([0, []]);
    expect(await world.say(thread, 'Hi')).toMatchObject({ success: true });
    expect([await world.used(), world.net.texts('ours').length]).toEqual([1, 1]);
  });

  it('hands throttling on, with when to come back, and gives the credit back', async ({ world, thread }) => {
    world.net.script('ours', SEND, throttled);
    const told = await world.say(thread, 'Hi');
    expect(told).toMatchObject({ code: 'platform.twitter.rate_limit', status: 429, retryAfter: 7 });
    expect(await world.used()).toBe(0);
  });

  it('tries once more what surely did not leave, and then gives up for good', async ({ world, thread }) => {
    world.net.script('ours', SEND, unsent);
    expect(await world.say(thread, 'one')).toMatchObject({ success: true });
    world.net.script('ours', SEND, unsent, unsent);
    expect(await world.say(thread, 'two')).toMatchObject(UNKNOWN);
    expect([world.net.seen.length, await world.used()]).toEqual([1, 1]);
    expect((await world.sends()).map(({ status }) => status)).toEqual(['done', 'refused']);
    world.net.script('ours', `${SEND}.prepare`, silent, silent);
    expect(await world.say(thread, 'three')).toMatchObject(UNKNOWN);
    expect([world.net.seen.length, await world.used()]).toEqual([1, 1]);
  });

  it('waits for what the platform prepares, and sends nothing before', async ({ world, thread }) => {
    world.net.script('ours', `${SEND}.prepare`, pending(), pending(3), silent, pending(1));
    expect(await world.say(thread, 'one')).toMatchObject({ success: true });
    expect([world.net.callsOf(`${SEND}.prepare`), world.net.callsOf(SEND), await world.used()]).toEqual([5, 1, 1]);
    world.net.script('ours', `${SEND}.prepare`, ...times(80, pending(9)));
    const began = world.clock.now();
    expect(await world.say(thread, 'two')).toMatchObject(UNKNOWN);
    expect([world.clock.now() - began, world.net.seen.length, await world.used()]).toEqual([600_000, 1, 1]);
    expect((await world.sends()).map(({ status }) => status)).toEqual(['done', 'refused']);
  });

  it('finds what was made though the answer was lost', async ({ world, thread }) => {
    world.net.script('ours', SEND, lost);
    world.net.script('ours', SETTLE, blind, silent);
    expect(await world.say(thread, 'Hi')).toMatchObject({ success: true, message_id: world.net.seen[0]!.id });
    expect([world.net.seen.length, world.net.callsOf(SETTLE)]).toEqual([1, 3]);
    expect(await world.eventNames()).toEqual(['dm.sent', 'dm.status.sent']);
  });

  it('takes nothing for its own that another send made, or that has another correlation id', async ({
    world,
    account,
    thread,
  }) => {
    await world.say(thread, 'Hi');
    const { id: other } = world.net.seen[0]!;
    await world.record(account, [echo(world, 'snd_elsewhere.0', 'marked')]);
    const twin = { settled: { id: other } };
    const say = () => sayWithImage(world, thread, 'Hi');
    world.net.script('ours', SEND, {}, lost);
    world.net.script('ours', SETTLE, twin, { settled: { id: 'marked' } }, { settled: { id: 'messages.send-2' } });
    expect(await say()).toMatchObject({ ...UNKNOWN, meta: { message_ids: ['messages.send-2'] } });
    world.net.script('ours', SETTLE, twin);
    const ids = world.net.seen.slice(1).map(({ id }) => id);
    expect(ids[0]).toBe('messages.send-2');
    expect((await say()) as unknown).toEqual(expect.objectContaining({ message_ids: ids }));
    expect([world.net.seen.length, await world.used()]).toEqual([3, 2]);
    const told = (await world.events()).filter(({ name }) => name === 'dm.sent');
    expect(new Set(told.map(({ data }) => data['platform_id']))).toEqual(new Set([other, 'marked', ...ids]));
    expect(told).toHaveLength(4);
  });

  it('of two that look alike finds each once, here and in another process', async ({ world, account, thread }) => {
    const other = await world.second();
    const next = await world.conversation(account, 'other');
    world.net.script('ours', SEND, lost, lost);
    const [first, second] = [world.net.gate(), world.net.gate()];
    const found = { settled: { id: 'messages.send-1' } };
    world.net.script('ours', SETTLE, { ...found, ...first }, { ...found, ...second }, blind, blind);
    const asked = [world.ask(thread, 'Hi'), world.ask(next, 'Hi', { room: other })];
    await Promise.all([first.met, second.met]);
    first.open();
    second.open();
    const answers = await world.drive(Promise.all(asked));
    expect(answers.map((answer) => ('code' in answer ? answer.code : answer.message_id)).toSorted()).toEqual([
      'messages.send-1',
      'platform.twitter.api_error',
    ]);
    expect((await world.eventNames()).filter((name) => name === 'dm.sent')).toHaveLength(1);
  });

  it('says so when nobody can tell, keeps the credit, and looks first when asked again', async ({ world, thread }) => {
    world.net.script('ours', SEND, lost);
    world.net.script('ours', SETTLE, blind, blind, absent);
    const [first, { id }] = [await world.say(thread, 'Hi'), (await world.sends())[0]!];
    expect(first).toMatchObject({ ...UNKNOWN, meta: { id } });
    expect([await world.used(), await world.eventNames()]).toEqual([1, []]);
    world.net.script('ours', SETTLE, blind, absent, blind);
    expect(await world.say(thread, 'Hi')).toMatchObject({ ...UNKNOWN, meta: { id } });
    expect(await world.say(thread, 'Hi')).toMatchObject({ success: true, message_id: world.net.seen[0]!.id });
    expect([world.net.seen.length, world.net.callsOf(SEND), await world.used()]).toEqual([1, 1, 1]);
    expect(await world.sends()).toMatchObject([{ id, status: 'done', unheard: 0, error: null }]);
    expect(await world.eventNames()).toEqual(['dm.sent', 'dm.status.sent']);
  });

  it('sends again only what has been absent for long enough', async ({ world, thread }) => {
    world.net.script('ours', SEND, silent);
    world.net.script('ours', SETTLE, ...times(7, absent));
    expect(await world.say(thread, 'Hi')).toMatchObject(UNKNOWN);
    world.clock.move(45_000);
    expect(await world.say(thread, 'Hi')).toMatchObject(UNKNOWN);
    expect(world.net.callsOf(SEND)).toBe(1);
    world.clock.move(45_000);
    expect(await world.say(thread, 'Hi')).toMatchObject({ success: true });
    expect([world.net.callsOf(SEND), world.net.seen.length, await world.used()]).toEqual([2, 1, 1]);
  });

  it('takes an equal request for a new one when the unknown one was sent long ago, however often it was asked about', async ({
    world,
    thread,
  }) => {
    world.net.script('ours', SEND, silent);
    expect(await world.say(thread, 'Hi')).toMatchObject(UNKNOWN);
    world.clock.move(50_000);
    expect(await world.say(thread, 'Hi')).toMatchObject(UNKNOWN);
    world.clock.move(60_000);
    expect(await world.say(thread, 'Hi')).toMatchObject({ success: true });
    expect([(await world.sends()).length, await world.used()]).toEqual([2, 2]);
  });

  it('repeats what may be repeated, and it is there once', async ({ world }) => {
    const thread = await world.conversation(await world.account('threads'));
    world.net.script('ours', SEND, lost, silent);
    expect(await world.say(thread, 'Hi')).toMatchObject({ success: true });
    expect([world.net.callsOf(SEND), world.net.seen.length]).toEqual([3, 1]);
    world.net.script('ours', SEND, lost, silent, refused);
    const next = expect.stringMatching(/^Send the same again/);
    const unclear = { code: 'platform.threads.api_error', status: 502, next };
    expect(await world.say(thread, 'Ho')).toMatchObject(unclear);
    expect(await world.say(thread, 'Ho')).toMatchObject({ success: true });
    expect([world.net.texts('ours').length, await world.used()]).toEqual([2, 2]);
  });

  it('finds its message by the correlation id, while it waits and afterwards', async ({ world, account, thread }) => {
    world.net.script('ours', SEND, lost, lost);
    const gate = world.net.hold('ours', SETTLE, blind);
    const waiting = world.say(thread, 'Hi');
    await gate.met;
    const { id, mark } = world.net.seen[0]!;
    await world.record(account, [echo(world, mark, id)]);
    gate.open();
    expect(await waiting).toMatchObject({ success: true, message_ids: [id] });
    expect(await world.eventNames()).toEqual(['dm.sent', 'dm.status.sent']);

    world.net.script('ours', SETTLE, blind, blind, blind);
    expect(await world.say(thread, 'Ho')).toMatchObject(UNKNOWN);
    const second = world.net.seen[1]!;
    await world.record(account, [echo(world, second.mark, second.id)]);
    await world.record(account, [echo(world, second.mark, second.id)]);
    const calls = world.net.calls.length;
    expect(await world.say(thread, 'Ho')).toMatchObject({ success: true, message_id: second.id });
    expect(world.net.calls).toHaveLength(calls);
    const statuses = (await world.events()).filter(({ name }) => name === 'dm.status.sent');
    expect(statuses.map(({ data }) => data['mids'])).toEqual([[id], [second.id]]);
  });

  it('ignores correlation ids that are not its own', async ({ world, account, thread }) => {
    world.net.script('ours', SEND, lost);
    world.net.script('ours', SETTLE, blind, blind, blind);
    await world.say(thread, 'Hi');
    const stranger = await world.account('twitter', 'stranger');
    const { mark } = world.net.seen[0]!;
    for (const wrong of ['nonsense', 'snd_none.0', mark.replace(/\.0$/, '.1'), `${mark}7`])
      await world.record(account, [echo(world, wrong, `id of ${wrong}`)]);
    await world.record(stranger, [echo(world, mark, 'theirs')]);
    expect(await world.sends()).toMatchObject([{ status: 'unknown' }]);
  });

  it('performs an equal request once while it is under way, here and in another process', async ({ world, thread }) => {
    const gate = world.net.hold('ours', SEND);
    const other = await world.second();
    const asked = [world.ask(thread, 'Hi')];
    await gate.met;
    asked.push(world.ask(thread, 'Hi'), world.ask(thread, 'Hi', { room: other }));
    await world.written(2);
    gate.open();
    const answers = await world.drive(Promise.all(asked));
    expect(answers).toEqual(answers.map(() => answers[0]));
    expect(answers[0]).toMatchObject({ success: true });
    expect([world.net.seen.length, await world.used(), (await world.sends()).length]).toEqual([1, 1, 1]);
    const refusals = world.net.hold('ours', SEND, refused);
    const again = [world.ask(thread, 'Ho')];
    await refusals.met;
    again.push(world.ask(thread, 'Ho', { room: other }));
    await world.written(1);
    refusals.open();
    const told = await world.drive(Promise.all(again));
    expect(told[1]).toEqual(told[0]);
    expect([world.net.callsOf(SEND), await world.used()]).toEqual([2, 1]);
  });

  it('takes over from a process that died, and the dead one changes nothing any more', async ({ world, thread }) => {
    const gate = world.net.hold('ours', SEND, lost);
    const dying = world.say(thread, 'Hi');
    await gate.met;
    const { id } = (await world.sends())[0]!;
    // The process is frozen: its lease is not renewed, and another one finds it over.
    const frozen = { lease_until: world.clock.now() - 1 };
    await world.store.write(({ db }) => db.updateTable('sends').set(frozen).where('id', '=', id).execute());
    const other = await world.second();
    world.net.script('ours', SETTLE, blind, blind, blind);
    expect(await world.say(thread, 'Hi', { room: other })).toMatchObject({ ...UNKNOWN, meta: { id } });
    gate.open();
    expect(await dying).toMatchObject({ ...UNKNOWN, meta: { id } });
    expect(await world.say(thread, 'Hi', { room: other })).toMatchObject({ success: true });
    expect([world.net.seen.length, world.net.callsOf(SEND), await world.used()]).toEqual([1, 1, 1]);
    expect(await world.eventNames()).toEqual(['dm.sent', 'dm.status.sent']);
  });

  it('sends what a process that died had only prepared', async ({ world, thread }) => {
    const gate = world.net.hold('ours', `${SEND}.prepare`);
    const dying = world.say(thread, 'Hi');
    await gate.met;
    await world.store.write(({ db }) => db.updateTable('sends').set({ lease_until: 0 }).execute());
    await world.store.write(({ db }) => db.updateTable('sends').set({ lease_until: world.clock.now() }).execute());
    const other = await world.second();
    expect(await world.say(thread, 'Hi', { room: other })).toMatchObject({ success: true });
    gate.open();
    expect(await dying).toMatchObject({ success: true, message_id: world.net.seen[0]!.id });
    expect([world.net.seen.length, await world.used()]).toEqual([1, 1]);
  });

  it('answers the same again when the first answer was not heard, and says it again when it was', async ({
    world,
    thread,
  }) => {
    const gate = world.net.hold('ours', SEND);
    const client = new AbortController();
    const first = world.say(thread, 'ok', { signal: client.signal });
    await gate.met;
    client.abort();
    gate.open();
    const answer = await first;
    expect(await world.sends()).toMatchObject([{ status: 'done', unheard: 1 }]);
    expect(await world.say(thread, 'ok')).toEqual(answer);
    expect(world.net.seen).toHaveLength(1);
    expect(await world.say(thread, 'ok')).not.toEqual(answer);
    expect([world.net.seen.length, await world.used()]).toEqual([2, 2]);

    // Gone between the end of the work and the last byte of its answer.
    const late = new AbortController();
    const third = await world.say(thread, 'yes', { signal: late.signal });
    late.abort();
    await world.inbox.idle();
    expect(await world.say(thread, 'yes')).toEqual(third);
    expect(world.net.seen).toHaveLength(3);
    world.clock.move(120_000);
    expect(await world.say(thread, 'yes')).not.toEqual(third);
  });

  it('goes on with the bubbles that are missing', async ({ world, thread }) => {
    const say = () => sayWithImage(world, thread, 'Look');
    world.net.script('ours', SEND, {}, refused);
    const told = await say();
    const [first] = world.net.seen;
    expect(told).toMatchObject({ code: 'platform.twitter.window_closed', meta: { message_ids: [first!.id] } });
    expect(await world.used()).toBe(1);
    expect(await world.eventNames()).toEqual(['dm.sent', 'dm.status.sent', 'dm.status.failed']);
    const answer = await say();
    expect(answer).toMatchObject({ message_ids: world.net.seen.map(({ id }) => id), message_id: first!.id });
    expect([world.net.seen.length, await world.used(), (await world.sends()).length]).toEqual([2, 1, 1]);
  });

  it('takes a bug for an answer that was lost', async ({ world, thread }) => {
    world.net.script('ours', SEND, { ...broken, effect: true });
    expect(await world.say(thread, 'Hi')).toMatchObject({ success: true });
    expect(world.net.seen).toHaveLength(1);
    expect(world.log.join('')).toContain('sending broke');
  });

  it('charges each request once, and none beyond the allowance', async () => {
    const world = await makeWorld(stores, { plan: 'free' });
    const thread = await world.conversation(await world.account('twitter'));
    const { id: workspace_id, createdAt: period_start } = world.workspace;
    const used = { workspace_id, period_start, posts: 0, interactions: 49, exports: 0 };
    await world.store.write(({ db }) => db.insertInto('usage').values(used).execute());
    world.net.script('ours', SEND, lost);
    world.net.script('ours', SETTLE, blind, blind, blind);
    expect(await world.say(thread, 'last')).toMatchObject(UNKNOWN);
    const limit = { code: 'validation.interaction_limit_exhausted', status: 429, meta: { plan: 'free', max: 50 } };
    expect(await world.say(thread, 'more')).toMatchObject(limit);
    expect(await world.say(thread, 'last')).toMatchObject({ success: true });
    expect([world.net.seen.length, await world.used()]).toEqual([1, 50]);
  });

  it('ends with the account', async ({ world, account, thread }) => {
    const gate = world.net.hold('ours', SEND);
    const sending = world.say(thread, 'Hi');
    await gate.met;
    await world.store.write(({ db }) => db.deleteFrom('accounts').where('id', '=', account.id).execute());
    gate.open();
    expect(await sending).toMatchObject({ success: true });
    expect(await world.say(thread, 'Hi')).toMatchObject({ code: 'conversation.not_found' });
    expect(await world.eventNames()).toEqual([]);
  });

  it('forgets sends after two days', async ({ world, thread }) => {
    await world.say(thread, 'Hi');
    world.clock.move(2 * 86_400_000);
    expect([await world.inbox.sweepSends(), (await world.sends()).length]).toEqual([0, 1]);
    world.clock.move(1);
    expect([await world.inbox.sweepSends(), (await world.sends()).length]).toEqual([1, 0]);
  });
});

it('a send that its platform cannot be asked about is looked for by people', () => {
  expect(envelope(unknownResultError('telegram', 'snd_1', { isSettled: false }), 'req_1').error).toMatchObject({
    message: expect.stringMatching(/Look there; if it is not there, send it with another Idempotency-Key\.$/),
    meta: { id: 'snd_1' },
  });
});
