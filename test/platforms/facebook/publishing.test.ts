import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { cursorOf, listOf, Made, readAll, Success, GRAPH } from '#platforms/graph/api.ts';
import { connect, SCOPES } from '#platforms/facebook/accounts/connect.ts';
import { graphErrorIn, isGraph } from '#platforms/graph/errors.ts';
import { facebook } from '#platforms/facebook/index.ts';
import { pages } from '#platforms/facebook/accounts/pages.ts';
import { check, kindOf } from '#platforms/facebook/posts/rules.ts';
import { pageOwning, pageToken, sessionOf } from '#platforms/facebook/accounts/session.ts';
import type { OutgoingMedia } from '#platforms/media.ts';
import { graphOf, listed, postOf, refusal, SESSION } from '../../harness/platforms/facebook-samples.ts';
import { answer, lost, NOW, ok, refused, type Script } from '../../harness/platforms/script.ts';
import type { PlatformAnswer } from '#platforms/call.ts';
import { asPage, asUser, graph } from '#platforms/facebook/api.ts';
import { isMissing } from '#platforms/shared/errors.ts';
import { refusalOf } from '#platforms/facebook/errors.ts';

const sorted = (reply: ReturnType<typeof answer>) => {
  const body: unknown =
    reply.body.length > 0 && reply.body[0] === 0x7b ? JSON.parse(Buffer.from(reply.body).toString()) : undefined;
  const error = refusalOf(reply, graphErrorIn(body));
  return [error.kind, error.reason];
};

/** What every code of Graph is taken for; the number behind a slash is its subcode. */
const CODES = {
  'refused auth': '102 190 190/33 190/458 190/460 190/463 190/467',
  'refused blocked': '368 368/1346003 100/1404006 100/1404102 100/1404112 100/4854002 200/2018108',
  'refused duplicate': '506 100/1366051',
  'refused invalid_request':
    '100 100/1349125 100/1609005 100/1609008 100/2061006 100/2069019 324 324/1366046 352 382 383 386 2200 ' +
    '6000/1363024 1609005',
  'refused not_found': '100/33 100/2018001 803',
  'refused permission_denied': '3 10 100/1404078 200 299',
  'refused private_reply_ineligible': '10900 10901 10902 10903',
  'refused window_closed': '10/2018278 10/2534022 200/1545041 551 551/1545041',
  'throttled rate_limit': '4 17 32 341 368/1390008 613 80001 80002 80006',
  'unknown api_error': '1 2 100/1363047 100/1609010 199 300 1200 99999',
};
const SORTED = Object.entries(CODES).flatMap(([expected, codes]) =>
  codes.split(' ').map((one) => {
    const [code, subcode] = one.split('/', 2).map(Number);
    return { code: code!, subcode, expected };
  }),
);

describe('errors', () => {
  it.each(SORTED)('sorts code $code with subcode $subcode as $expected', ({ code, subcode, expected }) => {
    expect(sorted(refusal(code, subcode)).join(' ')).toBe(expected);
  });

  it('believes no final code that is marked as passing, or comes with a 5xx', () => {
    expect(sorted(refusal(100, undefined, { is_transient: true }))).toEqual(['unknown', 'api_error']);
    expect(sorted(refusal(190, 463, {}, 500))).toEqual(['unknown', 'api_error']);
    expect(sorted(refusal(4, undefined, { is_transient: true }))).toEqual(['throttled', 'rate_limit']);
    expect(sorted(refusal(613, undefined, {}, 503))).toEqual(['throttled', 'rate_limit']);
  });

  it.each([
    [500, 'down'],
    [200, '[]'],
    [400, 'no json'],
    [400, { error: { code: '190' } }],
    [404, { error: 'x' }],
    [400, { error: { code: 'constructor' } }],
  ])('takes a %s that names no code for unknown: %j', (status, body) => {
    expect(sorted(answer(status, body))).toEqual(['unknown', 'api_error']);
  });

  it('takes a bare 429 for a throttle', () =>
    expect(sorted(answer(429, 'slow down'))).toEqual(['throttled', 'rate_limit']));

  it.each([
    [{ '9': [{ type: 'pages', estimated_time_to_regain_access: 5 }] }, 300],
    [{ '9': [{ estimated_time_to_regain_access: 0 }, { estimated_time_to_regain_access: 2 }], '8': [] }, 120],
    [{ '9': [{ estimated_time_to_regain_access: 1e9 }] }, 86_400],
    [{ '9': [{ estimated_time_to_regain_access: 0 }] }, undefined],
    [{ '9': [null] }, undefined],
    ['{', undefined],
  ])('reads the wait from the usage header %j', (usage, expected) => {
    const header = typeof usage === 'string' ? usage : JSON.stringify(usage);
    const body = { error: { code: 32 } };
    const error = refusalOf(answer(400, body, { 'x-business-use-case-usage': header }), graphErrorIn(body));
    expect(error.retryAfter).toBe(expected);
  });

  it('keeps code and text for the log, and shows a sentence of its own', () => {
    const error = refusalOf(answer(400), { code: 190, subcode: 463, text: 'Session has expired', isTransient: false });
    expect(error.upstream).toBe('(#190/463) 400: Session has expired');
    expect(error.message).not.toContain('Session');
    expect([isGraph(error, 190), isGraph(error, 190, 463)]).toEqual([true, true]);
    expect([isGraph(error, 190, 460), isGraph(error, 19)]).toEqual([false, false]);
    expect(isGraph(new Error('(#190) 400'), 190)).toBe(false);
    expect(isMissing(error)).toBe(false);
  });
});

