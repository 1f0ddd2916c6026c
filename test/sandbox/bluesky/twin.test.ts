import { HOUR } from '#kernel/clock.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { blobCid, seal, tid } from '#sandbox/atproto/ipld.ts';
import {
  ALICE,
  BOB,
  invalid,
  openWorld,
  png,
  refused,
  whileHeld,
  type Reply,
  type World,
} from '../../harness/worlds/twins/bluesky.ts';

const POST = 'app.bsky.feed.post';
const KEY = '3lbexample222';
const KEY_3 = '3lbexample333';
const GET_RECORD = 'com.atproto.repo.getRecord';
const LIST_RECORDS = 'com.atproto.repo.listRecords';
const GET_BLOB = 'com.atproto.sync.getBlob';
const CREATE_SESSION = 'com.atproto.server.createSession';
const REFRESH_SESSION = 'com.atproto.server.refreshSession';
const RATE_HEADERS = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'ratelimit-policy'];

let world: World;
/** Alice, signed in. */
let session: any;
beforeEach(async () => {
  world = await openWorld();
  session = await world.login(ALICE);
});
afterEach(() => world.close());

const aPost = (text: string, more: object = {}) => ({
  $type: POST,
  text,
  createdAt: '2026-11-21T12:00:00.000Z',
  ...more,
});
const withImages = (...images: object[]) => ({ embed: { $type: 'app.bsky.embed.images', images } });
const put = (by: any, rkey: string, record: object, more: object = {}) =>
  world.write(by, 'putRecord', { collection: POST, rkey, record, ...more });
const create = (by: any, record: object, more: object = {}) =>
  world.write(by, 'createRecord', { collection: POST, record, ...more });
const apply = (...writes: object[]) => world.write(session, 'applyWrites', { writes });
/** One of the writes that are applied together. */
const write = (kind: string, rkey: string, value?: object) => ({
  $type: `com.atproto.repo.applyWrites#${kind}`,
  collection: POST,
  rkey,
  ...(value && { value }),
});
const get = (nsid: string, by: any, params: Record<string, string>) =>
  world.xrpc(nsid, { token: by?.accessJwt, params });
const signIn = (identifier: string, password: unknown) =>
  world.xrpc(CREATE_SESSION, { input: { identifier, password } });
const refresh = (token: string) => world.bare(REFRESH_SESSION, token);
/** What was done to the one post there is. */
const actions = () => world.sandbox.posts('bluesky', ALICE)[0]!.versions.map(({ action }) => action);
const commits = () => world.sandbox.people()[0]!.commits;

describe('content addresses', () => {
  it('are the ones everybody else computes', () => {
    expect(seal({}).cid).toBe('bafyreigbtj4x7ip5legnfznufuopl4sg4knzc2cof6duas4b3q2fy6swua');
    expect(seal({ hello: 'world' }).cid).toBe('bafyreidykglsfhoixmivffc5uwhcgshx4j465xwqntbmu43nb2dzqwfvae');
    expect(blobCid(new Uint8Array())).toBe('bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku');
  });

  it('do not depend on key order and do on links being links', () => {
    expect(seal({ bb: 1, a: 2 })).toEqual(seal({ a: 2, bb: 1 }));
    const $link = blobCid(png());
    expect(seal({ ref: { $link } }).cid).not.toBe(seal({ ref: { other: $link } }).cid);
    expect(JSON.parse(seal({ ref: { $link } }).json)).toEqual({ ref: { $link } });
  });

  it('make time-sorted keys', () => {
    expect(tid(0, 0)).toBe('2222222222222');
    expect(tid(2, 0) > tid(1, 1023)).toBe(true);
  });
});

