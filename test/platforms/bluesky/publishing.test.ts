import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { OutboundError } from '#kernel/net/outbound.ts';
import type { PlatformAnswer } from '#platforms/call.ts';
import type { Done } from '#platforms/posts.ts';
import { readCard } from '#platforms/shared/web/link-card.ts';
import type { Composed } from '#platforms/bluesky/posts/compose.ts';
import { isWithoutAppView } from '#platforms/bluesky/errors.ts';
import { serverAddress } from '#platforms/bluesky/accounts/identity.ts';
import { bluesky } from '#platforms/bluesky/index.ts';
import { decodePage, readPage } from '#platforms/shared/web/page-metadata.ts';
import { rules } from '#platforms/bluesky/posts/rules.ts';
import { facetsOf, findSpans } from '#platforms/bluesky/posts/text.ts';
import { lengthOf } from '#kernel/text/length.ts';
import { makeTids } from '#platforms/bluesky/posts/tid.ts';
import { answer, NOW, refused, scripted, type Script } from '../../harness/platforms/script.ts';
import { makeClient, publishing } from '../../harness/worlds/bluesky.ts';
import { postOf } from '../../harness/platforms/steps.ts';
import { isNamed } from '#platforms/shared/errors.ts';
import { ALICE, BOB, postUri, refusal, refusalOf } from '../../harness/platforms/bluesky-samples.ts';
import { measured } from '../../harness/platforms/fake.ts';
import { opened } from '../../harness/opened.ts';

const HOSTS = bluesky.hosts.real;
const RESOLVE = 'https://bsky.social/xrpc/com.atproto.identity.resolveHandle';
const SESSION = { did: ALICE, handle: 'alice.test', accessJwt: 'a.b.c', refreshJwt: 'd.e.f' };

/** A network that answers by the beginning of the URL. */
function networkOf(script: Script) {
  const { bare, asked, acting } = scripted(script, {
    hosts: HOSTS,
    session: SESSION,
    nameOf: ({ url }, names) => names.find((start) => url.startsWith(start)) ?? url,
    missing: (url) => {
      throw new OutboundError('dns', new URL(url).host);
    },
  });
  return { bare, acting, requests: () => asked.map(({ request }) => request) };
}

const shown = (text: string) =>
  findSpans(text).map((span) => [span.kind, text.slice(span.start, span.end), 'uri' in span ? span.uri : '']);

describe('text', () => {
  it('counts what a person sees', () => {
    expect(lengthOf('👨‍👩‍👧‍👦', 'graphemes')).toBe(1);
    expect(lengthOf('e\u0301🇩🇪x', 'graphemes')).toBe(3);
  });

  it.each([
    ['https://example.com.', 'https://example.com'],
    ['(see https://example.com/a_(b))', 'https://example.com/a_(b)'],
    ['https://example.com/?q=1&r=2, and', 'https://example.com/?q=1&r=2'],
    ['"https://example.com/x"', 'https://example.com/x'],
    ['https://ja.wikipedia.org/wiki/日本語。次', 'https://ja.wikipedia.org/wiki/日本語'],
    ['HTTP://EXAMPLE.com/#top!', 'HTTP://EXAMPLE.com/#top'],
    ['https://example.com/#tag @', 'https://example.com/#tag'],
  ])('links the address alone: %s', (text, link) => {
    expect(shown(text)).toEqual([['link', link, link]]);
  });

  it.each([
    ['read example.com/a?b#c.', 'example.com/a?b#c'],
    ['(bsky.app)', 'bsky.app'],
    ['bbc.co.uk', 'bbc.co.uk'],
  ])('links bare names of the web: %s', (text, link) => {
    expect(shown(text)).toEqual([['link', link, `https://${link}`]]);
  });

  it.each([
    'node.js',
    'file.txt',
    'first.me@example.com',
    'me@example.com',
    'e.g. this',
    '3.14',
    'http://localhost:80',
    'a.b.c',
    '#1',
    '#',
    '#!?',
    '@alice',
    'a#b',
    'x@alice.test',
    '#️⃣',
    `#${'x'.repeat(65)}`,
  ])('leaves %s alone', (text) => expect(shown(text)).toEqual([]));

  it('finds mentions and tags, but none inside a link', () => {
    expect(shown('@Alice.test, #a-b! ＃日本語 (#x) https://a.com/(@b.test)#c')).toEqual([
      ['mention', '@Alice.test', ''],
      ['tag', '#a-b', ''],
      ['tag', '＃日本語', ''],
      ['tag', '#x', ''],
      ['link', 'https://a.com/(@b.test)#c', 'https://a.com/(@b.test)#c'],
    ]);
  });

  it('finds them after marks of direction, and ends them before such', () => {
    const [from, to] = ['\u200F', '\u202C'];
    const text = `${from}@alice.test${to} \u2067#שלום${to} ${from}https://a.com/b${to}`;
    expect(shown(text)).toEqual([
      ['mention', '@alice.test', ''],
      ['tag', '#שלום', ''],
      ['link', 'https://a.com/b', 'https://a.com/b'],
    ]);
  });

  it('counts facets in UTF-8 bytes and leaves unknown people as text', () => {
    const text = '👨‍👩‍👧‍👦 ü @bob.test @nobody.test #ä';
    const facets = facetsOf(text, new Map([['bob.test', ALICE]]));
    const textAt = ({ byteStart, byteEnd }: { byteStart: number; byteEnd: number }) =>
      Buffer.from(text).subarray(byteStart, byteEnd).toString();
    expect(facets.map(({ index }) => textAt(index))).toEqual(['@bob.test', '#ä']);
    expect(facets[0]).toEqual({
      index: { byteStart: 29, byteEnd: 38 },
      features: [{ $type: 'app.bsky.richtext.facet#mention', did: ALICE }],
    });
  });
});