describe('calls', () => {
  const me = { method: 'GET', path: '/me', query: { fields: 'id', after: undefined } } as const;

  it('sends the token as a header alone, to the version it is written for', async () => {
    const { acting, asked } = graphOf({ 'GET /me': ok({ id: '7' }) });
    await asUser(acting, me, Made);
    expect(asked[0]!.request.url).toBe(`https://graph.facebook.com/${GRAPH.version}/me?fields=id`);
    expect(asked[0]).toMatchObject({ bearer: 'USER', request: { template: '/me' } });
  });

  it('sends forms, JSON and files', async () => {
    const { acting, asked } = graphOf({ 'POST /101/feed': ok({ success: true }) });
    const to = { method: 'POST', path: '/{page}/feed', ids: { page: '101' } } as const;
    await asPage(acting, '101', { ...to, form: { message: 'a&b=ü', published: false, link: undefined } }, Success);
    await asPage(acting, '101', { ...to, json: { message: { text: 'ü' } } }, Success);
    const bytes = Buffer.from('\r\n--part\r\n\r\nx');
    const file = { name: 'source', filename: 'photo.png', type: 'image/png', bytes };
    await asPage(acting, '101', { ...to, form: { published: false }, file }, Success);
    expect(asked[0]!.form).toEqual({ message: 'a&b=ü', published: 'false' });
    expect(asked[1]!.body).toEqual({ message: { text: 'ü' } });
    expect(asked[1]!.request.headers!['content-type']).toBe('application/json');
    expect(asked[2]!.form).toEqual({ published: 'false', source: 'photo.png image/png 13' });
    expect(asked.map(({ bearer }) => bearer)).toEqual(Array(3).fill('PAGE-101'));
  });

  it.each(['..', '.', '', 'a/b', 'a?b', '%2e%2e', 'x'.repeat(301), 'ä'])('knows nothing with the id %j', async (id) => {
    const { acting, asked } = graphOf({});
    const call = asPage(acting, '101', { method: 'GET', path: '/{post}/comments', ids: { post: id } }, z.unknown());
    await expect(call).rejects.toMatchObject(refused('not_found'));
    expect(asked).toEqual([]);
  });

  it('distinguishes a request that never left from one whose answer is lost', async () => {
    const { acting } = graphOf({ 'GET /me': [lost(false), lost(true), answer(200, '<html>'), ok({ id: 7 })] });
    await expect(asUser(acting, me, Made)).rejects.toMatchObject({ kind: 'not_sent' });
    for (let i = 0; i < 3; i++) await expect(asUser(acting, me, Made)).rejects.toMatchObject({ kind: 'unknown' });
  });

  it('takes an error for one though it comes with 200, and success only where it says so', async () => {
    const { acting } = graphOf({ 'GET /me': [ok({ error: { code: 190 } }), ok({ success: false })] });
    await expect(asUser(acting, me, Success)).rejects.toMatchObject({ reason: 'auth' });
    await expect(asUser(acting, me, Success)).rejects.toMatchObject({ kind: 'unknown' });
  });

  it('goes through a list by cursors, and stops where no next page is', async () => {
    const next = 'https://graph.facebook.com/v25.0/me/accounts?access_token=SECRET&after=A1';
    const { bare, asked } = graphOf({
      'GET /me/accounts': [
        ok({ data: [{ id: '1' }], paging: { cursors: { after: 'A1' }, next } }),
        ok({ data: [{ id: '2' }], paging: { cursors: { after: 'A2' } } }),
      ],
    });
    const List = listOf(z.object({ id: z.string() }));
    const read = (after: string | undefined) =>
      graph(bare, { method: 'GET', path: '/me/accounts', query: { after }, token: 't' }, List);
    expect(await readAll(read, 100)).toEqual([{ id: '1' }, { id: '2' }]);
    expect(asked.map(({ query }) => query)).toEqual([{}, { after: 'A1' }]);
    expect(cursorOf({ paging: { cursors: { after: 'A2' } } })).toBeUndefined();
  });

  it('ends a list that never ends', async () => {
    const endless = async () => ({ data: [{}, {}], paging: { cursors: { after: 'x' }, next: 'y' } });
    expect(await readAll<z.ZodObject>(endless, 5)).toHaveLength(5);
    const empty = async () => ({ data: [], paging: { cursors: { after: 'x' }, next: 'y' } });
    expect(await readAll<z.ZodObject>(empty, 5)).toEqual([]);
  });

  /** A call for a page that is refused as one without a role on it, while the login itself is answered so. */
  const withoutRole = (login: PlatformAnswer | Error, method: 'GET' | 'POST' = 'GET') => {
    const { acting } = graphOf({ [`${method} /x`]: refusal(190, 492), 'GET /me': login });
    return asPage(acting, '101', { method, path: '/x' }, Made);
  };

  it('does not disconnect a login that has lost its role on one page', async () => {
    await expect(withoutRole(ok({ id: '7' }))).rejects.toMatchObject({ reason: 'permission_denied' });
    await expect(withoutRole(refusal(190, 460))).rejects.toMatchObject({ reason: 'auth' });
  });

  it.each([lost(), lost(false), refusal(4), answer(500)])(
    'keeps that refusal when the login cannot be looked at',
    async (login) => {
      const upstream = expect.stringContaining('#190/492');
      await expect(withoutRole(login, 'POST')).rejects.toMatchObject({ ...refused('permission_denied'), upstream });
    },
  );
});

