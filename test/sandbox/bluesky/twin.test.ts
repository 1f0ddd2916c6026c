import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { blobCid, seal, tid } from '../../../src/sandbox/atproto/ipld.ts';
import { openWorld, png } from '../../harness/worlds/twins/bluesky.ts';
import type { World } from '../../harness/worlds/twins/bluesky.ts';

const ALICE = 'alice.sandbox.test';
const BOB = 'bob.sandbox.test';
const POST = 'app.bsky.feed.post';
const HOUR = 3_600_000;
const KEY = '3lbexample222';
const RATE_HEADERS = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'ratelimit-policy'];

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const aPost = (text: string, more: object = {}) => ({
  $type: POST,
  text,
  createdAt: '2026-11-21T12:00:00.000Z',
  ...more,
});
const put = (session: any, rkey: string, record: object, more: object = {}) =>
  world.xrpc('com.atproto.repo.putRecord', {
    token: session.accessJwt,
    input: { repo: session.did, collection: POST, rkey, record, ...more },
  });
const create = (session: any, record: object, more: object = {}) =>
  world.xrpc('com.atproto.repo.createRecord', {
    token: session.accessJwt,
    input: { repo: session.did, collection: POST, record, ...more },
  });
const get = (nsid: string, session: any, params: Record<string, string>) =>
  world.xrpc(nsid, { token: session?.accessJwt, params });
const refused = (status: number, error: string, message?: string | RegExp) => ({
  status,
  json: {
    error,
    message:
      message === undefined ? expect.any(String) : message instanceof RegExp ? expect.stringMatching(message) : message,
  },
});

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
      const { status, json } = await world.xrpc('com.atproto.server.createSession', {
        input: { identifier, password: credentials['app_password'] },
      });
      expect(status).toBe(200);
      expect(json).toMatchObject({ did: id, handle: ALICE, active: true, didDoc: { id } });
    }
    const session = await world.login(ALICE);
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
    expect((await get('com.atproto.server.getSession', session, {})).json).toMatchObject({
      did: id,
      handle: ALICE,
      active: true,
    });
  });

  it('refuse a wrong password and a stranger alike', async () => {
    for (const identifier of [ALICE, 'nobody.sandbox.test'])
      expect(
        await world.xrpc('com.atproto.server.createSession', { input: { identifier, password: 'nope' } }),
      ).toMatchObject(refused(401, 'AuthenticationRequired', 'Invalid identifier or password'));
  });

  it('refuse missing, broken, expired and misplaced tokens in the protocol’s words', async () => {
    const session = await world.login(ALICE);
    const ask = (token?: string) => world.xrpc('com.atproto.server.getSession', token === undefined ? {} : { token });
    expect(await ask()).toMatchObject(refused(401, 'AuthMissing', 'Authentication Required'));
    expect(await ask('not.a.token')).toMatchObject(refused(400, 'InvalidToken', 'Token could not be verified'));
    const [head, body, signature] = session.accessJwt.split('.');
    const other = Buffer.from(body, 'base64url').toString().replace(session.did, 'did:plc:somebodyelse');
    expect(await ask(`${head}.${Buffer.from(other).toString('base64url')}.${signature}`)).toMatchObject(
      refused(400, 'InvalidToken'),
    );
    expect(await ask(session.refreshJwt)).toMatchObject(refused(400, 'InvalidToken', 'Invalid token type'));
    expect(await world.bare('com.atproto.server.refreshSession', session.accessJwt)).toMatchObject(
      refused(400, 'InvalidToken', 'Invalid token type'),
    );
    world.clock.move(2 * HOUR);
    expect(await ask(session.accessJwt)).toMatchObject(refused(400, 'ExpiredToken', 'Token has expired'));
  });

  it('rotate refresh tokens, with a grace of two hours for a lost answer', async () => {
    const session = await world.login(ALICE);
    const refresh = (token: string) => world.bare('com.atproto.server.refreshSession', token);
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
    for (let at = 0; at < 30; at += 1) await world.login(ALICE);
    const reply = await world.xrpc('com.atproto.server.createSession', { input: { identifier: ALICE, password: 'x' } });
    expect(reply).toMatchObject(refused(429, 'RateLimitExceeded'));
    const reset = Math.ceil(world.clock.now() / 1000) + 300;
    expect(RATE_HEADERS.map((name) => reply.headers.get(name))).toEqual(['30', '0', String(reset), '30;w=300']);
    expect(reply.headers.get('retry-after')).toBeNull();
    await world.login(BOB);
    world.clock.move(300_000);
    await world.login(ALICE);
  });
});