describe('sessions', () => {
  it('are made from handle, DID or e-mail and carry the identity', async () => {
    const { credentials, id } = world.sandbox.people()[0]!;
    for (const identifier of [ALICE, ALICE.toUpperCase(), id, 'alice@sandbox.test']) {
      const json = { did: id, handle: ALICE, active: true, didDoc: { id } };
      expect(await signIn(identifier, credentials['app_password'])).toMatchObject({ status: 200, json });
    }
    const claims = (token: string) =>
      token
        .split('.')
        .slice(0, 2)
        .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
    const now = world.clock.now() / 1000;
    expect(claims(session.accessJwt)).toMatchObject([
      { typ: 'at+jwt', alg: 'HS256' },
      { scope: 'com.atproto.appPassPrivileged', sub: id, exp: now + 7200 },
    ]);
    expect(claims(session.refreshJwt)).toMatchObject([
      { typ: 'refresh+jwt' },
      { scope: 'com.atproto.refresh', exp: now + 90 * 86_400, jti: expect.any(String) },
    ]);
    const ordinary = await world.login(ALICE, 'app_password_without_messages');
    expect(claims(ordinary.accessJwt)[1]).toMatchObject({ scope: 'com.atproto.appPass' });
    const shown = (await get('com.atproto.server.getSession', session, {})).json;
    expect(shown).toMatchObject({ did: id, handle: ALICE, active: true });
  });

  it('refuse a wrong password and a stranger alike', async () => {
    const wrong = refused(401, 'AuthenticationRequired', 'Invalid identifier or password');
    for (const who of [ALICE, 'nobody.sandbox.test']) expect(await signIn(who, 'nope')).toMatchObject(wrong);
  });

  it('refuse missing, broken, expired and misplaced tokens in the protocol’s words', async () => {
    const ask = (token?: string) => world.xrpc('com.atproto.server.getSession', token === undefined ? {} : { token });
    const wrongType = refused(400, 'InvalidToken', 'Invalid token type');
    expect(await ask()).toMatchObject(refused(401, 'AuthMissing', 'Authentication Required'));
    expect(await ask('not.a.token')).toMatchObject(refused(400, 'InvalidToken', 'Token could not be verified'));
    const [head, body, signature] = session.accessJwt.split('.');
    const other = Buffer.from(body, 'base64url').toString().replace(session.did, 'did:plc:somebodyelse');
    const forged = `${head}.${Buffer.from(other).toString('base64url')}.${signature}`;
    expect(await ask(forged)).toMatchObject(refused(400, 'InvalidToken'));
    expect(await ask(session.refreshJwt)).toMatchObject(wrongType);
    expect(await refresh(session.accessJwt)).toMatchObject(wrongType);
    world.clock.move(2 * HOUR);
    expect(await ask(session.accessJwt)).toMatchObject(refused(400, 'ExpiredToken', 'Token has expired'));
  });

  it('rotate refresh tokens, with a grace of two hours for a lost answer', async () => {
    const first = await refresh(session.refreshJwt);
    expect(first.status).toBe(200);
    expect(first.json.refreshJwt).not.toBe(session.refreshJwt);
    expect((await refresh(session.refreshJwt)).status).toBe(200);
    world.clock.move(2 * HOUR);
    expect(await refresh(session.refreshJwt)).toMatchObject(refused(400, 'ExpiredToken', 'Token has been revoked'));
    const second = await refresh(first.json.refreshJwt);
    expect(second.status).toBe(200);
    expect(Buffer.from(second.json.accessJwt.split('.')[1], 'base64url').toString()).toContain('appPassPrivileged');
    expect((await world.bare('com.atproto.server.deleteSession', second.json.refreshJwt)).status).toBe(200);
    expect(await refresh(second.json.refreshJwt)).toMatchObject(refused(400, 'ExpiredToken'));
    world.clock.move(91 * 24 * HOUR);
    expect(await refresh(second.json.refreshJwt)).toMatchObject(refused(400, 'ExpiredToken', 'Token has expired'));
  });

  it('let log-in be tried thirty times in five minutes', async () => {
    for (let at = 0; at < 30; at += 1) await world.login(BOB);
    const reply = await signIn(BOB, 'x');
    expect(reply).toMatchObject(refused(429, 'RateLimitExceeded'));
    const reset = Math.ceil(world.clock.now() / 1000) + 300;
    expect(RATE_HEADERS.map((name) => reply.headers.get(name))).toEqual(['30', '0', String(reset), '30;w=300']);
    expect(reply.headers.get('retry-after')).toBeNull();
    await world.login(ALICE);
    world.clock.move(300_000);
    await world.login(BOB);
  });
});

