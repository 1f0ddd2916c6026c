import { MINUTE, HOUR } from '#kernel/clock.ts';
import { describe, expect, it } from 'vitest';
import { call } from '../../harness/calls/operations.ts';
import { heardBy, list, postNow, publish as publishOn, store } from '../../harness/calls/rest.ts';
import { png } from '../../harness/media-samples.ts';
import { googleTwinOf, NORA, OLIVIA, placeOf, SAM } from '../../harness/platforms/google/twin.ts';
import { makeWorld, type Json, type World } from '../../harness/world.ts';

async function opened() {
  const world = await makeWorld();
  const google = googleTwinOf(world);
  await world.product.sandbox!.open('google');
  return { world, ...google };
}

/** The account of a location, connected while Google is set so; what is told of its reviews, and what it publishes. */
async function located(settings?: object) {
  const google = await opened();
  const { world } = google;
  if (settings) await google.set(settings);
  const account = await google.connect();
  const heard = heardBy(await world.receive(['review.received']));
  return {
    ...google,
    account,
    heard: () => heard('review.received').map(({ data }) => data),
    async review(stars: number, words: string, person?: string) {
      await google.review(account, stars, words, person);
      await world.settle();
    },
    publish: async (input: object) => (await publishOn(world, account.id, input)).body,
    pass: async (minutes: number) => {
      for (let waits = 0; waits < minutes; waits += 1) await world.pass(MINUTE);
    },
  };
}

const storedReviews = ({ product }: World) => product.store.db.selectFrom('reviews').selectAll().execute();

const photo = async (world: World): Promise<string> =>
  (await store(world, 'a.png', 'image/png', png(400, 300, 20_000))).media_id;

describe('connecting Google Business Profile', () => {
  it('chooses among the locations of a login, whose accounts live and die by themselves', async () => {
    const { world, act, login, connect, requests } = await opened();
    await act('set_posts', { location: 'Harbour Boats', closed: 'true' });
    const shown = (await login(OLIVIA)).get('connection_id')!;
    expect((await world.rest(`GET /v1/accounts/pending/${shown}`)).body.profiles).toHaveLength(2);
    await act('set_posts', { location: 'Harbour Boats' });
    const end = await login(OLIVIA);
    expect(end.get('status')).toBe('selection_required');
    const { profiles } = (await world.rest(`GET /v1/accounts/pending/${end.get('connection_id')!}`)).body;
    const names = ['Harbour Café', 'Harbour Bakery', 'Harbour Boats'];
    expect(profiles.map(({ display_name }: Json) => display_name)).toEqual(names);
    expect(profiles[0]).toMatchObject({ username: 'CAFE', bio: 'Harbour Café welcomes you.' });

    const bakery = await connect(OLIVIA, 'Harbour Bakery');
    const boats = await connect(OLIVIA, 'Harbour Boats');
    const reviews = async (account: Json) =>
      (await world.rest(`GET /v1/inbox/reviews?account_id=${account.id}`)).body.meta;
    const calm = { accounts_queried: 1, accounts_failed: 0, failed_accounts: [] };
    expect((await world.rest(`DELETE /v1/accounts/${bakery.id}`)).body).toMatchObject({ revoked: false });
    const refreshed = () => requests('POST /token').length;
    const before = refreshed();
    await world.pass(2 * HOUR);
    expect(refreshed()).toBeGreaterThan(before);
    expect(await reviews(boats)).toEqual(calm);
    expect((await world.rest(`DELETE /v1/accounts/${boats.id}`)).body).toMatchObject({ revoked: true });
    expect(requests('POST /revoke').map(({ status }) => status)).toEqual([200]);
  });

  it('takes a code that somebody else has got, and the choice with it', async () => {
    const { world, act } = await opened();
    const { auth_url, state } = (await world.rest('GET /v1/oauth/url?platform=google')).body;
    const page = await fetch(auth_url);
    const [, link] = /href="([^"]*\/o\/oauth2\/v2\/auth[^"]*)"/.exec(await page.text()) ?? [];
    const { location } = await act('consent', { url: (link ?? auth_url).replaceAll('&amp;', '&'), person: OLIVIA });
    const code = new URL(location).searchParams.get('code')!;
    const known = new URL(location).searchParams.get('state') ?? state;
    const { status, body } = await world.rest('POST /v1/oauth/exchange', { platform: 'google', code, state: known });
    expect([status, body.status, body.profiles.length]).toEqual([200, 'selection_required', 3]);
    const [{ platform_account_id }] = body.profiles;
    const choice = { connection_id: body.connection_id, platform_account_id };
    const chosen = await call(world, 'select_pending_profile', choice);
    expect([chosen.status, chosen.body.display_name]).toEqual([201, 'Harbour Café']);
  });

  it('says what a login lacks', async () => {
    const { login, set, connect, world } = await opened();
    expect((await login(NORA)).get('error')).toBe('platform.google.no_locations');
    expect((await login(SAM, {}, { scopes: 'openid' })).get('error')).toBe('platform.google.permission_denied');
    expect((await login(SAM, {}, { deny: true })).get('error')).toBe('access_denied');
    await set({ no_refresh_token: 'true' });
    expect((await login(OLIVIA)).get('status')).toBe('selection_required');
    await set({ no_refresh_token: 'false' });
    const cafe = await connect(OLIVIA, 'Harbour Café');
    // Later logins may do without, as the first one has it.
    await set({ no_refresh_token: 'true' });
    const boats = await connect(OLIVIA, 'Harbour Boats');
    await world.pass(2 * HOUR);
    expect(await list(world, '/v1/accounts')).toMatchObject([boats, cafe].map(({ id }) => ({ id, status: 'active' })));
  });
});

