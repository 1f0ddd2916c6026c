import { DAY } from '#kernel/clock.ts';
import { describe, expect, it } from 'vitest';
import { mp4, png } from '../../harness/media-samples.ts';
import type { Json } from '../../harness/world.ts';
import { finalPost, openStage, setUp } from '../conformance/stage.ts';
import { threadsSubject } from '../conformance/subjects/threads.ts';

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
    const error = { code: 'platform.threads.invalid_request', platform_code: 'INVALID_ASPEC_RATIO' };
    expect(body.post?.results ?? body.results).toMatchObject([{ error }]);
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
  it('hides and shows answers to the post, and deletes only own ones', async () => {
    const { rest, post, answer, comments, shown } = await scene();
    await answer('Buy followers');
    const theirs = async () => (await comments()).find(({ text }) => text === 'Buy followers')!;
    const path = `/v1/inbox/comments/${post}/${(await theirs()).id}` as const;
    for (const [verb, is_hidden] of [
      ['POST', true],
      ['DELETE', false],
    ] as const) {
      expect((await rest(`${verb} ${path}/hide`)).status).toBe(200);
      expect([(await shown('Buy followers')).is_hidden, (await theirs()).is_hidden]).toEqual([is_hidden, is_hidden]);
    }
    expect((await rest(`DELETE ${path}`)).body.error.code).toBe('resource.not_supported');
    for (const action of ['like', 'private-reply']) {
      const { status, body } = await rest(`POST ${path}/${action}`, { text: 'Hello' });
      expect([status, body.error.code]).toEqual([501, 'resource.not_supported']);
    }
    const { body: own } = await rest(`POST /v1/inbox/comments/${post}`, { text: 'Own answer' });
    expect((await rest(`DELETE /v1/inbox/comments/${post}/${own.comment_id}`)).status).toBe(200);
    expect((await shown('Own answer')).deleted_at).toEqual(expect.any(Number));
  });
});

describe('answers', () => {
  it('to answers are written and read below them, those to posts below the post', async () => {
    const { rest, stage, post, platformPost, act, answer, comments, shown } = await scene();
    await answer('Is it dark?');
    const { id, platform_id: theirs } = (await comments()).find(({ text }) => text === 'Is it dark?')!;
    const ask = { text: 'Very dark.', comment_id: id };
    expect((await rest(`POST /v1/inbox/comments/${post}`, ask)).status).toBe(200);
    await act('reply', { person: 'fred.sandbox.test', on: (await shown('Very dark.')).id, text: 'How dark?' });
    await stage.hear();
    expect((await shown('Very dark.')).parent_id).toBe(theirs);
    const { data } = (await rest(`GET /v1/inbox/comments/${post}/${id}/replies`)).body;
    expect(data.map(({ text, is_owner }: Json) => [text, is_owner])).toEqual([['Very dark.', true]]);
    expect((await comments()).map(({ text }) => text)).toEqual(expect.arrayContaining(['Is it rye?', 'Is it dark?']));
    expect((await shown('Is it dark?')).parent_id).toBe(platformPost);
  });

  it('are written to mentions, in posts and in answers', async () => {
    const { stage, rest, account, person, act, publish, shown } = await scene();
    const fred = 'fred.sandbox.test';
    await act('mention', { person: fred, whom: person, text: 'Best bread' });
    const { body } = await publish({ text: 'What else?' });
    const on = body.results[0].platform_post_id;
    await act('reply', { person: fred, on, text: `Ask @${person}` });
    await stage.hear();
    const path = `/v1/accounts/${account}/mentions` as const;
    const { data } = (await rest(`GET ${path}`)).body;
    const texts = [`@${person} Best bread`, `Ask @${person}`];
    expect(data.map(({ content }: Json) => content.text)).toEqual(expect.arrayContaining(texts));
    for (const text of texts) {
      const { id, platform_id } = data.find(({ content }: Json) => content.text === text);
      const answer = `Thank you for ${text}`;
      expect((await rest(`POST ${path}/reply`, { mention_id: id, text: answer })).status).toBe(200);
      expect((await shown(answer)).parent_id).toBe(platform_id);
    }
  });
});