describe('identity', () => {
  it('leads from handle to DID to the server', async () => {
    const { json } = await world.xrpc('com.atproto.identity.resolveHandle', { params: { handle: ALICE } });
    for (const place of ['plc', 'did']) {
      const document = (await world.ask(`${world.base}/${place}/${json.did}`)).json;
      const service = { id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: world.base };
      expect(document).toMatchObject({ id: json.did, alsoKnownAs: [`at://${ALICE}`] });
      expect(document.service).toEqual([service]);
      expect(document.verificationMethod[0].publicKeyMultibase).toMatch(/^zQ3s/);
    }
    expect((await world.ask(`${world.base}/handle/${ALICE}/.well-known/atproto-did`)).text).toBe(json.did);
    expect((await world.ask(`${world.base}/plc/did:plc:nobody`)).status).toBe(404);
    const unknown = await world.xrpc('com.atproto.identity.resolveHandle', { params: { handle: 'x.sandbox.test' } });
    expect(unknown).toMatchObject(invalid('Unable to resolve handle'));
  });
});

describe('xrpc', () => {
  it('knows its methods, their verbs and their bodies', async () => {
    const url = `${world.base}/xrpc/com.atproto.repo.createRecord`;
    const authorization = `Bearer ${session.accessJwt}`;
    const send = (type: string, body: string) =>
      world.ask(url, { method: 'POST', headers: { authorization, 'content-type': type }, body });
    const notImplemented = refused(501, 'MethodNotImplemented', 'Method Not Implemented');
    expect(await world.xrpc('com.example.nothing')).toMatchObject(notImplemented);
    expect(await world.xrpc('nothing')).toMatchObject(invalid());
    expect(await world.ask(url)).toMatchObject(invalid('Incorrect HTTP method (GET) expected POST'));
    const nested = '['.repeat(60_000) + ']'.repeat(60_000);
    const bodies: readonly (readonly [string, object])[] = [
      ['{"a":', invalid()],
      ['[]', invalid()],
      ['{"repo":"x.y.z"}', invalid('Missing required key "collection" at $')],
      [JSON.stringify({ text: 'x'.repeat(160_000) }), refused(413, 'PayloadTooLarge', 'request entity too large')],
      [`{"repo":"${ALICE}","collection":"${POST}","record":{"a":${nested}}}`, invalid()],
    ];
    for (const [body, refusal] of bodies) expect(await send('application/json', body)).toMatchObject(refusal);
    const asText = invalid('Wrong request encoding (Content-Type): text/plain');
    expect(await send('text/plain', '{}')).toMatchObject(asText);
    const bodiless = await world.bare('com.atproto.repo.createRecord', session.accessJwt);
    expect(bodiless).toMatchObject(invalid('A request body is expected but none was provided'));
  });

  it('shows the write window of an account, and 429 when it is used up', async () => {
    const rates = ({ headers }: Reply) => RATE_HEADERS.map((name) => headers.get(name));
    const reset = String(world.clock.now() / 1000 + 3600);
    const first = await put(session, KEY, aPost('one'));
    expect(rates(first)).toEqual(['5000', '4998', reset, '5000;w=3600']);
    const writes = Array.from({ length: 200 }, (_, at) => ({
      $type: 'com.atproto.repo.applyWrites#create',
      collection: 'com.example.thing',
      value: { at },
    }));
    for (let at = 0; at < 8; at += 1) expect((await apply(...writes)).status).toBe(200);
    const over = await apply(...writes);
    expect(over).toMatchObject(refused(429, 'RateLimitExceeded', 'Rate Limit Exceeded'));
    expect(rates(over)).toEqual(['5000', '0', reset, '5000;w=3600']);
    world.clock.move(HOUR);
    expect((await apply(...writes)).status).toBe(200);
  });
});

