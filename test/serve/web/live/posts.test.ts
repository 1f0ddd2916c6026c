import { describe, expect } from 'vitest';
import { says, setUp, unescape, type Shown } from '../../../harness/calls/browser.ts';
import { it as test } from '../../../harness/world.ts';

const PATH = '/dashboard/posts';
const it = test.extend('browser', ({ world }) => setUp(world));

/** What a page gives its scripts. */
const firstIn = ({ text }: Shown) => JSON.parse(unescape(/data-first="([^"]*)"/.exec(text)![1]!));
const textsIn = (page: Shown) => firstIn(page).list_posts.data.map(({ text }: { text: string }) => text);

describe('the page of posts', () => {
  it('is filtered by brand and by account, together with the rest of its address', async ({
    world,
    account,
    browser,
  }) => {
    const make = (more: object) => world.rest('POST /v1/posts', more);
    await make({ text: 'Of an account', account_ids: [account.id] });
    await make({ text: 'Of nobody' });
    expect(textsIn(await browser.open(PATH)).toSorted()).toEqual(['Of an account', 'Of nobody']);
    for (const address of [
      `account=${account.id}`,
      `brand=${account.brand_id}`,
      `brand=${account.brand_id}&view=draft`,
    ])
      expect(textsIn(await browser.open(`${PATH}?${address}`))).toEqual(['Of an account']);
    expect(textsIn(await browser.open(`${PATH}?account=${account.id}&view=failed`))).toEqual([]);
  });

  it('gives its filters only what they show', async ({ account, browser }) => {
    const { list_accounts, list_brands } = firstIn(await browser.open(PATH));
    const { id, name, platform, brand_id } = account;
    expect(list_accounts).toEqual({ data: [{ id, name, platform, brand_id }] });
    for (const brand of list_brands.data) expect(Object.keys(brand)).toEqual(['id', 'name']);
  });

  it('says that the account or the brand of its filter is gone, and keeps its other filters', async ({ browser }) => {
    for (const [filter, said] of [
      ['account=acc_none', 'There is no account acc_none'],
      ['brand=brd_none', 'brd_none'],
    ] as const) {
      const page = await browser.open(`${PATH}?${filter}&search=bread`);
      expect(page).toMatchObject(says(404, said));
      expect(firstIn(page)).toMatchObject({ input: { search: 'bread' }, list_posts: { data: [] } });
    }
  });
});
