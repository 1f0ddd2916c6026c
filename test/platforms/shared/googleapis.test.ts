import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { googleCall, googleRest, nextPageToken, readPages } from '#platforms/googleapis/api.ts';
import { googleErrors } from '#platforms/googleapis/errors.ts';
import { googleLogin, type GoogleLogin } from '#platforms/googleapis/login.ts';
import { refused } from '#platforms/shared/errors.ts';
import { answer, lost, NOW, ok, type Script, scripted } from '../../harness/platforms/script.ts';

const hosts = {
  accounts: 'https://accounts.google.com',
  oauth2: 'https://oauth2.googleapis.com',
  openid: 'https://openidconnect.googleapis.com',
  things: 'https://things.googleapis.com',
};
const client = { clientId: 'id.apps', clientSecret: 'shh' };
const callback = 'https://rostra.example/connect/google/callback';
const API = 'https://www.googleapis.com/auth';
const ALL = `${API}/things.manage ${API}/things.read openid ${API}/userinfo.email ${API}/userinfo.profile`;
const TOKENS = { access_token: 'A', expires_in: 3599, refresh_token: 'R', scope: ALL, token_type: 'Bearer' };
const USER = { sub: '117', name: 'Ada', email: 'ada@bakery.example', picture: 'https://photos.example/ada' };
const SESSION = { place: 'one', access: 'A', refresh: 'R' };

const google = (script: Script, session: object = SESSION) =>
  scripted(script, {
    hosts,
    session: { ...session },
    nameOf: ({ method, url }) => `${method} ${new URL(url).pathname}`,
  });

const connect = (more: Partial<GoogleLogin> = {}) =>
  googleLogin({
    slug: 'google',
    title: 'Google Business Profile',
    scopes: {
      setting: 'GOOGLE_SCOPES',
      losses: { 'things.manage': 'Nothing is kept.', 'things.read': 'Nothing is seen.' },
    },
    required: ['things.manage'],
    profiles: async (_, user) => [
      { profile: { platform_user_id: 'one', username: '', name: user.name }, session: { place: 'one' } },
      { profile: { platform_user_id: 'two', username: '', name: 'Two' }, session: { place: 'two' } },
    ],
    ...more,
  });

const WILLING: Script = { 'POST /token': ok(TOKENS), 'GET /v1/userinfo': ok(USER) };
const finish = (script: Script, more?: Partial<GoogleLogin>) =>
  connect(more).finish(google(script).bare, { params: { code: 'C' }, secrets: {}, callback, client, metadata: {} });

