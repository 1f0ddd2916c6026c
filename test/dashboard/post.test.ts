import { describe, expect, it } from 'vitest';
import { RefusedError } from '#dashboard/lib/call.ts';
import { cureOf, makePost } from '#dashboard/post/model.ts';
import { aPost, answering, anEvent } from './answers.ts';

function open(answers: Parameters<typeof answering>[0], post = aPost({ status: 'failed' })) {
  const said: string[] = [];
  const told: string[] = [];
  const codes: (string | undefined)[] = [];
  let keys = 0;
  let left = 0;
  const { call, calls } = answering({ get_post: () => post, list_post_logs: () => ({ data: [] }), ...answers });
  const one = makePost({
    call,
    post,
    logs: [],
    gained: null,
    zone: 'Asia/Tokyo',
    clock: () => Date.parse('2026-03-02T12:00:00Z'),
    newKey: () => `key ${++keys}`,
    later: (run) => run(),
    say(text, how) {
      said.push(text);
      codes.push(how?.refused?.code);
    },
    leave(words) {
      left += 1;
      told.push(words);
      said.push(words);
    },
  });
  return { one, calls, said, told, codes, left: () => left };
}

const refused = (code: string, message: string) => new RefusedError(409, { code, message, request_id: 'r' });

describe('a post', () => {
  it('is published again with a key of its own for each press', async () => {
    const { one, calls, said } = open({ retry_post: () => ({}) });
    await one.retry();
    await one.retry();
    const retries = calls.filter(([name]) => name === 'retry_post');
    expect(retries.map(([, input, key]) => [input.confirm_not_published, key])).toEqual([
      [false, 'key 1'],
      [false, 'key 2'],
    ]);
    expect(said).toEqual(['Publishing again.', 'Publishing again.']);
  });

  it('asks to look first where it may be public already', async () => {
    const { one, calls } = open({
      retry_post({ confirm_not_published }) {
        if (!confirm_not_published) throw refused('post.state_invalid', 'telegram does not say whether it published.');
        return {};
      },
    });
    await one.retry();
    expect([one.question.value, one.doubt.value]).toEqual(['doubt', 'telegram does not say whether it published.']);
    await one.retryAnyway();
    expect(one.question.value).toBeUndefined();
    expect(calls.filter(([name]) => name === 'retry_post').map(([, input]) => input.confirm_not_published)).toEqual([
      false,
      true,
    ]);
  });

  it('is published again with the same key after an answer was lost', async () => {
    let isLost = true;
    const { one, calls, said } = open({
      retry_post() {
        if (isLost) throw new TypeError('Failed to fetch');
        return {};
      },
    });
    await one.retry();
    isLost = false;
    await one.retry();
    expect(calls.filter(([name]) => name === 'retry_post').map(([, , key]) => key)).toEqual(['key 1', 'key 1']);
    expect(said).toEqual(['No answer came. Press again: nothing is done twice.', 'Publishing again.']);
  });

  it('says what was refused, and shows what is so now', async () => {
    const { one, said, codes, calls } = open({
      publish_post() {
        throw refused('billing.post_limit', 'The plan has no posts left.');
      },
    });
    await one.publish();
    expect([said, one.isBusy.value]).toEqual([['The plan has no posts left.'], false]);
    expect(codes).toEqual(['billing.post_limit']);
    expect(calls.at(-1)?.[0]).toBe('list_post_logs');
  });

  it('does one thing at a time', async () => {
    const answer = Promise.withResolvers<object>();
    const { one, calls } = open({ retry_post: () => answer.promise });
    const first = one.retry();
    await one.retry();
    answer.resolve({});
    await first;
    expect(calls.filter(([name]) => name === 'retry_post')).toHaveLength(1);
  });

  it.each([
    [[], 1, 'Deleted.'],
    [[{ platform: 'instagram' }], 0, 'Deleted here, but still public on a platform.'],
  ])('leads back to the list once nothing of it is left: %j', async (remaining, times, words) => {
    const { one, said, told, left } = open({ delete_post: () => ({ remaining }) });
    await one.remove();
    expect([left(), said]).toEqual([times, [words]]);
    // On the page that it leads to.
    expect(told).toEqual(times === 1 ? [words] : []);
  });

  it('is read again when it changed, and for no other post', async () => {
    const { one, calls } = open({});
    one.heard(anEvent({ resource_id: 'another' }));
    expect(calls).toEqual([]);
    one.heard(anEvent({ resource_id: 'post_1' }));
    expect(calls.map(([name]) => name)).toEqual(['get_post', 'list_post_logs']);
  });

  it('shows what it gained once it is public, with the days of the workspace', async () => {
    const { one, calls } = open({
      get_post: () => aPost({ status: 'published', published_at: '2026-02-28T20:00:00Z' }),
      get_analytics: (input) => ({ ...input, totals: { likes: 1 } }),
    });
    one.heard(anEvent({ resource_id: 'post_1' }));
    await expect.poll(() => one.gained.value).toMatchObject({ totals: { likes: 1 } });
    const input = { post_id: 'post_1', group_by: 'day', from: '2026-03-01', to: '2026-03-02' };
    expect(calls.at(-1)).toEqual(['get_analytics', input, undefined]);
  });

  it('says what to do about each kind of failure', () => {
    const cure = (category: string, canConnect = true) =>
      cureOf({ error: { category } } as never, { title: 'Bluesky', canConnect });
    expect(cureOf({ error: null } as never, { title: 'Bluesky', canConnect: true })).toBeUndefined();
    expect(cure('auth')).toBe('Connect the account again, then publish again.');
    expect(cure('auth', false)).toBe('Ask an administrator to connect the account again.');
    expect(cure('validation', false)).toBe(cure('validation'));
    expect(cure('platform')).toBe('Publish again; if Bluesky refuses once more, its own words above say why.');
    expect(new Set(['auth', 'rate_limit', 'validation', 'platform'].map((one) => cure(one))).size).toBe(4);
  });
});
