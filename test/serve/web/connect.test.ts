import { describe, expect, test } from 'vitest';
import { ApiError, messageOf } from '#kernel/errors.ts';
import { withQuery } from '#serve/web/connect/outcomes.ts';
import {
  accountOf,
  consentPending,
  deferred,
  openWeb,
  pendingOf,
  refusedLogin,
  STATE,
  type Account,
} from '../../harness/worlds/web.ts';

const PATH = `/connect/bluesky/form?state=${STATE}`;
const FILLED = { identifier: 'alice.example', app_password: 'abcd-efgh' };

/** The pages, and one of them in a browser: the form unless a path says otherwise. */
async function visit(options?: Parameters<typeof openWeb>[0], path?: string) {
  const pages = await openWeb(options);
  return { ...pages, ...(await pages.visit(path)) };
}

type Form = Awaited<ReturnType<typeof visit>>;

const it = test.extend('form', () => visit());

const queryOf = (location: string | undefined) =>
  Object.fromEntries(new URL(location!, 'http://here.invalid').searchParams);

describe('the form', () => {
  it('says whose account goes where, and asks what the connector needs', async ({ form: { shown } }) => {
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
    const { shown, origin } = await visit({ pending: pendingOf({ network: 'sandbox' }) });
    expect(shown.text).toContain('<strong>Sandbox.</strong>');
    expect(shown.text).toContain(`href="${origin}/sandbox"`);
  });

  it('says which account is to be connected again, and that a new brand will be made', async () => {
    const { shown } = await visit({ pending: pendingOf({}, { username: '<alice>', brandName: undefined }) });
    expect(shown.text).toContain('Connect Bluesky again');
    expect(shown.text).toContain('@&lt;alice&gt;');
    expect(shown.text).toContain('a new one, named after the account');
  });

  it('may lead on from the redirect_uri to anywhere, and keeps its Origin', async ({ form: { shown } }) => {
    const { headers } = shown;
    expect(headers['content-security-policy']).toMatch(/^default-src 'none';(?!.*form-action)/);
    expect(headers['referrer-policy']).toBe('same-origin');
  });
});

