import { describe, expect, it } from 'vitest';
import { makeDetails, partsOf } from '#dashboard/accounts/details-model.ts';
import { makeInvites } from '#dashboard/accounts/invites-model.ts';
import { healthOf, makeAccounts, OWN_BRAND } from '#dashboard/accounts/model.ts';
import { makeOwnApp } from '#dashboard/accounts/own-app-model.ts';
import { makeActing } from '#dashboard/lib/acting.ts';
import { answering, anEvent, aRefusal } from './answers.ts';

const anAccount = (id: string, more = {}) =>
  ({ id, name: `name of ${id}`, username: id, brand_id: 'brd_1', platform: 'facebook', metadata: {}, ...more }) as any;
const aBrand = (id: string, name: string) => ({ id, name, accounts_count: 1 }) as any;
const refuse = (message: string) => () => {
  throw aRefusal(message);
};

/** Numbers of all accounts, and of more than came with the page. */
const PART = { count: 40, waiting: 3, platforms: [['facebook', 39]] } as const;
const WHOLE = { count: 2, waiting: 0, platforms: [['facebook', 2]] } as const;

function open(answers: Parameters<typeof answering>[0], totals: typeof PART | typeof WHOLE = WHOLE) {
  const said: string[] = [];
  const waiting: (() => void)[] = [];
  const given = { list_accounts: () => ({ data: [anAccount('b')] }), list_brands: () => ({ data: [] }) };
  const { call, calls } = answering({ ...given, ...answers });
  const deps = { call, newKey: () => 'pressed', say: (text: string) => void said.push(text) };
  const model = makeAccounts({
    ...deps,
    totals,
    titleOf: (platform) => platform.toUpperCase(),
    accounts: [anAccount('a'), anAccount('b', { brand_id: 'brd_2', name: 'Bäckerei' })],
    brands: [aBrand('brd_1', 'Bakery')],
    later: (run) => void waiting.push(run),
  });
  return { model, deps, calls, said, settle: () => waiting.splice(0).at(-1)?.() };
}

describe('accounts', () => {
  it('are connected in the oldest brand while it has none of the platform, or in the one that is chosen', () => {
    const { model } = open({});
    expect(['', 'brd_7', OWN_BRAND].map((chosen) => model.brandFor('threads', chosen))).toEqual([
      'brd_1',
      'brd_7',
      undefined,
    ]);
    expect(model.brandFor('facebook', '')).toBeUndefined();
  });

  it('are those of a brand, or all', () => {
    const { model } = open({});
    expect(model.shown.value).toHaveLength(2);
    void model.narrow({ brand: 'brd_2' });
    expect(model.shown.value.map(({ id }) => id)).toEqual(['b']);
    expect([model.brandNamed('brd_1'), model.brandNamed('brd_9'), model.countOn('facebook')]).toEqual([
      'Bakery',
      'brd_9',
      2,
    ]);
  });

  it('are found by name, handle or platform, however it is written', () => {
    const { model } = open({});
    const found = (words: string) => {
      void model.narrow({ words });
      return [model.shown.value.map(({ id }) => id), model.count.value];
    };
    expect(found('BACKEREI')).toEqual([['b'], 1]);
    expect(found('náme')).toEqual([['a'], 1]);
    expect(found('facebook')[1]).toBe(2);
    expect(found('facebook elsewhere')).toEqual([[], 0]);
    expect(found(' ')[1]).toBe(2);
  });

  it('that did not come with the page are counted, and read when somebody looks for them', async () => {
    const all = Array.from({ length: 40 }, (_, at) => anAccount(`${at}`, { status: at === 39 ? 'expired' : 'active' }));
    let fails = true;
    const { model, calls } = open(
      {
        list_accounts() {
          if (fails) throw new Error('No answer came.');
          return { data: all };
        },
      },
      PART,
    );
    expect([model.count.value, model.waiting.value, model.countOn('facebook'), model.hasMore.value]).toEqual([
      40,
      3,
      39,
      true,
    ]);
    await model.more();
    expect([model.problem.value, model.shown.value.length]).toEqual(['No answer came.', 2]);
    fails = false;
    const before = calls.length;
    await Promise.all(['n', ''].map((words) => model.narrow({ words })));
    expect(calls.slice(before).filter(([name]) => name === 'list_accounts')).toHaveLength(1);
    await model.more();
    expect([model.problem.value, model.shown.value.length, model.hasMore.value]).toEqual([undefined, 40, false]);
    expect([model.shown.value[0]!.id, model.waiting.value]).toEqual(['39', 1]);
    const { length } = calls;
    await model.narrow({ words: 'name' });
    expect([calls.length, model.shown.value.length, model.hasMore.value]).toEqual([length, 24, true]);
  });

  it('are let go with the key of the press', async () => {
    const { model, calls, said } = open({ disconnect_account: () => ({ scheduled_posts: 2 }) });
    await model.disconnect(model.accounts.value[0]!);
    expect(calls[0]).toEqual(['disconnect_account', { account_id: 'a' }, 'pressed']);
    expect(said).toEqual(['name of a is disconnected; posts that will fail: 2.']);
    expect(model.accounts.value.map(({ id }) => id)).toEqual(['b']);
  });

  it('say what a sync could not read, and why it was refused', async () => {
    const warned = open({ sync_account: () => ({ warnings: ['One page was refused.'] }) });
    await warned.model.sync(anAccount('a'));
    expect(warned.said).toEqual(['Read, but: One page was refused.']);
    const { model, said } = open({ sync_account: refuse('Wait five minutes.') });
    expect(await model.sync(anAccount('a'))).toBe(false);
    expect(said).toEqual(['Wait five minutes.']);
  });

  it('are read again when one changed elsewhere', async () => {
    const { model, settle } = open({});
    model.heard(anEvent({ category: 'post' }));
    expect(settle()).toBeUndefined();
    model.heard(anEvent({ category: 'account', platform: 'facebook' }));
    settle();
    await expect.poll(() => model.accounts.value.length).toBe(1);
  });

  it('are read again only on the platforms of the entries, once they are all known', async () => {
    const { model, settle, calls } = open({
      list_accounts: ({ platform }) => ({ data: [anAccount('new', { platform }), anAccount('b', { platform })] }),
    });
    const asked = () => calls.filter(([name]) => name === 'list_accounts').map(([, input]) => input);
    model.heard(anEvent({ category: 'account', action: 'brand_created', platform: null }));
    settle();
    await expect.poll(() => model.brands.value).toEqual([]);
    expect(asked()).toEqual([]);
    for (const platform of ['threads', 'threads'] as const) model.heard(anEvent({ category: 'account', platform }));
    settle();
    await expect.poll(() => model.accounts.value.map(({ id }) => id)).toEqual(['new', 'a', 'b']);
    expect(asked()).toEqual([{ platform: 'threads' }]);
  });

  it('tell what their permissions do not allow, each once', () => {
    const effect = 'Posts cannot be published.';
    const unavailable = [{ effect }, { effect }, { effect: 4 }];
    const metadata = { unavailable, scopes_missing: ['x'], notice: 'Soon.', sandbox: true, login_expires_at: null };
    expect(healthOf({ metadata })).toMatchObject({ lacks: [effect], missing: ['x'], notice: 'Soon.', isSandbox: true });
    expect(healthOf({ metadata: {} })).toMatchObject({ lacks: [], granted: [], loginEnds: undefined });
  });

  it('have pages that are switched, and read only where they have some', async () => {
    const { deps, calls, said } = open({
      list_account_pages: () => ({ data: [{ id: 'p', name: 'Harbour', is_active: true }] }),
      update_account_page: () => ({}),
    });
    const bare = makeDetails({ ...deps, account: { id: 'a', capabilities: [] } });
    await bare.open();
    expect([calls, bare.pages.value]).toEqual([[], undefined]);
    expect(partsOf(['message templates', 'phone numbers'])).toEqual({ hasPages: false, hasNumber: true });
    expect(partsOf(['message templates'])).toEqual({ hasPages: false, hasNumber: false });
    const details = makeDetails({ ...deps, account: { id: 'a', capabilities: ['pages'] } });
    await details.open();
    await details.turn(details.pages.value![0]!);
    expect(calls[1]).toEqual(['update_account_page', { account_id: 'a', page_id: 'p', is_active: false }, 'pressed']);
    expect(said[0]).toContain('Harbour is off');
  });
});

