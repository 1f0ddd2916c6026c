import { MINUTE } from '#kernel/clock.ts';
import { describe, expect, test } from 'vitest';
import { silent } from '../../harness/platforms/social.ts';
import { leashedKey } from '../../harness/calls/leash.ts';
import { call, callThrough, expectInvalid, expectRefusal, expectRequired } from '../../harness/calls/operations.ts';
import { newMember } from '../../harness/calls/members.ts';
import { endSession } from '../../harness/worlds/account.ts';
import { allOf, aMessage, makeStage, whenCalled } from '../../harness/worlds/social.ts';

const it = test.extend('stage', () => makeStage());

describe('the lists of conversations and messages', () => {
  it('list_conversations pages by the last message, and filters', async () => {
    const { world, connect, converse, tell } = await makeStage();
    const [one, two] = [await connect('twitter', 'one'), await connect('facebook', 'two')];
    const now = world.clock.now();
    const ids: string[] = [];
    for (const [at, thread] of ['a', 'b', 'c'].entries())
      ids.unshift(await converse(one, { thread, at: now - (10 - at) * MINUTE }));
    const paged = await converse(two, { thread: 'p', page: 'p2', at: now - MINUTE });
    expect((await allOf(world, 'list_conversations', {}, 1)).map(({ id }) => id)).toEqual([paged, ...ids]);
    // An older message that comes late moves nothing.
    const conversation = { platform_id: 'a', participant: { id: 'fan-a', name: 'Fan' } };
    await tell(one, [{ kind: 'message', conversation, message: aMessage('late', now - 20 * MINUTE) }]);
    await tell(one, [{ kind: 'message', conversation, message: aMessage('new', now) }]);
    const order = [ids[2], paged, ids[0], ids[1]];
    expect((await allOf(world, 'list_conversations', {}, 3)).map(({ id }) => id)).toEqual(order);

    const { body: pages } = await call(world, 'list_account_pages', { account_id: two.id });
    const page = pages.data.find(({ platform_page_id }: { platform_page_id: string }) => platform_page_id === 'p2');
    const list = (input: object) => call(world, 'list_conversations', { ...input });
    const filters: readonly (readonly [object, readonly unknown[]])[] = [
      [{ account_id: one.id }, [ids[2], ids[0], ids[1]]],
      [{ brand_id: two.brand_id }, [paged]],
      [{ platform: 'facebook' }, [paged]],
      [{ platform: 'zalo' }, []],
      [{ page_id: 'p2' }, [paged]],
      [{ page_id: page.id }, [paged]],
      [{ page_id: 'p1' }, []],
      [{ status: 'archived' }, []],
    ];
    for (const [filter, expected] of filters) {
      const { body } = await list(filter);
      expect([filter, body.data.map(({ id }: { id: string }) => id)]).toEqual([filter, expected]);
    }
    const { body } = await list({ account_id: two.id });
    expect(body.data[0]).toMatchObject({
      id: paged,
      user_id: world.userId,
      account_id: two.id,
      page_id: page.id,
      platform: 'facebook',
      platform_id: 'p',
      participant_id: 'fan-p',
      participant_name: 'Fan',
      status: 'active',
      unread_count: 1,
      last_message: 'Text of hello-p',
      last_message_at: new Date(now - MINUTE).toISOString(),
    });
    const other = (await newMember(world, 'viewer')).token;
    expect((await call(world, 'list_conversations', { account_id: two.id }, { key: other })).body.data).toEqual(
      body.data,
    );
    await expectRefusal(list({ account_id: 'acc_none' }), 'account.not_found', { id: 'acc_none' });
    await expectRefusal(list({ brand_id: 'brd_none' }), 'brand.not_found', { id: 'brd_none' });
    await expectInvalid(list({ status: 'lost' }), 'status');
    const { next_cursor: cursor } = (await list({ platform: 'twitter', limit: 1 })).body;
    await expectInvalid(list({ platform: 'facebook', cursor }), 'cursor');
    const goneOn = await list({ cursor });
    expect(goneOn.body.data.map(({ id }: { id: string }) => id)).toEqual([ids[0], ids[1]]);
  });

  it('list_conversations knows who spoke last, whichever way it came, and filters by it', async () => {
    const { world, connect, converse, tell } = await makeStage();
    const account = await connect('twitter');
    const now = world.clock.now();
    const ids = [
      await converse(account, { thread: 'a', at: now - 4 }),
      await converse(account, { thread: 'b', at: now - 3 }),
    ];
    const conversation = { platform_id: 'b', participant: { id: 'fan-b', name: 'Fan' } };
    const say = (message: ReturnType<typeof aMessage>) => tell(account, [{ kind: 'message', conversation, message }]);
    const list = async (awaiting_reply: boolean) => {
      const { body } = await call(world, 'list_conversations', { awaiting_reply });
      return body.data.map((one: { id: string; last_message_direction: string }) => [
        one.id,
        one.last_message_direction,
      ]);
    };
    const waiting = ids.toReversed().map((id) => [id, 'incoming']);
    expect([await list(true), await list(false)]).toEqual([waiting, []]);
    await call(world, 'send_dm', { conversation_id: ids[0], text: 'Hi' });
    expect([await list(true), await list(false)]).toEqual([[[ids[1], 'incoming']], [[ids[0], 'outgoing']]]);
    // Somebody answers on the platform itself.
    await say(aMessage('ours', now + 1, { direction: 'outgoing' }));
    expect(await list(true)).toEqual([]);
    // A message that comes late was answered already; one that is newer was not, until it is taken back.
    await say(aMessage('late', now - 2));
    expect(await list(true)).toEqual([]);
    await say(aMessage('more', now + 2));
    expect(await list(true)).toEqual([[ids[1], 'incoming']]);
    await tell(account, [{ kind: 'message_gone', platform_id: 'more' }]);
    expect(await list(true)).toEqual([]);
    const { next_cursor: cursor } = (await call(world, 'list_conversations', { awaiting_reply: false, limit: 1 })).body;
    await expectInvalid(call(world, 'list_conversations', { awaiting_reply: true, cursor }), 'cursor');
  });

  it('list_conversations reports how far the inboxes in view are read', async ({ stage: { world, connect } }) => {
    const sync = async (input: object = {}) => {
      const { body } = await call(world, 'list_conversations', { ...input });
      return [body.last_synced_at, body.sync_state];
    };
    expect(await sync()).toEqual([null, 'idle']);
    const [one, two, other] = [
      await connect('twitter', 'one'),
      await connect('facebook', 'two'),
      await connect('google', 'other'),
    ];
    const set = (account: { id: string }, last_synced_at: number | null, sync_state: 'idle' | 'syncing' | 'failed') =>
      world.product.store.write(async ({ db }) => {
        await db.deleteFrom('inbox_accounts').where('account_id', '=', account.id).execute();
        const row = {
          account_id: account.id,
          workspace_id: world.workspaceId,
          begun_at: 0,
          sync_state,
          last_synced_at,
          sync_started_at: 0,
          history_cursor: null,
          history_done: 1,
          poll_cursor: null,
        } as const;
        await db.insertInto('inbox_accounts').values(row).execute();
      });
    await set(one, 2000, 'syncing');
    await set(two, 1000, 'idle');
    await set(other, null, 'failed');
    expect(await sync()).toEqual([new Date(1000).toISOString(), 'syncing']);
    expect(await sync({ account_id: one.id })).toEqual([new Date(2000).toISOString(), 'syncing']);
    expect(await sync({ brand_id: two.brand_id })).toEqual([new Date(1000).toISOString(), 'idle']);
    await set(one, null, 'failed');
    expect(await sync()).toEqual([null, 'failed']);
  });

  it('get_conversation and update_conversation, whatever state it is in', async () => {
    const { world, net, connect, converse, tell } = await makeStage();
    const account = await connect('twitter');
    const conversation_id = await converse(account);
    const read = async () => (await call(world, 'get_conversation', { conversation_id })).body.data;
    const update = (input: object) => call(world, 'update_conversation', { conversation_id, ...input });
    expect(await read()).toMatchObject({ id: conversation_id, status: 'active', unread_count: 1 });
    expect((await update({ status: 'archived' })).body).toMatchObject({
      success: true,
      data: { id: conversation_id, status: 'archived', unread_count: 1 },
    });
    expect((await update({ status: 'archived' })).body.data.status).toBe('archived');
    expect((await call(world, 'list_conversations')).body.data).toEqual([]);
    // What a person writes brings it back; what we write does not.
    const say = { conversation_id, text: 'Hi' };
    expect((await call(world, 'send_dm', say)).ok).toBe(true);
    expect((await read()).status).toBe('archived');
    const conversation = { platform_id: 'thread', participant: { id: 'fan-thread', name: 'Fan' } };
    await tell(account, [{ kind: 'message', conversation, message: aMessage('more', world.clock.now()) }]);
    expect(await read()).toMatchObject({ status: 'active', unread_count: 2 });

    expect((await update({ is_read: true })).body.data.unread_count).toBe(0);
    expect(net.callsOf('messages.seen')).toBe(1);
    expect((await update({ is_read: false })).body.data.unread_count).toBe(1);
    const archived = { unread_count: 1, status: 'archived' };
    expect((await update({ is_read: false, status: 'archived' })).body.data).toMatchObject(archived);
    expect(net.callsOf('messages.seen')).toBe(1);
    await expectRequired(update({}), 'status');
    await expectInvalid(update({ status: 'lost' }), 'status');
    const none = { conversation_id: 'conv_none', status: 'active' };
    for (const name of ['get_conversation', 'update_conversation', 'mark_conversation_read', 'list_messages']) {
      const missing = call(world, name, name === 'update_conversation' ? none : { conversation_id: 'conv_none' });
      await expectRefusal(missing, 'conversation.not_found', { resource: 'conversation', id: 'conv_none' });
    }
    await world.rest(`DELETE /v1/accounts/${account.id}`);
    await expectRefusal(call(world, 'get_conversation', { conversation_id }), 'conversation.not_found');
  });

  it('is read here alone where the leash allows no messages', async ({ stage: { world, net, connect, converse } }) => {
    const conversation_id = await converse(await connect('twitter'));
    const key = await leashedKey(world, 'draft');
    const unread = async () =>
      (await call(world, 'get_conversation', { conversation_id })).body.data.unread_count as number;
    for (const [name, input] of [
      ['mark_conversation_read', {}],
      ['update_conversation', { is_read: true }],
    ] as const) {
      await call(world, 'update_conversation', { conversation_id, is_read: false });
      expect((await callThrough(world, 'rest', name, { conversation_id, ...input }, { key })).ok).toBe(true);
      expect([await unread(), net.callsOf('messages.seen')]).toEqual([0, 0]);
    }
    await call(world, 'mark_conversation_read', { conversation_id });
    expect(net.callsOf('messages.seen')).toBe(1);
  });

  it('mark_conversation_read does not depend on the platform', async ({ stage: { world, net, connect, converse } }) => {
    const account = await connect('twitter');
    const conversation_id = await converse(account);
    const mark = () => call(world, 'mark_conversation_read', { conversation_id });
    net.script('ours', 'messages.seen', silent);
    expect((await mark()).body).toEqual({ success: true, ok: true, id: conversation_id });
    const gate = net.gate();
    net.script('ours', 'messages.seen', gate);
    const waiting = mark();
    await whenCalled(net, 'messages.seen', 2);
    world.clock.move(5000);
    expect((await waiting).body.ok).toBe(true);
    gate.open();
    expect((await call(world, 'get_conversation', { conversation_id })).body.data.unread_count).toBe(0);
    await endSession(world, account.id);
    expect((await mark()).ok).toBe(true);
    const zalo = await converse(await connect('zalo', 'other'), { thread: 'other' });
    expect((await call(world, 'mark_conversation_read', { conversation_id: zalo })).ok).toBe(true);
  });

  it('list_messages shows what is stored, newest first, and nothing that was taken back', async () => {
    const { world, connect, converse, tell } = await makeStage();
    const account = await connect('twitter');
    const conversation_id = await converse(account);
    const now = world.clock.now();
    const conversation = { platform_id: 'thread', participant: { id: 'fan-thread', name: 'Fan' } };
    const attachments = [{ type: 'image', url: 'https://pictures.example.org/1.png' }];
    await tell(account, [
      { kind: 'message', conversation, message: aMessage('m1', now - 3, { attachments }) },
      { kind: 'message', conversation, message: aMessage('m2', now - 2, { reply_to: 'm1', direction: 'outgoing' }) },
      { kind: 'message', conversation, message: aMessage('m3', now - 1) },
      { kind: 'message_gone', platform_id: 'm3' },
    ]);
    const rows = await allOf(world, 'list_messages', { conversation_id }, 1);
    expect(rows.map(({ platform_id }) => platform_id)).toEqual(['m2', 'm1', 'hello-thread']);
    const answer = { direction: 'outgoing', sender_id: 'twitter-ours', reply_to_message_id: rows[1].id };
    expect(rows[0]).toMatchObject(answer);
    expect(rows[1]).toMatchObject({
      conversation_id,
      direction: 'incoming',
      sender_id: 'fan-thread',
      sender_name: 'Fan',
      status: 'received',
      attachment_type: 'image',
      attachment_url: attachments[0]!.url,
      attachments,
      reply_to_message_id: null,
    });
    const clamped = await call(world, 'list_messages', { conversation_id, limit: 200 });
    expect(clamped.body.pagination.limit).toBe(100);
    const other = await converse(account, { thread: 'other' });
    const { next_cursor: cursor } = (await call(world, 'list_messages', { conversation_id, limit: 1 })).body;
    await expectInvalid(call(world, 'list_messages', { conversation_id: other, cursor }), 'cursor');
  });
});