describe('identity', () => {
  it('leads from handle to DID to the server', async () => {
    const { json } = await world.xrpc('com.atproto.identity.resolveHandle', { params: { handle: ALICE } });
    for (const place of ['plc', 'did']) {
      const document = (await world.ask(`${world.base}/${place}/${json.did}`)).json;
      expect(document).toMatchObject({ id: json.did, alsoKnownAs: [`at://${ALICE}`] });
      expect(document.service).toEqual([
        { id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: world.base },
      ]);
      expect(document.verificationMethod[0].publicKeyMultibase).toMatch(/^zQ3s/);
    }
    expect((await world.ask(`${world.base}/handle/${ALICE}/.well-known/atproto-did`)).text).toBe(json.did);
    expect((await world.ask(`${world.base}/plc/did:plc:nobody`)).status).toBe(404);
    expect(
      await world.xrpc('com.atproto.identity.resolveHandle', { params: { handle: 'x.sandbox.test' } }),
    ).toMatchObject(refused(400, 'InvalidRequest', 'Unable to resolve handle'));
  });
});

describe('xrpc', () => {
  it('knows its methods, their verbs and their bodies', async () => {
    const session = await world.login(ALICE);
    const url = `${world.base}/xrpc/com.atproto.repo.createRecord`;
    const authorization = `Bearer ${session.accessJwt}`;
    const send = (type: string, body: string) =>
      world.ask(url, { method: 'POST', headers: { authorization, 'content-type': type }, body });
    expect(await world.xrpc('com.example.nothing')).toMatchObject(
      refused(501, 'MethodNotImplemented', 'Method Not Implemented'),
    );
    expect(await world.xrpc('nothing')).toMatchObject(refused(400, 'InvalidRequest'));
    expect(await world.ask(url)).toMatchObject(
      refused(400, 'InvalidRequest', 'Incorrect HTTP method (GET) expected POST'),
    );
    expect(await send('text/plain', '{}')).toMatchObject(
      refused(400, 'InvalidRequest', 'Wrong request encoding (Content-Type): text/plain'),
    );
    expect(await send('application/json', '{"a":')).toMatchObject(refused(400, 'InvalidRequest'));
    expect(await send('application/json', '[]')).toMatchObject(refused(400, 'InvalidRequest'));
    expect(await send('application/json', '{"repo":"x.y.z"}')).toMatchObject(
      refused(400, 'InvalidRequest', 'Missing required key "collection" at $'),
    );
    expect(await send('application/json', JSON.stringify({ text: 'x'.repeat(160_000) }))).toMatchObject(
      refused(413, 'PayloadTooLarge', 'request entity too large'),
    );
    expect(
      await send(
        'application/json',
        `{"repo":"${ALICE}","collection":"${POST}","record":{"a":${'['.repeat(60_000)}${']'.repeat(60_000)}}}`,
      ),
    ).toMatchObject(refused(400, 'InvalidRequest'));
    expect(await world.bare('com.atproto.repo.createRecord', session.accessJwt)).toMatchObject(
      refused(400, 'InvalidRequest', 'A request body is expected but none was provided'),
    );
  });

  it('shows the write window of an account, and 429 when it is used up', async () => {
    const session = await world.login(ALICE);
    const first = await put(session, KEY, aPost('one'));
    expect(first.headers.get('ratelimit-limit')).toBe('5000');
    expect(first.headers.get('ratelimit-remaining')).toBe('4998');
    expect(first.headers.get('ratelimit-policy')).toBe('5000;w=3600');
    const writes = Array.from({ length: 200 }, (_, at) => ({
      $type: 'com.atproto.repo.applyWrites#create',
      collection: 'com.example.thing',
      value: { at },
    }));
    const apply = () =>
      world.xrpc('com.atproto.repo.applyWrites', { token: session.accessJwt, input: { repo: session.did, writes } });
    for (let at = 0; at < 8; at += 1) expect((await apply()).status).toBe(200);
    const over = await apply();
    expect(over).toMatchObject(refused(429, 'RateLimitExceeded', 'Rate Limit Exceeded'));
    expect(over.headers.get('ratelimit-remaining')).toBe('0');
    expect(Number(over.headers.get('ratelimit-reset'))).toBe(world.clock.now() / 1000 + 3600);
    world.clock.move(HOUR);
    expect((await apply()).status).toBe(200);
  });
});

