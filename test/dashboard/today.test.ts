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
  const model = makeToday({ call, first, clock: () => NOW, later: (run) => void waiting.push(run) });
  return { model, calls, settle: () => waiting.splice(0).at(-1)?.() };
}

describe('today', () => {
  it('counts what waits: failures, accounts to connect again, and what is to be answered', () => {
    const { model } = open({});
    expect([model.waiting.value, model.lost.value.map(({ id }) => id)]).toEqual([3, ['b']]);
    expect([countOf(model.failed.value), countOf(model.unanswered.value)]).toEqual(['1+', '1']);
  });

  it('reads again what an entry of the log is about, and only that', async () => {
    const { model, calls, settle } = open({
      list_posts: ({ from }) => listOf(from === undefined ? [] : [aPost({ status: 'scheduled' })]),
      list_accounts: () => listOf([]),
    });
    model.heard(anEvent({ category: 'webhook' }));
    expect(settle()).toBeUndefined();
    model.heard(anEvent({ category: 'post' }));
    model.heard(anEvent({ category: 'account' }));
    settle();
    await expect.poll(() => [model.failed.value.items.length, model.next.value.items.length]).toEqual([0, 1]);
    expect(calls.map(([name]) => name).toSorted()).toEqual(['list_accounts', 'list_posts', 'list_posts']);
    expect(calls.find(([, { from }]) => from !== undefined)![1]).toMatchObject({
      from: '2026-11-28T09:00:00.000Z',
      to: '2026-11-29T09:00:00.000Z',
    });
    expect(model.waiting.value).toBe(1);
  });
});
