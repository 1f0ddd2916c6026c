import { describe, expect, it } from 'vitest';
import { countOf, makeToday } from '#dashboard/today/model.ts';
import { aPost, answering, anEvent } from './answers.ts';

const listOf = (data: readonly unknown[], has_more = false) =>
  ({ data, next_cursor: '', pagination: { has_more, next_cursor: '', limit: 25 } }) as any;
const NOW = Date.UTC(2026, 10, 28, 9);

function open(answers: Parameters<typeof answering>[0]) {
  const waiting: (() => void)[] = [];
  const { call, calls } = answering(answers);
  const first = {
    failed: listOf([aPost({ status: 'failed' })], true),
    next: listOf([]),
    unanswered: listOf([{ id: 'msg' }]),
    accounts: listOf([
      { id: 'a', status: 'active' },
      { id: 'b', status: 'reconnect_required' },
    ]),
  };
  const model = makeToday({ call, first, hasPost: false, clock: () => NOW, later: (run) => void waiting.push(run) });
  return { model, calls, settle: () => waiting.splice(0).at(-1)?.() };
}

describe('today', () => {
  it('counts what waits: failures, accounts to connect again, and what is to be answered', () => {
    const { model } = open({});
    expect([model.waiting.value, model.lost.value.map(({ id }) => id)]).toEqual(['3+', ['b']]);
    expect([countOf(model.failed.value), countOf(model.unanswered.value)]).toEqual(['1+', '1']);
  });

  it('reads again what an entry of the log is about, and only that', async () => {
    const { model, calls, settle } = open({
      list_posts: ({ to }) => listOf(to === undefined ? [] : [aPost({ status: 'publishing' })]),
      list_accounts: () => listOf([]),
    });
    model.heard(anEvent({ category: 'webhook' }));
    expect([settle(), model.hasPost.value]).toEqual([undefined, false]);
    model.heard(anEvent({ category: 'post' }));
    model.heard(anEvent({ category: 'account' }));
    settle();
    expect(model.hasPost.value).toBe(true);
    await expect.poll(() => [model.failed.value.items.length, model.next.value.items.length]).toEqual([0, 1]);
    expect(calls.map(([name]) => name).toSorted()).toEqual(['list_accounts', 'list_posts', 'list_posts']);
    // Without a beginning: what is publishing, and what is late, comes first.
    expect(calls.find(([, { to }]) => to !== undefined)![1]).toEqual({
      status: ['scheduled', 'publishing'],
      to: '2026-11-29T09:00:00.000Z',
      sort: 'scheduled_asc',
    });
    expect(model.waiting.value).toBe('1');
  });
});