describe('a Google login', () => {
  it('asks for access that lasts, every time', async () => {
    const { url, secrets } = await connect().begin(google({}).bare, { state: 'S', callback, client, metadata: {} });
    expect(url.split('?')[0]).toBe('https://accounts.google.com/o/oauth2/v2/auth');
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      client_id: 'id.apps',
      redirect_uri: callback,
      response_type: 'code',
      state: 'S',
      scope: `${API}/things.manage ${API}/things.read openid email profile`,
      access_type: 'offline',
      prompt: 'consent',
      include_granted_scopes: 'true',
    });
    expect(secrets).toEqual({});
  });

  it('makes accounts that share the grant of the person to the app', async () => {
    const found = await finish(WILLING);
    expect(found).toEqual([
      {
        profile: {
          platform_user_id: 'one',
          username: '',
          name: 'Ada',
          user_email: 'ada@bakery.example',
          metadata: {
            login_id: '117',
            scopes_granted: [`${API}/things.manage`, `${API}/things.read`, 'openid', 'email', 'profile'],
            scopes_missing: [],
            unavailable: [],
          },
        },
        session: { place: 'one', access: 'A', refresh: 'R' },
        expiresAt: NOW + 3_599_000,
        grant: 'google:id.apps:117',
      },
      expect.objectContaining({ session: { place: 'two', access: 'A', refresh: 'R' }, grant: 'google:id.apps:117' }),
    ]);
  });

  it('without a refresh token needs that of an earlier one', async () => {
    const { refresh_token: _, ...brief } = TOKENS;
    const [one] = await finish({ ...WILLING, 'POST /token': ok(brief) });
    expect(one).toMatchObject({
      session: { place: 'one', access: 'A' },
      inherits: { members: ['refresh'], otherwise: expect.stringContaining('myaccount.google.com/permissions') },
    });
  });

  it('is refused where a box was not ticked that all depends on', async () => {
    const partial = ok({ ...TOKENS, scope: `${API}/things.read openid` });
    const refusal = { kind: 'refused', reason: 'permission_denied', message: expect.stringContaining('things.manage') };
    await expect(finish({ ...WILLING, 'POST /token': partial })).rejects.toMatchObject(refusal);
    const [one] = await finish({ ...WILLING, 'POST /token': partial }, { required: [] });
    expect(one!.profile.metadata).toMatchObject({ scopes_missing: [`${API}/things.manage`, 'email', 'profile'] });
  });

  it.each([
    ['a code that was used', answer(400, { error: 'invalid_grant' }), 'invalid_request'],
    ['an app that Google does not know', answer(401, { error: 'invalid_client' }), 'permission_denied'],
  ])('is refused with %s', async (_what, reply, reason) => {
    await expect(finish({ ...WILLING, 'POST /token': reply })).rejects.toMatchObject({ kind: 'refused', reason });
  });

  it('hands on what the platform says of it', async () => {
    const none = async (): Promise<never> => {
      throw refused('no_locations');
    };
    await expect(finish(WILLING, { profiles: none })).rejects.toMatchObject({ reason: 'no_locations' });
  });

  it('is renewed with the token that stays', async () => {
    const { acting, asked } = google({ 'POST /token': ok({ access_token: 'A2', expires_in: 3599, scope: ALL }) });
    const session = { ...SESSION, access: 'A2' };
    expect(await connect().refresh!(acting, client)).toEqual({ session, expiresAt: NOW + 3_599_000 });
    const grant = { grant_type: 'refresh_token', refresh_token: 'R' };
    expect(asked[0]!.form).toEqual({ client_id: 'id.apps', client_secret: 'shh', ...grant });
  });

  it('is over with its refresh token', async () => {
    const gone = { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' };
    for (const { acting } of [
      google({ 'POST /token': answer(400, gone) }),
      google({}, { access: 'A' }),
      google({}, {}),
    ])
      await expect(connect().refresh!(acting, client)).rejects.toMatchObject({ kind: 'refused', reason: 'auth' });
  });

  it('is revoked with its refresh token, also after the person was faster', async () => {
    const { acting, asked } = google({ 'POST /revoke': [ok({}), answer(400, { error: 'invalid_token' })] });
    await connect().revoke!(acting, client);
    await connect().revoke!(acting, client);
    expect(asked.map(({ form }) => form)).toEqual([{ token: 'R' }, { token: 'R' }]);
    const { acting: brief, asked: sent } = google({ 'POST /revoke': answer(503) }, { access: 'A' });
    await expect(connect().revoke!(brief, client)).rejects.toMatchObject({ kind: 'unknown' });
    expect(sent[0]!.form).toEqual({ token: 'A' });
  });
});