describe('reviews of Google', () => {
  it('are pushed by a signed token, and nothing else is believed', async () => {
    const { world, review, set, look, heard } = await located();
    const refusals = ['push_wrong_audience', 'push_wrong_signature', 'push_expired', 'push_unsigned'] as const;
    for (const [at, name] of refusals.entries()) {
      await set({ [name]: 'true' });
      const person = ['fred.sandbox.test', 'mia.sandbox.test', 'zoe.sandbox.test', NORA][at]!;
      await review(3, `By ${name}`, person);
      const [last] = (await look('pushes')).slice(-1);
      expect([name, last.status, last.state]).toEqual([name, 403, 'waiting']);
      expect(await storedReviews(world)).toEqual([]);
      await set({ [name]: 'false' });
    }
    expect(heard()).toEqual([]);
  });

  it.each([
    ['with underscores', 'false'],
    ['in camel case', 'true'],
  ])('are pushed with names %s, and an edit renews what is stored without an event', async (_what, camel) => {
    const { world, account, review, set, heard } = await located();
    await set({ push_camel_case: camel });
    await review(4, 'Nice cut');
    expect(heard()).toMatchObject([
      {
        account_id: account.id,
        platform: 'google',
        rating: 4,
        content: { text: 'Nice cut', media: [] },
        author: { name: 'Fred Follower' },
        metadata: { location: `locations/${placeOf(account)}` },
      },
    ]);
    world.clock.move(MINUTE);
    await review(1, 'It grew back');
    expect(heard()).toHaveLength(1);
    expect(await storedReviews(world)).toMatchObject([{ rating: 1, text: 'It grew back', announced: 1 }]);
  });

  it('that Google does not know yet when it pushes them are read a little later', async () => {
    const { pass, review, set, heard } = await located();
    await set({ review_lag_ms: String(30_000) });
    await review(5, 'Quick');
    expect(heard()).toEqual([]);
    await pass(5);
    expect(heard().map(({ rating }) => rating)).toEqual([5]);
  });

  it('are polled where Google has no topic to publish to', async () => {
    const { world, review, look, heard } = await located({ closed_topics: 'projects/sandbox/topics/reviews' });
    await world.pass(2 * MINUTE);
    await review(2, 'Slow');
    await world.pass(2 * MINUTE);
    expect(heard().map(({ rating }) => rating)).toEqual([2]);
    await review(3, 'Not that slow');
    await world.pass(2 * MINUTE);
    expect(heard()).toHaveLength(1);
    expect(await look('pushes')).toEqual([]);
  });

  it('are listed, answered, changed and left without an answer, through both doors', async () => {
    const { world, account, review, set, look } = await located();
    await review(4, 'Nice cut');
    await set({ reply_review_ms: String(HOUR) });
    const listed = async (): Promise<Json> =>
      (await call(world, 'get_reviews', { account_id: account.id })).body.data[0];
    const { id: review_id } = await listed();
    const { status, body } = await call(world, 'reply_to_review', { review_id, text: 'Thanks' });
    expect([status, body]).toEqual([200, { success: true, reply_id: expect.any(String), state: 'PENDING' }]);
    expect((await listed()).reply).toMatchObject({ text: 'Thanks', state: 'PENDING' });
    world.clock.move(2 * HOUR);
    expect((await listed()).reply).toMatchObject({ state: 'APPROVED' });
    const changed = await call(world, 'update_review_reply', { review_id, text: 'Thank you' });
    expect(changed.body).toMatchObject({ success: true });
    expect((await look('reviews'))[0].reply.comment).toBe('Thank you');
    const deleted = await call(world, 'delete_review_reply', { review_id });
    expect(deleted.body).toMatchObject({ success: true, id: review_id });
    expect([(await listed()).reply, (await look('reviews'))[0].reply]).toEqual([null, undefined]);
  });

  it('are refused as Google refuses them, through both doors', async () => {
    const { world, account, review, act } = await located();
    await review(4, 'Nice cut');
    const [{ id: review_id }] = (await call(world, 'get_reviews')).body.data;
    const answer = (text: string) => call(world, 'reply_to_review', { review_id, text });
    expect(await answer('é'.repeat(2049))).toMatchObject({ status: 400, code: 'validation.field_invalid' });
    for (const [name, input] of [
      ['reply_to_review', { review_id: 'rev_none', text: 'Thanks' }],
      ['update_review_reply', { review_id, text: 'x' }],
      ['delete_review_reply', { review_id }],
    ] as const)
      expect(await call(world, name, input)).toMatchObject({ status: 404, code: 'resource.not_found' });
    await act('set_voice', { location: placeOf(account) });
    expect((await answer('Thanks')).code).toMatch(/^platform\.google\.(?:permission_denied|invalid_request)$/);
    await act('set_voice', { location: placeOf(account), verified: true });
    await act('revoke_app', { person: SAM });
    expect(await answer('Thanks')).toMatchObject({ status: 401, code: 'platform.google.auth' });
    expect(await answer('Thanks')).toMatchObject({ status: 403, code: 'account.reconnection_required' });
  });
});