describe('putRecord', () => {
  it('repeated with the same bytes and swapRecord null is one commit, also in parallel', async () => {
    const send = () => put(session, KEY, aPost('once'), { swapRecord: null });
    const replies = await Promise.all([send(), send(), send(), send()]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(replies.map(({ json }) => json.cid)).size).toBe(1);
    expect(replies.filter(({ json }) => json.commit !== undefined)).toHaveLength(1);
    expect(replies[0].json).toMatchObject({ uri: `at://${session.did}/${POST}/${KEY}`, validationStatus: 'valid' });
    expect(replies[0].json.cid).toMatch(/^bafyrei/);
    expect(world.sandbox.posts('bluesky', ALICE)).toHaveLength(1);
    expect(actions()).toEqual(['create']);
    expect(commits()).toBe(1);
  });

  it('with other bytes and swapRecord null is refused, without swapRecord it overwrites', async () => {
    const { json } = await put(session, KEY, aPost('first'), { swapRecord: null });
    const swap = (text: string, swapRecord: string | null, rkey = KEY) =>
      put(session, rkey, aPost(text), { swapRecord });
    const inTheWay = refused(400, 'InvalidSwap', `Record was at ${json.cid}`);
    expect(await swap('second', null)).toMatchObject(inTheWay);
    expect((await put(session, KEY, aPost('second'))).status).toBe(200);
    const where = { repo: session.did, collection: POST, rkey: KEY };
    const second = (await get(GET_RECORD, undefined, where)).json;
    expect(second.value.text).toBe('second');
    expect(await swap('third', json.cid)).toMatchObject(refused(400, 'InvalidSwap'));
    expect((await swap('third', second.cid)).status).toBe(200);
    expect(await swap('x', second.cid, KEY_3)).toMatchObject(refused(400, 'InvalidSwap', 'Record was at null'));
    // Readers of the network keep seeing the first version.
    const { posts } = (await get('app.bsky.feed.getPosts', session, { uris: json.uri })).json;
    expect(posts).toMatchObject([{ cid: json.cid, record: { text: 'first' } }]);
    expect(actions()).toEqual(['create', 'update', 'update']);
  });

  it('writes only to the caller’s own repository', async () => {
    const stranger = await world.login(BOB);
    const into = (repo: string) => put(session, KEY, aPost('x'), { repo });
    expect(await into(stranger.did)).toMatchObject(refused(401, 'AuthenticationRequired'));
    expect(await into('did:plc:nobody')).toMatchObject(invalid('Could not find repo: did:plc:nobody'));
    expect((await into(ALICE)).json.uri).toBe(`at://${session.did}/${POST}/${KEY}`);
  });
});

describe('the other writes', () => {
  it('createRecord makes a key, and trips over an existing one', async () => {
    const { json } = await create(session, aPost('x'));
    expect(json.uri).toMatch(/\/app\.bsky\.feed\.post\/[2-7a-z]{13}$/);
    expect((await create(session, aPost('y'))).json.uri).not.toBe(json.uri);
    expect((await create(session, aPost('z'), { rkey: KEY })).status).toBe(200);
    expect(await create(session, aPost('z'), { rkey: KEY })).toMatchObject(refused(500, 'InternalServerError'));
  });

  it('deleteRecord may be repeated, and a post may be made again after it', async () => {
    await put(session, KEY, aPost('x'), { swapRecord: null });
    const remove = () => world.write(session, 'deleteRecord', { collection: POST, rkey: KEY });
    expect(await remove()).toMatchObject({ status: 200, json: { commit: { cid: expect.any(String) } } });
    expect(await remove()).toMatchObject({ status: 200, json: {} });
    const gone = refused(400, 'RecordNotFound', `Could not locate record: at://${session.did}/${POST}/${KEY}`);
    expect(await get(GET_RECORD, undefined, { repo: ALICE, collection: POST, rkey: KEY })).toMatchObject(gone);
    expect((await put(session, KEY, aPost('x'), { swapRecord: null })).status).toBe(200);
    expect(world.sandbox.posts('bluesky', ALICE)).toMatchObject([{ exists: true }]);
    expect(actions()).toEqual(['create', 'delete', 'create']);
  });

  it('applyWrites does all or nothing in one commit', async () => {
    const done = await apply(write('create', KEY, aPost('a')), write('create', KEY_3, aPost('b')));
    expect(done.json.results).toMatchObject([
      { $type: 'com.atproto.repo.applyWrites#createResult', cid: expect.stringMatching(/^bafyrei/) },
      {},
    ]);
    expect(commits()).toBe(1);
    const half = await apply(write('update', KEY, aPost('changed')), write('delete', '3lbexample444'));
    expect(half.status).toBe(400);
    const { records } = (await get(LIST_RECORDS, undefined, { repo: ALICE, collection: POST })).json;
    expect(records.map(({ value }: any) => value.text)).toEqual(['b', 'a']);
  });

  it('listRecords pages both ways', async () => {
    const keys = ['222', '333', '444'].map((end) => `3lbexample${end}`);
    for (const rkey of keys) await put(session, rkey, aPost(rkey));
    const list = (params: object) =>
      get(LIST_RECORDS, undefined, { repo: ALICE, collection: POST, limit: '2', ...params });
    const rkeys = ({ json }: Reply) => json.records.map(({ uri }: any) => uri.split('/').at(-1));
    const first = await list({});
    expect(rkeys(first)).toEqual([keys[2], keys[1]]);
    const rest = await list({ cursor: first.json.cursor });
    expect(rkeys(rest)).toEqual([keys[0]]);
    expect(rest.json.cursor).toBeUndefined();
    expect(rkeys(await list({ reverse: 'true' }))).toEqual([keys[0], keys[1]]);
    expect(await list({ limit: '101' })).toMatchObject(invalid());
  });
});