describe('requests to Google', () => {
  const { errorOf } = googleErrors([[{ name: 'THING_SOLD' }, 'refused', 'duplicate', 'It is sold.']]);
  const rest = googleRest(errorOf);
  const Thing = z.object({ name: z.string() });
  const read = (script: Script, session?: object) => {
    const { acting, asked } = google(script, session);
    const ask = () => rest.get(googleCall(acting), { path: '/v1/things' }, Thing, { host: 'things' });
    return { answered: Promise.resolve().then(ask), asked };
  };

  it('carry the token of the session', async () => {
    const { answered, asked } = read({ 'GET /v1/things': ok({ name: 'lamp' }) });
    expect(await answered).toEqual({ name: 'lamp' });
    const [{ request }] = asked as [(typeof asked)[0]];
    expect([request.url, request.headers!['authorization']]).toEqual([
      'https://things.googleapis.com/v1/things',
      'Bearer A',
    ]);
    await expect(read({}, {}).answered).rejects.toMatchObject({ reason: 'auth' });
  });

  const failure = (code: number, status: string, reason?: string) =>
    answer(code, {
      error: {
        code,
        message: 'Something.',
        status,
        ...(reason && { details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason }] }),
      },
    });
  const old = (code: number, reason: string) =>
    answer(code, { error: { code, message: 'Something.', errors: [{ domain: 'global', reason }] } });

  it.each([
    ['an expired token', failure(401, 'UNAUTHENTICATED'), 'refused auth'],
    ['a quota', failure(429, 'RESOURCE_EXHAUSTED', 'RATE_LIMIT_EXCEEDED'), 'throttled rate_limit'],
    [
      'a project that was never admitted',
      answer(429, {
        error: {
          code: 429,
          status: 'RESOURCE_EXHAUSTED',
          details: [null, { reason: 'RATE_LIMIT_EXCEEDED', metadata: { quota_limit_value: '0' } }],
        },
      }),
      'refused permission_denied',
    ],
    ['a quota that is said with 403', old(403, 'quotaExceeded'), 'throttled rate_limit'],
    ['an API that is off', failure(403, 'PERMISSION_DENIED', 'SERVICE_DISABLED'), 'refused permission_denied'],
    ['a missing scope', old(403, 'insufficientPermissions'), 'refused permission_denied'],
    ['a missing right', failure(403, 'PERMISSION_DENIED'), 'refused permission_denied'],
    ['a missing thing', failure(404, 'NOT_FOUND'), 'refused not_found'],
    ['a thing that exists', failure(409, 'ALREADY_EXISTS'), 'refused duplicate'],
    ['an aborted change', failure(409, 'ABORTED'), 'unknown api_error'],
    ['a wrong argument', failure(400, 'INVALID_ARGUMENT'), 'refused invalid_request'],
    ['a row of its own', failure(400, 'FAILED_PRECONDITION', 'THING_SOLD'), 'refused duplicate'],
    ['an outage', failure(503, 'UNAVAILABLE'), 'unknown api_error'],
    ['an error with 200', ok({ error: { code: 400, status: 'INVALID_ARGUMENT' } }), 'unknown api_error'],
    ['an error of another form', answer(400, { error: 'invalid_grant' }), 'refused invalid_request'],
    ['a page of a proxy', answer(502, '<html>'), 'unknown api_error'],
    ['a lost answer', lost(), 'unknown api_error'],
  ] as const)('know %s', async (_what, reply, expected) => {
    const [kind, reason] = expected.split(' ');
    await expect(read({ 'GET /v1/things': reply }).answered).rejects.toMatchObject({ kind, reason });
  });

  it('say what is wrong with which field', async () => {
    const told = (details: readonly object[]) => {
      const error = {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: 'Request contains an invalid argument.',
        details,
      };
      return read({ 'GET /v1/things': answer(400, { error }) }).answered;
    };
    const newer = { fieldViolations: [{ field: 'price', description: 'Too low.' }, null] };
    const older = { errorDetails: [{ code: 2, field: 'topic_type', message: 'Topic type is required.' }] };
    await expect(told([newer])).rejects.toMatchObject({
      details: { message: 'Request contains an invalid argument. price: Too low.' },
    });
    await expect(told([older])).rejects.toMatchObject({
      details: { message: 'Request contains an invalid argument. topic_type: Topic type is required.' },
    });
  });

  it('wait for the end of the day where a quota of the day is used up', async () => {
    const { errorOf: daily } = googleErrors([], (now) => now + 7_200_000);
    const waitFor = (status: number, reason: string, message: string) =>
      daily({ status, headers: {}, body: { error: { message, errors: [{ reason }] } } }, 0)?.retryAfter;
    const uploads = "Quota exceeded for quota metric 'Video Uploads' and limit 'Video Uploads per day' of service 'x'.";
    expect(waitFor(429, 'rateLimitExceeded', uploads)).toBe(7200);
    expect(waitFor(403, 'quotaExceeded', 'You have exceeded your quota.')).toBe(7200);
    expect(waitFor(429, 'rateLimitExceeded', "limit 'Requests per minute'")).toBeUndefined();
  });

  it('wait as long as Google says', async () => {
    const busy = answer(429, { error: { code: 429, status: 'RESOURCE_EXHAUSTED' } }, { 'retry-after': '17' });
    await expect(read({ 'GET /v1/things': busy }).answered).rejects.toMatchObject({ retryAfter: 17 });
  });

  it('read lists to their end, or as far as somebody wants', async () => {
    const Page = z.object({ things: z.array(z.string()), nextPageToken });
    const pages: Record<string, unknown> = {
      '': { things: ['a', 'b'], nextPageToken: 'p2' },
      p2: { things: ['c'], nextPageToken: 'p3' },
      p3: { things: ['d'], nextPageToken: '' },
    };
    const asked: string[] = [];
    const page = async (token = '') => {
      asked.push(token);
      const { things: items, ...rest } = Page.parse(pages[token]);
      return { items, ...rest };
    };
    expect(await readPages(page, 10)).toEqual(['a', 'b', 'c', 'd']);
    expect(await readPages(page, 2)).toEqual(['a', 'b']);
    expect(asked).toEqual(['', 'p2', 'p3', '']);
  });

  it('ends where every page is empty, or the next one is the same again', async () => {
    let reads = 0;
    const empty = async () => ({ items: [], nextPageToken: `p${(reads += 1)}` });
    expect(await readPages(empty, 10)).toEqual([]);
    expect(reads).toBe(100);
    const same = async () => ({ items: ['a'], nextPageToken: 'p2' });
    expect(await readPages(same, 10)).toEqual(['a', 'a']);
  });
});
