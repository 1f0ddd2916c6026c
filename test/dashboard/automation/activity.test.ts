import { describe, expect, it } from 'vitest';
import { makeActivity, MOST_KEPT } from '#dashboard/activity/model.ts';
import { placeOf } from '#dashboard/activity/places.ts';
import { answering, anEvent } from '../answers.ts';

/** The first letter of an id is its second, so that ids rise with time. */
const entry = (id: string, more: object = {}) =>
  anEvent({
    id,
    summary: `entry ${id}`,
    error_message: null,
    account_id: null,
    metadata: {},
    created_at: `2026-01-31T09:00:${String(id.charCodeAt(0) - 70)}.000Z`,
    ...more,
  });
const pageOf = (ids: readonly string[], next = '') =>
  ({
    data: ids.map((id) => entry(id)),
    retention_days: 30,
    pagination: { has_more: next !== '', next_cursor: next },
  }) as any;

function open(input: object = {}, answers: Parameters<typeof answering>[0] = {}) {
  let isHeld = false;
  const { call, calls } = answering(answers);
  const model = makeActivity({
    call,
    input,
    first: pageOf(['b', 'a'], 'next'),
    isHeld: () => isHeld,
    zone: 'Europe/Berlin',
    titleOf: (platform) => TITLES[platform]!,
  });
  return { model, calls, hold: (on: boolean) => void (isHeld = on), ids: () => model.shown.value.map(({ id }) => id) };
}

const TITLES: Record<string, string> = {
  twitter: 'X',
  google: 'Google Business Profile',
  facebook: 'Facebook',
  threads: 'Threads',
};

