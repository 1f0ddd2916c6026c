import { describe, expect } from 'vitest';
import { it, makeWorld, type World } from '../../harness/world.ts';
import { onFreePlan } from '../../harness/calls/operations.ts';
import { callsOf, credentialsOf } from '../../harness/platforms/bluesky-people.ts';

const MINUTE = 60_000;
const platform = 'bluesky';

/** A browser on our form: it keeps the cookie and sends the hidden token. */
async function open(authUrl: string) {
  const page = await fetch(authUrl);
  const html = await page.text();
  const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? '';
  const form_token = /name="form_token"[^>]*value="([^"]*)"|value="([^"]*)"[^>]*name="form_token"/.exec(html);
  return {
    status: page.status,
    html,
    submit: (fields: Record<string, string>, Origin = new URL(authUrl).origin) =>
      fetch(authUrl, {
        method: 'POST',
        redirect: 'manual',
        headers: { Cookie: cookie, Origin },
        body: new URLSearchParams({ form_token: form_token?.[1] ?? form_token?.[2] ?? '', ...fields }),
      }),
  };
}

async function start(world: World, ask: object = {}) {
  const input = { platform, redirect_uri: 'https://app.example.org/done?keep=1', state: 'client &state', ...ask };
  return (await world.rest('POST /v1/accounts/connect', input)).body.auth_url as string;
}

function landedAt(answer: Response): URL {
  expect(answer.status).toBe(302);
  return new URL(answer.headers.get('location')!);
}

describe('connecting through the form', () => {
  it('ends at the redirect_uri with the account and the state as it was given', async ({ world }) => {
    const receiver = await world.receive(['account.connected']);
    const page = await open(await start(world));
    const url = landedAt(await page.submit(credentialsOf(world)));
    expect(url.origin + url.pathname).toBe('https://app.example.org/done');
    const { data } = (await world.rest('GET /v1/accounts')).body;
    expect(Object.fromEntries(url.searchParams)).toEqual({
      keep: '1',
      status: 'success',
      platform,
      state: 'client &state',
      account_id: data[0].id,
    });
    await world.settle();
    expect(receiver.received).toHaveLength(1);
  });

  it.for([
    [{ redirect_uri: undefined, metadata: { redirect_uri: 'https://app.example.org/theirs' } }, '/theirs'],
    [{ metadata: { redirect_uri: 'https://app.example.org/theirs' } }, '/done'],
  ] as const)('ends at the redirect_uri of metadata where there is no other (%#)', async ([ask, path], { world }) => {
    const url = landedAt(await (await open(await start(world, ask))).submit(credentialsOf(world)));
    expect([url.origin, url.pathname]).toEqual(['https://app.example.org', path]);
  });

  it('says state= where none was given, and shows our own page where nobody waits', async ({ world }) => {
    const silent = landedAt(await (await open(await start(world, { state: undefined }))).submit(credentialsOf(world)));
    expect(silent.searchParams.get('state')).toBe('');
    const own = await open(await start(world, { redirect_uri: undefined }));
    const answer = await own.submit(credentialsOf(world));
    const shown = await fetch(new URL(answer.headers.get('location')!, world.root));
    expect([answer.status, shown.status]).toEqual([302, 200]);
  });

  it('connects into the brand asked for', async ({ world }) => {
    await (await open(await start(world, { brand_id: world.brandId }))).submit(credentialsOf(world));
    expect((await world.rest(`GET /v1/accounts?brand_id=${world.brandId}`)).body.count).toBe(1);
  });

  it('lets a mistyped password be corrected, and then the state is spent', async ({ world }) => {
    const authUrl = await start(world);
    const page = await open(authUrl);
    const wrong = await page.submit({ ...credentialsOf(world), app_password: 'aaaa-bbbb-cccc-dddd' });
    expect(wrong.status).toBe(400);
    expect(await wrong.text()).not.toContain('aaaa-bbbb-cccc-dddd');
    expect(landedAt(await page.submit(credentialsOf(world))).searchParams.get('status')).toBe('success');
    expect((await open(authUrl)).status).toBe(403);
    expect((await world.rest('GET /v1/accounts')).body.count).toBe(1);
  });

  it('is over after 15 minutes', async ({ world }) => {
    const authUrl = await start(world);
    world.clock.move(15 * MINUTE - 1);
    const page = await open(authUrl);
    expect(page.status).toBe(200);
    world.clock.move(1);
    const url = landedAt(await page.submit(credentialsOf(world)));
    expect([url.searchParams.get('status'), url.searchParams.get('error')]).toEqual(['error', 'auth.state_mismatch']);
    expect((await world.rest('GET /v1/accounts')).body.count).toBe(0);
  });

  it.each(['before the form is opened', 'while the form is open'])('is over when its brand goes %s', async (when) => {
    const world = await makeWorld();
    const authUrl = await start(world, { brand_id: world.brandId });
    const early = when.startsWith('while') ? await open(authUrl) : undefined;
    await world.rest(`DELETE /v1/brands/${world.brandId}`);
    const answer = early ? await early.submit(credentialsOf(world)) : await fetch(authUrl, { redirect: 'manual' });
    const { searchParams } = landedAt(answer);
    expect(searchParams.get('status')).toBe('error');
    expect(searchParams.get('error')).toBe('auth.state_mismatch');
    expect(searchParams.get('state')).toBe('client &state');
    expect((await world.rest('GET /v1/accounts')).body.count).toBe(0);
    expect(callsOf(world, 'com.atproto.server.createSession')).toBe(0);
  });

  it('is over when the account goes that was to be connected again', async ({ world, account: { id } }) => {
    const route: `${string} /${string}` = `GET /v1/oauth/url?account_id=${id}&redirect_uri=https://app.example.org/`;
    const page = await open((await world.rest(route)).body.auth_url);
    await world.rest(`DELETE /v1/accounts/${id}`);
    const url = landedAt(await page.submit(credentialsOf(world)));
    expect(url.searchParams.get('error')).toBe('auth.state_mismatch');
    expect((await world.rest('GET /v1/accounts')).body.count).toBe(0);
  });

  it('takes no form from elsewhere', async ({ world }) => {
    const page = await open(await start(world));
    expect((await page.submit(credentialsOf(world), 'https://evil.example')).status).toBe(403);
    expect((await page.submit({ ...credentialsOf(world), form_token: 'guessed' })).status).toBe(403);
    expect((await world.rest('GET /v1/accounts')).body.count).toBe(0);
  });

  it('passes refusals of ours on to the redirect_uri', async ({ world }) => {
    const account = await world.connect(0, world.brandId);
    const refusalOf = async (ask: object, person: number) => {
      const page = await open(await start(world, ask));
      return landedAt(await page.submit(credentialsOf(world, person))).searchParams;
    };
    const taken = await refusalOf({ brand_id: world.brandId }, 1);
    expect(taken.get('status')).toBe('error');
    expect(taken.get('error')).toBe('resource.conflict');
    expect(taken.get('state')).toBe('client &state');
    const { body: other } = await world.rest('POST /v1/brands', { name: 'Other' });
    expect((await refusalOf({ brand_id: other.id }, 0)).get('error')).toBe('account.already_linked');

    const again = (await world.rest(`GET /v1/oauth/url?account_id=${account.id}&redirect_uri=https://app.example.org/`))
      .body.auth_url;
    const different = landedAt(await (await open(again)).submit(credentialsOf(world, 2)));
    expect(different.searchParams.get('error')).toBe('account.different_login');

    await onFreePlan(world);
    const full = landedAt(await (await open(await start(world))).submit(credentialsOf(world, 1)));
    expect(full.searchParams.get('error')).toBe('brand.limit_reached');
    expect((await world.rest('GET /v1/accounts')).body.count).toBe(1);
    expect((await world.rest('GET /v1/brands')).body.count).toBe(2);
  });

  it('brings the very account back that was asked for', async ({ world, account }) => {
    const { auth_url } = (
      await world.rest(`GET /v1/oauth/url?account_id=${account.id}&redirect_uri=https://app.example.org/`)
    ).body;
    const url = landedAt(await (await open(auth_url)).submit(credentialsOf(world)));
    expect(url.searchParams.get('account_id')).toBe(account.id);
    expect((await world.rest('GET /v1/accounts')).body.data).toEqual([account]);
  });

  it('can be cancelled', async ({ world }) => {
    const authUrl = await start(world);
    const url = landedAt(await (await open(authUrl)).submit({ cancel: '1' }));
    expect([url.searchParams.get('status'), url.searchParams.get('error')]).toEqual(['error', 'access_denied']);
    expect((await open(authUrl)).status).toBe(403);
  });
});
