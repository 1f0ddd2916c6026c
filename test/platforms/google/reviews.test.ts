import { describe, expect, it } from 'vitest';
import type { InboundEvent } from '#platforms/inbound.ts';
import type { PushTrust } from '#platforms/push.ts';
import { google } from '#platforms/google/index.ts';
import { AT, failure, googleOf, iso, reviewed } from '../../harness/platforms/google/samples.ts';
import { lost, NOW, ok } from '../../harness/platforms/script.ts';

const reviews = google.reviews!;
const push = google.push!;
const { history, poll } = google.inbox!;
const LIST = `GET my${AT}/reviews`;
const STATE = { correlationId: '', prepared: undefined, sentAt: NOW };
const ONE = {
  platform_id: 'r1',
  rating: 4,
  author: { id: '', name: 'Ada', avatar_url: 'https://photos.example/ada' },
  text: 'Good bread.',
  location: 'locations/2',
  media: [],
  reply: undefined,
  created_at: NOW - 60_000,
  updated_at: NOW - 60_000,
};

describe('reviews', () => {
  it('are listed by their last change, at most 50 at once', async () => {
    const odd = { reviewId: 'odd', starRating: 'STAR_RATING_UNSPECIFIED' };
    const { acting, asked } = googleOf({ [LIST]: ok({ reviews: [reviewed('r1'), odd], nextPageToken: 'n' }) });
    expect(await reviews.list(acting, { limit: 100, cursor: 'c' })).toEqual({ items: [ONE], cursor: 'n' });
    expect(asked[0]!.query).toEqual({ pageSize: '50', pageToken: 'c', orderBy: 'updateTime desc' });
    expect(asked[0]!.request.cost).toEqual([{ bucket: 'requests', units: 1 }]);
  });

  it('show stars alone, pictures, a stranger, and how far a reply is', async () => {
    const bare = { comment: undefined, reviewer: { isAnonymous: true } };
    const reviewMediaItems = [
      { thumbnailUrl: 'https://lh3.example/a' },
      { thumbnailUrl: 'https://lh3.example/b', videoUrl: 'https://lh3.example/v' },
      {},
    ];
    const reviewReply = { comment: 'Thanks!', updateTime: iso(NOW), state: 'PENDING' };
    const shown = [
      reviewed('r1', bare),
      reviewed('r2', { reviewMediaItems, starRating: 'ONE' }),
      reviewed('r3', { reviewReply }),
    ];
    const { items } = await reviews.list(googleOf({ [LIST]: ok({ reviews: shown }) }).acting, { limit: 10 });
    expect(items).toMatchObject([
      { text: '', author: { id: '', name: 'A Google user' } },
      {
        rating: 1,
        media: [
          { type: 'image', url: 'https://lh3.example/a' },
          { type: 'video', url: 'https://lh3.example/v' },
        ],
      },
      { reply: { text: 'Thanks!', updated_at: NOW, state: 'PENDING' } },
    ]);
  });

  it('are answered by a reply that replaces the one before', async () => {
    const { acting, asked } = googleOf({
      [`PUT my${AT}/reviews/r1/reply`]: ok({ comment: 'Thanks!', updateTime: iso(NOW), reviewReplyState: 'PENDING' }),
    });
    const made = await reviews.reply.send(acting, { review: 'r1', text: 'Thanks!' }, STATE);
    expect(made).toEqual({ reply_id: 'r1', state: 'PENDING' });
    expect(asked[0]!.body).toEqual({ comment: 'Thanks!' });
    expect([reviews.reply.idempotent, reviews.text]).toEqual([true, { max: 4096, counting: 'bytes' }]);
    const elsewhere = reviews.reply.send(acting, { review: '../r1', text: 'x' }, STATE);
    await expect(elsewhere).rejects.toMatchObject({ reason: 'not_found' });
  });

  it('lose their reply', async () => {
    const path = `DELETE my${AT}/reviews/r1/reply`;
    const { acting } = googleOf({ [path]: [ok({}), failure(404, 'NOT_FOUND'), failure(403, 'PERMISSION_DENIED')] });
    await reviews.removeReply(acting, 'r1');
    await expect(reviews.removeReply(acting, 'r1')).rejects.toMatchObject({ reason: 'not_found' });
    await expect(reviews.removeReply(acting, 'r1')).rejects.toMatchObject({ reason: 'permission_denied' });
  });
});

