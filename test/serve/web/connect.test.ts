import { afterEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/kernel/errors.ts';
import { withQuery } from '../../../src/serve/web/connect/endings.ts';
import {
  accountOf,
  consentPending,
  deferred,
  openWeb,
  pendingOf,
  refusedLogin,
  STATE,
  type Account,
  type WebWorld,
} from '../../harness/worlds/web.ts';

const PATH = `/connect/bluesky/form?state=${STATE}`;
const FILLED = { identifier: 'alice.example', app_password: 'abcd-efgh' };

let world: WebWorld;
afterEach(() => world.close());

const queryOf = (location: string | undefined) =>
  Object.fromEntries(new URL(location!, 'http://here.invalid').searchParams);

describe('the form', () => {
  it('says whose account goes where, and asks what the connector needs', async () => {
    world = await openWeb();
    const { shown } = await world.visit();
    expect(shown.status).toBe(200);
    expect(shown.text).toContain('<h1>Connect Bluesky</h1>');
    expect(shown.text).toContain('<bdi>Acme</bdi>');
    expect(shown.text).toContain('<bdi>Workspace of ws_1</bdi>');
    expect(shown.text).toContain('<bdi>app.example.org</bdi>');
    expect(shown.text).toContain('<label for="field-identifier">Handle</label>');
    expect(shown.text).toMatch(
      /<input id="field-identifier" name="identifier" type="text" required[^>]* autocomplete="username"/,
    );
    expect(shown.text).toMatch(
      /name="app_password" type="password" required[^>]* aria-describedby="field-app_password-hint"/,
    );
    expect(shown.text).toMatch(/name="service" type="url" (?!required)/);
    expect(shown.text).not.toContain('Sandbox');
    expect(shown.text).not.toContain('role="alert"');
  });

  it('says that a sandbox account is one, and where its people are', async () => {
    world = await openWeb({ pending: pendingOf({ network: 'sandbox' }) });
    const { shown } = await world.visit();
    expect(shown.text).toContain('<strong>Sandbox.</strong>');
    expect(shown.text).toContain(`href="${world.origin}/sandbox"`);
  });

  it('says which account is to be connected again, and that a new brand will be made', async () => {
    world = await openWeb({ pending: pendingOf({}, { username: '<alice>', brandName: undefined }) });
    const { shown } = await world.visit();
    expect(shown.text).toContain('Connect Bluesky again');
    expect(shown.text).toContain('@&lt;alice&gt;');
    expect(shown.text).toContain('a new one, named after the account');
  });

  it('may lead on from the redirect_uri to anywhere, and keeps its Origin', async () => {
    world = await openWeb();
    const { headers } = (await world.visit()).shown;
    expect(headers['content-security-policy']).toMatch(/^default-src 'none';(?!.*form-action)/);
    expect(headers['referrer-policy']).toBe('same-origin');
  });
});

describe('the cookie', () => {
  it('belongs to this connection and this host alone', async () => {
    world = await openWeb();
    const { setCookies: cookies } = (await world.visit()).shown;
    expect(cookies).toHaveLength(1);
    expect(cookies[0]).toMatch(/^rostra-form-[0-9a-f]{12}=[\w.]+; Max-Age=900; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  it('is bound to https where we are served so, also behind a proxy', async () => {
    world = await openWeb({ rootUrl: 'https://rostra.example' });
    const { shown, post } = await world.visit();
    expect(shown.setCookies[0]).toMatch(
      /^__Host-rostra-form-[^;]+; Max-Age=900; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect((await post(FILLED)).status).toBe(302);
  });

  it('stays the same when the form is opened in a second tab', async () => {
    world = await openWeb();
    const first = await world.visit();
    const second = await world.send('GET', PATH, { Cookie: first.cookie });
    expect(second.setCookies[0]).toContain(first.cookie);
    expect((await first.post(FILLED)).status).toBe(302);
  });
});

describe('a posted form', () => {
  it('connects and sends the browser back, with what the client passed', async () => {
    world = await openWeb({ pending: pendingOf({ client_state: 'a b+c&d=é/\u{1f600}' }) });
    const { post } = await world.visit();
    const { status, headers } = await post({
      identifier: ' alice.example ',
      app_password: ' abcd ',
      service: ' ',
      other: 'x',
    });
    expect(status).toBe(302);
    expect(headers.location).toMatch(
      /^https:\/\/app\.example\.org\/back\?tenant=7&status=success&platform=bluesky&state=a%20b%2Bc/,
    );
    expect(queryOf(headers.location)).toEqual({
      tenant: '7',
      status: 'success',
      platform: 'bluesky',
      state: 'a b+c&d=é/\u{1f600}',
      account_id: 'acc_1',
    });
    expect(headers['cache-control']).toBe('no-store');
    expect(world.submitted).toEqual([{ identifier: 'alice.example', app_password: ' abcd ' }]);
  });

  it('echoes an absent state as an empty one', async () => {
    world = await openWeb({ pending: pendingOf({ client_state: '' }) });
    const { post } = await world.visit();
    expect((await post(FILLED)).headers.location).toContain('&state=&');
  });

  it('ends on our own page where nobody waits', async () => {
    world = await openWeb({
      pending: pendingOf({ redirect_uri: null }),
      login: () => Promise.resolve(accountOf({ network: 'sandbox' })),
    });
    const { post } = await world.visit();
    const { status, headers } = await post(FILLED);
    expect([status, queryOf(headers.location)['account_id']]).toEqual([302, 'acc_1']);
    const page = await world.send('GET', headers.location!);
    expect(page.status).toBe(200);
    expect(page.text).toContain('Bluesky is connected');
    expect(page.text).toContain('This is a sandbox account');
    expect(page.text).toContain('acc_1');
  });

  it.each([
    ['from another origin', { Origin: 'https://evil.example' }],
    ['from a sandboxed frame', { Origin: 'null' }],
    ['from another site without Origin', { Origin: '', 'Sec-Fetch-Site': 'cross-site' }],
    ['from a sister site', { Origin: '', 'Sec-Fetch-Site': 'same-site' }],
    ['with neither', { Origin: '' }],
    ['without the cookie', { Cookie: '' }],
    ['with a made-up cookie', { Cookie: `rostra-form-000000000000=${'0'.repeat(32)}.${'0'.repeat(64)}` }],
    [
      'with another origin whose site claims to be ours',
      { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'same-origin' },
    ],
  ])('%s is refused', async (_, headers) => {
    world = await openWeb();
    const { post } = await world.visit();
    const answer = await post(FILLED, headers);
    expect(answer.status).toBe(403);
    expect(answer.headers.location).toBeUndefined();
    expect(world.submitted).toEqual([]);
    expect((await post(FILLED)).status).toBe(302);
  });

  it('is taken where the browser hides the origin but calls it ours', async () => {
    world = await openWeb();
    const { post } = await world.visit();
    expect((await post(FILLED, { Origin: 'null', 'Sec-Fetch-Site': 'same-origin' })).status).toBe(302);
  });

  it('needs the token of this browser and this connection', async () => {
    world = await openWeb();
    const { post, cookie } = await world.visit();
    const stranger = await world.visit();
    expect((await post({ ...FILLED, form_token: '' })).status).toBe(403);
    expect((await post({ ...FILLED, form_token: stranger.token })).status).toBe(403);
    const name = cookie.split('=')[0]!;
    expect((await post(FILLED, { Cookie: `${name}=${'0'.repeat(32)}.${'0'.repeat(64)}` })).status).toBe(403);
    expect(world.submitted).toEqual([]);
  });

  it('must be a form, and a small one', async () => {
    world = await openWeb();
    const { post, cookie } = await world.visit();
    const json = await post(FILLED, { 'Content-Type': 'application/json' });
    expect(json.status).toBe(415);
    const large = await post({ ...FILLED, identifier: 'a'.repeat(17_000) });
    expect([large.status, large.headers['content-type']]).toEqual([413, 'text/html; charset=utf-8']);
    const headers = {
      'Content-Type': 'application/x-www-form-urlencoded',
      'Transfer-Encoding': 'chunked',
      Origin: world.origin,
      Cookie: cookie,
    };
    expect((await world.send('POST', PATH, headers, `identifier=${'a'.repeat(17_000)}`)).status).toBe(413);
    const bytes = await world.send('POST', PATH, headers, Buffer.from([0x61, 0x3d, 0xff]));
    expect([bytes.status, bytes.text]).toEqual([400, expect.stringContaining('must be UTF-8')]);
    expect(world.submitted).toEqual([]);
  });

  it('takes no other method', async () => {
    world = await openWeb();
    const { status, headers } = await world.send('DELETE', PATH);
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD, POST']);
  });
});

describe('a refused login', () => {
  it('shows the form again, with what was typed but for the secret', async () => {
    world = await openWeb({ login: () => Promise.reject(refusedLogin()) });
    const { post } = await world.visit();
    const { status, text, headers } = await post({ ...FILLED, identifier: '"><b>' });
    expect([status, headers['www-authenticate']]).toEqual([400, undefined]);
    expect(text).toContain('<title>Error: Connect Bluesky · Rostra</title>');
    expect(text).toContain('id="refusal" role="alert">The app password is wrong.</p>');
    expect(text).toContain('value="&quot;&gt;&lt;b&gt;"');
    expect(text).not.toContain(FILLED.app_password);
    expect(text).toMatch(/name="app_password"[^>]* aria-describedby="refusal field-app_password-hint" autofocus/);
    expect(world.lines.join('')).not.toContain(FILLED.app_password);
    expect(world.lines.join('')).not.toContain(STATE);
  });

  it('can be followed by a good one', async () => {
    const logins = [() => Promise.reject(refusedLogin()), () => Promise.resolve(accountOf())];
    world = await openWeb({ login: () => logins.shift()!() });
    const { post } = await world.visit();
    expect((await post(FILLED)).status).toBe(400);
    expect((await post({ ...FILLED, app_password: 'right' })).status).toBe(302);
  });

  it('marks the field that is missing, and opens the options it may be in', async () => {
    const refusal = new ApiError('validation.field_required', {
      message: 'service is required.',
      meta: { field: 'service' },
    });
    world = await openWeb({ login: () => Promise.reject(refusal) });
    const { post } = await world.visit();
    const { status, text } = await post({});
    expect(status).toBe(400);
    expect(text).toContain('Server: A required field is missing.');
    expect(text).toMatch(/name="service"[^>]* aria-invalid="true" autofocus/);
    expect(text).toContain('<details open>');
  });

  it('passes on how long a throttling platform wants us to wait', async () => {
    world = await openWeb({
      login: () => Promise.reject(new ApiError('platform.bluesky.rate_limit', { retryAfter: 29.5 })),
    });
    const { post } = await world.visit();
    const { status, headers } = await post(FILLED);
    expect([status, headers['retry-after']]).toEqual([429, '30']);
  });

  it('of our own making says nothing of its cause', async () => {
    world = await openWeb({ login: () => Promise.reject(new Error('the cause')) });
    const { post } = await world.visit();
    const { status, text } = await post(FILLED);
    expect(status).toBe(500);
    expect(text).toContain('Something went wrong on our side');
    expect(text).not.toContain('the cause');
    expect(world.lines.join('')).toContain('the cause');
    expect(world.live.used).toBe(false);
  });

  it('ends the connection at the tenth', async () => {
    world = await openWeb({ login: () => Promise.reject(refusedLogin()) });
    const { post } = await world.visit();
    for (let tries = 1; tries < 10; tries++) expect((await post(FILLED)).status).toBe(400);
    const last = await post(FILLED);
    expect(last.status).toBe(302);
    expect(queryOf(last.headers.location)).toMatchObject({ status: 'error', error: 'platform.bluesky.auth' });
    expect(world.live.used).toBe(true);
    await post({ ...FILLED, app_password: 'another' });
    expect(world.submitted).toHaveLength(10);
  });
});

describe('an end without an account', () => {
  it.each(['account.already_linked', 'account.different_login', 'brand.limit_reached', 'brand.not_found'] as const)(
    '%s is told to the client',
    async (code) => {
      world = await openWeb({ login: () => Promise.reject(new ApiError(code, { message: 'Why & how.' })) });
      const { post } = await world.visit();
      const { status, headers } = await post(FILLED);
      expect(status).toBe(302);
      expect(queryOf(headers.location)).toEqual({
        tenant: '7',
        status: 'error',
        error: code,
        error_description: 'Why & how.',
        platform: 'bluesky',
        state: 'abc',
      });
      expect(world.live.used).toBe(true);
    },
  );

  it('is shown in the words of the catalogue where nobody waits', async () => {
    world = await openWeb({
      pending: pendingOf({ redirect_uri: null }),
      login: () => Promise.reject(new ApiError('account.already_linked', { message: 'words of the engine' })),
    });
    const { post } = await world.visit();
    const page = await world.send('GET', (await post(FILLED)).headers.location!);
    expect(page.text).toContain('This social account is already connected elsewhere');
    expect(page.text).not.toContain('words of the engine');
  });

  it('follows the Cancel button, whatever else is typed', async () => {
    world = await openWeb();
    const { post } = await world.visit();
    const { status, headers } = await post({ ...FILLED, cancel: 'yes' });
    expect(status).toBe(302);
    expect(queryOf(headers.location)).toMatchObject({
      status: 'error',
      error: 'access_denied',
      platform: 'bluesky',
      state: 'abc',
    });
    expect(world.submitted).toEqual([]);
    expect((await world.send('GET', PATH)).status).toBe(403);
  });

  it('is no redirect when the connection was used meanwhile elsewhere', async () => {
    world = await openWeb({
      login: () => {
        world.live.used = true;
        return Promise.resolve(accountOf());
      },
    });
    const { post } = await world.visit();
    const { status, headers } = await post(FILLED);
    expect([status, headers.location]).toEqual([403, undefined]);
  });
});

describe('several forms at once', () => {
  /** Sends a form whose login is under way until it is settled. */
  async function submitSlowly() {
    const login = deferred<Account>();
    const begun = deferred<void>();
    world = await openWeb({
      login: () => {
        begun.settle();
        return login.promise;
      },
    });
    const { post } = await world.visit();
    const first = post(FILLED);
    await begun.promise;
    return { post, first, login };
  }

  it('a double click is one login, and both clicks lead back', async () => {
    const { post, first, login } = await submitSlowly();
    const second = post(FILLED);
    login.settle(accountOf());
    const [one, two] = await Promise.all([first, second]);
    expect([one.status, two.status]).toEqual([302, 302]);
    expect(two.headers.location).toBe(one.headers.location);
    const third = await post(FILLED);
    expect(third.headers.location).toBe(one.headers.location);
    expect(world.submitted).toHaveLength(1);
  });

  it('another form of the same connection is asked to wait', async () => {
    const { post, first, login } = await submitSlowly();
    const other = await post({ ...FILLED, app_password: 'other' });
    expect([other.status, other.headers['retry-after']]).toEqual([429, '5']);
    login.settle(accountOf());
    expect((await first).status).toBe(302);
    expect(world.submitted).toHaveLength(1);
  });

  it('Cancel wins over a login that is still under way', async () => {
    const { post, first, login } = await submitSlowly();
    const cancelled = await post({ cancel: 'yes' });
    expect(queryOf(cancelled.headers.location)).toMatchObject({ error: 'access_denied' });
    login.settle(accountOf());
    expect((await first).status).toBe(403);
    expect((await post(FILLED)).headers.location).toBe(cancelled.headers.location);
  });

  it('another browser is not led to the end of a connection', async () => {
    world = await openWeb();
    const { post } = await world.visit();
    expect((await post(FILLED)).status).toBe(302);
    expect((await post(FILLED, { Cookie: '' })).status).toBe(403);
    expect((await world.send('GET', PATH)).status).toBe(403);
  });
});

describe('the page before a consent page', () => {
  const go = `/connect/threads/go?state=${STATE}`;

  it('says whose account goes where before it lets anybody on', async () => {
    world = await openWeb({
      pending: consentPending('https://threads.example/authorize?a=1&b=2', { network: 'sandbox' }),
    });
    const { shown } = await world.visit(go);
    expect(shown.status).toBe(200);
    expect(shown.setCookies).toHaveLength(1);
    expect(shown.text).toContain('<bdi>Acme</bdi>');
    expect(shown.text).toContain('<strong>Sandbox.</strong>');
    expect(shown.text).toContain('href="https://threads.example/authorize?a=1&amp;b=2"');
  });

  it('has a way out', async () => {
    world = await openWeb({ pending: consentPending('https://threads.example/authorize') });
    const { post } = await world.visit(go);
    expect(queryOf((await post({ cancel: 'yes' })).headers.location)).toMatchObject({
      error: 'access_denied',
      platform: 'threads',
    });
  });

  it('is not the form', async () => {
    world = await openWeb({ pending: consentPending('https://threads.example/authorize') });
    expect((await world.send('GET', `/connect/threads/form?state=${STATE}`)).status).toBe(403);
  });
});

describe('the query of a redirect', () => {
  it.each([
    ['https://a.example', 'https://a.example/?x=1'],
    ['https://a.example/p?', 'https://a.example/p?x=1'],
    ['https://a.example/p?q=%2F+a', 'https://a.example/p?q=%2F+a&x=1'],
    ['http://localhost:3000/p?q', 'http://localhost:3000/p?q&x=1'],
    ['https://bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC?x=1'],
    ['https://a.example/p\r\nSet-Cookie: x', 'https://a.example/pSet-Cookie:%20x?x=1'],
  ])('is added to %j', (given, expected) => expect(withQuery(given, 'x=1')).toBe(expected));
});