describe('invites', () => {
  it('are made for the brand that is chosen, and those that can be used are listed', async () => {
    const { deps, calls, said } = open({
      create_invite: () => ({}),
      list_invites: () => ({
        data: [
          { id: 'i', is_active: true },
          { id: 'used', is_active: false },
        ],
      }),
      revoke_invite: () => ({}),
    });
    const invites = makeInvites(deps);
    invites.choose('brd_1');
    await invites.create('threads', 7);
    expect(calls.find(([name]) => name === 'create_invite')).toEqual([
      'create_invite',
      { brand_id: 'brd_1', platform: 'threads', expires_in_days: 7 },
      'pressed',
    ]);
    expect(invites.invites.value.map(({ id }) => id)).toEqual(['i']);
    await invites.withdraw(invites.invites.value[0]!);
    expect(said.at(-1)).toBe('The link no longer works.');
  });
});

describe('actions', () => {
  it('that got no answer are repeated with the same key, and refusals are shown with what finds them', async () => {
    const answers = [new TypeError('fetch failed'), aRefusal('Busy.', 503), aRefusal('Taken.'), aRefusal('Taken.')];
    const { call, calls } = answering({
      create_brand() {
        throw answers.shift()!;
      },
    });
    const said: unknown[] = [];
    let made = 0;
    const { act } = makeActing({
      call,
      newKey: () => String((made += 1)),
      say: (text, how) => void said.push([text, how?.refused?.code, how?.refused?.requestId]),
    });
    const add = (name: string) =>
      act(async (callOnce) => {
        await callOnce('create_brand', { name });
        return 'There.';
      });
    for (let at = 0; at < 4; at += 1) expect(await add('Bakery')).toBe(false);
    expect(calls.map(([, , key]) => key)).toEqual(['1', '1', '1', '2']);
    expect(said.slice(0, 2)).toEqual([
      ['No answer came. Press again: nothing is done twice.', undefined, undefined],
      ['Busy.', 'request.invalid', 'req_1'],
    ]);
  });
});

describe('the app of a workspace', () => {
  it('is removed, and a failed reading is no missing app', async () => {
    let isBroken = true;
    const { deps, calls } = open({
      list_twitter_credentials() {
        if (isBroken) throw aRefusal('Not now.');
        return { data: [{ brand_id: null, client_id_hint: '…abc' }] };
      },
      delete_twitter_credentials: () => ({}),
    });
    const model = makeOwnApp(deps);
    await model.read();
    expect([model.app.value, model.problem.value]).toEqual([undefined, 'Not now.']);
    isBroken = false;
    await model.read();
    expect([model.app.value?.client_id_hint, model.problem.value]).toEqual(['…abc', undefined]);
    await model.remove();
    expect(calls[2]).toEqual(['delete_twitter_credentials', {}, 'pressed']);
  });
});
