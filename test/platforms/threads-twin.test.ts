import { describe, expect, it } from 'vitest';
import { png } from '../harness/media-samples.ts';
import type { Json } from '../harness/world.ts';
import { openStage, setUp } from './conformance/stage.ts';
import { threadsSubject } from './conformance/threads.ts';

const DAY = 24 * 3_600_000;

/** A profile with a post and a comment on it. */
async function scene() {
  const stage = await openStage(threadsSubject);
  const own = await setUp(stage, threadsSubject);
  const act = (name: string, input: object) => stage.control(`threads/${name}`, input);
  return {
    ...stage,
    ...own,
    stage,
    act,
    set: (settings: object) => act('settings', settings),
    publish: (input: object) =>
      stage.rest('POST /v1/posts', { account_ids: [own.account], publish_now: true, ...input }),
    answer: (text: string) => act('reply', { person: 'fred.sandbox.test', on: own.platformPost, text }),
    comments: async () => (await stage.rest(`GET /v1/inbox/comments/${own.post}`)).body.data as readonly Json[],
    shown: async (text: string) =>
      ((await stage.control('threads/posts')) as readonly Json[]).find((post) => post.text === text),
  };
}

describe('a container that fails for good', () => {
  it('fails the post, in words', async () => {
    const { set, publish, upload } = await scene();
    await set({ container_failure: 'INVALID_ASPEC_RATIO' });
    const { body } = await publish({ text: 'Wide', media_ids: [await upload('p.png', 'image/png', png(3, 2))] });
    expect(JSON.stringify(body)).toContain('Threads cannot use a media item: invalid aspec ratio.');
  });
});

describe('pushes', () => {
  it('are believed in every form, once, and only if they are signed', async () => {
    const { stage, set, answer, comments } = await scene();
    const receiver = await stage.world.receive(['comment.received']);
    const told = async (settings: object, text: string) => {
      await set({ ...settings, push_duplicate: 'true' });
      await answer(text);
      await stage.hear();
      return receiver.received.filter(({ body }) => JSON.stringify(body).includes(text)).length;
    };
    expect(await told({ push_values_array: 'true' }, 'In a list')).toBe(1);
    expect(await told({ push_values_array: 'false', push_wrap: 'true' }, 'Wrapped')).toBe(1);
    expect(await told({ push_wrap: 'false', push_wrong_signature: 'true' }, 'Forged')).toBe(0);
    expect((await comments()).map(({ text }) => text)).toContain('In a list');
  });

  it('tell what the profile removes in the app', async () => {
    const { stage, rest, post, act, shown } = await scene();
    await rest(`POST /v1/inbox/comments/${post}`, { text: 'Own answer' });
    await stage.hear();
    await act('own_delete', { post: (await shown('Own answer')).id });
    await stage.hear();
    const rows = await stage.world.product.store.db.selectFrom('comments').select(['text', 'gone_at']).execute();
    expect(rows.filter(({ gone_at }) => gone_at !== null)).toHaveLength(1);
    expect(rows.map(({ text }) => text)).not.toContain('Own answer');
  });
});

describe('moderation', () => {
  it('hides answers to the post, and deletes only own ones', async () => {
    const { rest, post, answer, comments, shown } = await scene();
    await answer('Buy followers');
    const { id } = (await comments()).find(({ text }) => text === 'Buy followers')!;
    expect((await rest(`POST /v1/inbox/comments/${post}/${id}/hide`)).status).toBe(200);
    expect(await shown('Buy followers')).toMatchObject({ is_hidden: true });
    const { body } = await rest(`DELETE /v1/inbox/comments/${post}/${id}`);
    expect(body.error.code).toBe('resource.not_supported');
  });
});

describe('the limits of a day', () => {
  it('are shown, and fail a post when they are reached', async () => {
    const { rest, account, publish, set } = await scene();
    const left = async () => (await rest(`GET /v1/accounts/${account}/limits`)).body.posts_remaining;
    const before = await left();
    expect((await publish({ text: 'One more' })).status).toBe(201);
    expect(await left()).toBe(before - 1);
    await set({ post_quota: 250 - before });
    const { body } = await publish({ text: 'One too many' });
    expect(JSON.stringify(body)).toContain('"error_code":"platform.threads.publish_limit"');
  });
});

describe('a login', () => {
  it('is renewed in its window, and not before', async () => {
    const { stage, rest, account, control } = await scene();
    const renewals = async () =>
      ((await control('requests')) as readonly Json[]).filter(({ method }) => method === 'GET refresh_access_token')
        .length;
    stage.world.clock.move(2 * DAY);
    await rest(`GET /v1/accounts/${account}/limits`);
    expect(await renewals()).toBe(0);
    stage.world.clock.move(47 * DAY);
    expect((await rest(`GET /v1/accounts/${account}/limits`)).status).toBe(200);
    expect(await renewals()).toBe(1);
  });
});
