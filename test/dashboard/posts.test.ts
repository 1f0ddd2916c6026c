import { describe, expect, it } from 'vitest';
import { RefusedError } from '#dashboard/lib/call.ts';
import { makePosts } from '#dashboard/posts/model.ts';
import { aPost, answering, anEvent } from './answers.ts';

const pageOf = (ids: readonly string[], next = '') => ({
  data: ids.map((id) => aPost({ id })),
  next_cursor: next,
  pagination: { has_more: next !== '', next_cursor: next, limit: 25 },
});

function open(answers: Parameters<typeof answering>[0]) {
  const waiting: (() => void)[] = [];
  const { call, calls } = answering(answers);
  const input = { sort: 'scheduled_desc' } as const;
  const list = makePosts({ call, input, first: pageOf(['a', 'b'], 'next'), later: (run) => void waiting.push(run) });
  const ids = () => list.posts.value.map(({ id }) => id);
  return { list, calls, ids, settle: async () => waiting.splice(0).at(-1)?.() };
}

describe('the list of posts', () => {
  it('grows by a page, each post once', async () => {
    const { list, calls, ids } = open({ list_posts: () => pageOf(['b', 'c']) });
    await list.more();
    expect([ids(), list.hasMore.value]).toEqual([['a', 'b', 'c'], false]);
    expect(calls).toEqual([['list_posts', { sort: 'scheduled_desc', cursor: 'next' }, undefined]]);
  });

  it('says why it could not be read, and is read again', async () => {
    let fails = true;
    const { list, ids } = open({
      list_posts() {
        if (fails) throw new Error('The server is restarting.');
        return pageOf(['z']);
      },
    });
    await list.more();
    expect([ids(), list.problem.value, list.isLoading.value]).toEqual([['a', 'b'], 'The server is restarting.', false]);
    fails = false;
    await list.again();
    expect([ids(), list.problem.value]).toEqual([['z'], undefined]);
  });

  it('is filtered by brand and account, and shows only what was asked for last', async () => {
    const answers = new Map<string | undefined, ReturnType<typeof Promise.withResolvers<unknown>>>();
    const { list, calls, ids } = open({
      list_posts({ account_id }) {
        answers.set(account_id, Promise.withResolvers());
        return answers.get(account_id)!.promise;
      },
    });
    const first = list.filter({ brand: 'brd', account: '' });
    const last = list.filter({ brand: 'brd', account: 'acc' });
    answers.get('acc')!.resolve(pageOf(['z']));
    await last;
    answers.get(undefined)!.resolve(pageOf(['a']));
    await first;
    expect(calls.at(-1)![1]).toEqual({ sort: 'scheduled_desc', brand_id: 'brd', account_id: 'acc' });
    expect([ids(), list.owner.value]).toEqual([['z'], { brand: 'brd', account: 'acc' }]);
  });

  it('shows none of the old posts under a filter whose posts could not be read', async () => {
    const { list, ids } = open({
      list_posts() {
        throw new Error('The server is restarting.');
      },
    });
    await list.filter({ brand: '', account: 'acc' });
    expect([ids(), list.hasMore.value, list.problem.value]).toEqual([[], false, 'The server is restarting.']);
  });

  it('drops a post that was deleted, and waits for none that was never there', async () => {
    const { list, ids, settle } = open({
      get_post() {
        throw new RefusedError(404, { code: 'post.not_found', message: 'Gone.', request_id: 'r' });
      },
    });
    list.heard(anEvent({ action: 'deleted', resource_id: 'a' }));
    list.heard(anEvent({ action: 'deleted', resource_id: 'elsewhere' }));
    await settle();
    await expect.poll(ids).toEqual(['b']);
    expect(list.hasNews.value).toBe(false);
  });

  it('reads a post again that changed, and lets new ones wait', async () => {
    const { list, settle } = open({ get_post: ({ post_id }) => aPost({ id: post_id, status: 'published' }) });
    list.heard(anEvent({ action: 'published', resource_id: 'b' }));
    list.heard(anEvent({ action: 'scheduled', resource_id: 'new' }));
    list.heard(anEvent({ category: 'inbox', action: 'message_created', resource_id: 'other' }));
    await settle();
    await expect.poll(() => list.posts.value.map(({ status }) => status)).toEqual(['draft', 'published']);
    expect([list.hasNews.value, list.posts.value.length]).toEqual([true, 2]);
  });
});