describe('putRecord', () => {
  it('repeated with the same bytes and swapRecord null is one commit, also in parallel', async () => {
    const session = await world.login(ALICE);
    const send = () => put(session, KEY, aPost('once'), { swapRecord: null });
    const replies = await Promise.all([send(), send(), send(), send()]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(replies.map(({ json }) => json.cid)).size).toBe(1);
    expect(replies.filter(({ json }) => json.commit !== undefined)).toHaveLength(1);
    expect(replies[0].json).toMatchObject({ uri: `at://${session.did}/${POST}/${KEY}`, validationStatus: 'valid' });
    expect(replies[0].json.cid).toMatch(/^bafyrei/);
    const [post, ...others] = world.sandbox.posts('bluesky', ALICE);
    expect(others).toEqual([]);
    expect(post!.versions.map(({ action }) => action)).toEqual(['create']);
    expect(world.sandbox.people()[0]!.commits).toBe(1);
  });

  it('with other bytes and swapRecord null is refused, without swapRecord it overwrites', async () => {
    const session = await world.login(ALICE);
    const { json } = await put(session, KEY, aPost('first'), { swapRecord: null });
    expect(await put(session, KEY, aPost('second'), { swapRecord: null })).toMatchObject(
      refused(400, 'InvalidSwap', `Record was at ${json.cid}`),
    );
    expect((await put(session, KEY, aPost('second'))).status).toBe(200);
    const where = { repo: session.did, collection: POST, rkey: KEY };
    const second = (await get('com.atproto.repo.getRecord', undefined, where)).json;
    expect(second.value.text).toBe('second');
    expect((await put(session, KEY, aPost('third'), { swapRecord: json.cid })).json).toMatchObject({
      error: 'InvalidSwap',
    });
    expect((await put(session, KEY, aPost('third'), { swapRecord: second.cid })).status).toBe(200);
    expect((await put(session, '3lbexample333', aPost('x'), { swapRecord: second.cid })).json).toMatchObject({
      error: 'InvalidSwap',
      message: 'Record was at null',
    });
    // Readers of the network keep seeing the first version.
    const { posts } = (await get('app.bsky.feed.getPosts', session, { uris: json.uri })).json;
    expect(posts).toMatchObject([{ cid: json.cid, record: { text: 'first' } }]);
    expect(world.sandbox.posts('bluesky', ALICE)[0]!.versions.map(({ action }) => action)).toEqual([
      'create',
      'update',
      'update',
    ]);
  });

  it('writes only to the caller’s own repository', async () => {
    const session = await world.login(ALICE);
    const stranger = await world.login(BOB);
    expect(await put({ ...session, did: stranger.did }, KEY, aPost('x'))).toMatchObject(
      refused(401, 'AuthenticationRequired'),
    );
    expect(await put({ ...session, did: 'did:plc:nobody' }, KEY, aPost('x'))).toMatchObject(
      refused(400, 'InvalidRequest', 'Could not find repo: did:plc:nobody'),
    );
    expect((await put({ ...session, did: ALICE }, KEY, aPost('x'))).json.uri).toBe(
      `at://${session.did}/${POST}/${KEY}`,
    );
  });
});