describe('session', () => {
  it('acts for pages of the login alone', () => {
    const error = (reason: string) => expect.objectContaining({ reason });
    expect(pageToken(SESSION, '101')).toBe('PAGE-101');
    expect(() => pageToken(SESSION, '303')).toThrow(error('permission_denied'));
    expect(() => pageToken(SESSION, 'constructor')).toThrow(error('permission_denied'));
    expect(() => pageToken(SESSION, undefined)).toThrow(error('invalid_request'));
    expect(() => sessionOf({ user_token: '' })).toThrow(error('auth'));
  });

  it('finds the page of a post', () => {
    expect(pageOwning(SESSION, '202_9')).toBe('202');
    expect(pageOwning(SESSION, '303_9')).toBeUndefined();
    expect(pageOwning(SESSION, '9')).toBeUndefined();
    expect(pageOwning({ ...SESSION, pages: { '101': 't' } }, '9')).toBe('101');
  });
});

describe('connect', () => {
  const client = { clientId: '42', clientSecret: 'S' };
  const callback = 'https://rostra.example/connect/facebook/callback';
  /** Comes back from the dialog to a Graph that answers as scripted. */
  const finish = (script: Script, params: Record<string, string> = { code: 'C' }) => {
    const { bare, asked } = graphOf(script);
    return { asked, connected: connect.finish(bare, { params, secrets: {}, callback, client, metadata: {} }) };
  };
  const page = (id: string) => ({
    id,
    name: `Page ${id}`,
    username: `page${id}`,
    access_token: `T${id}`,
    category: 'Bakery',
    picture: { data: { url: `https://cdn/${id}` } },
    cover: { source: 'https://cdn/cover' },
    link: `https://www.facebook.com/page${id}`,
    followers_count: 3,
  });
  const granted = (scopes: readonly string[]) => ({
    data: SCOPES.byDefault.map((permission) => ({
      permission,
      status: scopes.includes(permission) ? 'granted' : 'declined',
    })),
  });
  const script = {
    'GET /oauth/access_token': [
      ok({ access_token: 'SHORT', token_type: 'bearer' }),
      ok({ access_token: 'LONG', expires_in: 5_184_000 }),
    ],
    'GET /me': ok({ id: '7', name: 'Ada', picture: { data: { url: 'https://cdn/ada' } } }),
    'GET /me/permissions': ok(granted(SCOPES.byDefault)),
    'GET /me/accounts': [listed([page('101')], 'A'), listed([page('202'), { id: '404', name: 'no token' }])],
    'GET /me/businesses': listed([{ id: '5' }]),
    'GET /5/owned_pages': listed([page('101'), page('303')]),
    'GET /5/client_pages': listed([]),
  };

  it('sends people to the dialog with every scope', async () => {
    const { bare } = graphOf({});
    const { url, secrets } = await connect.begin(bare, { state: 'st', callback, client, metadata: {} });
    const { origin, pathname, searchParams } = new URL(url);
    expect(origin + pathname).toBe(`https://www.facebook.com/${GRAPH.version}/dialog/oauth`);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: '42',
      redirect_uri: callback,
      state: 'st',
      response_type: 'code',
      scope: SCOPES.byDefault.join(','),
      auth_type: 'rerequest',
    });
    expect(secrets).toEqual({});
  });

  it('connects the login with every page, those of its businesses too', async () => {
    const { asked, connected: finished } = finish(script, { code: 'C', state: 'st' });
    const [connected, ...others] = await finished;
    expect(others).toEqual([]);
    expect(connected).toMatchObject({
      profile: {
        platform_user_id: '7',
        name: 'Ada',
        username: 'Ada',
        profile_picture_url: 'https://cdn/ada',
        profile_url: 'https://www.facebook.com/7',
        metadata: { scopes_missing: [], login_expires_at: new Date(NOW + 5_184_000_000).toISOString() },
      },
      session: {
        user_token: 'LONG',
        user_id: '7',
        app_id: '42',
        pages: { '101': 'T101', '202': 'T202', '303': 'T303' },
      },
    });
    expect(connected!.expiresAt).toBeUndefined();
    expect(connected!.pages!.map(({ platform_page_id: id }) => id)).toEqual(['101', '202', '303']);
    expect(connected!.pages![0]).toEqual({
      platform_page_id: '101',
      name: 'Page 101',
      username: 'page101',
      category: 'Bakery',
      about: undefined,
      link: 'https://www.facebook.com/page101',
      profile_picture_url: 'https://cdn/101',
      cover_photo_url: 'https://cdn/cover',
      followers_count: 3,
      verification_status: undefined,
    });
    expect(asked[0]!.query).toEqual({ client_id: '42', client_secret: 'S', redirect_uri: callback, code: 'C' });
    expect(asked[1]!.query).toEqual({
      grant_type: 'fb_exchange_token',
      client_id: '42',
      client_secret: 'S',
      fb_exchange_token: 'SHORT',
    });
    expect(asked.slice(2).every(({ request }) => !request.url.includes('LONG'))).toBe(true);
    expect(asked.slice(2).every(({ bearer }) => bearer === 'LONG')).toBe(true);
  });

  it('connects with what was granted, and says what was not', async () => {
    const some = SCOPES.byDefault.filter((scope) => scope !== 'pages_manage_posts');
    const less = { 'GET /me/permissions': ok(granted(some)), 'GET /me/businesses': refusal(200) };
    const [connected] = await finish({ ...script, ...less }).connected;
    expect(connected!.profile.metadata).toMatchObject({ scopes_missing: ['pages_manage_posts'], scopes_granted: some });
    expect(Object.keys(connected!.session['pages'] as object)).toEqual(['101', '202']);
  });

  it('connects no login without pages', async () => {
    const none = { 'GET /me/accounts': listed([]), 'GET /me/businesses': listed([]) };
    await expect(finish({ ...script, ...none }).connected).rejects.toMatchObject({ reason: 'no_pages' });
  });

  const denied = { error: 'access_denied', error_reason: 'user_denied', error_description: 'Permissions error' };
  it.each([
    [denied, 'permission_denied'],
    [{ error_code: '1349126', error_message: 'App not set up' }, 'invalid_request'],
    [{ code: '' }, 'invalid_request'],
    [{}, 'invalid_request'],
  ])('says why the dialog sent no code: %j', async (params, reason) => {
    const { asked, connected } = finish({}, params);
    await expect(connected).rejects.toMatchObject({ reason });
    expect(asked).toEqual([]);
  });

  const wrongSecret = refusal(1, undefined, { message: 'Error validating client secret.' });
  it.each([
    [wrongSecret, 'refused', 'permission_denied', 'FACEBOOK_CLIENT_SECRET'],
    [refusal(101), 'refused', 'permission_denied', 'FACEBOOK_CLIENT_ID'],
    [refusal(100, 36_009), 'refused', 'invalid_request', 'code'],
    [refusal(1), 'unknown', 'api_error', 'platform'],
  ])('names what is wrong with an exchange', async (reply, kind, reason, word) => {
    const { connected } = finish({ 'GET /oauth/access_token': reply });
    await expect(connected).rejects.toMatchObject({ kind, reason, message: expect.stringContaining(word) });
  });

  it('takes the grant back, and minds no grant that is gone', async () => {
    const replies = [ok({ success: true }), refusal(190, 458), refusal(2)];
    const { acting, calls } = graphOf({ 'DELETE /me/permissions': replies });
    await connect.revoke!(acting, client);
    await connect.revoke!(acting, client);
    await expect(connect.revoke!(acting, client)).rejects.toMatchObject({ kind: 'unknown' });
    expect(calls()).toEqual(Array(3).fill('DELETE /me/permissions'));
  });

  it('refreshes nothing', () => expect(facebook.connect.refresh).toBeUndefined());
});