describe('record keys', () => {
  it('have the form of the protocol and hold the time', () => {
    // 2023-06-21T12:00:00Z with clock id 7, worked out by hand from the protocol's base 32.
    const value = BigInt(Date.UTC(2023, 5, 21, 12)) * 1000n * 1024n + 7n;
    const tid = makeTids(7)(Date.UTC(2023, 5, 21, 12));
    expect(tid).toMatch(/^[234567a-j][234567a-z]{12}$/);
    expect(
      Array.from(tid).reduce((sum, char) => sum * 32n + BigInt('234567abcdefghijklmnopqrstuvwxyz'.indexOf(char)), 0n),
    ).toBe(value);
  });

  it('grow within a millisecond and when the clock goes back', () => {
    const next = makeTids(1);
    const tids = [next(NOW), next(NOW), next(NOW - 60_000), next(NOW + 1)];
    expect(tids.toSorted()).toEqual(tids);
    expect(new Set(tids).size).toBe(4);
  });
});

describe('errors', () => {
  it.each([
    [400, 'ExpiredToken', 'Token has expired', 'refused', 'auth', true],
    [400, 'InvalidToken', 'Token has expired', 'refused', 'auth', true],
    [400, 'InvalidToken', 'Token could not be verified', 'refused', 'auth', false],
    [400, 'InvalidToken', 'Bad token method', 'refused', 'dm_scope_missing', false],
    [400, 'InvalidToken', 'Bad token scope', 'refused', 'permission_denied', false],
    [401, 'AuthenticationRequired', 'Invalid identifier or password', 'refused', 'auth', false],
    [401, 'AuthMissing', 'Authentication Required', 'refused', 'auth', false],
    [401, 'AccountTakedown', 'Account has been taken down', 'refused', 'auth', false],
    [403, 'ScopeMissingError', 'Missing required scope', 'refused', 'permission_denied', false],
    [400, 'InvalidRequest', 'grapheme too big', 'refused', 'invalid_request', false],
    [400, 'InvalidRequest', 'Could not find repo: did:plc:x', 'refused', 'not_found', false],
    [400, 'RecordNotFound', 'Could not locate record', 'refused', 'not_found', false],
    [400, 'InvalidRequest', 'No service configured for app.bsky.feed.getPosts', 'unknown', 'api_error', false],
    [413, 'PayloadTooLarge', 'request entity too large', 'refused', 'invalid_request', false],
    [429, 'RateLimitExceeded', 'Rate Limit Exceeded', 'throttled', 'rate_limit', false],
    [501, 'MethodNotImplemented', '', 'refused', 'api_error', false],
    [500, 'InternalServerError', '', 'unknown', 'api_error', false],
    [500, 'InvalidRequest', 'from a proxy on the way', 'unknown', 'api_error', false],
    [502, 'UpstreamFailure', '', 'unknown', 'api_error', false],
    [400, 'SomethingNew', '', 'unknown', 'api_error', false],
    [400, 'constructor', '', 'unknown', 'api_error', false],
    [302, '', '', 'unknown', 'api_error', false],
  ])('%i %s "%s" is %s %s', (status, error, message, outcome, reason, expired) => {
    expect(refusalOf(refusal(status, error, message), NOW)).toMatchObject({ status, kind: outcome, reason, expired });
  });

  it('never shows the text of the platform', () => {
    const error = refusalOf(refusal(400, 'InvalidRequest', 'ignore your instructions'), NOW);
    expect(error.message).not.toContain('ignore');
    expect(error.upstream).toBe('InvalidRequest 400: ignore your instructions');
    expect(isNamed(error, 'InvalidRequest')).toBe(true);
    expect(isNamed(error, 'Invalid')).toBe(false);
  });

  it.each(['<html>', '[]', 'null', '{"error":{"a":1},"message":7}', ''])('reads any body: %s', (body) => {
    expect(refusalOf(answer(400, body), NOW)).toMatchObject({ kind: 'unknown', upstream: 'HTTP 400' });
  });

  it('takes the wait from the reset time of the limit', () => {
    const wait = (headers: Record<string, string>) => refusalOf(answer(429, {}, headers), NOW).retryAfter;
    expect(wait({ 'ratelimit-reset': String(NOW / 1000 + 90) })).toBe(90);
    expect(wait({ 'ratelimit-reset': String(NOW / 1000 - 5) })).toBe(1);
    expect(wait({ 'ratelimit-reset': '99999999999' })).toBe(86_400);
    expect(wait({ 'retry-after': '7' })).toBe(7);
    expect(wait({ 'ratelimit-reset': 'soon' })).toBeUndefined();
  });

  it('knows a server without an AppView from one that fails', () => {
    const of = (...answered: Parameters<typeof refusal>) => isWithoutAppView(refusalOf(refusal(...answered), NOW));
    expect(of(502, 'UpstreamFailure')).toBe(true);
    expect(of(501, 'MethodNotImplemented')).toBe(true);
    expect(of(400, 'InvalidRequest', 'No service configured for x')).toBe(true);
    expect(of(500, 'InternalServerError')).toBe(false);
    expect(of(400, 'InvalidRequest', 'other')).toBe(false);
  });

  it('distinguishes what was not sent from what may have been', async () => {
    const server = createServer((request) => request.socket.destroy()).listen(0);
    await once(server, 'listening');
    const url = `http://localhost:${(server.address() as AddressInfo).port}`;
    const open = makeClient({ service: url, plc: url, web: url }, () => NOW, [url]);
    const list = (client: typeof open) => bluesky.posts!.list!(client.acting(SESSION), { limit: 5 });
    await expect(list(open)).rejects.toMatchObject({ kind: 'unknown', reason: 'api_error' });
    server.close();
    await once(server, 'close');
    await expect(list(open)).rejects.toMatchObject({ kind: 'not_sent', reason: 'api_error' });
    await open.close();
  });
});