describe('posts on Google', () => {
  it('are waited for while Google looks at them, and fail when it rejects them', async () => {
    const { world, account, publish, pass, set, look } = await located();
    await set({ post_review_ms: String(10 * MINUTE) });
    const input = { text: 'Rye is back.', account_ids: [account.id], publish_now: true };
    const { id } = (await call(world, 'create_post', input)).body;
    const status = async () => (await postNow(world, id)).results[0];
    expect(await status()).toMatchObject({ status: 'publishing' });
    await pass(20);
    expect(await status()).toMatchObject({ status: 'published', attempts: 1, metadata: { state: 'LIVE' } });
    await set({ post_review_ms: '0', post_verdict: 'REJECTED' });
    const rejected = await publish({ text: 'Buy now!!!' });
    expect(rejected.results[0]).toMatchObject({ status: 'failed', error_code: 'platform.google.blocked' });
    expect((await look('posts')).map(({ state }: Json) => state)).toEqual(['LIVE', 'REJECTED']);
  });

  it('have an event, an offer, a button and a photo that Google fetches; they can be taken down, and found', async () => {
    const { world, account, publish, look, act } = await located();
    const event = { title: 'Rye week', start_date: '2026-12-01', end_date: '2026-12-07' };
    const button = { call_to_action: { action_type: 'ORDER', url: 'https://bakery.example/rye' } };
    const offer = { coupon_code: 'RYE' };
    const posted = [
      await publish({ text: 'A photo', media_ids: [await photo(world)], platform_data: { google: button } }),
      await publish({ text: 'An event', platform_data: { google: { event } } }),
      await publish({ text: 'An offer', platform_data: { google: { event, offer } } }),
    ];
    expect(posted.map(({ status }) => status)).toEqual(['published', 'published', 'published']);
    const shown = await look('posts');
    expect(shown.map(({ fields }: Json) => fields.topicType)).toEqual(['STANDARD', 'EVENT', 'OFFER']);
    expect((await world.rest(`POST /v1/posts/${posted[0].id}/unpublish`)).body).toMatchObject({ unpublished_count: 1 });
    expect((await look('posts'))[0].deleted_at).toBeDefined();
    await act('own_post', { location: placeOf(account), text: 'By hand' });
    expect((await world.rest(`POST /v1/accounts/${account.id}/sync`)).status).toBe(200);
    const found = await list(world, '/v1/posts?search=By%20hand');
    expect(found).toMatchObject([{ status: 'published', source: 'synced' }]);
  });

  it('whose answer is lost are found by their text and time', async () => {
    const { world, publish, pass, look } = await located();
    const method = 'POST /v4/accounts/{account}/locations/{location}/localPosts';
    world.product.sandbox!.setFault({ network: 'google', person: SAM, kind: 'lost', method, times: 1 });
    const { id } = await publish({ text: 'Lost and found' });
    await pass(5);
    expect((await postNow(world, id)).status).toBe('published');
    expect(await look('posts')).toHaveLength(1);
  });
});

describe('photos of a location', () => {
  it('are fetched or handed over, and 10 edits a minute are all that Google gets to see', async () => {
    const { world, account, look, requests } = await located();
    const source = await photo(world);
    const add = () =>
      world.rest(`POST /v1/platforms/google/accounts/${account.id}/media`, {
        category: 'INTERIOR',
        description: 'The chair.',
        media: [{ type: 'image', source, source_type: 'media_id' }],
      });
    // At the beginning of a minute.
    world.clock.move(MINUTE - (world.clock.now() % MINUTE));
    const first = await add();
    expect([first.status, first.body]).toEqual([
      201,
      expect.objectContaining({
        category: 'INTERIOR',
        description: 'The chair.',
        width_pixels: 400,
        height_pixels: 300,
        media: { type: 'image', url: expect.stringContaining('http') },
      }),
    ]);
    for (let more = 2; more <= 10; more += 1) expect((await add()).status).toBe(201);
    const refused = await add();
    expect([refused.status, refused.body.error.code]).toEqual([429, 'platform.google.rate_limit']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const asked = requests('POST /v4/accounts/{account}/locations/{location}/media');
    const added = asked.filter(({ method }) => method.endsWith('/media'));
    expect([added.length, (await look('media')).length]).toEqual([10, 10]);
    expect((await world.rest(`GET /v1/accounts/${account.id}/limits`)).body).toMatchObject({ edits_remaining: 0 });
    world.clock.move(MINUTE);
    expect((await add()).status).toBe(201);
  });
});
