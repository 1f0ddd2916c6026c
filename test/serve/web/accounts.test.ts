import { describe, expect } from 'vitest';
import { formsOf, makeBrowser, says, setUp, unescape, type Shown } from '../../harness/calls/browser.ts';
import { it as test, makeWorld } from '../../harness/world.ts';

const PATH = '/dashboard/accounts';
const it = test.extend('browser', ({ world }) => setUp(world));

/** What a page gives its scripts. */
const firstIn = ({ text }: Shown) => JSON.parse(unescape(/data-first="([^"]*)"/.exec(text)![1]!));

/** The form with these fields among the hidden ones. */
function formWith(page: Shown, action: string, hidden: Readonly<Record<string, string>>) {
  const fits = (one: ReturnType<typeof formsOf>[number]) =>
    one.action === `${PATH}/${action}` && Object.entries(hidden).every(([name, value]) => one.hidden[name] === value);
  return formsOf(page.text).find(fits)!;
}

describe('the page of accounts', () => {
  it('shows each account by its name and where it is', async ({ account, browser }) => {
    const { words } = await browser.open(PATH);
    for (const shown of [account.name, `@${account.username}`, 'Bluesky']) expect(words).toContain(shown);
  });

  it('says of every platform what is missing, and what is entered there', async () => {
    const env = {
      ROOT_URL: 'https://social.example.org',
      SANDBOX: 'off',
      FACEBOOK_CLIENT_ID: '1',
      FACEBOOK_CLIENT_SECRET: 's',
    };
    const world = await makeWorld({ env });
    const browser = await setUp(world);
    const page = await browser.open(PATH);
    expect(page.words).toContain('needs THREADS_CLIENT_ID and THREADS_CLIENT_SECRET');
    expect(formWith(page, 'connect', { platform: 'threads' })).toBeUndefined();
    expect(formWith(page, 'connect', { platform: 'facebook' })).toBeDefined();
    const { setups } = firstIn(page);
    expect(setups).toHaveLength(13);
    const of = (slug: string) => setups.find(({ platform }: { platform: string }) => platform === slug);
    expect(of('facebook')).toMatchObject({
      isReady: true,
      apps: [{ settings: ['FACEBOOK_CLIENT_ID', 'FACEBOOK_CLIENT_SECRET'], isSet: true }],
      addresses: [
        { address: 'https://social.example.org/connect/facebook/callback', byServer: false },
        { address: 'https://social.example.org/push/facebook', byServer: true },
        { name: 'Deauthorize callback', address: 'https://social.example.org/push/facebook/deauthorize' },
        { name: 'Data deletion requests', address: 'https://social.example.org/push/facebook/data-deletion' },
      ],
    });
    expect(of('threads')).toMatchObject({
      isReady: false,
      verifyToken: { setting: 'THREADS_VERIFY_TOKEN', isSet: false },
    });
    expect(of('telegram')).toMatchObject({ isReady: true, byForm: true, addresses: [] });
    expect(of('twitter')).toMatchObject({ isReady: false, ownApp: true });
  });

  it('leads to the consent of a platform, and says why it cannot', async ({ browser, world }) => {
    const page = await browser.open(PATH);
    const { action, hidden } = formWith(page, 'connect', { platform: 'facebook' });
    const begun = await browser.post(action, hidden);
    expect(begun.headers.location).toMatch(new RegExp(`^${world.root}/connect/facebook/go\\?state=`));
    const refused = await browser.post(action, { ...hidden, brand_id: 'brd_none' });
    expect(refused).toMatchObject(says(404, 'brd_none'));
    expect(firstIn(refused).refusal).toContain('brd_none');
    expect((await browser.post(action, { ...hidden, form_token: '0'.repeat(64) })).status).toBe(403);
  });

  it('connects an account again, and asks before it lets go of one', async ({ browser, account, world }) => {
    const page = await browser.open(PATH);
    const again = formWith(page, 'reconnect', { account_id: account.id });
    expect((await browser.post(again.action, again.hidden)).headers.location).toContain('/connect/bluesky/form?state=');
    const leave = formWith(page, 'disconnect', { account_id: account.id });
    const asked = await browser.post(leave.action, leave.hidden);
    expect(asked.words).toContain('Disconnect this account?');
    expect((await world.rest('GET /v1/accounts')).body.data).toHaveLength(1);
    const done = await browser.submit(asked, {}, `${PATH}/disconnect`);
    expect((await browser.follow(done)).words).toContain('No account is connected yet');
    expect((await world.rest('GET /v1/accounts')).body.data).toEqual([]);
  });

  it('of hundreds of accounts is light: it begins with those that need somebody, and has pages without scripts', async ({
    browser,
    account,
    world,
  }) => {
    const { db } = world.product.store;
    const brand = await db.selectFrom('brands').selectAll().executeTakeFirstOrThrow();
    const row = await db.selectFrom('accounts').selectAll().where('id', '=', account.id).executeTakeFirstOrThrow();
    const rows = Array.from({ length: 299 }, (_, at) => ({
      ...row,
      id: `acc_${at}`,
      brand_id: `brd_${at}`,
      platform_user_id: `user ${at}`,
      name: `Branch ${at}`,
      status: at === 7 ? ('reconnect_required' as const) : row.status,
    }));
    const brands = rows.map(({ brand_id: id }) => ({ ...brand, id, name: id }));
    for (const [from, to] of [
      [0, 150],
      [150, 299],
    ])
      await world.product.store.write(async (tx) => {
        await tx.db.insertInto('brands').values(brands.slice(from, to)).execute();
        await tx.db.insertInto('accounts').values(rows.slice(from, to)).execute();
      });
    const page = await browser.open(PATH);
    const { list_accounts, totals } = firstIn(page);
    expect(list_accounts.data.map(({ id }: { id: string }) => id)).toHaveLength(24);
    expect([list_accounts.data[0].id, totals.count, totals.waiting]).toEqual(['acc_7', 300, 1]);
    expect(page.text.length).toBeLessThan(120_000);
    expect(page.words).toContain('Page 1 of 13 Next page');
    expect((await browser.open(`${PATH}?page=13`)).words).toContain('Previous page Page 13 of 13');
    expect((await browser.open(`${PATH}?page=x`)).words).toContain('Page 1 of 13');
    expect(firstIn(await browser.open(`${PATH}?connected=acc_250`)).list_accounts.data[0].id).toBe('acc_250');
  });

  it('is for those who are signed in', async ({ world }) => {
    const stranger = makeBrowser(world);
    expect((await stranger.open(PATH)).headers.location).toBe('/sign-in?next=%2Fdashboard%2Faccounts');
    expect((await stranger.open(`${PATH}/connect`)).headers.location).toBe(PATH);
  });
});