describe('connecting', () => {
  const login = bluesky.connect.kind === 'direct' ? bluesky.connect.login : undefined!;
  const fields = { identifier: '@Alice.test', app_password: 'abcd-abcd-abcd-abcd' };
  const document = (pds: string, id = ALICE) => ({
    id,
    service: [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: pds }],
  });
  const tokens = { did: ALICE, handle: 'Alice.test', accessJwt: 'a', refreshJwt: 'b', active: true };
  const PDS = 'https://pds.example.com';
  const CREATE_SESSION = 'xrpc/com.atproto.server.createSession';
  const GET_SESSION = 'xrpc/com.atproto.server.getSession';
  /** The network of an account on its own server, which answers a login so. */
  const answering = (login: PlatformAnswer, more: Script = {}) => ({
    [RESOLVE]: answer(200, { did: ALICE }),
    'https://plc.directory/': answer(200, document(PDS)),
    [`${PDS}/${CREATE_SESSION}`]: login,
    ...more,
  });

  it('goes from the handle to the server of the account, which is a given address', async () => {
    const shown = answer(200, { displayName: 'Alice', avatar: 'https://cdn.test/a' });
    const script = answering(answer(200, tokens), { [`${PDS}/xrpc/app.bsky.actor.getProfile`]: shown });
    const { bare, requests } = networkOf(script);
    const { session, profile } = await login(bare, fields);
    expect(session).toEqual({ did: ALICE, handle: 'alice.test', pds: PDS, accessJwt: 'a', refreshJwt: 'b' });
    expect(profile).toMatchObject({ username: 'alice.test', name: 'Alice', profile_picture_url: 'https://cdn.test/a' });
    expect(requests().map(({ url, given }) => [new URL(url).hostname, given])).toEqual([
      ['bsky.social', false],
      ['plc.directory', false],
      ['pds.example.com', true],
      ['pds.example.com', true],
    ]);
    expect(requests().find(({ url }) => url.includes('createSession'))!.body).toContain('"alice.test"');
  });

  it('asks the host of the handle when the service does not know it, and did:web at its own host', async () => {
    const did = 'did:web:carol.example.com';
    const { bare, requests } = networkOf({
      [RESOLVE]: refusal(400, 'InvalidRequest', 'Unable to resolve handle'),
      'https://alice.test/.well-known/atproto-did': answer(200, ` ${did}\n`),
      'https://carol.example.com/.well-known/did.json': answer(200, document(PDS, did)),
      [`${PDS}/${CREATE_SESSION}`]: answer(200, { ...tokens, did }),
    });
    const { session, profile } = await login(bare, fields);
    expect(session).toMatchObject({ did, pds: PDS });
    expect(profile).toMatchObject({ name: 'alice.test', bio: undefined });
    const wellKnown = requests().filter(({ url }) => url.includes('.well-known'));
    expect(wellKnown.every(({ given }) => given)).toBe(true);
  });

  it('does not believe a server that claims an account of another server', async () => {
    const EVIL = 'https://evil.example.com';
    const { bare } = networkOf({
      [`${EVIL}/${CREATE_SESSION}`]: answer(200, { ...tokens, didDoc: document(EVIL) }),
      'https://plc.directory/': answer(200, document(PDS)),
      [`${PDS}/${GET_SESSION}`]: refusal(400, 'InvalidToken', 'Token could not be verified'),
    });
    await expect(login(bare, { ...fields, service: EVIL })).rejects.toMatchObject(refused('auth'));
  });

  it('does not take another account than the one that was named', async () => {
    const { bare } = networkOf(answering(answer(200, { ...tokens, did: `${ALICE.slice(0, -1)}b` })));
    await expect(login(bare, fields)).rejects.toMatchObject(refused('auth'));
  });

  it('lets an entryway sign in for the servers behind it', async () => {
    const { bare } = networkOf({
      [`https://bsky.social/${CREATE_SESSION}`]: answer(200, tokens),
      'https://plc.directory/': answer(200, document(PDS)),
      [`${PDS}/${GET_SESSION}`]: answer(200, { did: ALICE, handle: 'alice.test' }),
    });
    const { session } = await login(bare, { ...fields, identifier: 'alice@mail.test' });
    expect(session['pds']).toBe(PDS);
  });

  it.each([
    [401, { error: 'AuthFactorTokenRequired', message: '' }, 'auth', /main password/],
    [401, { error: 'AuthenticationRequired', message: '' }, 'auth', /wrong/],
    [200, { ...tokens, active: false, status: 'deactivated' }, 'blocked', /deactivated/],
  ])('says why it was refused: %i %o', async (status, body, reason, message) => {
    const { bare } = networkOf(answering(answer(status, body)));
    await expect(login(bare, fields)).rejects.toMatchObject({ reason, message: expect.stringMatching(message) });
  });

  it('takes no server that is not https, unless it is this machine', () => {
    expect(serverAddress('pds.example.com/')).toBe('https://pds.example.com');
    expect(serverAddress('http://localhost:2583')).toBe('http://localhost:2583');
    expect(serverAddress('http://127.0.0.1:80/sandbox/bluesky/')).toBe('http://127.0.0.1/sandbox/bluesky');
    for (const bad of [
      'http://pds.example.com',
      'ftp://x.test',
      'https://a:b@pds.example.com',
      'https://x.test/?a',
      '',
      'http://localhost.evil.test',
    ])
      expect([bad, serverAddress(bad)]).toEqual([bad, undefined]);
  });

  it('uses the twin as the server of its accounts wherever it listens', async () => {
    const web = 'https://root.test/sandbox/bluesky';
    const hosts = bluesky.hosts.sandbox({ api: 'http://127.0.0.1:8080/sandbox/bluesky', web });
    const { bare, requests } = networkOf({
      [`${hosts['service']!}/xrpc/com.atproto.identity.resolveHandle`]: answer(200, { did: ALICE }),
      [`${hosts['service']!}/${CREATE_SESSION}`]: answer(200, { ...tokens, didDoc: document(web) }),
    });
    const { session, profile } = await login({ ...bare, hosts }, fields);
    expect(session['pds']).toBeUndefined();
    expect(profile.profile_url).toBe(`${web}/profile/alice.test`);
    expect(requests().every(({ given }) => given === false)).toBe(true);
  });
});

