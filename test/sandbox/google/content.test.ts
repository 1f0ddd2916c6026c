/** Nobody publishes a client of the v4 API; test/oracles/google.test.ts holds its answers to the fields it has. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jpeg, mp4 } from '../../harness/media-samples.ts';
import { OLIVIA, openGoogleTwin, photo, SAM, type GoogleWorld, type Place } from '../../harness/worlds/twins/google.ts';

let world: GoogleWorld;
let token: string;
let cafe: Place;
let sourceUrl: string;
beforeAll(async () => {
  world = await openGoogleTwin();
  sourceUrl = world.app.put('a.jpg', photo(), 'image/jpeg');
});
beforeEach(async () => {
  await world.sandbox.reset();
  token = (await world.login()).access_token;
  cafe = (await world.places(token))['Harbour Café']!;
});
afterAll(() => world.close());

const create = (body: object) => world.v4('POST', `${cafe.name}/localPosts`, token, body);
const list = async (query = '') => (await world.v4('GET', `${cafe.name}/localPosts${query}`, token)).json;
const STANDARD = { languageCode: 'en', summary: 'Fresh bread', topicType: 'STANDARD' } as const;
const DAY = { year: 2026, month: 12, day: 1 };
const event = { title: 'Market', schedule: { startDate: DAY, endDate: { ...DAY, day: 2 } } };
const v4Error = (field: string) => ({
  status: 400,
  json: {
    error: {
      status: 'INVALID_ARGUMENT',
      details: [{ '@type': 'type.googleapis.com/google.mybusiness.v4.ValidationError', errorDetails: [{ field }] }],
    },
  },
});

describe('local posts', () => {
  it('are made with a photo, read, listed and shown to the public', async () => {
    const action = { actionType: 'LEARN_MORE', url: 'https://example.com/bread' };
    const made = await create({ ...STANDARD, callToAction: action, media: [{ mediaFormat: 'PHOTO', sourceUrl }] });
    expect(made).toMatchObject({ status: 200, json: { ...STANDARD, callToAction: action, state: 'LIVE' } });
    const { name, searchUrl, media, createTime } = made.json;
    expect(name).toMatch(new RegExp(`^${cafe.name}/localPosts/\\d+$`));
    expect(createTime).toBe(new Date(world.clock.now()).toISOString());
    expect(media).toEqual([
      { name: expect.any(String), mediaFormat: 'PHOTO', googleUrl: expect.stringContaining('/cdn/') },
    ]);
    expect((await world.ask(media[0].googleUrl)).headers.get('content-type')).toBe('image/jpeg');
    const shown = (await world.ask(searchUrl)).text;
    expect(shown).toContain('Fresh bread');
    expect((await world.v4('GET', name, token)).json).toEqual(made.json);
    for (let count = 0; count < 4; count += 1) await create({ ...STANDARD, summary: `Post ${count}` });
    const first = await list('?pageSize=3');
    expect(first.localPosts.map((one: any) => one.summary)).toEqual(['Post 3', 'Post 2', 'Post 1']);
    const last = await list(`?pageSize=3&pageToken=${first.nextPageToken}`);
    expect(last.localPosts.map((one: any) => one.summary)).toEqual(['Post 0', 'Fresh bread']);
    expect(last).not.toHaveProperty('nextPageToken');
    expect(world.sandbox.posts('google', OLIVIA)).toHaveLength(5);
  });

  it('are looked at for a while, then live or rejected', async () => {
    await world.settings({ post_review_ms: 60_000 });
    const { name, state } = (await create(STANDARD)).json;
    expect(state).toBe('PROCESSING');
    await world.settings({ post_verdict: 'REJECTED' });
    const other = (await create(STANDARD)).json;
    expect((await world.ask(other.searchUrl)).status).toBe(404);
    world.clock.move(60_000);
    const stateOf = async (post: string) => (await world.v4('GET', post, token)).json.state;
    expect([await stateOf(name), await stateOf(other.name)]).toEqual(['LIVE', 'REJECTED']);
    await world.act('judge_post', { post: other.name, verdict: 'LIVE' });
    expect(await stateOf(other.name)).toBe('LIVE');
  });

  it('are edited by a mask, and deleted', async () => {
    const action = { actionType: 'BOOK', url: 'https://example.com/a' };
    const { name } = (await create({ ...STANDARD, callToAction: action, media: [{ mediaFormat: 'PHOTO', sourceUrl }] }))
      .json;
    const patch = (mask: string, body: object) => world.v4('PATCH', `${name}?updateMask=${mask}`, token, body);
    world.clock.move(1000);
    const changed = (await patch('summary', { summary: 'Rolls', topicType: 'ALERT' })).json;
    expect(changed).toMatchObject({ summary: 'Rolls', topicType: 'STANDARD', callToAction: action });
    expect(changed.media).toHaveLength(1);
    expect(changed.updateTime).not.toBe(changed.createTime);
    const url = 'https://example.com/b';
    const deep = (await patch('callToAction.url', { callToAction: { url } })).json;
    expect(deep.callToAction).toEqual({ actionType: 'BOOK', url });
    expect((await patch('call_to_action,media', {})).json).not.toHaveProperty('callToAction');
    expect(await world.v4('PATCH', name, token, { summary: 'x' })).toMatchObject(v4Error('update_mask'));
    expect(await patch('state', {})).toMatchObject(v4Error('update_mask'));
    expect(await patch('summary', {})).toMatchObject(v4Error('summary'));
    expect(await world.v4('DELETE', name, token)).toMatchObject({ status: 200, json: {} });
    expect((await world.v4('GET', name, token)).status).toBe(404);
    expect((await world.v4('DELETE', name, token)).status).toBe(404);
    expect(await list()).toEqual({});
    expect(world.sandbox.posts('google', OLIVIA)[0]).toMatchObject({
      exists: false,
      versions: [
        { action: 'create' },
        { action: 'update' },
        { action: 'update' },
        { action: 'update' },
        { action: 'delete' },
      ],
    });
  });

  it('of events and offers have what these need', async () => {
    const offer = { couponCode: 'BREAD', redeemOnlineUrl: 'https://example.com/offer', termsConditions: 'Once.' };
    const ignored = { actionType: 'BOOK', url: 'https://example.com' };
    const made = await create({ topicType: 'OFFER', summary: 'Half price', event, offer, callToAction: ignored });
    expect(made.json).toMatchObject({ topicType: 'OFFER', offer, event });
    expect(made.json).not.toHaveProperty('callToAction');
    expect((await create({ topicType: 'EVENT', summary: 'Come', event })).status).toBe(200);
    expect((await create({ ...STANDARD, callToAction: { actionType: 'CALL' } })).status).toBe(200);
    expect((await create({ topicType: 'ALERT', alertType: 'COVID_19', summary: 'Open' })).status).toBe(200);
  });

  it('are refused where they do not hold together', async () => {
    await world.settings({ edits_per_minute: 100 });
    const small = world.app.put('small.jpg', jpeg(400, 300), 'image/jpeg');
    const narrow = world.app.put('narrow.jpg', photo(400, 200), 'image/jpeg');
    const text = world.app.put('a.txt', Buffer.alloc(20_000, 'x'), 'text/plain');
    const withMedia = (media: object) => ({ ...STANDARD, media: [media] });
    const wrong: [object, string][] = [
      [{ ...STANDARD, summary: 'x'.repeat(1501) }, 'summary'],
      [{ topicType: 'STANDARD' }, 'summary'],
      [{ ...STANDARD, topicType: 'NEWS' }, 'topic_type'],
      [
        { ...STANDARD, callToAction: { actionType: 'GET_OFFER', url: 'https://a.example' } },
        'call_to_action.action_type',
      ],
      [{ ...STANDARD, callToAction: { actionType: 'BOOK' } }, 'call_to_action.url'],
      [{ ...STANDARD, callToAction: { actionType: 'CALL', url: 'https://a.example' } }, 'call_to_action.url'],
      [{ ...STANDARD, topicType: 'EVENT' }, 'event.title'],
      [{ ...STANDARD, topicType: 'OFFER' }, 'event.title'],
      [{ ...STANDARD, topicType: 'EVENT', event: { title: 'x' } }, 'event.schedule.start_date'],
      [
        {
          ...STANDARD,
          topicType: 'EVENT',
          event: { title: 'x', schedule: { startDate: DAY, endDate: { ...DAY, month: 11, day: 31 } } },
        },
        'event.schedule.end_date',
      ],
      [
        {
          ...STANDARD,
          topicType: 'EVENT',
          event: { title: 'x', schedule: { startDate: DAY, endDate: { ...DAY, month: 11 } } },
        },
        'event.schedule',
      ],
      [{ ...STANDARD, event }, 'event'],
      [{ ...STANDARD, offer: {} }, 'offer'],
      [{ ...STANDARD, topicType: 'ALERT' }, 'alert_type'],
      [withMedia({ mediaFormat: 'VIDEO', sourceUrl }), 'media.media_format'],
      [withMedia({ mediaFormat: 'PHOTO', sourceUrl, description: 'x' }), 'media'],
      [withMedia({ mediaFormat: 'PHOTO' }), 'media.source_url'],
      [withMedia({ mediaFormat: 'PHOTO', sourceUrl: 'http://127.0.0.1:9/a.jpg' }), 'media.source_url'],
      [withMedia({ mediaFormat: 'PHOTO', sourceUrl: text }), 'media.source_url'],
      [withMedia({ mediaFormat: 'PHOTO', sourceUrl: small }), 'media.source_url'],
      [withMedia({ mediaFormat: 'PHOTO', sourceUrl: narrow }), 'media.source_url'],
    ];
    for (const [body, field] of wrong) expect([body, await create(body)]).toMatchObject([body, v4Error(field)]);
    expect((await create({ ...STANDARD, colour: 'red' })).json.error.message).toContain('Unknown name "colour"');
    expect(await list()).toEqual({});
  });

  it('need a verified business of the caller, reached through the account that is named', async () => {
    await world.act('set_voice', { location: 'Harbour Café' });
    expect((await create(STANDARD)).json.error.status).toBe('FAILED_PRECONDITION');
    await world.act('set_voice', { location: 'Harbour Café', verified: true });
    expect((await create(STANDARD)).status).toBe(200);
    const other = (await world.login(SAM)).access_token;
    const post = (name: string, bearer: string) => world.v4('POST', `${name}/localPosts`, bearer, STANDARD);
    expect((await post(cafe.name, other)).status).toBe(403);
    const bakery = (await world.places(token))['Harbour Bakery']!;
    const [{ id: personal }] = await world.list('accounts');
    expect((await post(`accounts/${personal}/locations/${bakery.location}`, token)).status).toBe(403);
    expect((await post('accounts/1/locations/1', token)).status).toBe(404);
  });

  it('may be edited ten times a minute, each location by itself', async () => {
    for (let count = 0; count < 10; count += 1) expect((await create(STANDARD)).status).toBe(200);
    const [{ name }] = (await list()).localPosts;
    for (const call of [() => create(STANDARD), () => world.v4('DELETE', name, token)])
      expect(await call()).toMatchObject({
        status: 429,
        json: {
          error: {
            status: 'RESOURCE_EXHAUSTED',
            details: [{ metadata: { quota_limit: 'EditsPerMinutePerLocation', quota_limit_value: '10' } }],
          },
        },
      });
    expect((await list()).localPosts).toHaveLength(10);
    const boats = (await world.places(token))['Harbour Boats']!;
    expect((await world.v4('POST', `${boats.name}/localPosts`, token, STANDARD)).status).toBe(200);
    world.clock.move(60_000);
    expect((await create(STANDARD)).status).toBe(200);
  });
});

describe('media', () => {
  const base = () => `${cafe.name}/media`;
  const add = (body: object) => world.v4('POST', base(), token, body);
  const PHOTO = { mediaFormat: 'PHOTO', locationAssociation: { category: 'INTERIOR' } } as const;
  const upload = (resource: string, bytes: Uint8Array, bearer = token, query = '?upload_type=media') =>
    world.ask(`${world.at}/mybusiness/upload/v1/media/${resource}${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'image/jpeg' },
      body: bytes as NonNullable<RequestInit['body']>,
    });

  it('are read from an address', async () => {
    const { status, json } = await add({ ...PHOTO, sourceUrl, description: 'Inside' });
    expect(status).toBe(200);
    expect(json).toEqual({
      name: expect.stringMatching(new RegExp(`^${base()}/AF1Qip`)),
      ...PHOTO,
      googleUrl: expect.stringContaining('/cdn/'),
      thumbnailUrl: json.googleUrl,
      createTime: expect.any(String),
      dimensions: { widthPixels: 400, heightPixels: 300 },
      description: 'Inside',
      sourceUrl,
    });
    expect((await world.v4('GET', json.name, token)).json).toEqual(json);
    const listed = (await world.v4('GET', base(), token)).json;
    expect(listed).toEqual({ mediaItems: [json], totalMediaItemCount: 1 });
    expect((await world.ask(`${world.at}/maps/maps?cid=${cafe.location}`)).text).toContain(json.googleUrl);
  });

  it('are made of bytes that were sent before', async () => {
    const start = () => world.v4('POST', `${base()}:startUpload`, token);
    const { resourceName } = (await start()).json;
    const dataRef = { resourceName };
    expect(await add({ ...PHOTO, dataRef })).toMatchObject(v4Error('data_ref.resource_name'));
    expect((await upload(resourceName, photo(), token, '')).status).toBe(400);
    expect((await upload('guess', photo())).status).toBe(404);
    const other = (await world.login(SAM)).access_token;
    expect((await upload(resourceName, photo(), other)).status).toBe(403);
    expect((await upload(resourceName, photo())).status).toBe(200);
    expect((await add({ ...PHOTO, dataRef })).json).toMatchObject({
      ...PHOTO,
      dataRef,
      dimensions: { widthPixels: 400 },
    });
    // The bytes are good for one item.
    expect(await add({ ...PHOTO, dataRef })).toMatchObject(v4Error('data_ref.resource_name'));
    const film = { mediaFormat: 'VIDEO', locationAssociation: { category: 'ADDITIONAL' } };
    const second = (await start()).json;
    await upload(second.resourceName, mp4({}));
    expect(await add({ ...PHOTO, dataRef: second })).toMatchObject(v4Error('data_ref'));
    expect((await add({ ...film, dataRef: second })).json).toMatchObject(film);
  });

  it('are one cover, and are changed and deleted', async () => {
    const cover = { mediaFormat: 'PHOTO', locationAssociation: { category: 'COVER' }, sourceUrl };
    const first = (await add(cover)).json;
    const second = (await add(cover)).json;
    expect((await world.v4('GET', first.name, token)).json.locationAssociation).toEqual({ category: 'ADDITIONAL' });
    const patch = (mask: string, body: object) => world.v4('PATCH', `${second.name}?updateMask=${mask}`, token, body);
    const changed = await patch('description,locationAssociation.category', {
      description: 'Front',
      locationAssociation: { category: 'EXTERIOR' },
    });
    expect(changed.json).toMatchObject({ description: 'Front', locationAssociation: { category: 'EXTERIOR' } });
    expect(await patch('sourceUrl', { sourceUrl })).toMatchObject(v4Error('update_mask'));
    expect((await world.v4('DELETE', second.name, token)).json).toEqual({});
    expect((await world.v4('GET', second.name, token)).status).toBe(404);
    expect((await world.v4('GET', base(), token)).json.totalMediaItemCount).toBe(1);
  });

  it('are refused where something is missing', async () => {
    const wrong: [object, string][] = [
      [{ ...PHOTO }, 'data'],
      [{ ...PHOTO, sourceUrl, dataRef: { resourceName: 'x' } }, 'data'],
      [{ mediaFormat: 'PHOTO', sourceUrl }, 'location_association.category'],
      [{ mediaFormat: 'PHOTO', locationAssociation: { category: 'ROOF' }, sourceUrl }, 'location_association.category'],
      [{ ...PHOTO, mediaFormat: 'GIF', sourceUrl }, 'media_format'],
      [{ ...PHOTO, mediaFormat: 'VIDEO', sourceUrl }, 'source_url'],
    ];
    for (const [body, field] of wrong) expect([body, await add(body)]).toMatchObject([body, v4Error(field)]);
  });

  it('of customers are listed by themselves', async () => {
    await world.act('customer_photo', { person: 'Fred Follower', location: 'Harbour Café', picture_url: sourceUrl });
    expect((await world.v4('GET', base(), token)).json).toEqual({});
    const { mediaItems } = (await world.v4('GET', `${base()}/customers`, token)).json;
    expect(mediaItems).toMatchObject([
      { name: expect.stringContaining('/media/customers/'), attribution: { profileName: 'Fred Follower' } },
    ]);
    expect((await world.v4('GET', mediaItems[0].name, token)).json).toEqual(mediaItems[0]);
    expect((await world.v4('DELETE', mediaItems[0].name.replace('/customers', ''), token)).status).toBe(404);
  });
});