describe('the activity', () => {
  it('grows as things happen, each once, and waits while the cursor is on it', () => {
    const { model, hold, ids } = open();
    model.heard(entry('c'));
    model.heard(entry('c'));
    expect(ids()).toEqual(['c', 'b', 'a']);
    hold(true);
    model.heard(entry('d'));
    model.heard(entry('e'));
    model.release();
    expect([ids(), model.newCount.value]).toEqual([['c', 'b', 'a'], '2']);
    hold(false);
    model.release();
    expect([ids(), model.hasNew.value]).toEqual([['e', 'd', 'c', 'b', 'a'], false]);
  });

  it.for([
    ['twitter', 'twitter comment by @twitter', 'X comment by @twitter'],
    ['google', '3 google mentions', '3 Google Business Profile mentions'],
    ['facebook', 'Export of Bread (facebook) started', 'Export of Bread (Facebook) started'],
    ['threads', 'threads.net is no platform', 'threads.net is no platform'],
    [null, 'Brand "x" created', 'Brand "x" created'],
  ] as const)('of %s names the platform: %s', ([platform, summary, shown]) => {
    const { model } = open();
    model.heard(entry('c', { platform, summary }));
    expect(model.shown.value[0]!.summary).toBe(shown);
  });

  it('keeps its order when a stream repeats what is listed, and what is further down', () => {
    const { model, ids } = open();
    for (const id of ['X', 'Y', 'a', 'a1', 'b', 'd', 'c']) model.heard(entry(id));
    expect(ids()).toEqual(['d', 'c', 'b', 'a1', 'a']);
  });

  it('takes what is older than all of a list that is whole', async () => {
    const { model, ids } = open({}, { list_events: () => pageOf([]) });
    await model.more();
    model.heard(entry('X'));
    expect(ids()).toEqual(['b', 'a', 'X']);
  });

  it('keeps some hundreds, and reads the older ones again from there', async () => {
    const { model, calls, hold, ids } = open({}, { list_events: () => pageOf(['b', 'a'], 'next') });
    const many = Array.from({ length: MOST_KEPT }, (_, at) => `c${String(at).padStart(4, '0')}`);
    for (const id of many) model.heard(entry(id));
    expect([ids().length, ids().at(-1)]).toEqual([MOST_KEPT, 'c0000']);
    await model.more();
    expect(calls[0]![1]).toEqual({ to: '2026-01-31T09:00:29.001Z' });
    expect(ids().slice(-3)).toEqual(['c0000', 'b', 'a']);

    hold(true);
    for (const id of many) model.heard(entry(`d${id}`));
    expect([model.newCount.value, ids()[0]]).toEqual([`${MOST_KEPT}`, 'c0299']);
    model.heard(entry('e'));
    expect(model.newCount.value).toBe(`${MOST_KEPT}+`);
    hold(false);
    model.release();
    expect([ids()[0], ids().at(-1), model.hasMore.value]).toEqual(['e', 'dc0001', true]);
  });

  it('drops a page that was asked for below a list that is no longer there', async () => {
    const page = Promise.withResolvers<unknown>();
    const { model, ids } = open({}, { list_events: () => page.promise });
    const more = model.more();
    for (let at = 0; at < MOST_KEPT; at += 1) model.heard(entry(`c${1000 + at}`));
    page.resolve(pageOf(['Y', 'X']));
    await more;
    expect([ids().at(-1), model.hasMore.value]).toEqual(['c1000', true]);
  });

  it('takes only what its filters name', () => {
    const { model, ids } = open({ category: ['post'], account_id: 'acc_1', status: 'failed' });
    model.heard(entry('c', { category: 'post', account_id: 'acc_1', status: 'success' }));
    model.heard(entry('d', { category: 'post', account_id: 'acc_2', status: 'failed' }));
    model.heard(entry('e', { category: 'inbox', account_id: 'acc_1', status: 'failed' }));
    model.heard(entry('f', { category: 'post', account_id: 'acc_1', status: 'failed' }));
    expect(ids()).toEqual(['f', 'b', 'a']);
  });

  it('is read further back, and says why it could not be', async () => {
    let fails = true;
    const { model, ids } = open(
      {},
      {
        list_events() {
          if (fails) throw new Error('The server is restarting.');
          return pageOf(['a', 'Z']);
        },
      },
    );
    await model.more();
    expect([model.problem.value, model.isLoading.value]).toEqual(['The server is restarting.', false]);
    fails = false;
    await model.more();
    expect([ids(), model.hasMore.value]).toEqual([['b', 'a', 'Z'], false]);
  });

  it('says times as they are where the person is', () => {
    const { model } = open();
    model.heard(entry('c', { summary: 'Post scheduled for 2030-07-05T09:00:00.000Z' }));
    expect(model.shown.value[0]!.summary).toBe('Post scheduled for Fri, 5 Jul 2030, 11:00');
    model.words.value = '5 jul';
    expect(model.shown.value).toHaveLength(1);
    model.heard(entry('d', { summary: 'Key "2030-99-99T09:00:00Z" created' }));
    model.words.value = '99T09';
    expect(model.shown.value[0]!.summary).toBe('Key "2030-99-99T09:00:00Z" created');
  });

  it('is searched by words', () => {
    const { model, ids } = open();
    model.heard(entry('c', { summary: 'Loaf published' }));
    model.words.value = 'PUBLISHED loaf';
    expect(ids()).toEqual(['c']);
    model.words.value = 'nothing';
    expect([ids(), model.count.value]).toEqual([[], 3]);
  });

  it.each([
    [{ category: 'post', action: 'published', resource_id: 'post_1' }, '/dashboard/posts/post_1'],
    [{ category: 'post', action: 'deleted', resource_id: 'post_1' }, undefined],
    [
      { category: 'webhook', action: 'delivery', resource_id: 'whk_1', metadata: { delivery_id: 'dlv_1' } },
      '/dashboard/webhooks/whk_1?delivery=dlv_1#deliveries',
    ],
    [
      {
        category: 'inbox',
        action: 'received',
        resource_id: 'cmt_1',
        account_id: 'a',
        metadata: { event: 'comment.received' },
      },
      '/dashboard/inbox?item=comment%3Aa%3Acmt_1',
    ],
    [
      {
        category: 'inbox',
        action: 'received',
        resource_id: 'dm_1',
        account_id: 'a',
        metadata: { event: 'dm.received' },
      },
      '/dashboard/inbox?view=messages&account=a',
    ],
    [
      {
        category: 'inbox',
        action: 'status.read',
        resource_id: 'c1',
        account_id: 'a',
        metadata: { event: 'dm.status.read' },
      },
      '/dashboard/inbox?item=conversation%3Aa%3Ac1',
    ],
    [{ category: 'account', action: 'export_completed', resource_id: 'exp_1' }, '/dashboard/exports'],
    [{ category: 'account', action: 'connected', resource_id: 'acc_1' }, '/dashboard/accounts'],
    [{ category: 'api', action: 'key_created', resource_id: 'key_1' }, '/dashboard/keys'],
    [
      { category: 'api', action: 'held', resource_id: 'act_1', metadata: { event: 'action.held' } },
      '/dashboard/assistants',
    ],
    [{ category: 'api', action: 'plan_changed', resource_id: 'wsp_1' }, undefined],
  ] as const)('leads from entry %# to its page', (more, href) => {
    expect(placeOf(entry('x', more), () => true)).toBe(href);
  });
});
