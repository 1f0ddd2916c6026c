import { createPublicKey, verify } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  FRED,
  MIA,
  openGoogleTwin,
  photo,
  SAM,
  type GoogleWorld,
  type Place,
} from '../../harness/worlds/twins/google.ts';

let world: GoogleWorld;
let token: string;
let cafe: Place;
let personal: string;
beforeAll(async () => {
  world = await openGoogleTwin();
});
beforeEach(async () => {
  await world.sandbox.reset();
  world.app.clear();
  token = (await world.login()).access_token;
  cafe = (await world.places(token))['Harbour Café']!;
  [{ id: personal }] = (await world.list('accounts')) as [{ id: string }];
});
afterAll(() => world.close());

const write = (more: Record<string, string | number | boolean> = {}) =>
  world.act('write_review', { person: FRED, location: 'Harbour Café', stars: 4, text: 'Good coffee', ...more });
const list = async (query = '') => (await world.v4('GET', `${cafe.name}/reviews${query}`, token)).json;
const comments = (page: any) => page.reviews.map((one: any) => one.comment ?? one.starRating);
const reviewName = ({ id }: { id: string }) => `${cafe.name}/reviews/${id}`;
const reply = (review: { id: string }, comment: string) =>
  world.v4('PUT', `${reviewName(review)}/reply`, token, { comment });
const get = async (review: { id: string }) => (await world.v4('GET', reviewName(review), token)).json;

describe('reviews', () => {
  it('are shown with their authors, ratings alone and translations', async () => {
    expect(await list()).toEqual({});
    const first = await write();
    world.clock.move(1000);
    await write({ person: MIA, text: 'Guter Kaffee', translation: 'Good coffee', stars: 5, anonymous: true });
    world.clock.move(1000);
    await world.act('write_review', { person: 'Zoë Ünder', location: 'Harbour Café', stars: 2 });
    const { reviews, averageRating, totalReviewCount } = await list();
    expect([averageRating, totalReviewCount]).toEqual([3.7, 3]);
    expect(reviews[2]).toEqual({
      name: reviewName(first),
      reviewId: first.id,
      reviewer: { displayName: 'Fred Follower', profilePhotoUrl: expect.stringMatching(/\/picture\/\d{21}\.png$/) },
      starRating: 'FOUR',
      comment: 'Good coffee',
      createTime: expect.any(String),
      updateTime: expect.any(String),
      reviewReplyUrl: expect.stringContaining(first.id),
    });
    expect(reviews[1]).toMatchObject({
      reviewer: { displayName: 'A Google user', isAnonymous: true },
      comment: '(Translated by Google) Good coffee\n\n(Original)\nGuter Kaffee',
    });
    expect(reviews[1].reviewer).not.toHaveProperty('profilePhotoUrl');
    expect(reviews[0]).not.toHaveProperty('comment');
    expect(await get(first)).toEqual(reviews[2]);
    const shown = (await world.ask(`${world.at}/maps/maps?cid=${cafe.location}`)).text;
    expect(shown).toContain('Guter Kaffee');
    expect(shown).not.toContain('Mia Message');
    const picture = world.app.put('cup.jpg', photo(), 'image/jpeg');
    await world.act('edit_review', { review: first.id, stars: 3, picture_url: picture });
    expect(await get(first)).toMatchObject({
      starRating: 'THREE',
      reviewMediaItems: [{ thumbnailUrl: expect.any(String) }],
    });
  });

  it('come in pages and in an order', async () => {
    for (const [at, name] of ['Ann', 'Bob', 'Cem'].entries()) {
      await write({ person: [FRED, MIA, 'Zoë Ünder'][at]!, text: name, stars: [3, 5, 1][at]! });
      world.clock.move(1000);
    }
    expect(comments(await list())).toEqual(['Cem', 'Bob', 'Ann']);
    expect(comments(await list('?orderBy=rating'))).toEqual(['Cem', 'Ann', 'Bob']);
    expect(comments(await list('?orderBy=rating desc'))).toEqual(['Bob', 'Ann', 'Cem']);
    expect(comments(await list('?orderBy=updateTime%20desc'))).toEqual(['Cem', 'Bob', 'Ann']);
    expect((await list('?orderBy=comment')).error.status).toBe('INVALID_ARGUMENT');
    const first = await list('?pageSize=2');
    expect(comments(await list(`?pageSize=2&pageToken=${first.nextPageToken}`))).toEqual(['Ann']);
    expect((await list(`?pageSize=2&orderBy=rating&pageToken=${first.nextPageToken}`)).error.code).toBe(400);
  });

  it('are changed and deleted by their authors', async () => {
    const review = await write();
    world.clock.move(60_000);
    await world.act('edit_review', { review: review.id, stars: 1, text: 'Cold coffee' });
    const changed = await get(review);
    expect(changed).toMatchObject({ starRating: 'ONE', comment: 'Cold coffee' });
    expect(Date.parse(changed.updateTime) - Date.parse(changed.createTime)).toBe(60_000);
    // A second review of the same person changes the first.
    expect((await write({ text: 'Warm again' })).id).toBe(review.id);
    await world.act('remove_review', { review: review.id });
    expect((await get(review)).error.status).toBe('NOT_FOUND');
    expect(await list()).toEqual({});
  });

  it('of others are not theirs to read', async () => {
    const review = await write();
    const other = (await world.login(SAM)).access_token;
    expect((await world.v4('GET', reviewName(review), other)).status).toBe(403);
    expect((await world.v4('PUT', `${reviewName(review)}/reply`, other, { comment: 'x' })).status).toBe(403);
  });
});