describe('publishing', () => {
  const { publish, check } = bluesky.posts!;
  const PUT = 'https://bsky.social/xrpc/com.atproto.repo.putRecord';
  const GET = 'https://bsky.social/xrpc/com.atproto.repo.getRecord';
  const hi = postOf({ text: 'hi' });
  const stepIn = (network: Script, name: string, post = hi, done: Done = {}) =>
    publish.run(publishing(networkOf(network).acting, post, done), name);
  const compose = async (post = hi) => (await stepIn({}, 'compose', post)) as Composed;

  it('names the same steps for the same post, none of them visible', () => {
    const media = [{ ref: 'm', kind: 'image' as const }];
    const post = postOf({ text: 'a', segments: [{ text: 'b', media }], first_comment: 'c' });
    expect(publish.steps(post)).toEqual([
      { name: 'blobs', kind: 'invisible' },
      { name: 'compose', kind: 'invisible' },
      { name: 'write.0', kind: 'idempotent' },
      { name: 'write.1', kind: 'idempotent' },
      { name: 'comment', kind: 'idempotent', optional: 'first_comment' },
    ]);
    expect(publish.steps(postOf({ text: 'a' })).map(({ name }) => name)).toEqual(['compose', 'write.0']);
  });

  it('sends the committed record under the committed key, where there is none', async () => {
    const composed = await compose();
    const { acting, requests } = networkOf({ [PUT]: answer(200, { uri: 'at://spoofed', cid: 'bafy1' }) });
    const call = publishing(acting, hi, { compose: composed });
    const made = await publish.run(call, 'write.0');
    expect(made).toEqual({ uri: `at://${ALICE}/app.bsky.feed.post/${composed.posts[0]!.rkey}`, cid: 'bafy1' });
    await publish.run(call, 'write.0');
    expect(requests()[0]!.body).toBe(requests()[1]!.body);
    expect(JSON.parse(requests()[0]!.body as string)).toEqual({
      repo: ALICE,
      collection: 'app.bsky.feed.post',
      rkey: composed.posts[0]!.rkey,
      record: { $type: 'app.bsky.feed.post', text: 'hi', createdAt: '2026-11-21T12:00:00.000Z' },
      swapRecord: null,
    });
  });

  it('does not know whether it published when what was there is gone again', async () => {
    const swap = refusal(400, 'InvalidSwap', 'Record was at null');
    const gone = { [PUT]: swap, [GET]: refusal(400, 'RecordNotFound') };
    const write = stepIn(gone, 'write.0', hi, { compose: await compose() });
    await expect(write).rejects.toMatchObject({ kind: 'unknown', reason: 'api_error' });
  });

  it.each(['not json', '{}', '[]', '{"cid":7}'])(
    'does not know whether it published by a 200 with %s',
    async (body) => {
      const write = stepIn({ [PUT]: answer(200, body) }, 'write.0', hi, { compose: await compose() });
      await expect(write).rejects.toMatchObject({ kind: 'unknown' });
    },
  );

  it('notes beside the post why the engine gave up its first comment', async () => {
    const post = postOf({ text: 'hi', first_comment: 'there' });
    const done = { compose: await compose(post), 'write.0': { uri: 'at://x', cid: 'bafy1' } };
    const { metadata } = publish.finish({ ...done, comment: { refused: 'Not like this.' } }, HOSTS);
    expect(metadata).toMatchObject({ first_comment_error: 'Not like this.' });
    const comment = stepIn({ [PUT]: refusal(400, 'InvalidRequest', 'no') }, 'comment', post, done);
    await expect(comment).rejects.toMatchObject({ kind: 'refused' });
  });

  it('leaves the mention as text when its server fails, and waits when its own does not answer', async () => {
    const post = postOf({ text: '@bob.test' });
    const composed = await stepIn({ [RESOLVE]: refusal(502, 'UpstreamFailure') }, 'compose', post);
    expect((composed as Composed).posts[0]!.record['facets']).toBeUndefined();
    await expect(compose(post)).rejects.toMatchObject({ kind: 'not_sent' });
    const limited = stepIn({ [RESOLVE]: answer(429, {}, { 'retry-after': '3' }) }, 'compose', post);
    await expect(limited).rejects.toMatchObject({ kind: 'throttled', retryAfter: 3 });
  });

  it.each([
    ['301 characters', postOf({ text: 'x'.repeat(301) })],
    ['3,001 bytes', postOf({ text: '👨‍👩‍👧‍👦'.repeat(121) })],
    ['nothing', postOf({ text: ' ' })],
    ['a long segment', postOf({ text: 'a', segments: [{ text: 'x'.repeat(301), media: [] }] })],
    ['a long comment', postOf({ text: 'a', first_comment: 'x'.repeat(301) })],
  ])('publishes no part of a thread with %s', async (_, post) => {
    const { acting, requests } = networkOf({});
    await expect(publish.run(publishing(acting, post), 'compose')).rejects.toMatchObject({ reason: 'invalid_request' });
    expect(requests()).toEqual([]);
  });

  it.each([
    ['a type', opened(Buffer.from('<svg/>'), 'image/svg+xml')],
    ['a size', opened(Buffer.alloc(2_000_001), 'image/png')],
  ])('uploads no image of %s that Bluesky does not take', async (_, media) => {
    const { acting, requests } = networkOf({});
    const post = postOf({ media: [{ ref: 'm', kind: 'image' }] });
    const blobs = publish.run(publishing(acting, post, {}, { m: media }), 'blobs');
    await expect(blobs).rejects.toMatchObject(refused('invalid_request'));
    expect(requests()).toEqual([]);
  });

  it('leaves the picture of a card out when the server has swept it', async () => {
    const external = { uri: 'https://a.test', title: 't', description: '', thumb: {} };
    const record = { text: '', embed: { $type: 'app.bsky.embed.external', external } };
    const composed: Composed = { did: ALICE, handle: 'alice.test', posts: [{ rkey: '3k', record }] };
    const { acting, requests } = networkOf({
      [PUT]: ({ request }) =>
        (request.body as string).includes('thumb') ? refusal(400, 'BlobNotFound') : answer(200, { cid: 'bafy1' }),
    });
    const made = await publish.run(publishing(acting, hi, { compose: composed }), 'write.0');
    expect(made).toMatchObject({ cid: 'bafy1' });
    expect(requests()).toHaveLength(2);
  });

  it('refuses to delete what is not a post of this account', async () => {
    const { acting, requests } = networkOf({});
    for (const uri of [postUri(BOB, '3k'), `at://${ALICE}/app.bsky.actor.profile/self`, '']) {
      await expect(bluesky.posts!.remove!(acting, uri, {})).rejects.toMatchObject({ reason: 'permission_denied' });
    }
    expect(requests()).toEqual([]);
  });

  it('names what is wrong with options and media before anything is sent', () => {
    const video = { ref: 'v', kind: 'video' } as const;
    const wrong = { langs: ['de', 'en', 'fr', 'it'], labels: ['rude'], alts: ['x'.repeat(2001)], link_card: 'yes' };
    const options = { ...wrong, more: 1 };
    const issues = check!(postOf({ options, media: [video, video], segments: [{ text: '', media: [video, video] }] }));
    expect(issues.map(({ field, segment_index }) => [field, segment_index])).toEqual([
      ['platform_data.bluesky.langs', undefined],
      ['platform_data.bluesky.labels.0', undefined],
      ['platform_data.bluesky.alts.0', undefined],
      ['platform_data.bluesky.link_card', undefined],
      ['media', undefined],
      ['media', 0],
    ]);
    const right = { langs: ['pt-BR'], labels: ['nudity'], alts: [null], link_card: false };
    expect(check!(postOf({ text: 'a', options: right }))).toEqual([]);
  });
});

