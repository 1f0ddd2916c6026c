import { describe, expect, it } from 'vitest';
import { csvOf } from '#dashboard/analytics/csv.ts';
import { freshnessOf, makeAnalytics, sayWithoutNumbers, withoutNumbers } from '#dashboard/analytics/model.ts';
import { answering, anEvent } from '../answers.ts';

const counts = (likes = 0) => ({ published: 0, likes, comments: 0, shares: 0, saves: 0, views: 0 });
const zeros = counts();
const answer = (groups: readonly object[] = [], more: object = {}) =>
  ({
    from: '2026-01-01',
    to: '2026-01-07',
    totals: zeros,
    previous: { from: '2025-12-25', to: '2025-12-31', totals: zeros },
    change: zeros,
    change_percent: {},
    groups,
    freshness: { as_of: null, oldest_fetch: null, targets: 0, targets_without_numbers: 0 },
    ...more,
  }) as any;

function open(days: any, posts: any = answer(), answers: Parameters<typeof answering>[0] = {}) {
  const waiting: (() => void)[] = [];
  const { call, calls } = answering(answers);
  const input = { from: '2026-01-01', to: '2026-01-07' };
  const model = makeAnalytics({ call, input, first: { days, posts }, later: (run) => void waiting.push(run) });
  return { model, calls, settle: () => waiting.splice(0).at(-1)?.() };
}
const aPost = (post_id: string, likes: number, text = 'Bread') => ({
  post_id,
  text,
  published_at: null,
  ...counts(likes),
});

describe('analytics', () => {
  it('say each total beside that of the period before, with a sign and words', () => {
    const totals = { ...counts(150), comments: 2, saves: 1 };
    const previous = { from: '', to: '', totals: { ...counts(100), comments: 4, saves: 1 } };
    const change = { ...zeros, likes: 50, comments: -2, shares: 3 };
    const { model } = open(answer([], { totals, previous, change, change_percent: { likes: 50, comments: -50 } }));
    const said = new Map(model.tiles.value.map(({ metric, trend, words }) => [metric, [trend, words]]));
    expect(said.get('likes')).toEqual(['more', '50 (50 %) more than before']);
    expect(said.get('comments')).toEqual(['less', '2 (50 %) less than before']);
    expect(said.get('shares')).toEqual(['more', '3 more than before']);
    expect([said.get('saves'), model.isEmpty.value]).toEqual([['same', 'as before'], false]);
  });

  it('are empty where nothing was gained in both periods', () => {
    expect(open(answer()).model.isEmpty.value).toBe(true);
  });

  it('show ten posts, and the rest when asked', () => {
    const all = Array.from({ length: 12 }, (_, at) => aPost(`post_${at}`, 12 - at));
    const { model } = open(answer(), answer(all));
    expect([model.posts.value.length, model.hiddenPosts.value]).toEqual([10, 2]);
    model.showAllPosts();
    expect([model.posts.value.length, model.hiddenPosts.value]).toEqual([12, 0]);
  });

  it('say that the posts are the best of more', () => {
    const all = Array.from({ length: 12 }, (_, at) => aPost(`post_${at}`, 12 - at));
    const of = (more_groups: boolean) => open(answer(), answer(all, { more_groups })).model;
    expect([of(true).isCut.value, of(true).postsTitle.value]).toEqual([true, 'the best 12 posts']);
    expect([of(false).isCut.value, of(false).postsTitle.value]).toEqual([false, 'posts']);
  });

  it('are read again when a post changes', async () => {
    const read = {
      get_analytics: ({ group_by }: any) => answer(group_by === 'day' ? [{ day: '2026-01-07', ...counts(4) }] : []),
    };
    const { model, calls, settle } = open(answer(), answer(), read);
    model.heard(anEvent({ category: 'inbox' }));
    expect(settle()).toBeUndefined();
    model.heard(anEvent({ category: 'post' }));
    settle();
    await expect.poll(() => model.days.value.at(-1)!.likes).toBe(4);
    expect(model.days.value.map(({ day, likes }) => `${day.slice(8)} ${likes}`).slice(-2)).toEqual(['06 0', '07 4']);
    expect(calls.map(([, input]) => input.group_by)).toEqual(['day', 'post']);
  });

  it('are saved as CSV whose texts are never formulas', () => {
    const { model } = open(answer([{ day: '2026-01-01', ...counts(-3) }]), answer([aPost('p', 1, '=1+1, "now"')]));
    expect(model.daysAsCsv().split('\r\n').slice(0, 2)).toEqual([
      '\u{feff}Day,Published,Likes,Comments,Shares,Saves,Views',
      '2026-01-01,0,-3,0,0,0,0',
    ]);
    expect(model.postsAsCsv()).toContain(`p,"'=1+1, ""now""",,0,1,0,0,0,0`);
    expect(csvOf([['+1', '-1', '@a', '\tb', 'a=b', 'x\ny', null]])).toBe(`\u{feff}'+1,'-1,'@a,'\tb,a=b,"x\ny",\r\n`);
  });

  it('say how current they are', () => {
    const said = (freshness: object) =>
      freshnessOf(answer([], { freshness: { as_of: null, oldest_fetch: null, ...freshness } }), (at) => `<${at}>`);
    expect(said({ targets: 0, targets_without_numbers: 0 })).toBe('Nothing was published in these days.');
    expect(said({ targets: 2, targets_without_numbers: 2 })).toMatch(/^Nothing was measured yet.* 2 of 2 have no/);
    const measured = { as_of: 'b', oldest_fetch: 'a', targets: 3, targets_without_numbers: 0 };
    expect(said(measured)).toMatch(/^Measured <a> to <b>;/);
  });

  it('name the platforms of a choice that count nothing', () => {
    const account = (id: string, platform: string, brand_id: string, capabilities: string[]) =>
      ({ id, platform, brand_id, capabilities }) as any;
    const accounts = [
      account('a', 'facebook', 'brd_1', ['post metrics']),
      account('b', 'telegram', 'brd_1', []),
      account('c', 'whatsapp', 'brd_2', []),
    ];
    const all = { brand: '', platform: '', account: '' };
    expect(withoutNumbers(accounts, all)).toEqual({ platforms: ['telegram', 'whatsapp'], isAll: false });
    expect(withoutNumbers(accounts, { ...all, account: 'a' })).toEqual({ platforms: [], isAll: false });
    expect(withoutNumbers(accounts, { ...all, brand: 'brd_2' })).toEqual({ platforms: ['whatsapp'], isAll: true });
    expect(sayWithoutNumbers(['Telegram'], true)).toMatch(/^Telegram gives no numbers of posts: /);
    expect(sayWithoutNumbers(['Telegram', 'Zalo'], false)).toMatch(/^Telegram and Zalo give no numbers of posts; /);
  });
});
