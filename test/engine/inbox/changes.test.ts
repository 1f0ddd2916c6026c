import { expect, test } from 'vitest';
import { presentMetadata } from '#engine/inbox/record/metadata.ts';
import type { InboundEvent } from '#platforms/inbound.ts';
import { commented, DAWN, said } from '../../harness/platforms/inbound.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { makeInboxWorld } from '../../harness/worlds/inbound.ts';

const EDITED = DAWN + 60_000;

const edit = (text: string, at = EDITED): InboundEvent => ({
  kind: 'message_edited',
  platform_id: 'm1',
  content: { text },
  at,
});

type Reaction = Extract<InboundEvent, { kind: 'reaction' }>;

const react = (emojis: readonly string[], at = EDITED, more: Partial<Reaction> = {}): InboundEvent => ({
  kind: 'reaction',
  conversation: 'fan',
  message: 'm1',
  direction: 'incoming',
  emojis,
  at,
  ...more,
});

const join: InboundEvent = {
  kind: 'notice',
  conversation: 'fan',
  platform_id: 'n1',
  text: 'Ann joined',
  notice: { type: 'joined' },
  at: EDITED,
};

describeStores('what changes a message', (stores) => {
  const it = test.extend('world', () => makeInboxWorld(stores)).extend('account', ({ world }) => world.account());

  const shownOf = async (world: Awaited<ReturnType<typeof makeInboxWorld>>) =>
    (await world.rows('messages')).map(({ text, metadata, conversation_id }) => ({
      text,
      metadata: presentMetadata(metadata),
      isListed: conversation_id !== '',
    }));

  it('replaces its text by an edit, and nothing else', async ({ world, account }) => {
    await world.record(account, [
      said('m1', { metadata: { referral: { ref: 'x' } } }),
      said('m2', { created_at: DAWN - 1 }),
    ]);
    const [before] = await world.rows('conversations');
    await world.record(account, [edit('better'), edit('older', EDITED - 1), edit('better')]);
    const edited_at = new Date(EDITED).toISOString();
    expect(await shownOf(world)).toContainEqual({
      text: 'better',
      metadata: { referral: { ref: 'x' }, edited_at },
      isListed: true,
    });
    const [after] = await world.rows('conversations');
    expect(after).toMatchObject({ unread_count: 2, last_message: 'better', last_message_at: before.last_message_at });
    expect((await world.events()).map(({ event }) => event)).toEqual(['dm.received', 'dm.received']);
  });

  it('keeps a change until its message comes', async ({ world, account }) => {
    await world.record(account, [edit('better'), react(['👍'])]);
    expect([await world.rows('conversations'), await world.events()]).toEqual([[], []]);
    await world.record(account, [said('m1')]);
    await world.record(account, [said('m1')], { silent: true });
    const by = { id: 'fan', name: 'Person fan' };
    const reactions = [{ emoji: '👍', by, at: new Date(EDITED).toISOString() }];
    expect(await shownOf(world)).toMatchObject([{ text: 'better', metadata: { reactions }, isListed: true }]);
    expect((await world.events()).map(({ data }) => data.content.text)).toEqual(['better']);
    expect(await world.rows('conversations')).toMatchObject([{ unread_count: 1, last_message: 'better' }]);
    await world.record(account, [react([], EDITED + 1)]);
    expect((await shownOf(world))[0]?.metadata).toEqual({ edited_at: new Date(EDITED).toISOString() });
  });

  it('takes a reaction without a time for newer than what is known', async ({ world, account }) => {
    await world.record(account, [said('m1'), react(['👍']), react([], EDITED, { at: undefined })]);
    expect((await shownOf(world))[0]?.metadata).toEqual({});
    await world.record(account, [react(['🔥'], EDITED + 1)]);
    expect((await shownOf(world))[0]?.metadata).toMatchObject({ reactions: [{ emoji: '🔥' }] });
  });

  it('stands a reaction on its message until it is withdrawn', async ({ world, account }) => {
    await world.record(account, [said('m1'), react(['👍'], EDITED)]);
    const reaction = (emoji: string, by: object, at = EDITED) => ({ emoji, by, at: new Date(at).toISOString() });
    const fan = { id: 'fan', name: 'Person fan' };
    expect((await shownOf(world))[0]?.metadata).toEqual({ reactions: [reaction('👍', fan)] });
    const ours = { id: account.platform_user_id, name: account.name };
    await world.record(account, [
      react(['❤️', '🔥'], EDITED + 1),
      react(['👎'], EDITED),
      react(['😀'], EDITED, { direction: 'outgoing' }),
      react(['😡'], EDITED, { by: { id: 'other', name: 'Other' } }),
    ]);
    expect((await shownOf(world))[0]?.metadata).toEqual({
      reactions: [
        reaction('❤️', fan, EDITED + 1),
        reaction('🔥', fan, EDITED + 1),
        reaction('😀', ours),
        reaction('😡', { id: 'other', name: 'Other' }),
      ],
    });
    await world.record(account, [
      react([], EDITED + 2),
      react(['👍'], EDITED + 1),
      react([], EDITED + 1, { direction: 'outgoing' }),
      react([], EDITED + 1, { by: { id: 'other', name: 'Other' } }),
    ]);
    expect((await shownOf(world))[0]?.metadata).toEqual({});
    expect((await world.events()).length).toBe(1);
    expect(await world.rows('conversations')).toMatchObject([{ unread_count: 1, last_message_at: DAWN }]);
  });

  it('is kept away from a message that was taken back', async ({ world, account }) => {
    await world.record(account, [
      said('m1'),
      { kind: 'message_gone', platform_id: 'm1' },
      edit('again'),
      react(['👍']),
    ]);
    expect(await world.rows('messages')).toMatchObject([{ text: '', metadata: {}, gone_at: expect.any(Number) }]);
  });

  it('stores a notice where its conversation is known, as no message of anybody', async ({ world, account }) => {
    await world.record(account, [join]);
    expect([await world.rows('messages'), await world.rows('conversations')]).toEqual([[], []]);
    await world.record(account, [said('m1'), join, join]);
    const notice = { text: 'Ann joined', sender_id: 'facebook', metadata: { notice: { type: 'joined' } } };
    expect(await world.rows('messages')).toMatchObject([{ platform_id: 'm1' }, notice]);
    expect((await world.events()).map(({ event }) => event)).toEqual(['dm.received']);
    const untouched = { unread_count: 1, last_message: 'message m1', last_message_at: DAWN, last_incoming_at: DAWN };
    expect(await world.rows('conversations')).toMatchObject([untouched]);
    await world.record(account, [said('m0', { created_at: DAWN - 1 })]);
    expect(await world.rows('conversations')).toMatchObject([{ last_message: 'message m1' }]);
  });

  it('marks what says nothing', async ({ world, account }) => {
    const named = { metadata: { location: { latitude: 1, longitude: 2 } } };
    await world.record(account, [
      said('m1', { text: ' ' }),
      said('m2', { text: '', ...named }),
      commented('c1', { text: '' }),
    ]);
    const unsupported = { type: 'unknown' };
    const words = 'Sent something that cannot be shown here';
    expect(await shownOf(world)).toMatchObject([
      { text: words, metadata: { unsupported } },
      { text: '', ...named },
    ]);
    expect(await world.rows('comments')).toMatchObject([{ text: words, metadata: { unsupported } }]);
  });
});
