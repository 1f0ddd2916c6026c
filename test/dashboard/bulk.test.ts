import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import { ACTIONS, MOVE, movedTo } from '#dashboard/posts/actions.ts';
import { makeBulk } from '#dashboard/posts/bulk.ts';
import type { Post } from '#dashboard/lib/operations.ts';
import { aPost, aRefusal, answering } from './answers.ts';

const AT = '2026-10-24T07:00:00.000Z';
const POSTS = [
  aPost({ id: 'a', status: 'scheduled', scheduled_at: AT }),
  aPost({ id: 'b', status: 'scheduled', scheduled_at: AT }),
  aPost({ id: 'c', status: 'published' }),
  aPost({ id: 'd' }),
];

function open(answers: Parameters<typeof answering>[0], posts: readonly Post[] = POSTS) {
  const { call, calls } = answering(answers);
  const said: string[] = [];
  const reread: string[] = [];
  const dropped: string[] = [];
  let keys = 0;
  const bulk = makeBulk({
    call,
    newKey: () => `key ${(keys += 1)}`,
    list: { posts: signal(posts), reread: (ids) => void reread.push(...ids), drop: (ids) => void dropped.push(...ids) },
    zone: 'Europe/Berlin',
    say: (text) => void said.push(text),
  });
  const selected = () => bulk.selected.value.map(({ id }) => id);
  const failures = () => bulk.outcome.value?.failures.map(({ post, text }) => [post.id, text]);
  return { bulk, calls, said, reread, dropped, selected, failures };
}
const action = (title: string) => ACTIONS.find((one) => one.title === title)!;

describe('several posts', () => {
  it('are selected one by one or all at once', () => {
    const { bulk, selected } = open({});
    bulk.turn('b');
    expect([selected(), bulk.isAll.value]).toEqual([['b'], false]);
    bulk.turnAll();
    expect([selected(), bulk.isAll.value]).toEqual([['a', 'b', 'c', 'd'], true]);
    bulk.turnAll();
    expect(selected()).toEqual([]);
  });

  it('are deleted, but for those that are public', async () => {
    const { bulk, calls, said, reread, dropped } = open({ delete_post: () => ({}) });
    bulk.turnAll();
    await bulk.run(action('Delete'));
    expect(calls.map(([name, { post_id }]) => [name, post_id])).toEqual([
      ['delete_post', 'a'],
      ['delete_post', 'b'],
      ['delete_post', 'd'],
    ]);
    expect([said, reread, dropped]).toEqual([['3 posts deleted.'], [], ['a', 'b', 'd']]);
    expect(bulk.outcome.value).toBeUndefined();
  });

  it('move by days on local clocks, over the end of summer time', async () => {
    const { bulk, calls } = open({ reschedule_posts: () => ({ results: [{ success: true }] }) });
    bulk.turn('a');
    await bulk.run(MOVE, { by: 1, unit: 'days' });
    expect(calls).toEqual([
      ['reschedule_posts', { posts: [{ post_id: 'a', scheduled_at: '2026-10-25T08:00:00.000Z' }] }, 'key 1'],
    ]);
    expect(movedTo(AT, { by: -3, unit: 'hours' }, 'Europe/Berlin')).toBe('2026-10-24T04:00:00.000Z');
  });

  it('stay selected with the reason if they were refused, while the others are done', async () => {
    const { bulk, said, selected, failures } = open({
      reschedule_posts: ({ posts: [{ post_id }] }) => ({
        results: [post_id === 'a' ? { error: { message: 'That time is past.' } } : { success: true }],
      }),
    });
    bulk.turnAll();
    await bulk.run(MOVE);
    expect(failures()).toEqual([['a', 'That time is past.']]);
    expect([said, selected()]).toEqual([['1 post moved.'], ['a', 'c', 'd']]);
    bulk.close();
    expect(failures()).toBeUndefined();
  });

  it('are left alone after one without an answer, which is not repeated', async () => {
    const { bulk, calls, said, selected, failures } = open(
      {
        publish_post() {
          throw new Error('No answer came from the server.');
        },
      },
      POSTS.map((post) => ({ ...post, targets: [{}] as unknown as Post['targets'] })),
    );
    bulk.turnAll();
    await bulk.run(action('Publish now'));
    expect([calls.length, failures()?.length, bulk.outcome.value?.left]).toEqual([1, 1, 2]);
    expect([said, selected()]).toEqual([[], ['b', 'c', 'd']]);
  });

  it('are left alone after a refusal that the others would meet too', async () => {
    const { bulk, calls, selected } = open({
      delete_post() {
        throw aRefusal('Wait 20 seconds.', 429);
      },
    });
    bulk.turnAll();
    await bulk.run(action('Delete'));
    expect([calls.length, selected()]).toEqual([1, ['a', 'b', 'c', 'd']]);
    expect(bulk.outcome.value).toMatchObject({ of: 3, left: 2, failures: [{ text: 'Wait 20 seconds.' }] });
  });

  it('are done no more after a stop, and nothing begins meanwhile', async () => {
    const { bulk, calls, selected } = open({
      update_post() {
        bulk.stop();
        void bulk.run(action('Delete'));
        bulk.ask(action('Delete'));
        return {};
      },
    });
    bulk.turnAll();
    await bulk.run(action('Unschedule'));
    expect([calls.length, selected(), bulk.asked.value]).toEqual([1, ['b', 'c', 'd'], undefined]);
    expect(bulk.outcome.value).toMatchObject({ of: 2, left: 1, failures: [] });
  });
});