describe('records', () => {
  const family = '👨‍👩‍👧';
  const blobRef = { $type: 'blob', ref: { $link: blobCid(png()) }, mimeType: 'image/png', size: png().length };
  const image = { image: blobRef, alt: '' };
  const facet = (byteStart: number, byteEnd: number) => ({
    facets: [
      {
        index: { byteStart, byteEnd },
        features: [{ $type: 'app.bsky.richtext.facet#link', uri: 'https://example.com' }],
      },
    ],
  });
  const strongRef = {
    uri: 'at://did:plc:abc/app.bsky.feed.post/3lbexample222',
    cid: 'bafyreigbtj4x7ip5legnfznufuopl4sg4knzc2cof6duas4b3q2fy6swua',
  };

  it.each<[string, object, string | RegExp]>([
    [
      '301 graphemes',
      aPost('x'.repeat(301)),
      'Invalid app.bsky.feed.post record: grapheme too big (maximum 300, got 301) at $.record.text',
    ],
    ['3001 bytes', aPost(family.repeat(167)), /string too big \(maximum 3000, got 3006\) at \$\.record\.text$/],
    [
      'no createdAt',
      { $type: POST, text: '' },
      'Invalid app.bsky.feed.post record: Missing required key "createdAt" at $.record',
    ],
    ['a createdAt without a zone', aPost('x', { createdAt: '2026-11-21T12:00:00' }), /Invalid datetime/],
    [
      'another $type',
      { ...aPost('x'), $type: 'app.bsky.feed.like' },
      `Invalid $type: expected ${POST}, got app.bsky.feed.like`,
    ],
    ['a facet past the end', aPost('é', facet(0, 3)), /at \$\.record\.facets\[0\]\.index\.byteEnd$/],
    ['a facet through a character', aPost('é!', facet(1, 3)), /Facet cuts a character/],
    ['an empty facet', aPost('abc', facet(2, 2)), /at \$\.record\.facets\[0\]\.index\.byteEnd$/],
    [
      'five images',
      aPost('x', withImages(image, image, image, image, image)),
      /array too big \(maximum 4, got 5\) at \$\.record\.embed\.images$/,
    ],
    [
      'an image without alt',
      aPost('x', withImages({ image: blobRef })),
      /Missing required key "alt" at \$\.record\.embed\.images\[0\]$/,
    ],
    ['four languages', aPost('x', { langs: ['en', 'de', 'fr', 'it'] }), /array too big \(maximum 3, got 4\)/],
    ['nine tags', aPost('x', { tags: Array.from({ length: 9 }, String) }), /array too big \(maximum 8, got 9\)/],
    ['half a reply', aPost('x', { reply: { root: strongRef } }), /Missing required key "parent" at \$\.record\.reply/],
    ['a fraction', aPost('x', { odd: 1.5 }), /Expected integer/],
    ['a broken link', aPost('x', { odd: { $link: 'nope' } }), /Invalid CID string/],
  ])('with %s are refused', async (_, record, message) => {
    expect(await put(await world.login(ALICE), KEY, record)).toMatchObject(invalid(message));
    expect(world.sandbox.posts('bluesky', ALICE)).toEqual([]);
  });

  it('at the very limits are taken', async () => {
    for (const record of [
      aPost('x'.repeat(300)),
      aPost(family.repeat(166)),
      aPost('é!', facet(0, 2)),
      aPost('', { reply: { root: strongRef, parent: strongRef } }),
      aPost('x', { __proto__: null, createdAt: '2026-11-21T14:00:00+02:00' }),
    ])
      expect((await put(session, KEY, record)).status).toBe(200);
  });

  it('of posts need a TID as key', async () => {
    for (const rkey of ['my-post', '3lbexample22', '9lbexample222'])
      expect((await put(session, rkey, aPost('x'))).status).toBe(400);
    expect(await put(session, '../x', aPost('x'))).toMatchObject(invalid());
  });

  it('of unknown types are stored, and refused when validation is demanded', async () => {
    const more = { collection: 'com.example.thing' };
    expect((await put(session, 'any-key', { a: 1 }, more)).json.validationStatus).toBe('unknown');
    expect((await put(session, 'any-key', { a: 1 }, { ...more, validate: true })).status).toBe(400);
    expect((await put(session, 'any', { text: 5 }, { validate: false })).json.validationStatus).toBeUndefined();
  });
});

