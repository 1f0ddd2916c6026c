import { describe, expect, it } from 'vitest';
import { google } from '#platforms/google/index.ts';
import type { OutgoingPost, LookupCall } from '#platforms/posts.ts';
import { AT, failure, googleOf, iso } from '../../harness/platforms/google/samples.ts';
import { lost, NOW, ok, type Script } from '../../harness/platforms/script.ts';
import { postOf } from '../../harness/platforms/steps.ts';

const { publish, check, remove, list, rules } = google.posts!;
const CREATE = `POST my${AT}/localPosts`;
const LIST = `GET my${AT}/localPosts`;
const ONE = `GET my${AT}/localPosts/p1`;
const EDITING = [
  { bucket: 'edits', units: 1 },
  { bucket: 'requests', units: 1 },
];

const post = (more: Partial<OutgoingPost> = {}) => postOf({ text: 'Fresh bread.', ...more });
const local = (state: string, more: object = {}) => ({
  name: 'accounts/1/locations/2/localPosts/p1',
  state,
  searchUrl: 'https://search.example/p1',
  topicType: 'STANDARD',
  summary: 'Fresh bread.',
  createTime: iso(NOW),
  ...more,
});

function publishing(script: Script, given: OutgoingPost = post(), done: Record<string, unknown> = {}) {
  const played = googleOf(script);
  const call = { ...played.acting, post: given, done, link: async (ref: string) => `https://us.example/${ref}` };
  return { ...played, call: call as unknown as LookupCall };
}

/** Runs all steps as the engine does. */
async function published(script: Script, given?: OutgoingPost) {
  const { call, asked } = publishing(script, given);
  const done: Record<string, unknown> = {};
  for (const { name } of publish.steps(call.post)) done[name] = await publish.run({ ...call, done }, name);
  return { ...publish.finish(done, google.hosts.real), asked };
}

