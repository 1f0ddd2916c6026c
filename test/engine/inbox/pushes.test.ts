import { DAY } from '#kernel/clock.ts';
import { expect, it, test } from 'vitest';
import { describeStores } from '../../harness/stores/stores.ts';
import type { InboundEvent } from '#platforms/inbound.ts';
import { PlatformError } from '#platforms/errors.ts';
import { inboxWith, makeInboxWorld, type InboxWorld } from '../../harness/worlds/inbound.ts';
import {
  commented,
  DAWN,
  requestOf,
  said,
  SECRET,
  signatureOf,
  thread,
  VERIFY_TOKEN,
} from '../../harness/platforms/inbound.ts';
import { anyPushes, manyThings } from '../../properties/pushes.ts';

const receipt = { kind: 'receipt', status: 'read', conversation: 'fan', at: DAWN } as const;

const accepts = (world: InboxWorld, ...args: Parameters<typeof requestOf>) =>
  world.inbound.pushes.accept('facebook', requestOf(...args));

describeStores('a push', (stores) => {
  const it = test.extend('world', () => makeInboxWorld(stores)).extend('account', ({ world }) => world.account());

  it('is written down before it is answered, and taken in afterwards', async ({ world, account }) => {
    expect(await world.push(account, [commented('c1')])).toBe('EVENT_RECEIVED');
    expect([(await world.rows('pushes')).length, (await world.rows('comments')).length]).toEqual([1, 0]);
    await world.settle();
    expect([(await world.rows('pushes')).length, (await world.rows('comments')).length]).toEqual([0, 1]);
  });

  it('counts for nothing with a wrong signature', async ({ world, account }) => {
    const guessed = world.push(account, [commented('c1')], 'guessed');
    await expect(guessed).rejects.toMatchObject({ code: 'auth.invalid_secret' });
    const { body, headers } = requestOf([]);
    const altered = Buffer.concat([body, Buffer.from(' ')]);
    await expect(world.inbound.pushes.accept('facebook', { path: '', headers, body: altered })).rejects.toThrow();
    expect(await world.rows('pushes')).toEqual([]);
    await expect(world.inbound.pushes.accept('telegram', requestOf([]))).rejects.toMatchObject({ code: 'http.404' });
  });

  it('keeps no secret of its headers', async ({ world }) => {
    const request = requestOf([]);
    const secrets = { authorization: 'x', cookie: 'x', 'x-forwarded-for': 'x', 'x-told-secret-token': 'x' };
    const headersSent = { ...request.headers, ...secrets, 'x-told-state': 'y' };
    await world.inbound.pushes.accept('facebook', { ...request, headers: headersSent });
    const [{ headers }] = await world.rows('pushes');
    expect(headers).toEqual({ 'content-type': 'application/json', 'x-told-state': 'y' });
  });

  it('reaches every account that has the page it is about, and no other', async () => {
    const pages = [{ platform_page_id: 'p1', name: 'One' }];
    const world = await makeInboxWorld(stores, { facebook: { pages } });
    const [one, two, off] = [await world.account(), await world.account(), await world.account()];
    const twin = await world.account('facebook', { network: 'sandbox' });
    for (const account of [one, two, off, twin]) await world.connect(account);
    const [page] = await world.pages.list(world.authority, off.id);
    await world.pages.update(world.authority, off.id, page!.id, { is_active: false });
    const about = [{ page: 'p1' }, { page: 'p2' }, { user: 'nobody' }, {}];
    const told = about.map((place, n) => ({ ...place, event: commented(`c${n + 1}`) }));
    await accepts(world, told);
    await world.settle();
    const stored = (await world.rows('comments')).map(({ account_id, platform_id }) => `${account_id} ${platform_id}`);
    expect(stored.toSorted()).toEqual([`${one.id} c1`, `${two.id} c1`].toSorted());
  });

  it('reaches every account whose metadata has the member it is about, and no other', async ({ world }) => {
    const having = { name: 'business_id', value: '10%1' };
    const metadata = { other: 1, business_id: '10%1' };
    const [one, two] = [await world.account('facebook', { metadata }), await world.account('facebook', { metadata })];
    await world.account('facebook', { metadata: { business_id: '1011' } });
    await world.account('facebook', { metadata, network: 'sandbox' });
    await world.account('twitter', { metadata });
    await accepts(world, [{ having, event: commented('c1') }]);
    await world.settle();
    const stored = (await world.rows('comments')).map(({ account_id }) => account_id as string);
    expect(stored.toSorted()).toEqual([one.id, two.id].toSorted());
  });

  it('of hundreds of things is taken in by steps', ({ world }) =>
    manyThings(world, stores.kind === 'memory' ? 250 : 101));

  it('is completed by the platform, once for each thing that is new', async () => {
    const complete = (fact: InboundEvent): InboundEvent =>
      fact.kind === 'message'
        ? { ...fact, conversation: { ...fact.conversation, participant: { id: 'fan', name: 'Full name' } } }
        : fact;
    const { world, account } = await inboxWith(stores, { complete });
    await world.pushed(account, [said('m1')]);
    await world.pushed(account, [said('m1'), { ...receipt, watermark: DAWN }]);
    expect(world.telling().completed.length).toBe(1);
    expect((await world.events('dm.received')).map(({ data }) => data.author.name)).toEqual(['Full name']);
    expect(await world.rows('conversations')).toMatchObject([{ participant_name: 'Person fan' }]);
  });

  it('is stored as it came when it cannot be completed, and a platform that is down is asked once', async () => {
    const complete = () => {
      throw new PlatformError('unknown', 'api_error', 'No answer.');
    };
    const { world, account } = await inboxWith(stores, { complete });
    const dozen = Array.from({ length: 12 }, (_, n) => commented(`c${n}`));
    await world.pushed(account, dozen);
    expect(world.telling().completed.length).toBe(4);
    expect((await world.rows('comments')).length).toBe(12);
    const dead = await world.account('facebook', { status: 'reconnect_required' });
    await world.pushed(dead, [commented('c1')]);
    expect((await world.rows('comments')).length).toBe(13);
  });

  it('is tried again when it cannot be taken in, and given up at last', async ({ world, account }) => {
    const body = Buffer.from('no list of things');
    const headers = { ...requestOf([]).headers, 'x-told-signature': signatureOf(body, SECRET) };
    await world.inbound.pushes.accept('facebook', { path: '', headers, body });
    for (let time = 0; time < 12; time += 1) await world.pass(3_600_000);
    expect(await world.rows('pushes')).toEqual([]);
    expect(world.log.filter((line) => line.includes('push dropped')).length).toBe(1);
    // A later one goes its own way.
    await world.pushed(account, [commented('c1')]);
    expect((await world.rows('comments')).length).toBe(1);
  });

  it('flags an account whose access was taken back, once, and not one that was connected again since', async ({
    world,
    account,
  }) => {
    const why = 'The person removed the app.';
    const revoked: InboundEvent = { kind: 'revoked', why };
    await world.push(account, [revoked, commented('c1')]);
    await world.pushed(account, [revoked]);
    const told = { account_id: account.id, reason: 'access_revoked', reconnect_required: true, reconnect_reason: why };
    const data = expect.objectContaining(told);
    expect(await world.events('account.disconnected')).toEqual([{ event: 'account.disconnected', data }]);
    expect((await world.rows('comments')).length).toBe(1);
    const [again, renewed] = [await world.account(), await world.account()];
    await world.push(again, [revoked]);
    await world.push(renewed, [revoked]);
    world.clock.move(1);
    const now = world.clock.now();
    await world.store.write(async ({ db }) => {
      await db.updateTable('accounts').set({ connected_at: now }).where('id', '=', again.id).execute();
      await db.updateTable('accounts').set({ updated_at: now }).where('id', '=', renewed.id).execute();
    });
    await world.settle();
    const flagged = (await world.events('account.disconnected')).map(({ data }) => data.account_id);
    expect(flagged).toEqual([account.id, renewed.id]);
  });

  it('that requests deletion removes the account with all of it, and a code shows when', async ({ world, account }) => {
    const other = await world.account();
    await world.record(other, [commented('c1'), said('m1')]);
    await world.record(account, [commented('c1'), said('m1'), said('m2', {}, thread('second'))]);
    const told = [{ user: account.platform_user_id, event: { kind: 'deletion' } as const }];
    const answer = (await accepts(world, told, { path: 'deletion' })) as { url: string; confirmation_code: string };
    expect(answer.url).toBe(`https://here.test/push/facebook/deletion/${answer.confirmation_code}`);
    const { deletion } = world.inbound.pushes;
    expect(await deletion('facebook', answer.confirmation_code)).toBe('in_progress');
    await world.settle();
    expect(await deletion('facebook', answer.confirmation_code)).toBe('done');
    const forged = answer.confirmation_code.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    expect(await deletion('facebook', forged)).toBeUndefined();
    for (const table of ['comments', 'messages', 'conversations', 'inbox_posts'] as const) {
      const owners = new Set((await world.rows(table)).map(({ account_id }) => account_id));
      expect([table, [...owners]]).toEqual([table, [other.id]]);
    }
    const data = { account_id: account.id, reason: 'data_deletion', reconnect_required: false };
    expect(await world.events('account.disconnected')).toMatchObject([{ data }]);
    const accounts = await world.store.db.selectFrom('accounts').select('id').execute();
    expect(accounts).toEqual([{ id: other.id }]);
  });

  it('is taken in for one account though it cannot be for another', async ({ world }) => {
    const [one, two] = [await world.account(), await world.account()];
    const told = [one, two].map((account, n) => ({ user: account.platform_user_id, event: commented(`c${n + 1}`) }));
    await accepts(world, told);
    const [{ id }] = await world.rows('pushes');
    // The first write begins the try, the second one is about the first account.
    const trouble = await world.failing((n) => n === 2);
    await expect(trouble.inbound.pushes.take(id)).rejects.toThrow('the store failed');
    expect((await world.rows('comments')).map(({ platform_id }) => platform_id)).toEqual(['c2']);
    await world.settle();
    expect((await world.rows('comments')).length).toBe(2);
    expect((await world.events()).length).toBe(2);
  });

  it('reports more than a column holds, or a statement', async ({ world, account }) => {
    const many = { like_count: 1e300, reply_count: 2 ** 63, created_at: 1e300 };
    const message_ids = Array.from({ length: 70_000 }, (_, n) => `m${n}`);
    const ours = said('m69999', { direction: 'outgoing' });
    await world.record(account, [commented('c1', many), commented('c2'), ours, { ...receipt, message_ids }]);
    expect(await world.rows('comments')).toMatchObject([{ like_count: 1e12, reply_count: 1e12 }, { like_count: 0 }]);
    expect((await world.events('dm.status.read')).map(({ data }) => data.message_ids)).toEqual([['m69999']]);
  });

  it('shakes hands with who knows the token', async ({ world }) => {
    const { handshake } = world.inbound.pushes;
    const asked = { token: VERIFY_TOKEN, challenge: '42' };
    expect(await handshake('facebook', '', asked)).toEqual({ type: 'text', body: '42' });
    const guess = handshake('facebook', '', { ...asked, token: 'guess' });
    await expect(guess).rejects.toMatchObject({ code: 'auth.invalid_secret' });
  });
});