describe('a poll', () => {
  const at = (seconds: number, more: object = {}) => ({ updateTime: iso(NOW + seconds * 1000), ...more });
  const ids = (events: readonly InboundEvent[] = []) =>
    events.map((event) =>
      event.kind === 'review' ? `${event.review.platform_id}${event.edited ? ' edited' : ''}` : event.kind,
    );

  it('begins with what is there, and then reports what is new and what has changed', async () => {
    const old = reviewed('old', at(-3000, { createTime: iso(NOW - 3_000_000) }));
    const changed = reviewed('old', at(20, { createTime: iso(NOW - 3_000_000), comment: 'Better now.' }));
    const fresh = reviewed('new', at(10, { createTime: iso(NOW + 10_000) }));
    const played = googleOf({
      [LIST]: [
        ok({ reviews: [reviewed('r1'), old], nextPageToken: 'p2' }),
        ok({ reviews: [changed, fresh, reviewed('r1')] }),
        ok({ reviews: [changed, fresh, reviewed('r1')] }),
        ok({ reviews: [reviewed('same', at(20, { createTime: iso(NOW + 20_000) })), changed] }),
        lost(),
      ],
    });
    const first = await poll!.read(played.acting, undefined);
    expect([ids(first.events), ids(first.baseline), first.more]).toEqual([[], ['r1', 'old'], false]);
    expect(played.asked).toHaveLength(1);
    const second = await poll!.read(played.acting, first.cursor);
    expect(ids(second.events)).toEqual(['old edited', 'new']);
    const third = await poll!.read(played.acting, second.cursor);
    expect([third.events, third.cursor]).toEqual([[], second.cursor]);
    const fourth = await poll!.read(played.acting, third.cursor);
    expect(ids(fourth.events)).toEqual(['same']);
    await expect(poll!.read(played.acting, fourth.cursor)).rejects.toMatchObject({ kind: 'unknown' });
    expect(poll).toMatchObject({ when: 'unpushed', cost: { bucket: 'requests', units: 1 } });
  });

  it('goes on until it meets what it knows', async () => {
    const page = (from: number, nextPageToken?: string) =>
      ok({
        reviews: [0, 1].map((step) => reviewed(`n${from + step}`, at(100 - from - step, { createTime: iso(NOW + 1) }))),
        nextPageToken,
      });
    const known = ok({
      reviews: [reviewed('n4', at(96, { createTime: iso(NOW + 1) })), reviewed('r1')],
      nextPageToken: 'more',
    });
    const played = googleOf({ [LIST]: [ok({ reviews: [reviewed('r1')] }), page(0, 'a'), page(2, 'b'), known] });
    const { cursor } = await poll!.read(played.acting, undefined);
    const { events } = await poll!.read(played.acting, cursor);
    expect(ids(events)).toEqual(['n0', 'n1', 'n2', 'n3', 'n4']);
    expect(played.asked.map(({ query }) => query['pageToken'])).toEqual([undefined, undefined, 'a', 'b']);
  });

  it('of a location without reviews begins too', async () => {
    const played = googleOf({
      [LIST]: [ok({}), ok({ reviews: [reviewed('n', at(5, { createTime: iso(NOW + 5000) }))] })],
    });
    const { cursor, baseline } = await poll!.read(played.acting, undefined);
    expect(baseline).toEqual([]);
    expect(ids((await poll!.read(played.acting, cursor)).events)).toEqual(['n']);
  });

  it('follows on the older ones, which are read page by page', async () => {
    const played = googleOf({ [LIST]: [ok({ reviews: [reviewed('r1')], nextPageToken: 'p2' }), ok({})] });
    const first = await history!(played.acting, undefined);
    expect([ids(first.events), first.cursor, first.more]).toEqual([['r1'], 'p2', true]);
    expect(await history!(played.acting, first.cursor)).toMatchObject({ events: [], more: false });
    expect(played.asked[1]!.query['pageToken']).toBe('p2');
  });
});