describe('the cookie', () => {
  it('belongs to this connection and this host alone', async ({ form: { shown } }) => {
    const { setCookies: cookies } = shown;
    expect(cookies).toHaveLength(1);
    expect(cookies[0]).toMatch(/^rostra-form-[0-9a-f]{12}=[\w.]+; Max-Age=900; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  it('is bound to https where we are served so, also behind a proxy', async () => {
    const { shown, post } = await visit({ rootUrl: 'https://rostra.example' });
    expect(shown.setCookies[0]).toMatch(
      /^__Host-rostra-form-[^;]+; Max-Age=900; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect((await post(FILLED)).status).toBe(302);
  });

  it('stays the same when the form is opened in a second tab', async ({ form: { cookie, post, send } }) => {
    const second = await send('GET', PATH, { Cookie: cookie });
    expect(second.setCookies[0]).toContain(cookie);
    expect((await post(FILLED)).status).toBe(302);
  });
});

describe('a posted form', () => {
  it('connects and sends the browser back, with what the client passed', async () => {
    const { post, submitted } = await visit({ pending: pendingOf({ client_state: 'a b+c&d=é/\u{1f600}' }) });
    const typed = { identifier: ' alice.example ', app_password: ' abcd ', service: ' ', other: 'x' };
    const { status, headers } = await post(typed);
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
    expect(submitted).toEqual([{ identifier: 'alice.example', app_password: ' abcd ' }]);
  });

  it('echoes an absent state as an empty one', async () => {
    const { post } = await visit({ pending: pendingOf({ client_state: '' }) });
    expect((await post(FILLED)).headers.location).toContain('&state=&');
  });

  it('ends on our own page where nobody waits', async () => {
    const { post, send } = await visit({
      pending: pendingOf({ redirect_uri: null }),
      login: () => Promise.resolve(accountOf({ network: 'sandbox' })),
    });
    const { status, headers } = await post(FILLED);
    expect([status, queryOf(headers.location)['account_id']]).toEqual([302, 'acc_1']);
    const page = await send('GET', headers.location!);
    expect(page.status).toBe(200);
    expect(page.text).toContain('Bluesky is connected');
    expect(page.text).toContain('This is a sandbox account');
    expect(page.text).toContain('acc_1');
  });

  it.for([
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
  ] as const)('%s is refused', async ([, headers], { form: { post, submitted } }) => {
    const answer = await post(FILLED, headers);
    expect(answer.status).toBe(403);
    expect(answer.headers.location).toBeUndefined();
    expect(submitted).toEqual([]);
    expect((await post(FILLED)).status).toBe(302);
  });

  it('is taken where the browser hides the origin but calls it ours', async ({ form: { post } }) => {
    expect((await post(FILLED, { Origin: 'null', 'Sec-Fetch-Site': 'same-origin' })).status).toBe(302);
  });

  it('needs the token of this browser and this connection', async ({ form: { post, cookie, visit, submitted } }) => {
    const stranger = await visit();
    expect((await post({ ...FILLED, form_token: '' })).status).toBe(403);
    expect((await post({ ...FILLED, form_token: stranger.token })).status).toBe(403);
    const name = cookie.split('=')[0]!;
    expect((await post(FILLED, { Cookie: `${name}=${'0'.repeat(32)}.${'0'.repeat(64)}` })).status).toBe(403);
    expect(submitted).toEqual([]);
  });

  it('must be a form, and a small one', async ({ form: { post, cookie, send, submitted, origin } }) => {
    expect((await post(FILLED, { 'Content-Type': 'application/json' })).status).toBe(415);
    const large = await post({ ...FILLED, identifier: 'a'.repeat(17_000) });
    expect([large.status, large.headers['content-type']]).toEqual([413, 'text/html; charset=utf-8']);
    const headers = {
      'Content-Type': 'application/x-www-form-urlencoded',
      'Transfer-Encoding': 'chunked',
      Origin: origin,
      Cookie: cookie,
    };
    expect((await send('POST', PATH, headers, `identifier=${'a'.repeat(17_000)}`)).status).toBe(413);
    const bytes = await send('POST', PATH, headers, Buffer.from([0x61, 0x3d, 0xff]));
    expect([bytes.status, bytes.text]).toEqual([400, expect.stringContaining('must be UTF-8')]);
    expect(submitted).toEqual([]);
  });

  it('takes no other method', async ({ form: { send } }) => {
    const { status, headers } = await send('DELETE', PATH);
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD, POST']);
  });
});

describe('a refused login', () => {
  it('shows the form again, with what was typed but for the secret', async () => {
    const { post, lines } = await visit({ login: () => Promise.reject(refusedLogin()) });
    const { status, text, headers } = await post({ ...FILLED, identifier: '"><b>' });
    expect([status, headers['www-authenticate']]).toEqual([400, undefined]);
    expect(text).toContain('<title>Error: Connect Bluesky · Rostra</title>');
    expect(text).toContain('id="refusal" role="alert">The app password is wrong.</p>');
    expect(text).toContain('value="&quot;&gt;&lt;b&gt;"');
    expect(text).not.toContain(FILLED.app_password);
    expect(text).toMatch(/name="app_password"[^>]* aria-describedby="refusal field-app_password-hint" autofocus/);
    expect(lines.join('')).not.toContain(FILLED.app_password);
    expect(lines.join('')).not.toContain(STATE);
  });

  it('can be followed by a good one', async () => {
    const logins = [() => Promise.reject(refusedLogin()), () => Promise.resolve(accountOf())];
    const { post } = await visit({ login: () => logins.shift()!() });
    expect((await post(FILLED)).status).toBe(400);
    expect((await post({ ...FILLED, app_password: 'right' })).status).toBe(302);
  });

  it('marks the field that is missing, and opens the options it may be in', async () => {
    const missing = { message: 'service is required.', meta: { field: 'service' } };
    const refusal = new ApiError('validation.field_required', missing);
    const { post } = await visit({ login: () => Promise.reject(refusal) });
    const { status, text } = await post({});
    expect(status).toBe(400);
    expect(text).toContain('Server is required.');
    expect(text).toMatch(/name="service"[^>]* aria-invalid="true" autofocus/);
    expect(text).toContain('<details open>');
  });

  it('passes on how long a throttling platform wants us to wait', async () => {
    const refusal = new ApiError('platform.bluesky.rate_limit', { retryAfter: 29.5 });
    const { post } = await visit({ login: () => Promise.reject(refusal) });
    const { status, headers } = await post(FILLED);
    expect([status, headers['retry-after']]).toEqual([429, '30']);
  });

  it('of our own making says nothing of its cause', async () => {
    const { post, lines, live } = await visit({ login: () => Promise.reject(new Error('the cause')) });
    const { status, text } = await post(FILLED);
    expect(status).toBe(500);
    expect(text).toContain('Something went wrong on our side');
    expect(text).not.toContain('the cause');
    expect(lines.join('')).toContain('the cause');
    expect(live.used).toBe(false);
  });

  it('ends the connection at the tenth', async () => {
    const { post, submitted, live } = await visit({ login: () => Promise.reject(refusedLogin()) });
    for (let tries = 1; tries < 10; tries++) expect((await post(FILLED)).status).toBe(400);
    const last = await post(FILLED);
    expect(last.status).toBe(302);
    expect(queryOf(last.headers.location)).toMatchObject({ status: 'error', error: 'platform.bluesky.auth' });
    expect(live.used).toBe(true);
    await post({ ...FILLED, app_password: 'another' });
    expect(submitted).toHaveLength(10);
  });
});

describe('an end without an account', () => {
  it.each(['account.already_linked', 'account.different_login', 'brand.limit_reached', 'brand.not_found'] as const)(
    '%s is told to the client',
    async (code) => {
      const refusal = new ApiError(code, { message: 'Why & how.' });
      const { post, live } = await visit({ login: () => Promise.reject(refusal) });
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
      expect(live.used).toBe(true);
    },
  );

  it('is shown in the words of the catalogue where nobody waits', async () => {
    const { post, send } = await visit({
      pending: pendingOf({ redirect_uri: null }),
      login: () => Promise.reject(new ApiError('brand.limit_reached', { message: 'words of the engine' })),
    });
    const page = await send('GET', (await post(FILLED)).headers.location!);
    expect(page.text).toContain('brand.limit_reached');
    expect(page.text).not.toContain('words of the engine');
  });

  it('does not say on a page of ours, which guests see too, in which brand the account is', async () => {
    const message = 'This social account is already connected in the brand "<Bakery>".';
    const { post, send } = await visit({
      pending: pendingOf({ redirect_uri: null }),
      login: () => Promise.reject(new ApiError('account.already_linked', { message })),
    });
    const page = await send('GET', (await post(FILLED)).headers.location!);
    expect(page.text).toContain(messageOf('account.already_linked'));
    expect(page.text).not.toContain('Bakery');
  });

  it('follows the Cancel button, whatever else is typed', async ({ form: { post, send, submitted } }) => {
    const { status, headers } = await post({ ...FILLED, cancel: 'yes' });
    expect(status).toBe(302);
    expect(queryOf(headers.location)).toMatchObject({
      status: 'error',
      error: 'access_denied',
      platform: 'bluesky',
      state: 'abc',
    });
    expect(submitted).toEqual([]);
    expect((await send('GET', PATH)).status).toBe(403);
  });

  it('is no redirect when the connection was used meanwhile elsewhere', async () => {
    const { post, live }: Form = await visit({
      login: () => {
        live.used = true;
        return Promise.resolve(accountOf());
      },
    });
    const { status, headers } = await post(FILLED);
    expect([status, headers.location]).toEqual([403, undefined]);
  });
});

describe('several forms at once', () => {
  /** Sends a form whose login is under way until it is settled. */
  async function submitSlowly() {
    const login = deferred<Account>();
    const begun = deferred<void>();
    const { post, submitted } = await visit({
      login: () => {
        begun.settle();
        return login.promise;
      },
    });
    const first = post(FILLED);
    await begun.promise;
    return { post, submitted, first, login };
  }

  it('a double click is one login, and both clicks lead back', async () => {
    const { post, submitted, first, login } = await submitSlowly();
    const second = post(FILLED);
    login.settle(accountOf());
    const [one, two] = await Promise.all([first, second]);
    expect([one.status, two.status]).toEqual([302, 302]);
    expect(two.headers.location).toBe(one.headers.location);
    expect((await post(FILLED)).headers.location).toBe(one.headers.location);
    expect(submitted).toHaveLength(1);
  });

  it('another form of the same connection is asked to wait', async () => {
    const { post, submitted, first, login } = await submitSlowly();
    const other = await post({ ...FILLED, app_password: 'other' });
    expect([other.status, other.headers['retry-after']]).toEqual([429, '5']);
    login.settle(accountOf());
    expect((await first).status).toBe(302);
    expect(submitted).toHaveLength(1);
  });

  it('Cancel wins over a login that is still under way', async () => {
    const { post, first, login } = await submitSlowly();
    const cancelled = await post({ cancel: 'yes' });
    expect(queryOf(cancelled.headers.location)).toMatchObject({ error: 'access_denied' });
    login.settle(accountOf());
    expect((await first).status).toBe(403);
    expect((await post(FILLED)).headers.location).toBe(cancelled.headers.location);
  });

  it('another browser is not led to the end of a connection', async ({ form: { post, send } }) => {
    expect((await post(FILLED)).status).toBe(302);
    expect((await post(FILLED, { Cookie: '' })).status).toBe(403);
    expect((await send('GET', PATH)).status).toBe(403);
  });
});

describe('the page before a consent page', () => {
  const go = `/connect/threads/go?state=${STATE}`;

  it('says whose account goes where before it lets anybody on', async () => {
    const pending = consentPending('https://threads.example/authorize?a=1&b=2', { network: 'sandbox' });
    const { shown } = await visit({ pending }, go);
    expect(shown.status).toBe(200);
    expect(shown.setCookies).toHaveLength(1);
    expect(shown.text).toContain('<bdi>Acme</bdi>');
    expect(shown.text).toContain('<strong>Sandbox.</strong>');
    expect(shown.text).toContain('href="https://threads.example/authorize?a=1&amp;b=2"');
  });

  it('has a way out', async () => {
    const { post } = await visit({ pending: consentPending('https://threads.example/authorize') }, go);
    expect(queryOf((await post({ cancel: 'yes' })).headers.location)).toMatchObject({
      error: 'access_denied',
      platform: 'threads',
    });
  });

  it('is not the form', async () => {
    const { send } = await visit({ pending: consentPending('https://threads.example/authorize') }, go);
    expect((await send('GET', `/connect/threads/form?state=${STATE}`)).status).toBe(403);
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