describe('a local post', () => {
  it('is made at the location, and its address is that of the search', async () => {
    const { asked, ...made } = await published({ [CREATE]: ok(local('LIVE')) });
    expect(made).toEqual({
      platform_post_id: 'p1',
      permalink: 'https://search.example/p1',
      metadata: { state: 'LIVE' },
    });
    expect(asked.map(({ call, body, request }) => [call, body, request.cost])).toEqual([
      [CREATE, { topicType: 'STANDARD', summary: 'Fresh bread.' }, EDITING],
    ]);
  });

  it('has a button, a language and a photo that Google fetches', async () => {
    const { asked } = await published(
      { [CREATE]: ok(local('LIVE')) },
      post({
        media: [{ ref: 'm1.jpg', kind: 'image' }],
        options: {
          language_code: 'en',
          call_to_action: { action_type: 'LEARN_MORE', url: 'https://bakery.example/bread' },
        },
      }),
    );
    expect(asked[0]!.body).toEqual({
      topicType: 'STANDARD',
      summary: 'Fresh bread.',
      languageCode: 'en',
      callToAction: { actionType: 'LEARN_MORE', url: 'https://bakery.example/bread' },
      media: [{ mediaFormat: 'PHOTO', sourceUrl: 'https://us.example/m1.jpg' }],
    });
    const dial = post({ options: { call_to_action: { action_type: 'CALL', url: 'https://x.example' } } });
    expect((await published({ [CREATE]: ok(local('LIVE')) }, dial)).asked[0]!.body.callToAction).toEqual({
      actionType: 'CALL',
    });
  });

  it('is an event, or an offer with its time', async () => {
    const event = { start_date: '2026-12-01', start_time: '09:30', end_date: '2026-12-02' };
    const when = {
      startDate: { year: 2026, month: 12, day: 1 },
      startTime: { hours: 9, minutes: 30, seconds: 0, nanos: 0 },
      endDate: { year: 2026, month: 12, day: 2 },
    };
    const fair = await published({ [CREATE]: ok(local('LIVE')) }, post({ title: 'Fair', options: { event } }));
    expect(fair.asked[0]!.body).toEqual({
      topicType: 'EVENT',
      summary: 'Fresh bread.',
      event: { title: 'Fair', schedule: when },
    });
    const offer = {
      coupon_code: 'BREAD',
      redeem_online_url: 'https://bakery.example/o',
      terms_conditions: 'One each.',
    };
    const sale = post({ title: 'Fair', options: { event: { ...event, title: 'Sale' }, offer } });
    expect((await published({ [CREATE]: ok(local('LIVE')) }, sale)).asked[0]!.body).toEqual({
      topicType: 'OFFER',
      summary: 'Fresh bread.',
      event: { title: 'Sale', schedule: when },
      offer: { couponCode: 'BREAD', redeemOnlineUrl: 'https://bakery.example/o', termsConditions: 'One each.' },
    });
  });

  it('waits while Google looks at it', async () => {
    const { call } = publishing({ [ONE]: [ok(local('PROCESSING')), ok(local('LIVE'))] }, post(), {
      create: { id: 'p1', state: 'PROCESSING' },
    });
    await expect(publish.run(call, 'shown')).rejects.toMatchObject({ kind: 'pending' });
    expect(await publish.run(call, 'shown')).toMatchObject({ id: 'p1', state: 'LIVE' });
    expect(publish.steps(post()).find(({ name }) => name === 'shown')).toMatchObject({
      kind: 'idempotent',
      maxWaitMs: 3_600_000,
    });
  });

  it.each(['at once', 'later'])('is refused if Google rejects it %s', async (when) => {
    const state = when === 'later' ? 'PROCESSING' : 'REJECTED';
    const { call } = publishing({ [ONE]: ok(local('REJECTED')) }, post(), { create: { id: 'p1', state } });
    await expect(publish.run(call, 'shown')).rejects.toMatchObject({ kind: 'refused', reason: 'blocked' });
  });

  it('in a state that nobody knows counts as shown', async () => {
    expect(await published({ [CREATE]: ok(local('RECURRING')) })).toMatchObject({ metadata: { state: 'RECURRING' } });
  });

  it.each([
    [
      'it is the only one',
      [local('LIVE')],
      { made: { id: 'p1', state: 'LIVE', searchUrl: 'https://search.example/p1' } },
    ],
    ['another says the same', [local('LIVE'), local('LIVE', { name: 'a/localPosts/p2' })], 'unknown'],
    ['it is not there', [], 'unknown'],
    ['an older one says the same', [local('LIVE', { createTime: iso(NOW - 120_000) })], 'unknown'],
    ['an event says the same', [local('LIVE', { topicType: 'EVENT' })], 'unknown'],
    ['one cannot be read', [{ name: 'x' }, local('LIVE')], { made: expect.objectContaining({ id: 'p1' }) }],
  ])('whose answer is lost is looked for: %s', async (_what, localPosts, expected) => {
    const { call } = publishing({ [LIST]: ok({ localPosts }) }, post(), { begin: { at: NOW } });
    expect(await publish.settle!(call, 'create')).toEqual(expected);
  });

  it('whose answer is lost may be out', async () => {
    const { call } = publishing({ [CREATE]: lost() }, post(), { begin: { at: NOW } });
    await expect(publish.run(call, 'create')).rejects.toMatchObject({ kind: 'unknown' });
    expect(publish.steps(post()).find(({ name }) => name === 'create')).toMatchObject({ kind: 'visible' });
    expect(await publish.settle!(call, 'shown')).toBe('unknown');
  });

  it('is removed, also where somebody was faster', async () => {
    const { acting, asked } = googleOf({ [`DELETE my${AT}/localPosts/p1`]: [ok({}), failure(404, 'NOT_FOUND')] });
    await remove!(acting, 'p1', {});
    await remove!(acting, 'p1', {});
    expect(asked.map(({ request }) => request.cost)).toEqual([EDITING, EDITING]);
    await expect(remove!(acting, '../../reviews', {})).resolves.toBeUndefined();
    expect(asked).toHaveLength(2);
  });
});

