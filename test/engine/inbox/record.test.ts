import { DAY } from '#kernel/clock.ts';
import { expect, test } from 'vitest';
import { describeStores } from '../../harness/stores/stores.ts';
import { interactionId, readInteractionId } from '#engine/inbox/record/ids.ts';
import type { InboundEvent } from '#platforms/inbound.ts';
import { inboxWith, makeInboxWorld } from '../../harness/worlds/inbound.ts';
import { commented, DAWN, mentioned, reviewed, said, thread } from '../../harness/platforms/inbound.ts';

describeStores('what is reported of an account', (stores) => {
  const it = test.extend('world', () => makeInboxWorld(stores)).extend('account', ({ world }) => world.account());

  it('becomes a row and an event once, however often it is reported', async ({ world, account }) => {
    const facts = [commented('c1'), said('m1'), mentioned('n1'), reviewed('r1')];
    for (let time = 0; time < 3; time += 1) await world.record(account, [...facts, ...facts]);
    const names = (await world.events()).map(({ event }) => event);
    expect(names.toSorted()).toEqual(['comment.received', 'dm.received', 'mention.received', 'review.received']);
    for (const table of ['comments', 'messages', 'mentions', 'reviews', 'conversations'] as const)
      expect([table, (await world.rows(table)).length]).toEqual([table, 1]);
  });

  it('makes events with the fields of the catalogue', async ({ world, account }) => {
    await world.record(account, [
      commented('c1', { parent_id: 'c0', permalink: 'https://told.test/c1' }),
      said('m1', {
        metadata: { referral: { ad_id: 'ad' } },
        attachments: [{ type: 'image', url: 'https://told.test/i' }],
      }),
      mentioned('n1', { mention_type: 'caption' }),
      reviewed('r1', { rating: 4, location: 'here' }),
      { kind: 'postback', conversation: thread(), platform_id: 'b1', title: 'Yes', payload: 'YES', at: DAWN },
      { kind: 'referral', conversation: thread(), platform_id: 'f1', referral: { ref: 'x' }, at: DAWN },
    ]);
    const [conversation] = await world.rows('conversations');
    const [inboxPost] = await world.rows('inbox_posts');
    const of = async (name: string) => (await world.events(name)).map(({ data }) => data);
    const owner = { brand_id: account.brand_id, account_id: account.id, platform: 'facebook' };
    const base = { ...owner, metadata: expect.any(Object) };
    const author = { id: 'fan', name: 'Person fan', username: null, avatar_url: null };
    expect(await of('comment.received')).toEqual([
      {
        ...base,
        id: interactionId('comment', 'facebook', 'c1'),
        type: 'comment',
        platform_id: 'c1',
        author,
        content: { text: 'comment c1', media: [] },
        post_id: inboxPost.id,
        inbox_post_id: inboxPost.id,
        platform_post_id: 'post-1',
        permalink: 'https://told.test/c1',
        created_at: '2026-01-15T08:00:00.000Z',
        received_at: '2026-01-15T08:00:00.000Z',
        is_reply: true,
        parent_id: interactionId('comment', 'facebook', 'c0'),
        metadata: { is_reply: true },
      },
    ]);
    expect(await of('dm.received')).toEqual([
      expect.objectContaining({
        ...base,
        id: interactionId('dm', 'facebook', 'm1'),
        type: 'dm',
        author,
        content: { text: 'message m1', media: [{ type: 'image', url: 'https://told.test/i' }] },
        conversation_id: conversation.id,
        metadata: { referral: { ad_id: 'ad' } },
      }),
    ]);
    const others = {
      'mention.received': { type: 'mention', metadata: { mention_type: 'caption' } },
      'review.received': { type: 'review', rating: 4, metadata: { location: 'here' } },
      'dm.postback': { metadata: { title: 'Yes', payload: 'YES' } },
      'dm.referral': { content: { text: '', media: [] }, metadata: { referral: { ref: 'x' } } },
    };
    for (const [name, own] of Object.entries(others))
      expect(await of(name)).toEqual([expect.objectContaining({ ...base, ...own })]);
  });

  it('is announced by a push when only history or a list had it', async ({ world, account }) => {
    const facts = [commented('c1'), said('m1'), mentioned('n1')];
    await world.record(account, facts, { silent: true });
    expect(await world.events()).toEqual([]);
    expect(await world.rows('conversations')).toMatchObject([{ unread_count: 0, last_message: 'message m1' }]);
    await world.record(account, facts);
    await world.record(account, facts);
    const names = (await world.events()).map(({ event }) => event);
    expect(names.toSorted()).toEqual(['comment.received', 'dm.received', 'mention.received']);
    expect(await world.rows('conversations')).toMatchObject([{ unread_count: 1 }]);
  });

  it('takes what history calls unread for a conversation it brings', async ({ world, account }) => {
    await world.record(account, [said('m1', {}, thread('fan', { unread: 7 }))], { silent: true });
    expect(await world.rows('conversations')).toMatchObject([{ unread_count: 7 }]);
  });

  it('reports mentions that a list found as one event, and only the new ones', async ({ world, account }) => {
    const three = [mentioned('n1'), mentioned('n2'), mentioned('n3')];
    await world.record(account, [mentioned('n1')], { silent: true });
    await world.record(account, three, { together: true });
    await world.record(account, three, { together: true });
    await world.record(account, [mentioned('n2')]);
    const events = await world.events('mention.received');
    const ids = events.map(({ data }) => data.map((one: { platform_id: string }) => one.platform_id));
    expect(ids).toEqual([['n2', 'n3']]);
  });

  it('makes no event of what the account itself comments, and reports what it sent', async ({ world, account }) => {
    const sent = said('m1', { direction: 'outgoing', correlation_id: 'ours' });
    await world.record(account, [commented('c1', { is_owner: true }), sent]);
    const author = { id: account.platform_user_id, name: account.name, username: account.username, avatar_url: null };
    const data = expect.objectContaining({ author, recipient: { id: 'fan', name: 'Person fan' }, metadata: {} });
    expect(await world.events()).toEqual([{ event: 'dm.sent', data }]);
    expect(await world.rows('conversations')).toMatchObject([{ unread_count: 0, last_incoming_at: null }]);
    expect(await world.rows('comments')).toMatchObject([{ is_owner: 1 }]);
  });

  it('keeps a comment away that was deleted before it came, and forgets one that is', async ({ world, account }) => {
    const gone = (platform_id: string): InboundEvent => ({ kind: 'comment_gone', platform_id });
    await world.record(account, [gone('early')]);
    await world.record(account, [commented('early'), commented('late')]);
    await world.record(account, [gone('late'), gone('late')]);
    await world.record(account, [commented('late'), commented('early')], { silent: true });
    const empty = { gone_at: expect.any(Number), text: '' };
    expect(await world.rows('comments')).toMatchObject([empty, empty]);
    expect((await world.events()).map(({ data }) => data.platform_id)).toEqual(['late']);
    expect(await world.rows('inbox_posts')).toMatchObject([{ comment_count: 0 }]);
  });

  it('lets an edit change a comment, and nothing older change it back', async ({ world, account }) => {
    const better = commented('c1', { text: 'better' }) as InboundEvent & { kind: 'comment' };
    const edited: InboundEvent = { ...better, edited: true };
    await world.record(account, [edited]);
    expect(await world.events()).toEqual([]);
    await world.record(account, [commented('c1'), edited, commented('c1')]);
    expect(await world.rows('comments')).toMatchObject([{ text: 'better' }]);
    expect((await world.events()).map(({ data }) => data.content.text)).toEqual(['better']);
    await world.record(account, [commented('c1', { text: 'as it is now', like_count: 3 })], { silent: true });
    await world.record(account, [{ kind: 'comment_hidden', platform_id: 'c1', hidden: true }]);
    expect(await world.rows('comments')).toMatchObject([{ text: 'as it is now', like_count: 3, is_hidden: 1 }]);
  });

  it('counts the comments of a post as they come and go, and believes what a list says', async ({ world, account }) => {
    const post = { platform_id: 'post-1', text: 'News', comment_count: 9, like_count: 2, published_at: DAWN - 1 };
    await world.record(account, [commented('c1'), commented('c2')]);
    expect(await world.rows('inbox_posts')).toMatchObject([{ comment_count: 2, content: '' }]);
    await world.record(account, [{ kind: 'post', post: { ...post, comment_count: 0 } }]);
    expect(await world.rows('inbox_posts')).toMatchObject([{ comment_count: 2, content: 'News', like_count: 2 }]);
    await world.record(account, [{ kind: 'post', post }], { silent: true });
    expect(await world.rows('inbox_posts')).toMatchObject([{ comment_count: 9, published_at: DAWN - 1 }]);
    await world.record(account, [{ kind: 'post', post: { ...post, comment_count: 1 } }], { silent: true });
    await world.record(account, [commented('c3')], { silent: true });
    expect(await world.rows('inbox_posts')).toMatchObject([{ comment_count: 3 }]);
  });

  it('moves a conversation forward only, by the clock of the platform', async ({ world, account }) => {
    const at = DAWN + 3;
    await world.record(account, [said('m3', { created_at: at })]);
    const reply = said('m2', { created_at: DAWN + 2, direction: 'outgoing' });
    await world.record(account, [said('m1', { created_at: DAWN + 1 }), reply]);
    const latest = { last_message: 'message m3', last_message_at: at, last_incoming_at: at, unread_count: 2 };
    expect(await world.rows('conversations')).toMatchObject([latest]);
    const attachments = [{ type: 'video', url: 'https://told.test/v' }];
    await world.record(account, [said('m4', { text: '', attachments, created_at: DAWN + 4 })]);
    expect(await world.rows('conversations')).toMatchObject([{ last_message: '[video]' }]);
    await world.record(account, [{ kind: 'message_gone', platform_id: 'm4' }]);
    expect(await world.rows('conversations')).toMatchObject([
      { ...latest, last_incoming_at: DAWN + 4, unread_count: 3 },
    ]);
  });

  it('keeps a message away that was taken back before it came', async ({ world, account }) => {
    await world.record(account, [{ kind: 'message_gone', platform_id: 'm1' }, said('m1')]);
    expect([await world.events(), await world.rows('conversations')]).toEqual([[], []]);
  });

  it('brings an archived conversation back when the person writes, and not when we do', async ({ world, account }) => {
    const archive = () =>
      world.store.write(({ db }) => db.updateTable('conversations').set({ status: 'archived' }).execute());
    await world.record(account, [said('m1')]);
    await archive();
    await world.record(account, [said('m2', { direction: 'outgoing' })]);
    await world.record(account, [said('m3')], { silent: true });
    expect(await world.rows('conversations')).toMatchObject([{ status: 'archived' }]);
    await world.record(account, [said('m4')]);
    expect(await world.rows('conversations')).toMatchObject([{ status: 'active' }]);
  });

  it('expands a watermark to our messages that are not as far, and never goes back', async ({ world, account }) => {
    const ours = (id: string, at: number) => said(id, { direction: 'outgoing', created_at: DAWN + at });
    await world.record(account, [ours('old', 0)], { silent: true });
    const theirs = said('theirs', { created_at: DAWN + 1 });
    await world.record(account, [ours('m2', 2), ours('m1', 1), ours('m9', 9), theirs]);
    type Receipt = Extract<InboundEvent, { kind: 'receipt' }>;
    const receipt = (status: 'delivered' | 'read', more: Partial<Receipt>): Receipt => ({
      kind: 'receipt',
      conversation: 'fan',
      at: DAWN + 5,
      status,
      ...more,
    });
    const second = { watermark: DAWN + 2 };
    await world.record(account, [receipt('delivered', { message_ids: ['m2', 'unknown'] })]);
    await world.record(account, [receipt('read', second)]);
    await world.record(account, [receipt('delivered', second), receipt('read', second)]);
    const nobodys = receipt('read', { watermark: DAWN, conversation: 'nobody' });
    await world.record(account, [receipt('read', { message_ids: [] }), nobodys]);
    const [conversation] = await world.rows('conversations');
    const told = (await world.events()).filter(({ event }) => event.startsWith('dm.status'));
    const owner = { brand_id: account.brand_id, account_id: account.id, platform: 'facebook' };
    const place = { conversation_id: conversation.id, recipient_id: 'fan' };
    const shown = { ...owner, ...place, occurred_at: '2026-01-15T08:00:00.005Z', metadata: {} };
    expect(told).toEqual([
      { event: 'dm.status.delivered', data: { ...shown, status: 'delivered', mids: ['m2'], message_ids: ['m2'] } },
      { event: 'dm.status.read', data: { ...shown, status: 'read', mids: ['m1', 'm2'], message_ids: ['m1', 'm2'] } },
    ]);
    const statuses = (await world.rows('messages')).map(({ platform_id, status }) => [platform_id, status]);
    const read = { old: 'read', m1: 'read', m2: 'read' };
    expect(Object.fromEntries(statuses)).toEqual({ ...read, m9: 'sent', theirs: 'received' });
  });

  it('reports a quick reply as the message and the button it is', async ({ world, account }) => {
    const quick = said('m1', { text: 'Yes', metadata: { quick_reply: { payload: 'YES' } } });
    await world.record(account, [quick, quick]);
    const told = (await world.events()).map(({ event, data }) => [event, data.metadata]);
    expect(told).toEqual([
      ['dm.received', { quick_reply: { payload: 'YES' } }],
      ['dm.postback', { title: 'Yes', payload: 'YES' }],
    ]);
    expect(await world.rows('conversations')).toMatchObject([{ unread_count: 1 }]);
    const ids = (await world.events()).map(({ data }) => data.id);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(readInteractionId('dm', id)).toEqual({ platform: account.platform, platformId: 'm1' });
  });

  it('is of the page it came by', async () => {
    const pages = [{ platform_page_id: 'p1', name: 'Page one' }];
    const { world, account } = await inboxWith(stores, { pages });
    await world.connect(account);
    const [page] = await world.rows('pages');
    await world.record(account, [
      commented('c1', { page_id: 'p1' }),
      said('m1', { direction: 'outgoing' }, thread('fan', { page_id: 'p1' })),
      commented('c2', { page_id: 'unknown' }),
    ]);
    const told = (await world.events()).map(({ event, data }) => [event, data.page_id, data.author.name]);
    expect(told).toEqual([
      ['comment.received', page.id, 'Person fan'],
      ['dm.sent', page.id, 'Page one'],
      ['comment.received', 'unknown', 'Person fan'],
    ]);
  });

  it('is made fit for the store, or left alone', async ({ world, account }) => {
    await world.record(account, [
      commented('nul', { text: 'a\0b', created_at: Number.NaN, like_count: 1.5, author: { id: 'x', name: 'n\0' } }),
      commented(''),
      commented('x'.repeat(501)),
      said('m1', { text: '\0' }, thread('fan', { metadata: { at: 1.5 } })),
      said('m2', {}, thread('')),
    ]);
    expect(await world.rows('comments')).toMatchObject([{ text: 'ab', created_at: world.clock.now(), like_count: 1 }]);
    expect(await world.rows('messages')).toMatchObject([{ metadata: { unsupported: { type: 'unknown' } } }]);
    expect(await world.rows('conversations')).toMatchObject([{ metadata: { at: 1.5 } }]);
  });

  it('happened by tomorrow, whatever its platform says: a time beyond is that of now', async ({ world, account }) => {
    const now = world.clock.now();
    const times = [now + DAY, now + DAY + 1, 9_000_000_000_000_000, Number.POSITIVE_INFINITY];
    await world.record(
      account,
      times.map((created_at, at) => said(`m${at}`, { created_at }, thread(`fan${at}`))),
    );
    const stored = await world.rows('messages');
    expect(stored.map(({ created_at }) => created_at).toSorted((a, b) => a - b)).toEqual([now, now, now, now + DAY]);
  });

  it('is well-formed text, also where it passes through unread', async ({ world, account }) => {
    const half = 'a\ud800';
    await world.record(account, [
      said('m1', { metadata: { [half]: [half] }, attachments: [{ type: 'image', url: `https://told.test/${half}` }] }),
      { kind: 'postback', conversation: thread(), platform_id: 'b1', title: half, payload: half, at: DAWN },
    ]);
    const told = JSON.stringify(await world.events());
    expect([told.includes('a\ufffd'), told.includes('\\ud800')]).toEqual([true, false]);
  });

  it('changes nothing where the account is gone', async ({ world, account }) => {
    await world.store.write(({ db }) => db.deleteFrom('accounts').execute());
    expect(await world.record(account, [commented('c1')])).toBe(false);
    expect([await world.events(), await world.rows('comments')]).toEqual([[], []]);
  });

  it('is stored and logged while the workspace is past due, without events', async ({ world, account }) => {
    await world.store.write(({ db }) => db.updateTable('workspaces').set({ blocked_at: 1 }).execute());
    await world.record(account, [commented('c1'), said('m1')]);
    expect(await world.events()).toEqual([]);
    expect([(await world.rows('comments')).length, (await world.rows('messages')).length]).toEqual([1, 1]);
    const logged = await world.store.db.selectFrom('log').select('action').execute();
    expect(logged.length).toBe(2);
    await world.store.write(({ db }) => db.updateTable('workspaces').set({ blocked_at: null }).execute());
    await world.record(account, [commented('c1'), said('m1')]);
    expect(await world.events()).toEqual([]);
  });
});