describe('pages', () => {
  const read = (script: Script) => pages.read(graphOf(script).acting);
  const named = (id: string, name: string) => ok({ id, name });

  it('reads pages with their tokens', async () => {
    const { pages: found, session } = await read({
      'GET /me/accounts': listed([{ id: '202', name: 'B', access_token: 'NEW' }]),
      'GET /me/businesses': listed([]),
    });
    expect(found).toMatchObject([{ platform_page_id: '202', name: 'B' }]);
    expect(session).toEqual({ ...SESSION, pages: { '202': 'NEW' } });
  });

  it('reads on where a portfolio refuses to show its pages, and asks those that it may hide', async () => {
    const known = { '101': 'PAGE-101', '202': 'PAGE-202', '404': 'PAGE-404' };
    const { acting, asked, calls } = graphOf({
      'GET /me/accounts': listed([]),
      'GET /me/businesses': listed([{ id: '5' }, { id: '6' }]),
      'GET /5/owned_pages': refusal(200, undefined, {}, 403),
      'GET /5/client_pages': listed([{ id: '303', name: 'C', access_token: 'NEW-303' }]),
      'GET /6/owned_pages': listed([{ id: '202', name: 'B', access_token: 'NEW-202' }]),
      'GET /6/client_pages': refusal(10),
      'GET /101': named('101', 'A'),
      'GET /404': refusal(190, 492),
      'GET /me': ok({ id: '7' }),
    });
    const { pages: found, session } = await pages.read({ ...acting, session: { ...SESSION, pages: known } });
    const names = Object.fromEntries(found.map(({ platform_page_id: id, name }) => [id, name]));
    expect(names).toEqual({ '101': 'A', '202': 'B', '303': 'C' });
    const tokens = { '101': 'PAGE-101', '202': 'NEW-202', '303': 'NEW-303' };
    expect(session).toEqual({ ...SESSION, pages: tokens });
    expect(calls()).not.toContain('GET /202');
    expect(asked.find(({ call }) => call === 'GET /101')!.bearer).toBe('PAGE-101');
  });

  it('calls no page lost when no portfolio is shown, or a look at it says nothing', async () => {
    const none = { 'GET /me/accounts': listed([]), 'GET /me/businesses': refusal(200) };
    const first = { ...none, 'GET /101': named('101', '101') };
    expect((await read({ ...first, 'GET /202': named('202', '202') })).session).toEqual(SESSION);
    await expect(read({ ...first, 'GET /202': lost() })).rejects.toMatchObject({ kind: 'unknown' });
    const throttled = { 'GET /me/businesses': listed([{ id: '5' }]), 'GET /5/owned_pages': refusal(4) };
    await expect(read({ ...none, ...throttled })).rejects.toMatchObject({ kind: 'throttled' });
  });

  it('asks the pages themselves when the token of the login has ended', async () => {
    const { acting, asked } = graphOf({
      'GET /me/accounts': refusal(190, 463),
      'GET /101': named('101', 'A'),
      'GET /202': refusal(190, 460),
    });
    const { pages: found, session } = await pages.read(acting);
    expect(found).toMatchObject([{ platform_page_id: '101', name: 'A' }]);
    expect(session).toEqual({ ...SESSION, pages: { '101': 'PAGE-101' } });
    expect(asked[1]!.query['fields']).not.toContain('access_token');
  });

  it('calls the login ended when no page takes its token either, and when it was taken back', async () => {
    const ended = { 'GET /me/accounts': refusal(190, 463), 'GET /101': refusal(190), 'GET /202': refusal(190) };
    await expect(read(ended)).rejects.toMatchObject({ reason: 'auth' });
    await expect(read({ 'GET /me/accounts': refusal(190, 460) })).rejects.toMatchObject({ reason: 'auth' });
  });

  it('asks for pushes about comments where messages were not allowed', async () => {
    const { acting, asked } = graphOf({ 'POST /101/subscribed_apps': [refusal(200), ok({ success: true })] });
    await pages.subscribe!(acting, '101');
    expect(asked[1]!.form).toEqual({ subscribed_fields: 'feed,mention,ratings' });
  });

  it('asks for pushes as the page', async () => {
    const { acting, asked } = graphOf({ 'POST /101/subscribed_apps': ok({ success: true }) });
    await pages.subscribe!(acting, '101');
    expect(asked[0]!.form['subscribed_fields']!.split(',')).toEqual(
      expect.arrayContaining(['feed', 'mention', 'messages', 'messaging_postbacks', 'message_echoes', 'message_reads']),
    );
    expect(asked[0]!.bearer).toBe('PAGE-101');
  });
});

