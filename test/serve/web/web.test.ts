import { describe, expect, test } from 'vitest';
import { STYLESHEET } from '#serve/web/kit/stylesheet.ts';
import { openWeb, pendingOf, STATE } from '../../harness/worlds/web.ts';

const it = test.extend('world', () => openWeb());

describe('the landing page', () => {
  it('names the product, its version and where everything is', async ({ world }) => {
    const { status, headers, text } = await world.send('GET', '/');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(text).toContain('Rostra 1.2.3');
    expect(text).toContain(`<code>${world.origin}/mcp</code>`);
    expect(text).toContain(`<code>${world.origin}/v1</code>`);
    expect(text).toContain(`href="${world.origin}/openapi.json"`);
    expect(text).toContain(`href="${world.origin}/sandbox"`);
    expect(text).not.toMatch(/<script|style="/);
  });

  it('is silent about a sandbox that is off', async () => {
    const world = await openWeb({ sandbox: false });
    expect((await world.send('GET', '/')).text).not.toContain('/sandbox');
  });

  it('carries the headers that keep a page ours', async ({ world }) => {
    expect((await world.send('GET', '/')).headers).toMatchObject({
      'content-security-policy':
        "default-src 'none'; style-src 'self'; img-src 'self' https: data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
  });

  it('answers HEAD without a body, and other methods with 405', async ({ world }) => {
    const head = await world.send('HEAD', '/');
    expect([head.status, head.text]).toEqual([200, '']);
    expect(Number(head.headers['content-length'])).toBeGreaterThan(500);
    const put = await world.send('PUT', '/');
    expect([put.status, put.headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

describe('other addresses', () => {
  it.for(['/v1/accounts', '/connect', '/connect/bluesky/nothing', '/connect/bluesky', '/assets/other.css'])(
    '%s is left to the API',
    async (path, { world }) => {
      const { status, text } = await world.send('GET', path);
      expect([status, JSON.parse(text)]).toEqual([404, { error: { code: 'http.404' } }]);
    },
  );
});

describe('the stylesheet', () => {
  it('may be kept for ever under the address with its hash', async ({ world }) => {
    const landing = await world.send('GET', '/');
    expect(landing.text).toContain(`href="${STYLESHEET}"`);
    const { status, headers, text } = await world.send('GET', STYLESHEET);
    expect([status, headers['content-type']]).toEqual([200, 'text/css; charset=utf-8']);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(text).toContain('light-dark(');
  });

  it('is asked for again under any other', async ({ world }) => {
    const first = await world.send('GET', '/assets/rostra.css?v=old');
    expect(first.headers['cache-control']).toBe('no-cache');
    const again = await world.send('GET', '/assets/rostra.css', { 'If-None-Match': first.headers.etag! });
    expect([again.status, again.text]).toEqual([304, '']);
  });
});

describe('the result page', () => {
  const failedResult = async () => {
    const world = await openWeb({ pending: pendingOf({ redirect_uri: null, client_state: `it's <b> + ü` }) });
    const { post } = await world.visit();
    return { ...world, location: (await post({ cancel: 'yes' })).headers.location! };
  };

  it('shows our own words for a signed result', async () => {
    const { location, origin, send } = await failedResult();
    expect(location).toContain(`${origin}/connect/result?status=error&error=access_denied&`);
    const { status, text } = await send('GET', location);
    expect(status).toBe(200);
    expect(text).toContain('Bluesky was not connected');
    expect(text).toContain('The connection was cancelled; nothing was changed.');
  });

  it('reads an address that a browser spelt anew', async () => {
    const { location, origin, send } = await failedResult();
    const { pathname, search } = new URL(location, origin);
    const spelt = `${pathname}${search.replaceAll("'", '%27').replaceAll('%20', '+')}`;
    expect(spelt).not.toBe(location);
    expect((await send('GET', spelt)).status).toBe(200);
  });

  it('shows nothing of what was made up or changed', async () => {
    const { location, send } = await failedResult();
    const forged = [
      '/connect/result',
      '/connect/result?status=success&platform=bluesky&account_id=acc_evil',
      location.replace('access_denied', 'acc_evil'),
      location.replace('error=', 'error=acc_evil&error='),
      `${location}&account_id=acc_evil`,
      location.replace(/sig=.{64}/, `sig=${'0'.repeat(64)}`),
    ];
    for (const path of forged) {
      const { status, text } = await send('GET', path);
      expect(status).toBe(400);
      expect(text).not.toContain('acc_evil');
    }
  });
});

describe('a form that cannot be shown', () => {
  it.for([
    ['an unknown state', `/connect/bluesky/form?state=${'0'.repeat(64)}`],
    ['no state', '/connect/bluesky/form'],
    ['a state that is none', '/connect/bluesky/form?state=%3Cb%3E'],
    ['two states', `/connect/bluesky/form?state=${STATE}&state=${STATE}`],
    ['the state of another platform', `/connect/telegram/form?state=${STATE}`],
    ['an unknown platform', `/connect/nothing/form?state=${STATE}`],
    ['the wrong kind of page', `/connect/bluesky/go?state=${STATE}`],
  ] as const)('answers %s with our own page, never with a redirect', async ([, path], { world }) => {
    const { status, headers, text, setCookies } = await world.send('GET', path);
    expect(status).toBe(403);
    expect(headers.location).toBeUndefined();
    expect(setCookies).toEqual([]);
    expect(text).toContain('This link has expired or was already used. Start the connection again.');
    expect(text).toContain('auth.state_mismatch');
  });

  it('sends a link that is too old back to its client with the reason', async () => {
    const world = await openWeb({
      pending: pendingOf({ redirect_uri: 'https://client.example/back', client_state: 'abc' }),
    });
    world.live.now += 900_000;
    const { status, headers } = await world.send('GET', `/connect/bluesky/form?state=${STATE}`);
    expect(status).toBe(302);
    const back = new URL(headers.location!);
    expect(back.origin + back.pathname).toBe('https://client.example/back');
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      status: 'error',
      error: 'auth.state_mismatch',
      platform: 'bluesky',
      state: 'abc',
    });
  });
});