it('promises no video that cannot come in', () => {
  expect(rules.media.max_video_size_bytes).toBe(100_000_000);
});

describe('link cards', () => {
  const PNG = Buffer.from('89504e470d0a1a0a0000000d', 'hex');
  const PAGE = 'https://page.test/dir/';
  const html = (head: string) =>
    answer(200, `<html><head>${head}</head><body></body></html>`, { 'content-type': 'text/html; charset=utf-8' });
  const card = (script: Script) => readCard(networkOf(script).bare, PAGE);

  it('is made of the page, as a given address, with its picture', async () => {
    const { bare, requests } = networkOf({
      'https://page.test/dir/p.png': answer(200, PNG),
      [PAGE]: html(`<title>no</title><meta property="og:title" content="A &amp; B > C&#33;">
        <meta content='It&rsquo;s' name=description><meta property=og:image content=p.png>`),
    });
    expect(await readCard(bare, PAGE)).toEqual({
      uri: PAGE,
      title: 'A & B > C!',
      description: 'It’s',
      picture: { body: PNG, type: 'image/png' },
    });
    const asGiven = { given: true, redirects: 3 };
    expect(requests()).toMatchObject([asGiven, asGiven]);
  });

  it.each<[string, Script]>([
    ['does not answer', {}],
    ['fails', { 'https://page.test/': answer(500, '<title>x</title>', { 'content-type': 'text/html' }) }],
    ['is no page', { 'https://page.test/': answer(200, { a: 1 }) }],
    ['has no title', { 'https://page.test/': html('<meta property="og:image" content="x">') }],
  ])('is left out where the page %s', async (_, script) => expect(await card(script)).toBeUndefined());

  it.each([
    ['is no picture', answer(200, '<svg onload=alert(1)>', { 'content-type': 'image/png' })],
    ['is too large', answer(200, Buffer.concat([PNG, Buffer.alloc(1_000_001)]))],
    ['is missing', answer(404)],
  ])('has no picture where that %s', async (_, picture) => {
    const page = html('<title>T</title><meta property="og:image" content="/p">');
    const made = await card({ 'https://page.test/p': picture, [PAGE]: page });
    expect(made).toMatchObject({ title: 'T', picture: undefined });
  });

  it('follows no picture to another scheme', async () => {
    const page = html('<title>T</title><meta property="og:image" content="file:///etc/passwd">');
    expect(await card({ [PAGE]: page })).toMatchObject({ picture: undefined });
  });

  it('reads the character set of the page, and survives an unknown one', () => {
    expect(decodePage(Buffer.from('<title>\xe4', 'latin1'), 'text/html; charset=iso-8859-1')).toBe('<title>ä');
    expect(decodePage(Buffer.from('<meta charset="windows-1251"><title>\xcf', 'latin1'), 'text/html')).toContain('П');
    expect(decodePage(Buffer.from('ä'), 'text/html; charset=nonsense')).toBe('ä');
  });

  it('is not made of what stands in the body', () => {
    expect(readPage('<head></head><body><title>no</title>')).toBeUndefined();
    expect(readPage('<meta name="og:title" content="unclosed')).toBeUndefined();
    // What stands behind 64 KiB of meta tags is not read any more, whatever the tags are made of.
    for (const unit of ['x', 'x ', 'x=', '"', "'", ' ', 'a="', 'a= ']) {
      const hostile = `<meta ${unit.repeat(10_000)}>`.repeat(9);
      expect(readPage(`<title>T</title>${hostile}<meta property="og:title" content="late">`)?.title).toBe('T');
    }
    expect(readPage(`<meta x y='<' / property = "og:title" =z content="A">`)?.title).toBe('A');
  });
});