describe('a push', () => {
  const SETTINGS = {
    GOOGLE_PUBSUB_TOPIC: 'projects/p/topics/t',
    GOOGLE_PUBSUB_EMAIL: 'push@p.iam.gserviceaccount.com',
  };
  const callback = 'https://rostra.example/push/google';
  const message = (data: unknown) =>
    Buffer.from(
      JSON.stringify({
        message: { data: Buffer.from(JSON.stringify(data)).toString('base64'), messageId: '1', attributes: {} },
        subscription: 'projects/p/subscriptions/s',
      }),
    );
  const NOTICE = {
    name: 'accounts/1/locations/2',
    notificationType: 'NEW_REVIEW',
    location_name: 'accounts/1/locations/2',
    review_name: 'accounts/1/locations/2/reviews/r3',
  };
  const read = (data: unknown) => push.read({ path: '', headers: {}, body: message(data) });

  it.each([
    ['both names with underscores', NOTICE],
    [
      'names in camel case',
      {
        notificationType: 'NEW_REVIEW',
        locationName: 'accounts/9/locations/2',
        reviewName: 'accounts/9/locations/2/reviews/r3',
      },
    ],
    ['the review alone', { notificationType: 'NEW_REVIEW', review_name: NOTICE.review_name }],
    ['the location by its own name', { ...NOTICE, location_name: 'locations/2' }],
  ])('names a review with %s', (_what, notice) => {
    expect(read(notice)).toEqual([
      { having: { name: 'location', value: 'locations/2' }, event: { kind: 'review_named', platform_id: 'r3' } },
    ]);
  });

  it('reads the vector of the reference', () => {
    const data =
      'eyJuYW1lIjoiYWNjb3VudHMvMS9sb2NhdGlvbnMvMiIsIm5vdGlmaWNhdGlvblR5cGUiOiJORVdfUkVWSUVXIiwibG9jYXRpb25fbmFtZSI6ImFjY291bnRzLzEvbG9jYXRpb25zLzIiLCJyZXZpZXdfbmFtZSI6ImFjY291bnRzLzEvbG9jYXRpb25zLzIvcmV2aWV3cy8zIn0=';
    const body = Buffer.from(JSON.stringify({ message: { data } }));
    expect(push.read({ path: '', headers: {}, body })).toMatchObject([{ event: { platform_id: '3' } }]);
  });

  it('of an edit says so', () => {
    expect(read({ ...NOTICE, notificationType: 'UPDATED_REVIEW' })).toMatchObject([{ event: { edited: true } }]);
  });

  it.each([
    { notificationType: 'VOICE_OF_MERCHANT_UPDATED', location_name: 'accounts/1/locations/2' },
    { notificationType: 'NEW_REVIEW', location_name: 'accounts/1/locations/2' },
    { notificationType: 'NEW_REVIEW', review_name: 'reviews/3' },
    'text',
    null,
  ])('of anything else is left alone: %j', (notice) => {
    expect(read(notice)).toEqual([]);
    expect(push.read({ path: '', headers: {}, body: Buffer.from('{"message":{}}') })).toEqual([]);
  });

  it('is completed with the review as it is now', async () => {
    const path = `GET my${AT}/reviews/r3`;
    const { acting } = googleOf({ [path]: [failure(404, 'NOT_FOUND'), ok(reviewed('r3'))] });
    const event = { kind: 'review_named', platform_id: 'r3', edited: true } as const;
    // It may be too early.
    await expect(push.complete!(acting, event)).rejects.toMatchObject({ reason: 'not_found' });
    const review = { ...ONE, platform_id: 'r3' };
    expect(await push.complete!(acting, event)).toEqual({ kind: 'review', review, edited: true });
    const other = { kind: 'revoked', why: '' } as const;
    expect(await push.complete!(acting, other)).toBe(other);
  });

  const CLAIMS = { email: SETTINGS.GOOGLE_PUBSUB_EMAIL, email_verified: true };
  function verify(
    headers: Record<string, string>,
    more: Readonly<{
      settings?: Record<string, string>;
      claims?: object | undefined;
      query?: Record<string, string>;
    }> = {},
  ) {
    const { settings = SETTINGS, claims = CLAIMS, query = {} } = more;
    const asked: unknown[] = [];
    const trust = {
      settings,
      hosts: google.hosts.real,
      callback,
      jwt: async (token: string, expected: object) => {
        asked.push([token, expected]);
        return 'claims' in more ? more.claims : claims;
      },
    } as unknown as PushTrust;
    return Promise.resolve(push.verify({ path: '', headers, query, body: message(NOTICE) }, trust)).then((isOurs) => ({
      isOurs,
      asked,
    }));
  }
  const BEARER = { authorization: 'Bearer a.b.c' };

  it('carries a token that Google has signed for the service account and this address', async () => {
    const { isOurs, asked } = await verify(BEARER);
    expect(isOurs).toBe(true);
    const expected = {
      jwksUrl: 'https://www.googleapis.com/oauth2/v3/certs',
      issuer: ['https://accounts.google.com', 'accounts.google.com'],
      audience: callback,
    };
    expect(asked).toEqual([['a.b.c', expected]]);
    const set = { ...SETTINGS, GOOGLE_PUBSUB_AUDIENCE: 'reviews' };
    expect((await verify(BEARER, { settings: set })).asked).toMatchObject([['a.b.c', { audience: 'reviews' }]]);
  });

  it.each([
    ['no token', {}, {}],
    ['a token of another kind', { authorization: 'Basic a.b.c' }, {}],
    ['a token that nobody signed', BEARER, { claims: undefined }],
    ['another e-mail address', BEARER, { claims: { ...CLAIMS, email: 'me@else.example' } }],
    ['an address that is not verified', BEARER, { claims: { ...CLAIMS, email_verified: false } }],
    ['no address to compare it with', BEARER, { settings: { GOOGLE_PUBSUB_TOPIC: 'projects/p/topics/t' } }],
    ['a secret where none is set', {}, { query: { token: '' } }],
  ])('with %s is not believed', async (_what, headers, more) => {
    expect((await verify(headers as Record<string, string>, more)).isOurs).toBe(false);
  });

  it('may carry a secret in its address instead', async () => {
    const settings = { GOOGLE_PUBSUB_TOPIC: 'projects/p/topics/t', GOOGLE_PUBSUB_TOKEN: 'a-long-secret-token' };
    expect((await verify({}, { settings, query: { token: 'a-long-secret-token' } })).isOurs).toBe(true);
    expect((await verify({}, { settings, query: { token: 'a-long-secret-tokem' } })).isOurs).toBe(false);
    expect((await verify(BEARER, { settings })).isOurs).toBe(false);
  });

  const SETTING = 'mynotifications/v1/accounts/1/notificationSetting';
  const target = { callback, verifyToken: '' };

  it('is asked for at the account of the location, where there is a topic and a way to prove it', async () => {
    const { acting, asked } = googleOf({ [`PATCH ${SETTING}`]: ok({}) }, undefined, SETTINGS);
    expect(await push.subscribe!(acting, target)).toEqual({ kept: 'projects/p/topics/t' });
    expect(asked[0]!.query).toEqual({ updateMask: 'pubsubTopic,notificationTypes' });
    expect(asked[0]!.body).toEqual({
      name: 'accounts/1/notificationSetting',
      pubsubTopic: 'projects/p/topics/t',
      notificationTypes: ['NEW_REVIEW', 'UPDATED_REVIEW'],
    });
    const { GOOGLE_PUBSUB_TOPIC: topic, GOOGLE_PUBSUB_EMAIL: email } = SETTINGS;
    const lacking: Record<string, string>[] = [{}, { GOOGLE_PUBSUB_TOPIC: topic }, { GOOGLE_PUBSUB_EMAIL: email }];
    for (const settings of lacking) expect(await push.subscribe!({ ...acting, settings }, target)).toBeUndefined();
    expect(asked).toHaveLength(1);
  });

  it('says so where Google may not publish to the topic', async () => {
    const refusal = failure(400, 'INVALID_ARGUMENT', 'PUBLISH_PERMISSIONS_MISSING_FOR_PUBSUB_TOPIC');
    const { acting } = googleOf({ [`PATCH ${SETTING}`]: refusal }, undefined, SETTINGS);
    const message = expect.stringContaining('GOOGLE_PUBSUB_TOPIC');
    await expect(push.subscribe!(acting, target)).rejects.toMatchObject({ reason: 'invalid_request', message });
  });

  it('is asked for again when somebody has changed the setting', async () => {
    const right = {
      pubsubTopic: SETTINGS.GOOGLE_PUBSUB_TOPIC,
      notificationTypes: ['UPDATED_REVIEW', 'NEW_REVIEW', 'GOOGLE_UPDATE'],
    };
    const seen = [
      ok(right),
      ok({ ...right, pubsubTopic: 'projects/x/topics/y' }),
      ok({ ...right, notificationTypes: ['NEW_REVIEW'] }),
      ok({}),
      ok(right),
    ];
    const { acting } = googleOf({ [`GET ${SETTING}`]: seen }, undefined, SETTINGS);
    const isSubscribed = (kept: unknown) => push.isSubscribed!(acting, kept);
    const answers = [];
    for (let look = 0; look < 4; look += 1) answers.push(await isSubscribed(SETTINGS.GOOGLE_PUBSUB_TOPIC));
    expect([...answers, await isSubscribed('projects/p/topics/before')]).toEqual([true, false, false, false, false]);
  });

  it('ends with the last location of the login', async () => {
    const { acting, asked } = googleOf({ [`PATCH ${SETTING}`]: ok({}) }, undefined, SETTINGS);
    await push.unsubscribe!(acting, null, true);
    await push.unsubscribe!(acting, null, false);
    const changes = asked.map(({ body, query }) => [query['updateMask'], body.notificationTypes]);
    expect(changes).toEqual([['notificationTypes', []]]);
  });

  it.each([
    ['GOOGLE_PUBSUB_TOPIC', 'projects/p-1/topics/t', 'topics/t'],
    ['GOOGLE_PUBSUB_EMAIL', 'a@b.example', 'b.example'],
    ['GOOGLE_PUBSUB_TOKEN', 'abcdefghijklmnop', 'short'],
    ['GOOGLE_PUBSUB_AUDIENCE', 'anything', undefined],
  ])('is set up by %s', (name, right, wrong) => {
    const { parse } = google.settings!.find((setting) => setting.name === name)!;
    const fail = (why: string): never => {
      throw new Error(why);
    };
    expect(parse(right, fail)).toBe(right);
    if (wrong !== undefined) expect(() => parse(wrong, fail)).toThrow('must be');
  });
});
