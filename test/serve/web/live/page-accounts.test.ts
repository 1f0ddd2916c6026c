import { expect } from 'vitest';
import { setUp, unescape } from '../../../harness/calls/browser.ts';
import { it } from '../../../harness/world.ts';

const NAMED = ['id', 'name', 'platform', 'brand_id'];
const ABLE = [...NAMED, 'capabilities'];
const PAGES: readonly (readonly [path: string, fields: readonly string[], capabilities?: readonly string[]])[] = [
  ['inbox', ABLE, ['list mentions']],
  ['activity', NAMED],
  ['analytics', ABLE, ['post metrics']],
  ['exports', ABLE, ['sync of posts']],
  ['posts', NAMED],
  ['compose', [...NAMED, 'username', 'status']],
  ['assistants', ['id', 'name', 'platform']],
];

it('pages get of each account only what they use, as there may be thousands', async ({ world, account }) => {
  const browser = await setUp(world);
  for (const [path, fields, capabilities = []] of PAGES) {
    const { text } = await browser.open(`/dashboard/${path}`);
    const first = JSON.parse(unescape(/ data-first="([^"]*)"/.exec(text)![1]!));
    const [one] = first.accounts ?? first.list_accounts.data;
    expect([path, one.id, Object.keys(one)]).toEqual([path, account.id, fields]);
    const [brand] = (first.list_brands ?? first).data ?? [];
    if (['inbox', 'analytics', 'compose'].includes(path)) expect(Object.keys(brand)).toEqual(['id', 'name']);
    expect(one.capabilities ?? []).toEqual(capabilities);
  }
});