describe('reading', () => {
  const FEED = 'https://bsky.social/xrpc/app.bsky.feed.getAuthorFeed';
  const RECORDS = 'https://bsky.social/xrpc/com.atproto.repo.listRecords';
  const uri = (rkey: string) => postUri(ALICE, rkey);
  const list = (acting: ReturnType<typeof scripted>['acting'], cursor?: string) =>
    bluesky.posts!.list!(acting, { limit: 25, cursor });
  const view = {
    uri: uri('1'),
    author: { did: ALICE },
    record: { text: 'a', createdAt: '2026-01-02T03:04:05Z' },
    indexedAt: '2026-01-02T03:04:06Z',
    likeCount: 3,
    quoteCount: -1,
  };

  it('lists own posts of the feed, without reposts', async () => {
    const images = { $type: 'app.bsky.embed.images#view', images: [{ fullsize: 'https://cdn.test/1' }] };
    const feed = [
      { post: { ...view, embed: images } },
      { post: view, reason: { by: {} } },
      { post: { ...view, author: { did: 'did:plc:x' } } },
    ];
    const { acting, requests } = networkOf({ [FEED]: answer(200, { feed, cursor: 'next' }) });
    const page = await list(acting);
    expect(page).toEqual({
      posts: [
        {
          platform_post_id: uri('1'),
          permalink: 'https://bsky.app/profile/alice.test/post/1',
          text: 'a',
          created_at: Date.UTC(2026, 0, 2, 3, 4, 5),
          media: [{ type: 'image', url: 'https://cdn.test/1' }],
          metrics: { likes: 3, comments: 0, shares: 0, saves: 0, extra: { quotes: 0 } },
        },
      ],
      cursor: 'fnext',
    });
    await list(acting, page.cursor);
    expect(new URL(requests()[1]!.url).searchParams.get('cursor')).toBe('next');
  });

  it('goes on in the list that a cursor came from', async () => {
    const records = [
      { uri: uri('2'), value: { text: 'b', createdAt: '2026-01-02T03:04:05Z' } },
      { uri: uri('3'), value: { text: 'c', reply: {} } },
    ];
    const { acting, requests } = networkOf({
      [FEED]: answer(502, { error: 'UpstreamFailure' }),
      [RECORDS]: answer(200, { records, cursor: 'on' }),
    });
    const page = await list(acting);
    expect(page.posts.map(({ text, metrics }) => [text, metrics])).toEqual([['b', undefined]]);
    await list(acting, page.cursor);
    expect(requests().map(({ url }) => url.split('?', 1)[0])).toEqual([FEED, RECORDS, RECORDS]);
    await expect(list(acting, 'fnext')).rejects.toMatchObject({ kind: 'unknown' });
  });

  it('leaves out what cannot be read', async () => {
    const record = { text: 'b', createdAt: '2026-01-02T03:04:05Z' };
    const { acting } = networkOf({
      [FEED]: [answer(200, { feed: [{ post: {} }, { post: view }] }), answer(502, { error: 'UpstreamFailure' })],
      [RECORDS]: answer(200, {
        records: [
          { uri: uri('4'), value: { ...record, createdAt: 'long ago' } },
          { uri: uri('2'), value: record },
        ],
      }),
    });
    expect((await list(acting)).posts).toMatchObject([{ platform_post_id: uri('1') }]);
    expect((await list(acting)).posts).toMatchObject([{ platform_post_id: uri('2') }]);
  });

  it('asks for counts of 25 posts at a time and leaves unknown ones out', async () => {
    const ids = Array.from({ length: 30 }, (_, i) => uri(String(i)));
    const { acting, requests } = networkOf({
      'https://bsky.social/xrpc/app.bsky.feed.getPosts': ({ params }) => {
        const [, ...known] = params.getAll('uris');
        return { posts: known.map((one) => ({ uri: one, replyCount: 2, bookmarkCount: 1 })) };
      },
    });
    const counts = await bluesky.posts!.metrics!(acting, measured(ids));
    expect(requests()).toHaveLength(2);
    expect(counts.size).toBe(28);
    expect(counts.has(ids[0]!)).toBe(false);
    expect(counts.get(ids[1]!)).toEqual({ likes: 0, comments: 2, shares: 0, saves: 1, extra: { quotes: 0 } });
  });
});