describe('replies', () => {
  it('are put, replaced and deleted', async () => {
    const review = await write();
    expect(await reply(review, 'Thank you')).toMatchObject({
      status: 200,
      json: { comment: 'Thank you', updateTime: expect.any(String), state: 'APPROVED' },
    });
    await reply(review, 'Thanks a lot');
    expect((await get(review)).reviewReply).toMatchObject({ comment: 'Thanks a lot' });
    expect((await world.ask(`${world.at}/maps/maps?cid=${cafe.location}`)).text).toContain('Thanks a lot');
    const remove = () => world.v4('DELETE', `${reviewName(review)}/reply`, token);
    expect(await remove()).toMatchObject({ status: 200, json: {} });
    expect(await get(review)).not.toHaveProperty('reviewReply');
    expect((await remove()).status).toBe(404);
    await world.act('own_reply', { review: review.id, text: 'By hand' });
    expect((await get(review)).reviewReply.comment).toBe('By hand');
  });

  it('are looked at for a while, then approved or rejected', async () => {
    await world.settings({ reply_review_ms: 60_000, reply_verdict: 'REJECTED', reply_violation: 'PROFANITY' });
    const review = await write();
    const { json } = await reply(review, 'Go away');
    expect(json).toMatchObject({ state: 'PENDING' });
    expect(json).not.toHaveProperty('policyViolation');
    const visible = async () =>
      (await world.ask(`${world.at}/maps/maps?cid=${cafe.location}`)).text.includes('Go away');
    expect(await visible()).toBe(false);
    world.clock.move(60_000);
    expect((await get(review)).reviewReply).toMatchObject({ state: 'REJECTED', policyViolation: 'PROFANITY' });
    await world.act('judge_reply', { review: review.id, verdict: 'APPROVED' });
    expect(await visible()).toBe(true);
    await world.settings({ reply_state_name: 'reviewReplyState' });
    expect((await get(review)).reviewReply).toMatchObject({ reviewReplyState: 'APPROVED' });
  });

  it('have at most 4096 bytes, and need a verified business', async () => {
    const review = await write();
    expect((await reply(review, 'é'.repeat(2048))).status).toBe(200);
    expect((await reply(review, 'é'.repeat(2049))).json.error.status).toBe('INVALID_ARGUMENT');
    expect((await reply(review, ' ')).status).toBe(400);
    expect((await reply({ id: 'guess' }, 'x')).status).toBe(404);
    await world.act('set_voice', { location: 'Harbour Café' });
    expect((await reply(review, 'x')).json.error.status).toBe('FAILED_PRECONDITION');
  });
});

