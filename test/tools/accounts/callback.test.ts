import { describe, expect, test } from 'vitest';
import { PlatformError } from '#platforms/errors.ts';
import { onFreePlan } from '../../harness/calls/operations.ts';
import { consentPage, consentWorld, landedAt, profileOf } from '../../harness/worlds/consent.ts';

const it = test.extend('consent', () => consentWorld()).extend('page', ({ consent: { world } }) => consentPage(world));

describe("what a platform's consent page sends back", () => {
  it('connects the account and leads to the client', async ({ consent: { world, script } }) => {
    const receiver = await world.receive(['account.connected']);
    const page = await consentPage(world);
    const end = landedAt(await page.back({ code: 'good' }));
    const { data } = (await world.rest('GET /v1/accounts')).body;
    expect(end).toEqual({ keep: '1', status: 'success', platform: 'google', state: 'mine', account_id: data[0].id });
    expect(script.finished).toEqual([
      expect.objectContaining({
        params: { state: page.state, code: 'good' },
        callback: `${world.root}/connect/google/callback`,
        secrets: expect.objectContaining({ verifier: 'kept' }),
      }),
    ]);
    await world.settle();
    expect(receiver.received).toHaveLength(1);
  });

  it('is finished once, however often the browser comes back', async ({ consent: { world, script }, page }) => {
    const ends = await Promise.all([page.back({ code: 'good' }), page.back({ code: 'good' })]);
    ends.push(await page.back({ code: 'good' }));
    expect(new Set(ends.map((end) => end.headers.get('location'))).size).toBe(1);
    expect(script.finished).toHaveLength(1);
    expect((await world.rest('GET /v1/accounts')).body.count).toBe(1);
  });

  it('is refused in a browser that did not see our page', async ({ consent: { world, script }, page }) => {
    const other = await consentPage(world);
    for (const cookie of ['', 'rostra-form-abc=1.2'])
      expect((await page.back({ code: 'good' }, cookie)).status).toBe(403);
    expect((await other.back({ code: 'good', state: page.state })).status).toBe(403);
    expect(script.finished).toHaveLength(0);
    expect(landedAt(await page.back({ code: 'good' }))['status']).toBe('success');
  });

  it('is refused without a state of ours, and for another platform', async ({ consent: { world, script }, page }) => {
    expect((await page.back({ code: 'good', state: 'f'.repeat(64) })).status).toBe(403);
    expect((await page.back({ code: 'good', state: '' })).status).toBe(403);
    const elsewhere = await fetch(`${world.root}/connect/bluesky/callback?state=${page.state}&code=good`);
    expect(elsewhere.status).toBe(403);
    expect(script.finished).toHaveLength(0);
  });

  it('leads back to the client when the person said no', async ({ consent: { script }, page }) => {
    const end = landedAt(await page.back({ error: 'access_denied', error_description: 'https://evil.example' }));
    expect(end).toMatchObject({ status: 'error', error: 'access_denied', platform: 'google', state: 'mine' });
    expect(end['error_description']).not.toContain('evil');
    expect(script.finished).toHaveLength(0);
  });

  it('leads back to the client with the refusal of the platform', async ({ consent: { world, script } }) => {
    script.refusal = new PlatformError('refused', 'no_locations', 'This login manages no locations.');
    const page = await consentPage(world);
    const told = { error: 'platform.google.no_locations', error_description: 'This login manages no locations.' };
    expect(landedAt(await page.back({ code: 'empty' }))).toMatchObject({ status: 'error', ...told });
    expect((await world.rest('GET /v1/accounts')).body.count).toBe(0);
  });

  it('leads back with the limit of the plan when a further brand is needed', async ({ consent: { world }, page }) => {
    await onFreePlan(world);
    await world.rest('POST /v1/brands', { name: 'Second' });
    expect(landedAt(await page.back({ code: 'good' }))['error']).toBe('brand.limit_reached');
  });

  it('is over after 15 minutes, and the client is notified', async ({ consent: { world }, page }) => {
    world.clock.move(15 * 60_000);
    expect(landedAt(await page.back({ code: 'good' }))['error']).toBe('auth.state_mismatch');
  });

  it('lets the client choose where the login manages several profiles', async ({ consent: { world, script } }) => {
    script.profiles = [profileOf('1'), profileOf('2')];
    const page = await consentPage(world);
    const end = landedAt(await page.back({ code: 'two' }));
    expect(end).toEqual({
      keep: '1',
      status: 'selection_required',
      platform: 'google',
      state: 'mine',
      connection_id: expect.stringMatching(/^pc_/),
    });
    expect((await world.rest('GET /v1/accounts')).body.count).toBe(0);
    const path = `/v1/accounts/pending/${end['connection_id']}` as const;
    const choice = await world.rest(`GET ${path}`);
    expect(choice.body.profiles.map((profile: { username: string }) => profile.username)).toEqual(['user.1', 'user.2']);
    const chosen = await world.rest(`POST ${path}/select`, { platform_account_id: '2' });
    expect([chosen.status, chosen.body.username]).toEqual([201, 'user.2']);
  });

  it('shows a page of ours where no client waits', async ({ consent: { world, script } }) => {
    script.profiles = [profileOf('1'), profileOf('2')];
    const page = await consentPage(world, { redirect_uri: undefined });
    const answer = await page.back({ code: 'two' });
    const shown = await fetch(answer.headers.get('location')!, { headers: { Cookie: page.cookie } });
    expect(await shown.text()).toContain('Choose what to connect');
  });

  it('connects an account again, and refuses another login', async ({ consent: { world, script } }) => {
    const first = landedAt(await (await consentPage(world)).back({ code: 'good' }))['account_id']!;
    const again = async () => {
      const { body } = await world.rest(
        `GET /v1/oauth/url?account_id=${first}&redirect_uri=${encodeURIComponent('https://app.example.org/')}`,
      );
      const page = await fetch(body.auth_url);
      const cookie = page.headers.get('set-cookie')!.split(';')[0]!;
      const url = `${world.root}/connect/google/callback?state=${body.state}&code=again`;
      return landedAt(await fetch(url, { redirect: 'manual', headers: { Cookie: cookie } }));
    };
    expect(await again()).toMatchObject({ status: 'success', account_id: first });
    script.profiles = [profileOf('2'), profileOf('1')];
    expect(await again()).toMatchObject({ status: 'success', account_id: first });
    script.profiles = [profileOf('other'), profileOf('2')];
    expect(await again()).toMatchObject({ status: 'error', error: 'account.different_login' });
    script.profiles = [profileOf('other')];
    expect(await again()).toMatchObject({ status: 'error', error: 'account.different_login' });
  });

  it('ends the grant on the platform with the app it was given to', async ({ consent: { world, script } }) => {
    const { account_id: id } = landedAt(await (await consentPage(world)).back({ code: 'good' }));
    expect((await world.rest(`DELETE /v1/accounts/${id}`)).body.revoked).toBe(true);
    expect(script.revoked).toEqual([{ session: { token: 'token-1' }, clientId: 'sandbox' }]);
  });
});