describeStores('pushes', { kinds: ['file', 'postgres'] }, (stores) => {
  it('in any order, repeated, forged, and taken in by two processes, come to the same', () => anyPushes(stores, 3));
});

describeStores('a push whose process ends', { kinds: ['file', 'postgres'] }, (stores) => {
  const it = test.extend('world', () => makeInboxWorld(stores)).extend('account', ({ world }) => world.account());

  it('is taken in by the next one, even when it had begun', async ({ world, account }) => {
    await world.push(account, [commented('c1')]);
    // Claimed, and then nothing more is heard of the claimer.
    const lease_until = world.clock.now() + 5 * 60_000;
    const claim = { lease_token: 'dead', lease_until, run_at: lease_until };
    await world.store.write(({ db }) => db.updateTable('jobs').set(claim).where('kind', '=', 'take_push').execute());
    const other = await world.second();
    await world.settle([other]);
    expect(await world.rows('comments')).toEqual([]);
    world.clock.move(5 * 60_000);
    await world.settle([other]);
    expect((await world.rows('comments')).length).toBe(1);
    expect((await world.events()).length).toBe(1);
  });

  it('that keeps killing processes is given up', async ({ world, account }) => {
    await world.push(account, [commented('c1')]);
    await world.store.write(({ db }) => db.updateTable('pushes').set({ attempts: 10 }).execute());
    await world.settle();
    expect([await world.rows('pushes'), await world.rows('comments')]).toEqual([[], []]);
    await world.push(account, [commented('c1')]);
    await world.pass(4 * DAY);
    expect((await world.rows('comments')).length).toBe(1);
  });

  it('is taken in once though two processes do', async ({ world, account }) => {
    const other = await world.second();
    await world.push(account, [commented('c1'), said('m1')]);
    const [{ id }] = await world.rows('pushes');
    await Promise.all([world.inbound.pushes.take(id), other.inbound.pushes.take(id)]);
    expect((await world.events()).map(({ event }) => event).toSorted()).toEqual(['comment.received', 'dm.received']);
    expect(await world.rows('conversations')).toMatchObject([{ unread_count: 1 }]);
  });
});