describe('a post', () => {
  const tracks = [{ handler: 'vide', width: 720, height: 1280 }] as const;

  it('of 20 images and videos is one carousel, in their order', async () => {
    const { stage, publish, upload, shown } = await scene();
    const media_ids = [];
    for (let at = 0; at < 20; at += 1) {
      const isVideo = at % 7 === 3;
      const file = isVideo ? mp4({ ms: 5000 + at, tracks }) : png(3, 2, at);
      media_ids.push(await upload(isVideo ? 'v.mp4' : 'p.png', isVideo ? 'video/mp4' : 'image/png', file));
    }
    const { body } = await publish({ text: 'Twenty', media_ids });
    expect((await finalPost(stage, body.id)).status).toBe('published');
    const kinds = (await shown('Twenty')).media.map(({ type }: Json) => type);
    expect(kinds).toEqual(Array.from({ length: 20 }, (_, at) => (at % 7 === 3 ? 'VIDEO' : 'IMAGE')));
    const more = { text: 'More', media_ids: [...media_ids, await upload('p.png', 'image/png', png(3, 2, 99))] };
    expect((await publish(more)).body.error.code).toMatch(/^validation\./);
  });

  it('of several parts is a chain of answers, which goes with all of its parts', async () => {
    const { publish, upload, shown, rest } = await scene();
    const photo = await upload('p.png', 'image/png', png(3, 2));
    const texts = ['One', 'Two', 'Three', 'Four', 'Five'];
    const segments = texts.slice(1).map((text) => (text === 'Three' ? { text, media_ids: [photo] } : { text }));
    const { body } = await publish({ text: 'One', segments });
    const parts = await Promise.all(texts.map((text) => shown(text)));
    expect(parts.slice(1).map(({ parent_id }) => parent_id)).toEqual(parts.slice(0, -1).map(({ id }) => id));
    expect(parts.map(({ media }) => media.length)).toEqual([0, 0, 1, 0, 0]);
    expect(body.results[0].platform_post_id).toBe(parts[0].id);
    expect((await rest(`POST /v1/posts/${body.id}/unpublish`)).status).toBe(200);
    const gone = await Promise.all(texts.map(async (text) => (await shown(text)).deleted_at));
    expect(gone).toEqual(texts.map(() => expect.any(Number)));
  });

  it('whose container expires is published from another one, once', async () => {
    const { stage, set, act, publish, upload, rest, control } = await scene();
    await set({ container_processing_ms: 7_200_000 });
    const film = await upload('v.mp4', 'video/mp4', mp4({ ms: 5000, tracks }));
    const { body } = await publish({ text: 'Slow', media_ids: [film] });
    expect(body.status).toBe('publishing');
    const containers = async () =>
      ((await control('threads/containers')) as readonly Json[]).filter(({ draft }) => draft.text === 'Slow');
    const [first] = await containers();
    await act('end_container', { container: first.id, as: 'EXPIRED' });
    await set({ container_processing_ms: 0 });
    for (let waits = 0; waits < 5; waits += 1) await stage.world.pass(60_000);
    const [{ status, platform_post_id }] = (await rest(`GET /v1/posts/${body.id}`)).body.results;
    expect(status).toBe('published');
    expect((await containers()).map(({ media_id }) => media_id)).toEqual([undefined, platform_post_id]);
  });
});

describe('a sync', () => {
  it('takes in the 25 newest posts, with their counts', async () => {
    const { rest, account, person, act, shown } = await scene();
    for (let at = 1; at <= 30; at += 1) await act('own_post', { person, text: `Loaf ${at}` });
    const { id } = await shown('Loaf 30');
    await act('like', { person: 'fred.sandbox.test', on: id });
    expect((await rest(`POST /v1/accounts/${account}/sync`)).status).toBe(200);
    const { data } = (await rest('GET /v1/posts?limit=100')).body;
    const loaves = data.filter(({ text }: Json) => text.startsWith('Loaf'));
    expect(loaves.map(({ text }: Json) => text).toSorted()).toEqual(
      Array.from({ length: 25 }, (_, at) => `Loaf ${at + 6}`).toSorted(),
    );
    const post = loaves.find(({ text }: Json) => text === 'Loaf 30');
    expect((await rest(`GET /v1/posts/${post.id}/metrics`)).body.data.results[0].metrics.likes).toBe(1);
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