describe('the posts of a location', () => {
  it('are listed, but for those that Google rejected', async () => {
    const photo = { mediaFormat: 'PHOTO', googleUrl: 'https://lh3.example/1' };
    const { acting, asked } = googleOf({
      [LIST]: ok({
        localPosts: [local('LIVE', { media: [photo, { mediaFormat: 'VIDEO' }] }), local('REJECTED')],
        nextPageToken: 'n',
      }),
    });
    expect(await list!(acting, { limit: 25, cursor: 'c' })).toEqual({
      posts: [
        {
          platform_post_id: 'p1',
          permalink: 'https://search.example/p1',
          text: 'Fresh bread.',
          created_at: NOW,
          media: [{ type: 'image', url: 'https://lh3.example/1' }],
        },
      ],
      cursor: 'n',
    });
    expect(asked[0]!.query).toEqual({ pageSize: '25', pageToken: 'c' });
  });
});

describe('the rules', () => {
  const day = { start_date: '2026-12-01', end_date: '2026-12-02' };
  const fields = (more: Partial<OutgoingPost>) =>
    check!(post(more)).map(({ field }) => field.replace('platform_data.google.', ''));

  it.each([
    [{}, []],
    [{ options: { topic_type: 'EVENT' } }, ['event', 'title']],
    [{ options: { offer: { coupon_code: 'X' } }, title: 'Sale' }, ['event']],
    [{ options: { event: day } }, ['title']],
    [{ options: { event: { ...day, title: 'Fair' } } }, []],
    [{ options: { event: { ...day, title: 'F'.repeat(59) } } }, ['event.title']],
    [{ options: { event: { ...day, end_date: '2026-11-30' } }, title: 'Fair' }, ['event.end_date']],
    [
      { options: { event: { ...day, end_date: '2026-12-01', start_time: '10:00', end_time: '09:00' } }, title: 'F' },
      ['event.end_date'],
    ],
    [{ options: { event: { ...day, start_time: '25:00' } }, title: 'Fair' }, ['event.start_time']],
    [{ options: { topic_type: 'STANDARD', event: day } }, ['event']],
    [{ options: { topic_type: 'STANDARD', offer: {} } }, ['offer']],
    [{ options: { topic_type: 'EVENT', event: day, offer: {} }, title: 'Fair' }, ['offer']],
    [{ options: { call_to_action: { action_type: 'BOOK' } } }, ['call_to_action.url']],
    [{ options: { call_to_action: { action_type: 'CALL' } } }, []],
    [{ options: { call_to_action: { action_type: 'WAVE' } } }, ['call_to_action.action_type']],
    [{ options: { call_to_action: { action_type: 'BOOK', url: 'javascript:1' } } }, ['call_to_action.url']],
    [
      { options: { event: day, offer: {}, call_to_action: { action_type: 'CALL' } }, title: 'Sale' },
      ['call_to_action'],
    ],
    [{ media: [{ ref: 'm', kind: 'image', size_bytes: 9000 }] }, ['media.0']],
    [{ media: [{ ref: 'm', kind: 'image', width: 249, height: 800 }] }, ['media.0']],
    [{ media: [{ ref: 'm', kind: 'image', size_bytes: 20_000, width: 250, height: 800 }] }, []],
  ] as const)('of %j name %j', (more, expected) => {
    expect(fields(more)).toEqual(expected);
  });

  it('allow 1500 characters and one photo', () => {
    expect(rules).toMatchObject({
      text: { max_length: 1500 },
      media: { pulls: 'any_address', supported_video_types: [] },
      carousel: { supported: false },
      first_comment: false,
      text_only: true,
    });
  });
});