describe('notifications', () => {
  const TOPIC = 'projects/my-project/topics/reviews';
  const setting = (verb: string, body?: object, mask = 'pubsubTopic,notificationTypes', account = cafe.account) =>
    world.call(
      'notifications',
      verb,
      `v1/accounts/${account}/notificationSetting${body ? `?updateMask=${mask}` : ''}`,
      token,
      body,
    );
  const subscribe = (account = cafe.account) =>
    setting('PATCH', { pubsubTopic: TOPIC, notificationTypes: ['NEW_REVIEW', 'UPDATED_REVIEW'] }, undefined, account);
  const pushed = () =>
    world.app.pushes().map(({ url, headers, body }) => {
      const { message, subscription } = JSON.parse(body);
      const [head, claims, signature] = String(headers.authorization).replace('Bearer ', '').split('.');
      const read = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString() || 'null');
      const data = JSON.parse(Buffer.from(message.data, 'base64').toString());
      return {
        url,
        message,
        subscription,
        data,
        head: read(head),
        claims: read(claims),
        signed: `${head}.${claims}`,
        signature,
      };
    });

  it('are set for an account, and stopped', async () => {
    const name = `accounts/${cafe.account}/notificationSetting`;
    expect((await setting('GET')).json).toEqual({ name });
    const all = { name, pubsubTopic: TOPIC, notificationTypes: ['NEW_REVIEW', 'UPDATED_REVIEW'] };
    expect((await subscribe()).json).toEqual(all);
    expect((await setting('GET')).json).toEqual(all);
    await write();
    expect(pushed()).toHaveLength(1);
    expect((await setting('PATCH', { notificationTypes: [] }, 'notificationTypes')).json).toEqual({
      name,
      pubsubTopic: TOPIC,
    });
    await write({ text: 'Again' });
    expect(pushed()).toHaveLength(1);
    expect((await setting('PATCH', { pubsubTopic: '' }, 'pubsub_topic')).json).toEqual({ name });
  });

  it('are refused for topics that Google cannot publish to', async () => {
    const reasonOf = async (pubsubTopic: string) =>
      (await setting('PATCH', { pubsubTopic }, 'pubsubTopic')).json.error.details[0].reason;
    expect(await reasonOf('reviews')).toBe('INVALID_PUBSUB_TOPIC');
    await world.settings({ closed_topics: TOPIC });
    expect(await reasonOf(TOPIC)).toBe('PUBLISH_PERMISSIONS_MISSING_FOR_PUBSUB_TOPIC');
    expect((await setting('PATCH', { notificationTypes: ['ALL'] })).status).toBe(400);
    expect((await setting('PATCH', {}, '')).status).toBe(400);
    expect((await setting('PATCH', {}, 'colour')).status).toBe(400);
  });

  it('push each account its own names, signed by the published key', async () => {
    await subscribe();
    await subscribe(personal);
    const review = await write();
    const [one, two] = pushed();
    const names = [personal, cafe.account].map((account) => `accounts/${account}/locations/${cafe.location}`);
    expect([one!.data, two!.data]).toEqual(
      names.map((name) => ({
        name,
        notificationType: 'NEW_REVIEW',
        location_name: name,
        review_name: `${name}/reviews/${review.id}`,
      })),
    );
    expect(one).toMatchObject({
      url: '/push/google',
      subscription: 'projects/my-project/subscriptions/rostra',
      message: { attributes: {}, messageId: expect.stringMatching(/^\d+$/), publishTime: expect.any(String) },
      claims: {
        iss: 'https://accounts.google.com',
        aud: `${world.app.url}/push/google`,
        email: 'pubsub-push@sandbox.iam.gserviceaccount.com',
        email_verified: true,
        exp: Math.floor(world.clock.now() / 1000) + 3600,
      },
    });
    const [jwk] = (await world.ask(`${world.at}/googleapis/oauth2/v3/certs`)).json.keys;
    expect(one!.head).toEqual({ alg: 'RS256', kid: jwk.kid, typ: 'JWT' });
    const isSigned = ({ signed, signature }: ReturnType<typeof pushed>[number]) =>
      verify(
        'sha256',
        Buffer.from(signed),
        createPublicKey({ key: jwk, format: 'jwk' }),
        Buffer.from(signature!, 'base64url'),
      );
    expect(isSigned(one!)).toBe(true);
    await world.settings({ push_wrong_signature: true, push_camel_case: true });
    world.app.clear();
    await world.act('edit_review', { review: review.id, stars: 1 });
    const [wrong] = pushed();
    expect(isSigned(wrong!)).toBe(false);
    expect(wrong!.data).toEqual({
      name: names[0],
      notificationType: 'UPDATED_REVIEW',
      locationName: names[0],
      reviewName: `${names[0]}/reviews/${review.id}`,
    });
  });

  it('can be sent wrongly in every way that must be refused', async () => {
    await subscribe();
    await world.settings({
      push_wrong_audience: true,
      push_expired: true,
      push_endpoint: `${world.app.url}/push/google?token=t`,
    });
    await write();
    const [wrong] = pushed();
    expect(wrong!.claims.aud).toBe('https://elsewhere.example');
    expect(wrong!.claims.exp).toBe(Math.floor(world.clock.now() / 1000) - 3600);
    await world.settings({ push_wrong_audience: false, push_audience: 'rostra' });
    await write({ text: 'Again' });
    expect(pushed()[1]!.claims.aud).toBe('rostra');
    await world.settings({ push_unsigned: true });
    await write({ text: 'And again' });
    expect(world.app.pushes()[2]!.headers).not.toHaveProperty('authorization');
  });

  it('come again, ever more slowly, until they are taken', async () => {
    await subscribe();
    world.app.answer(503);
    await write();
    for (const wait of [10_000, 20_000, 40_000]) {
      world.clock.move(wait - 1);
      await world.sandbox.settle();
      const count = world.app.pushes().length;
      world.clock.move(1);
      await world.sandbox.settle();
      expect(world.app.pushes()).toHaveLength(count + 1);
    }
    world.app.answer(204);
    await world.act('flush');
    expect(await world.list('pushes')).toMatchObject([{ state: 'delivered', attempts: 5 }]);
    const ids = pushed().map(({ message }) => message.messageId);
    expect(new Set(ids).size).toBe(1);
  });

  it('may come before the review is found', async () => {
    await world.settings({ review_lag_ms: 5000 });
    await subscribe();
    const review = await write();
    expect(pushed()).toHaveLength(1);
    expect((await get(review)).error.code).toBe(404);
    world.clock.move(5000);
    expect((await get(review)).reviewId).toBe(review.id);
  });

  it('tell of photos and verification too', async () => {
    await setting('PATCH', {
      pubsubTopic: TOPIC,
      notificationTypes: ['NEW_CUSTOMER_MEDIA', 'VOICE_OF_MERCHANT_UPDATED'],
    });
    const picture_url = world.app.put('cup.jpg', photo(), 'image/jpeg');
    const { id } = await world.act('customer_photo', { person: FRED, location: 'Harbour Café', picture_url });
    await world.act('set_voice', { location: 'Harbour Café' });
    await write();
    expect(pushed().map(({ data }) => data)).toEqual([
      {
        name: cafe.name,
        notificationType: 'NEW_CUSTOMER_MEDIA',
        location_name: cafe.name,
        media_item_name: `${cafe.name}/media/customers/${id}`,
      },
      { name: cafe.name, notificationType: 'VOICE_OF_MERCHANT_UPDATED', location_name: cafe.name },
    ]);
  });
});