describe('the other writes', () => {
  it('createRecord makes a key, and trips over an existing one', async () => {
    const session = await world.login(ALICE);
    const { json } = await create(session, aPost('x'));
    expect(json.uri).toMatch(/\/app\.bsky\.feed\.post\/[2-7a-z]{13}$/);
    expect((await create(session, aPost('y'))).json.uri).not.toBe(json.uri);
    expect((await create(session, aPost('z'), { rkey: KEY })).status).toBe(200);
    expect(await create(session, aPost('z'), { rkey: KEY })).toMatchObject(refused(500, 'InternalServerError'));
  });

  it('deleteRecord may be repeated, and a post may be made again after it', async () => {
    const session = await world.login(ALICE);
    await put(session, KEY, aPost('x'), { swapRecord: null });
    const remove = () =>
      world.xrpc('com.atproto.repo.deleteRecord', {
        token: session.accessJwt,
        input: { repo: session.did, collection: POST, rkey: KEY },
      });
    expect(await remove()).toMatchObject({ status: 200, json: { commit: { cid: expect.any(String) } } });
    expect(await remove()).toMatchObject({ status: 200, json: {} });
    expect(
      await get('com.atproto.repo.getRecord', undefined, { repo: ALICE, collection: POST, rkey: KEY }),
    ).toMatchObject(refused(400, 'RecordNotFound', `Could not locate record: at://${session.did}/${POST}/${KEY}`));
    expect((await put(session, KEY, aPost('x'), { swapRecord: null })).status).toBe(200);
    const [post] = world.sandbox.posts('bluesky', ALICE);
    expect(post).toMatchObject({
      exists: true,
      versions: [{ action: 'create' }, { action: 'delete' }, { action: 'create' }],
    });
  });

  it('applyWrites does all or nothing in one commit', async () => {
    const session = await world.login(ALICE);
    const item = (kind: string, rkey: string, text?: string) => ({
      $type: `com.atproto.repo.applyWrites#${kind}`,
      collection: POST,
      rkey,
      ...(text && { value: aPost(text) }),
    });
    const apply = (...writes: object[]) =>
      world.xrpc('com.atproto.repo.applyWrites', { token: session.accessJwt, input: { repo: session.did, writes } });
    const done = await apply(item('create', KEY, 'a'), item('create', '3lbexample333', 'b'));
    expect(done.json.results).toMatchObject([
      { $type: 'com.atproto.repo.applyWrites#createResult', cid: expect.stringMatching(/^bafyrei/) },
      {},
    ]);
    expect(world.sandbox.people()[0]!.commits).toBe(1);
    expect((await apply(item('update', KEY, 'changed'), item('delete', '3lbexample444'))).status).toBe(400);
    const { records } = (await get('com.atproto.repo.listRecords', undefined, { repo: ALICE, collection: POST })).json;
    expect(records.map(({ value }: any) => value.text)).toEqual(['b', 'a']);
  });

  it('listRecords pages both ways', async () => {
    const session = await world.login(ALICE);
    const keys = ['222', '333', '444'].map((end) => `3lbexample${end}`);
    for (const rkey of keys) await put(session, rkey, aPost(rkey));
    const list = async (params: object) =>
      (await get('com.atproto.repo.listRecords', undefined, { repo: ALICE, collection: POST, limit: '2', ...params }))
        .json;
    const rkeys = ({ records }: any) => records.map(({ uri }: any) => uri.split('/').at(-1));
    const first = await list({});
    expect(rkeys(first)).toEqual([keys[2], keys[1]]);
    const rest = await list({ cursor: first.cursor });
    expect(rkeys(rest)).toEqual([keys[0]]);
    expect(rest.cursor).toBeUndefined();
    expect(rkeys(await list({ reverse: 'true' }))).toEqual([keys[0], keys[1]]);
    expect(
      await get('com.atproto.repo.listRecords', undefined, { repo: ALICE, collection: POST, limit: '101' }),
    ).toMatchObject(refused(400, 'InvalidRequest'));
  });
});