describe('rules', () => {
  const photo = { ref: 'p', kind: 'image' } satisfies OutgoingMedia;
  const video = { ref: 'v', kind: 'video' } satisfies OutgoingMedia;
  const options = (media_type: string) => ({ options: { media_type } });

  it.each([
    [{ text: 'x' }, 'text'],
    [{ media: [photo, photo] }, 'photos'],
    [{ media: [photo], ...options('carousel') }, 'photos'],
    [{ media: [video], ...options('feed') }, 'video'],
    [{ media: [video], ...options('reel') }, 'reel'],
    [{ media: [video], ...options('stories') }, 'video_story'],
    [{ media: [photo], ...options('stories') }, 'photo_story'],
  ])('makes %j a %s', (post, kind) => {
    expect(kindOf(postOf(post))).toBe(kind);
    expect(facebook.posts!.publish.steps(postOf(post)).length).toBeGreaterThan(0);
  });

  it.each([
    [{ text: 'x', options: { link: 'https://example.com/' } }, []],
    [{ options: { link: 'javascript:alert(1)' } }, ['platform_data.facebook.link']],
    [{ options: { link: 'https://example.com/' }, media: [photo] }, ['platform_data.facebook.link']],
    [options('tiktok'), ['platform_data.facebook.media_type']],
    [{ media: [video, video] }, ['media']],
    [{ media: [photo], ...options('carousel') }, ['media']],
    [{ media: [photo, photo], ...options('carousel') }, []],
    [{ media: [photo], ...options('reel') }, ['media']],
    [{ text: 'x', ...options('reel') }, ['media']],
    [{ media: [{ ...video, duration_ms: 2_999 }], ...options('reel') }, ['media.0']],
    [{ media: [{ ...video, duration_ms: 90_001 }], ...options('reel') }, ['media.0']],
    [{ media: [{ ...video, duration_ms: 90_000, width: 540, height: 960 }], ...options('reel') }, []],
    [{ media: [{ ...video, width: 539, height: 960 }], ...options('reel') }, ['media.0']],
    [{ media: [photo, photo], ...options('stories') }, ['media']],
    [{ media: [{ ...video, duration_ms: 60_001 }], ...options('stories') }, ['media.0']],
    [{ media: [photo], first_comment: 'x', ...options('stories') }, ['first_comment']],
    [{ media: [video], title: 'x'.repeat(256) }, ['title']],
    [{ media: [photo], options: { alts: ['x'.repeat(1001)] } }, ['platform_data.facebook.alts.0']],
  ])('finds what speaks against %j', (post, fields) => {
    expect(check(postOf(post)).map(({ field }) => field)).toEqual(fields);
  });
});
