import { expect, test } from 'vitest';
import type { InboundEvent } from '#platforms/inbound.ts';
import { blind, lost } from '../../harness/platforms/social.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { makeWorld, type World } from '../../harness/worlds/sending.ts';

const UNDELIVERABLE = {
  code: 'platform.twitter.window_closed',
  message: 'Too late to answer.',
  platform_code: 349,
  platform_message: 'Too late',
} as const;

type Receipt = Extract<InboundEvent, { kind: 'receipt' }>;

const receipt = (world: World, more: Partial<Receipt>): Receipt => ({
  kind: 'receipt',
  status: 'delivered',
  conversation: 'thread',
  at: world.clock.now() + 1000,
  ...more,
});

const messagesOf = (world: World) =>
  world.store.db.selectFrom('messages').selectAll().where('direction', '=', 'outgoing').execute();

describeStores('a message of ours', { kinds: ['memory', 'postgres'] }, (stores) => {
  const it = test
    .extend('world', () => makeWorld(stores))
    .extend('account', ({ world }) => world.account('twitter'))
    .extend('thread', ({ world, account }) => world.conversation(account));

  it('that was accepted and then not delivered has failed, once, and nothing is given back', async ({
    world,
    account,
    thread,
  }) => {
    const { message_id: id } = (await world.say(thread, 'Hi')) as { message_id: string };
    const failed = receipt(world, { status: 'failed', message_ids: [id], error: UNDELIVERABLE });
    await world.record(account, [failed]);
    await world.record(account, [failed, receipt(world, { message_ids: [id] })]);
    expect(await world.eventNames()).toEqual(['dm.sent', 'dm.status.sent', 'dm.status.failed']);
    const { code: error_code, message: error_message, ...said } = UNDELIVERABLE;
    const told = { status: 'failed', message_ids: [id], error_code, error_message, ...said };
    expect((await world.events()).at(-1)!.data).toMatchObject(told);
    expect(await messagesOf(world)).toMatchObject([{ status: 'failed', metadata: { error: UNDELIVERABLE } }]);
    expect([await world.used(), (await world.sends())[0]!.status]).toEqual([1, 'done']);
  });

  it('does not fail any more once it was delivered, nor by an instant', async ({ world, account, thread }) => {
    const { message_id: id } = (await world.say(thread, 'Hi')) as { message_id: string };
    await world.record(account, [receipt(world, { status: 'failed', watermark: world.clock.now() + 1 })]);
    await world.record(account, [receipt(world, { message_ids: [id] })]);
    await world.record(account, [receipt(world, { status: 'failed', message_ids: [id], error: UNDELIVERABLE })]);
    expect((await messagesOf(world)).map(({ status }) => status)).toEqual(['delivered']);
  });

  for (const status of ['sent', 'delivered', 'failed'] as const) {
    it(`whose answer was lost is settled by the correlation id of its receipt: ${status}`, async ({
      world,
      account,
      thread,
    }) => {
      world.net.script(account.username, 'messages.send', lost);
      world.net.script(account.username, 'messages.send.settle', blind, blind, blind);
      expect(await world.say(thread, 'Hi')).toMatchObject({ status: 502 });
      expect([(await messagesOf(world)).length, (await world.sends())[0]!.status]).toEqual([0, 'unknown']);

      const { id, mark: correlation_id } = world.net.seen[0]!;
      const error = status === 'failed' ? UNDELIVERABLE : undefined;
      const event = receipt(world, { status, message_ids: [id], correlation_id, error });
      await world.record(account, [event]);
      await world.record(account, [event]);
      expect(await messagesOf(world)).toMatchObject([{ platform_id: id, text: 'Hi', status, conversation_id: thread }]);
      const told = new Set(['dm.sent', `dm.status.${status}`, 'dm.status.sent']);
      expect((await world.eventNames()).toSorted()).toEqual([...told].toSorted());
      expect([(await world.sends())[0]!.status, await world.used()]).toEqual(['done', 1]);
      // Who repeats the request is answered with the message that is there.
      expect(await world.say(thread, 'Hi')).toMatchObject({ message_id: id });
      expect(world.net.seen).toHaveLength(1);
    });
  }

  it('is settled by a receipt of an account alone that sent it', async ({ world, account, thread }) => {
    const other = await world.account('twitter', 'theirs');
    world.net.script(account.username, 'messages.send', lost);
    world.net.script(account.username, 'messages.send.settle', blind, blind, blind);
    await world.say(thread, 'Hi');
    const { id, mark: correlation_id } = world.net.seen[0]!;
    await world.record(other, [receipt(world, { message_ids: [id], correlation_id })]);
    expect((await world.sends())[0]!.status).toBe('unknown');
  });
});