describe('records', () => {
  const family = '👨‍👩‍👧';
  const blobRef = { $type: 'blob', ref: { $link: blobCid(png()) }, mimeType: 'image/png', size: png().length };
  const images = (count: number, more: object = { alt: '' }) => ({
    embed: {
      $type: 'app.bsky.embed.images',
      images: Array.from({ length: count }, () => ({ image: blobRef, ...more })),
    },
  });
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
    ['five images', aPost('x', images(5)), /array too big \(maximum 4, got 5\) at \$\.record\.embed\.images$/],
    [
      'an image without alt',
      aPost('x', images(1, {})),
      /Missing required key "alt" at \$\.record\.embed\.images\[0\]$/,
    ],
    ['four languages', aPost('x', { langs: ['en', 'de', 'fr', 'it'] }), /array too big \(maximum 3, got 4\)/],
    ['nine tags', aPost('x', { tags: Array.from({ length: 9 }, String) }), /array too big \(maximum 8, got 9\)/],
    ['half a reply', aPost('x', { reply: { root: strongRef } }), /Missing required key "parent" at \$\.record\.reply/],
    ['a fraction', aPost('x', { odd: 1.5 }), /Expected integer/],
    ['a broken link', aPost('x', { odd: { $link: 'nope' } }), /Invalid CID string/],
  ])('with %s are refused', async (_, record, message) => {
    expect(await put(await world.login(ALICE), KEY, record)).toMatchObject(refused(400, 'InvalidRequest', message));
    expect(world.sandbox.posts('bluesky', ALICE)).toEqual([]);
  });

  it('at the very limits are taken', async () => {
    const session = await world.login(ALICE);
    expect((await put(session, '3lbexample222', aPost('x'.repeat(300)))).status).toBe(200);
    expect((await put(session, '3lbexample333', aPost(family.repeat(166)))).status).toBe(200);
    expect((await put(session, '3lbexample444', aPost('é!', facet(0, 2)))).status).toBe(200);
    expect(
      (await put(session, '3lbexample555', aPost('', { reply: { root: strongRef, parent: strongRef } }))).status,
    ).toBe(200);
    expect(
      (await put(session, '3lbexample666', aPost('x', { __proto__: null, createdAt: '2026-11-21T14:00:00+02:00' })))
        .status,
    ).toBe(200);
  });

  it('of posts need a TID as key', async () => {
    const session = await world.login(ALICE);
    for (const rkey of ['my-post', '3lbexample22', '9lbexample222'])
      expect((await put(session, rkey, aPost('x'))).status).toBe(400);
    expect(await put(session, '../x', aPost('x'))).toMatchObject(refused(400, 'InvalidRequest'));
  });

  it('of unknown types are stored, and refused when validation is demanded', async () => {
    const session = await world.login(ALICE);
    const more = { collection: 'com.example.thing' };
    expect((await put(session, 'any-key', { a: 1 }, more)).json.validationStatus).toBe('unknown');
    expect((await put(session, 'any-key', { a: 1 }, { ...more, validate: true })).status).toBe(400);
    expect((await put(session, 'any', { text: 5 }, { validate: false })).json.validationStatus).toBeUndefined();
  });
});