describe('blobs', () => {
  it('are content-addressed, typed by their bytes, and served once a record holds them', async () => {
    const { json } = await world.upload(session.accessJwt, png(), 'application/octet-stream');
    expect(json).toEqual({
      blob: { $type: 'blob', ref: { $link: blobCid(png()) }, mimeType: 'image/png', size: png().length },
    });
    const where = { did: session.did, cid: json.blob.ref.$link };
    expect(await get(GET_BLOB, undefined, where)).toMatchObject(refused(400, 'BlobNotFound'));
    const look = aPost('look', withImages({ image: json.blob, alt: 'a dot' }));
    expect((await put(session, KEY, look)).status).toBe(200);
    const blob = await get(GET_BLOB, undefined, where);
    expect(blob.status).toBe(200);
    expect(blob.headers.get('content-type')).toBe('image/png');
    expect(blob.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
  });

  it('are refused when they were never uploaded, belong to another, lie about themselves or have expired', async () => {
    const other = await world.login(BOB);
    const { json } = await world.upload(session.accessJwt, png(), 'image/png');
    const show = (by: any, more: object = {}) =>
      put(by, KEY, aPost('x', withImages({ image: { ...json.blob, ...more }, alt: '' })));
    const missing = refused(400, 'BlobNotFound', `Could not find blob: ${blobCid(png())}`);
    expect(await show(other)).toMatchObject(missing);
    expect(await show(session, { mimeType: 'image/jpeg' })).toMatchObject(refused(400, 'InvalidMimeType'));
    expect(await show(session, { size: 5 })).toMatchObject(refused(400, 'InvalidSize'));
    expect(await show(session, { size: 2_000_001 })).toMatchObject(invalid(/blob too big \(maximum 2000000/));
    expect(await show(session, { mimeType: 'text/html' })).toMatchObject(invalid(/image\/\*/));
    world.clock.move(2 * HOUR - 1);
    const fresh = await world.login(ALICE);
    world.clock.move(1);
    expect(await show(fresh)).toMatchObject(missing);
    expect(commits()).toBe(0);
    await world.upload(fresh.accessJwt, png(), 'image/png');
    expect((await show(fresh)).status).toBe(200);
    world.clock.move(3 * HOUR);
    const kept = await get(GET_BLOB, undefined, { did: session.did, cid: json.blob.ref.$link });
    expect(kept.status).toBe(200);
  });

  it('go with the last record that holds them, and move from one to another within a commit', async () => {
    const { blob } = (await world.upload(session.accessJwt, png(), 'image/png')).json;
    const value = aPost('x', withImages({ image: blob, alt: '' }));
    const status = async () => (await get(GET_BLOB, undefined, { did: session.did, cid: blob.ref.$link })).status;
    await put(session, KEY, value);
    expect((await apply(write('delete', KEY), write('create', KEY_3, value))).status).toBe(200);
    expect(await status()).toBe(200);
    await put(session, KEY, value);
    await apply(write('delete', KEY));
    expect(await status()).toBe(200);
    await apply(write('delete', KEY_3));
    expect(await status()).toBe(400);
  });

  it('larger than the server takes are 413, and none is taken without a credential', async () => {
    expect(await world.upload(session.accessJwt, new Uint8Array(52_428_801), 'video/mp4').catch(() => 'cut')).toSatisfy(
      (reply: any) => reply === 'cut' || (reply.status === 413 && reply.json.error === 'PayloadTooLarge'),
    );
    expect(await world.upload('x.y.z', png(), 'image/png')).toMatchObject(refused(400, 'InvalidToken'));
  });
});

describe('the reading side', () => {
  it('shows profiles, feeds, posts with counts, and threads', async () => {
    const [alice, bob] = [session, await world.login(BOB)];
    const root = (await put(alice, KEY, aPost('root'))).json;
    world.clock.move(1000);
    const ref = { uri: root.uri, cid: root.cid };
    const late = { createdAt: '2026-11-21T12:00:01Z' };
    const reply = (await create(bob, aPost('reply', { ...late, reply: { root: ref, parent: ref } }))).json;
    await create(bob, { subject: ref, ...late }, { collection: 'app.bsky.feed.like' });
    await create(bob, { subject: ref, ...late }, { collection: 'app.bsky.feed.repost' });
    const embed = { $type: 'app.bsky.embed.record', record: ref };
    const quote = (await create(bob, aPost('quote', { createdAt: '2026-11-21T12:00:00.500Z', embed }))).json;

    const { posts } = (await get('app.bsky.feed.getPosts', bob, { uris: root.uri })).json;
    expect(posts).toMatchObject([
      {
        uri: root.uri,
        author: { handle: ALICE },
        likeCount: 1,
        repostCount: 1,
        replyCount: 1,
        quoteCount: 1,
        viewer: { like: expect.stringContaining(bob.did) },
      },
    ]);
    const threadOf = (uri: string) => get('app.bsky.feed.getPostThread', alice, { uri });
    const { thread } = (await threadOf(reply.uri)).json;
    expect(thread).toMatchObject({ post: { uri: reply.uri }, parent: { post: { uri: root.uri } }, replies: [] });
    expect((await threadOf(root.uri)).json.thread.replies).toMatchObject([{ post: { uri: reply.uri } }]);
    expect(await threadOf(`${root.uri.slice(0, -1)}z`)).toMatchObject(refused(400, 'NotFound'));

    const getFeed = (params: object) => get('app.bsky.feed.getAuthorFeed', alice, { actor: BOB, ...params });
    const feed = async (params: object) => (await getFeed(params)).json;
    const uris = ({ feed: items }: any) => items.map(({ post }: any) => post.uri);
    expect(new Set(uris(await feed({})))).toEqual(new Set([reply.uri, root.uri, quote.uri]));
    expect(uris(await feed({ filter: 'posts_no_replies' }))).toEqual([root.uri, quote.uri]);
    const first = await feed({ limit: '1' });
    const second = await feed({ limit: '1', cursor: first.cursor });
    const third = await feed({ limit: '1', cursor: second.cursor });
    expect(new Set([first, second, third].flatMap(uris))).toEqual(new Set([reply.uri, root.uri, quote.uri]));
    expect((await feed({ limit: '1', cursor: third.cursor })).feed).toEqual([]);
    expect(await getFeed({ cursor: 'x' })).toMatchObject(invalid());

    const profile = (actor: string, by: any = bob) => get('app.bsky.actor.getProfile', by, { actor });
    const counts = { postsCount: 1, followersCount: 0 };
    expect((await profile(ALICE)).json).toMatchObject({ did: alice.did, handle: ALICE, ...counts });
    expect(await profile('x.y.z')).toMatchObject(invalid('Profile not found'));
    expect(await profile(ALICE, null)).toMatchObject(refused(401, 'AuthMissing'));
  });
});

describe('faults', () => {
  const fault = (kind: any, more: object = {}) =>
    world.sandbox.setFault({ network: 'bluesky', person: ALICE, kind, ...more });

  it('lost and error_after: the effect stands, and the same call again settles it', async () => {
    fault('lost', { method: 'com.atproto.repo.putRecord', times: 2 });
    fault('error_after', { method: 'com.atproto.repo.putRecord' });
    expect((await world.upload(session.accessJwt, png(), 'image/png')).status).toBe(200);
    const send = () => put(session, KEY, aPost('once'), { swapRecord: null });
    await expect(send()).rejects.toThrow('fetch failed');
    expect(world.sandbox.posts('bluesky', ALICE)).toHaveLength(1);
    await expect(send()).rejects.toThrow('fetch failed');
    expect(await send()).toMatchObject(refused(500, 'InternalServerError'));
    expect((await send()).status).toBe(200);
    expect(commits()).toBe(1);
    const puts = world.sandbox.requests().filter(({ method }) => method.endsWith('putRecord'));
    expect(puts.map(({ fault: kind, status }) => [kind, status])).toEqual([
      ['lost', undefined],
      ['lost', undefined],
      ['error_after', 500],
      [undefined, 200],
    ]);
  });

  it('lost on a refresh: the old token still works', async () => {
    fault('lost', { method: REFRESH_SESSION });
    await expect(refresh(session.refreshJwt)).rejects.toThrow('fetch failed');
    expect((await refresh(session.refreshJwt)).status).toBe(200);
  });

  it('throttled and expired: nothing happens, as often as was asked', async () => {
    const stranger = await world.login(BOB);
    fault('throttled');
    fault('expired', { times: 2 });
    expect((await put(stranger, KEY, aPost('x'))).status).toBe(200);
    const throttled = await put(session, KEY, aPost('x'));
    expect(throttled.status).toBe(429);
    expect(throttled.headers.get('ratelimit-reset')).toBe(String(world.clock.now() / 1000 + 30));
    for (let at = 0; at < 2; at += 1)
      expect(await put(session, KEY, aPost('x'))).toMatchObject(refused(400, 'ExpiredToken'));
    expect(commits()).toBe(0);
    expect((await put(session, KEY, aPost('x'))).status).toBe(200);
  });

  it('revoked: tokens, refresh and the old app password are dead until a new one is used', async () => {
    const before = world.sandbox.people()[0]!.credentials['app_password'];
    fault('revoked');
    expect(await put(session, KEY, aPost('x'))).toMatchObject(refused(400, 'ExpiredToken'));
    const revoked = refused(400, 'ExpiredToken', 'Token has been revoked');
    expect(await refresh(session.refreshJwt)).toMatchObject(revoked);
    expect((await signIn(ALICE, before)).status).toBe(401);
    expect((await put(await world.login(ALICE), KEY, aPost('x'))).status).toBe(200);
  });

  it('slow: the effect is there while the answer waits; late: the effect waits too', async () => {
    const hasPosts = (count: number) => expect(world.sandbox.posts('bluesky', ALICE)).toHaveLength(count);
    for (const [kind, delay_ms, rkey] of [
      ['slow', 9000, KEY],
      ['late', 4000, KEY_3],
    ] as const) {
      fault(kind, { delay_ms });
      const reply = await whileHeld(
        world.clock,
        delay_ms,
        () => put(session, rkey, aPost(kind)),
        () => hasPosts(1),
      );
      expect(reply.status).toBe(200);
    }
    hasPosts(2);
  });
});