describe('blobs', () => {
  it('are content-addressed, typed by their bytes, and served once a record holds them', async () => {
    const session = await world.login(ALICE);
    const { json } = await world.upload(session.accessJwt, png(), 'application/octet-stream');
    expect(json).toEqual({
      blob: { $type: 'blob', ref: { $link: blobCid(png()) }, mimeType: 'image/png', size: png().length },
    });
    const where = { did: session.did, cid: json.blob.ref.$link };
    expect(await get('com.atproto.sync.getBlob', undefined, where)).toMatchObject(refused(400, 'BlobNotFound'));
    const embed = { $type: 'app.bsky.embed.images', images: [{ image: json.blob, alt: 'a dot' }] };
    expect((await put(session, KEY, aPost('look', { embed }))).status).toBe(200);
    const blob = await get('com.atproto.sync.getBlob', undefined, where);
    expect(blob.status).toBe(200);
    expect(blob.headers.get('content-type')).toBe('image/png');
    expect(blob.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
  });

  it('are refused when they were never uploaded, belong to another, lie about themselves or have expired', async () => {
    const session = await world.login(ALICE);
    const other = await world.login(BOB);
    const { json } = await world.upload(session.accessJwt, png(), 'image/png');
    const withBlob = (image: object) =>
      aPost('x', { embed: { $type: 'app.bsky.embed.images', images: [{ image, alt: '' }] } });
    const missing = refused(400, 'BlobNotFound', `Could not find blob: ${blobCid(png())}`);
    expect(await put(other, KEY, withBlob(json.blob))).toMatchObject(missing);
    expect(await put(session, KEY, withBlob({ ...json.blob, mimeType: 'image/jpeg' }))).toMatchObject(
      refused(400, 'InvalidMimeType'),
    );
    expect(await put(session, KEY, withBlob({ ...json.blob, size: 5 }))).toMatchObject(refused(400, 'InvalidSize'));
    expect(await put(session, KEY, withBlob({ ...json.blob, size: 2_000_001 }))).toMatchObject(
      refused(400, 'InvalidRequest', /blob too big \(maximum 2000000/),
    );
    expect(await put(session, KEY, withBlob({ ...json.blob, mimeType: 'text/html' }))).toMatchObject(
      refused(400, 'InvalidRequest', /image\/\*/),
    );
    world.clock.move(2 * HOUR - 1);
    const fresh = await world.login(ALICE);
    world.clock.move(1);
    expect(await put(fresh, KEY, withBlob(json.blob))).toMatchObject(missing);
    expect(world.sandbox.people()[0]!.commits).toBe(0);
    await world.upload(fresh.accessJwt, png(), 'image/png');
    expect((await put(fresh, KEY, withBlob(json.blob))).status).toBe(200);
    world.clock.move(3 * HOUR);
    expect(
      (await get('com.atproto.sync.getBlob', undefined, { did: session.did, cid: json.blob.ref.$link })).status,
    ).toBe(200);
  });

  it('go with the last record that holds them, and move from one to another within a commit', async () => {
    const session = await world.login(ALICE);
    const { blob } = (await world.upload(session.accessJwt, png(), 'image/png')).json;
    const value = aPost('x', { embed: { $type: 'app.bsky.embed.images', images: [{ image: blob, alt: '' }] } });
    const item = (kind: string, rkey: string, more: object = {}) => ({
      $type: `com.atproto.repo.applyWrites#${kind}`,
      collection: POST,
      rkey,
      ...more,
    });
    const apply = (...writes: object[]) =>
      world.xrpc('com.atproto.repo.applyWrites', {
        token: session.accessJwt,
        input: { repo: session.did, writes },
      });
    const status = async () =>
      (await get('com.atproto.sync.getBlob', undefined, { did: session.did, cid: blob.ref.$link })).status;
    await put(session, KEY, value);
    expect((await apply(item('delete', KEY), item('create', '3lbexample333', { value }))).status).toBe(200);
    expect(await status()).toBe(200);
    await put(session, KEY, value);
    await apply(item('delete', KEY));
    expect(await status()).toBe(200);
    await apply(item('delete', '3lbexample333'));
    expect(await status()).toBe(400);
  });

  it('larger than the server takes are 413, and none is taken without a credential', async () => {
    const session = await world.login(ALICE);
    expect(await world.upload(session.accessJwt, new Uint8Array(52_428_801), 'video/mp4').catch(() => 'cut')).toSatisfy(
      (reply: any) => reply === 'cut' || (reply.status === 413 && reply.json.error === 'PayloadTooLarge'),
    );
    expect(await world.upload('x.y.z', png(), 'image/png')).toMatchObject(refused(400, 'InvalidToken'));
  });
});

describe('the reading side', () => {
  it('shows profiles, feeds, posts with counts, and threads', async () => {
    const [alice, bob] = [await world.login(ALICE), await world.login(BOB)];
    const root = (await put(alice, KEY, aPost('root'))).json;
    world.clock.move(1000);
    const ref = { uri: root.uri, cid: root.cid };
    const late = { createdAt: '2026-11-21T12:00:01Z' };
    const reply = (await create(bob, aPost('reply', { ...late, reply: { root: ref, parent: ref } }))).json;
    await create(bob, { subject: ref, ...late }, { collection: 'app.bsky.feed.like' });
    await create(bob, { subject: ref, ...late }, { collection: 'app.bsky.feed.repost' });
    const quote = (
      await create(
        bob,
        aPost('quote', {
          createdAt: '2026-11-21T12:00:00.500Z',
          embed: { $type: 'app.bsky.embed.record', record: ref },
        }),
      )
    ).json;

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
    const { thread } = (await get('app.bsky.feed.getPostThread', alice, { uri: reply.uri })).json;
    expect(thread).toMatchObject({ post: { uri: reply.uri }, parent: { post: { uri: root.uri } }, replies: [] });
    expect((await get('app.bsky.feed.getPostThread', alice, { uri: root.uri })).json.thread.replies).toMatchObject([
      { post: { uri: reply.uri } },
    ]);
    expect(await get('app.bsky.feed.getPostThread', alice, { uri: `${root.uri.slice(0, -1)}z` })).toMatchObject(
      refused(400, 'NotFound'),
    );

    const feed = async (params: object) =>
      (await get('app.bsky.feed.getAuthorFeed', alice, { actor: BOB, ...params })).json;
    const uris = ({ feed: items }: any) => items.map(({ post }: any) => post.uri);
    expect(new Set(uris(await feed({})))).toEqual(new Set([reply.uri, root.uri, quote.uri]));
    expect(uris(await feed({ filter: 'posts_no_replies' }))).toEqual([root.uri, quote.uri]);
    const first = await feed({ limit: '1' });
    const second = await feed({ limit: '1', cursor: first.cursor });
    const third = await feed({ limit: '1', cursor: second.cursor });
    expect(new Set([first, second, third].flatMap(uris))).toEqual(new Set([reply.uri, root.uri, quote.uri]));
    expect((await feed({ limit: '1', cursor: third.cursor })).feed).toEqual([]);
    expect(await get('app.bsky.feed.getAuthorFeed', alice, { actor: BOB, cursor: 'x' })).toMatchObject(
      refused(400, 'InvalidRequest'),
    );

    expect((await get('app.bsky.actor.getProfile', bob, { actor: ALICE })).json).toMatchObject({
      did: alice.did,
      handle: ALICE,
      postsCount: 1,
      followersCount: 0,
    });
    expect(await get('app.bsky.actor.getProfile', bob, { actor: 'x.y.z' })).toMatchObject(
      refused(400, 'InvalidRequest', 'Profile not found'),
    );
    expect(await get('app.bsky.actor.getProfile', undefined, { actor: ALICE })).toMatchObject(
      refused(401, 'AuthMissing'),
    );
  });
});

describe('faults', () => {
  const fault = (kind: any, more: object = {}) =>
    world.sandbox.setFault({ network: 'bluesky', person: ALICE, kind, ...more });

  it('lost and error_after: the effect stands, and the same call again settles it', async () => {
    const session = await world.login(ALICE);
    fault('lost', { method: 'com.atproto.repo.putRecord', times: 2 });
    fault('error_after', { method: 'com.atproto.repo.putRecord' });
    expect((await world.upload(session.accessJwt, png(), 'image/png')).status).toBe(200);
    const send = () => put(session, KEY, aPost('once'), { swapRecord: null });
    await expect(send()).rejects.toThrow('fetch failed');
    expect(world.sandbox.posts('bluesky', ALICE)).toHaveLength(1);
    await expect(send()).rejects.toThrow('fetch failed');
    expect(await send()).toMatchObject(refused(500, 'InternalServerError'));
    expect((await send()).status).toBe(200);
    expect(world.sandbox.people()[0]!.commits).toBe(1);
    expect(
      world.sandbox
        .requests()
        .filter(({ method }) => method.endsWith('putRecord'))
        .map(({ fault: kind, status }) => [kind, status]),
    ).toEqual([
      ['lost', undefined],
      ['lost', undefined],
      ['error_after', 500],
      [undefined, 200],
    ]);
  });

  it('lost on a refresh: the old token still works', async () => {
    const session = await world.login(ALICE);
    fault('lost', { method: 'com.atproto.server.refreshSession' });
    await expect(world.bare('com.atproto.server.refreshSession', session.refreshJwt)).rejects.toThrow('fetch failed');
    expect((await world.bare('com.atproto.server.refreshSession', session.refreshJwt)).status).toBe(200);
  });

  it('throttled and expired: nothing happens, as often as was asked', async () => {
    const session = await world.login(ALICE);
    const stranger = await world.login(BOB);
    fault('throttled');
    fault('expired', { times: 2 });
    expect((await put(stranger, KEY, aPost('x'))).status).toBe(200);
    const throttled = await put(session, KEY, aPost('x'));
    expect(throttled.status).toBe(429);
    expect(throttled.headers.get('ratelimit-reset')).toBe(String(world.clock.now() / 1000 + 30));
    for (let at = 0; at < 2; at += 1)
      expect(await put(session, KEY, aPost('x'))).toMatchObject(refused(400, 'ExpiredToken'));
    expect(world.sandbox.people()[0]!.commits).toBe(0);
    expect((await put(session, KEY, aPost('x'))).status).toBe(200);
  });

  it('revoked: tokens, refresh and the old app password are dead until a new one is used', async () => {
    const session = await world.login(ALICE);
    const before = world.sandbox.people()[0]!.credentials['app_password'];
    fault('revoked');
    expect(await put(session, KEY, aPost('x'))).toMatchObject(refused(400, 'ExpiredToken'));
    expect(await world.bare('com.atproto.server.refreshSession', session.refreshJwt)).toMatchObject(
      refused(400, 'ExpiredToken', 'Token has been revoked'),
    );
    expect(
      (await world.xrpc('com.atproto.server.createSession', { input: { identifier: ALICE, password: before } })).status,
    ).toBe(401);
    expect((await put(await world.login(ALICE), KEY, aPost('x'))).status).toBe(200);
  });

  it('slow: the effect is there while the answer waits; late: the effect waits too', async () => {
    const session = await world.login(ALICE);
    fault('slow', { delay_ms: 9000 });
    let waiting = world.clock.nextWait();
    let reply = put(session, KEY, aPost('slow'));
    expect(await waiting).toBe(9000);
    expect(world.sandbox.posts('bluesky', ALICE)).toHaveLength(1);
    world.clock.move(9000);
    expect((await reply).status).toBe(200);
    fault('late', { delay_ms: 4000 });
    waiting = world.clock.nextWait();
    reply = put(session, '3lbexample333', aPost('late'));
    await waiting;
    expect(world.sandbox.posts('bluesky', ALICE)).toHaveLength(1);
    world.clock.move(4000);
    expect((await reply).status).toBe(200);
    expect(world.sandbox.posts('bluesky', ALICE)).toHaveLength(2);
  });
});

describe('a twin on a file', () => {
  it('keeps an answered write, its blobs and its sessions through kill -9', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'sandbox-'));
    const start = async (): Promise<{
      child: ChildProcess;
      xrpc: (nsid: string, init?: RequestInit) => Promise<any>;
      root: string;
    }> => {
      const child = spawn(
        process.execPath,
        [fileURLToPath(new URL('../twin-process.ts', import.meta.url)), join(directory, 'sandbox.db')],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      const [line] = await once(child.stdout, 'data');
      const root = String(line).trim();
      return {
        child,
        root,
        xrpc: async (nsid, init) => (await fetch(`${root}/sandbox/bluesky/xrpc/${nsid}`, init)).json(),
      };
    };
    const kill = async (child: ChildProcess) => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    };
    let running: ChildProcess | undefined;
    try {
      let twin = await start();
      running = twin.child;
      const { data } = (await (await fetch(`${twin.root}/sandbox/__control/people`)).json()) as any;
      const json = { 'content-type': 'application/json' };
      const body = JSON.stringify({ identifier: ALICE, password: data[0].credentials.app_password });
      const session = await twin.xrpc('com.atproto.server.createSession', { method: 'POST', headers: json, body });
      const authorization = `Bearer ${session.accessJwt}`;
      const upload = {
        method: 'POST',
        headers: { authorization, 'content-type': 'image/png' },
        body: png() as NonNullable<RequestInit['body']>,
      };
      const { blob } = await twin.xrpc('com.atproto.repo.uploadBlob', upload);
      const embed = { $type: 'app.bsky.embed.images', images: [{ image: blob, alt: '' }] };
      const input = JSON.stringify({
        repo: session.did,
        collection: POST,
        rkey: KEY,
        record: aPost('kept', { embed }),
        swapRecord: null,
      });
      const write = { method: 'POST', headers: { ...json, authorization }, body: input };
      const made = await twin.xrpc('com.atproto.repo.putRecord', write);
      await kill(twin.child);
      twin = await start();
      running = twin.child;
      const again = await twin.xrpc('com.atproto.repo.putRecord', write);
      expect(again).toEqual({ uri: made.uri, cid: made.cid, validationStatus: 'valid' });
      const history = (await (await fetch(`${twin.root}/sandbox/__control/posts?person=${ALICE}`)).json()) as any;
      expect(history.data).toMatchObject([{ exists: true, versions: [{ action: 'create', cid: made.cid }] }]);
      const refreshed = await twin.xrpc('com.atproto.server.refreshSession', {
        method: 'POST',
        headers: { authorization: `Bearer ${session.refreshJwt}` },
      });
      expect(refreshed.did).toBe(session.did);
    } finally {
      if (running !== undefined) await kill(running);
      rmSync(directory, { recursive: true, force: true });
    }
  }, 30_000);
});
