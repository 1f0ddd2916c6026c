import { MINUTE, DAY } from '#kernel/clock.ts';
import { describe, expect, test } from 'vitest';
import { makeBrowser, says } from '../../harness/calls/browser.ts';
import { block, call } from '../../harness/calls/operations.ts';
import type { Connected } from '#platforms/connect.ts';
import { credentialsOf } from '../../harness/platforms/bluesky-people.ts';
import { makeWorld, type World } from '../../harness/world.ts';
import { consentWorld, profileOf, type Script } from '../../harness/worlds/consent.ts';
import { invite, openInvite } from '../../harness/worlds/invited.ts';

const it = test.extend('consent', () => consentWorld());

/** Two logins, of a profile each, neither of which is finished before the other one has begun. */
function logInTogether(script: Script, profiles: readonly Connected[]): void {
  const { promise, resolve } = Promise.withResolvers<void>();
  const left = [...profiles];
  Object.defineProperty(script, 'profiles', {
    get() {
      const profile = left.shift();
      if (left.length === 0) resolve();
      return promise.then(() => [profile]);
    },
  });
}

/** Two who opened one invitation and log in together: it is one's and not the other's. */
async function useTwice(world: World, script: Script, profiles: readonly Connected[]) {
  const { url } = await invite(world);
  const both = [await openInvite(world, url), await openInvite(world, url)];
  logInTogether(script, profiles);
  const ends = await Promise.all(both.map(({ back }) => back()));
  expect(new Set(ends.map(({ status }) => status))).toEqual(new Set([200, 400]));
  return ends;
}

describe('an invitation', () => {
  it('says who invites to what until when, and ends with the account in the brand', async ({ consent: { world } }) => {
    const receiver = await world.receive(['account.connected']);
    const { url, expires_at } = await invite(world);
    const { page, back } = await openInvite(world, url);
    expect(page.words).toContain('You are invited to connect google');
    expect(page.words).toContain('itself asks for your consent. This server never sees your password.');
    expect(page.words).toMatch(/Invited by Owner Platform .* Brand Default Open until/);
    expect(page.text).toMatch(new RegExp(`datetime="${expires_at}">\\w{3},? \\d+ \\w+ 2026, \\d\\d:\\d\\d \\(UTC\\)<`));
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'self'/);
    expect(page.text).not.toContain('<script');
    expect(await back()).toMatchObject(says(200, 'The invitation has been used'));
    const { data } = (await world.rest(`GET /v1/accounts?brand_id=${world.brandId}`)).body;
    expect(data).toMatchObject([{ platform: 'google', username: 'user.1' }]);
    await world.settle();
    expect(receiver.received.map(({ body }) => body.data['brand_id'])).toEqual([world.brandId]);
    expect(await makeBrowser(world).open(url)).toMatchObject(says(400, 'This invitation was already used'));
  });

  it('is kept by whoever gives up, and opens again', async ({ consent: { world } }) => {
    const { url } = await invite(world);
    const first = await openInvite(world, url);
    const cancelled = await first.browser.follow(await first.browser.submit(first.page, { cancel: 'yes' }));
    expect(cancelled).toMatchObject(says(200, 'nothing was changed'));
    const declined = await (await openInvite(world, url)).back({ error: 'access_denied' });
    expect(declined.words).toContain('open the link of the invitation once more');
    expect((await (await openInvite(world, url)).back()).status).toBe(200);
  });

  it('is won by one of two who open it', async ({ consent: { world, script } }) => {
    const ends = await useTwice(world, script, [profileOf('1'), profileOf('2')]);
    expect(ends.find(({ status }) => status === 400)!.words).toContain('The invitation has been used or withdrawn');
    const { data } = (await world.rest('GET /v1/accounts')).body;
    expect(data).toHaveLength(1);
    // What the other one consented to is of no use to anybody.
    const loser = data[0].username === 'user.1' ? '2' : '1';
    expect(script.revoked).toMatchObject([{ session: profileOf(loser).session }]);
  });

  it.for([
    ['of the same person', [profileOf('1'), profileOf('1')]],
    ['by the same consent', ['1', '2'].map((id) => ({ ...profileOf(id), grant: 'shared' }))],
  ] as const)('ends no access that an account %s has', async ([, profiles], { consent: { world, script } }) => {
    await useTwice(world, script, profiles);
    expect((await world.rest('GET /v1/accounts')).body.count).toBe(1);
    expect(script.revoked).toEqual([]);
  });

  it('stays open when the account cannot be had', async ({ consent: { world, script } }) => {
    const { url } = await invite(world);
    const visitor = await openInvite(world, url);
    const other = (await world.rest('POST /v1/brands', { name: 'Other' })).body.id;
    await world.rest('POST /v1/oauth/exchange', { platform: 'google', code: 'x', brand_id: other });
    expect(await visitor.back()).toMatchObject(says(409, 'already connected elsewhere'));
    const late = await openInvite(world, url);
    script.profiles = [profileOf('2')];
    await world.rest('POST /v1/oauth/exchange', { platform: 'google', code: 'y', brand_id: world.brandId });
    expect(await late.back()).toMatchObject(says(409, 'already has an account on this platform'));
    const { body } = await call(world, 'list_invites', { brand_id: world.brandId });
    expect(body.data).toMatchObject([{ is_active: true }]);
    expect(await makeBrowser(world).open(url)).toMatchObject(says(409, 'There is an account already'));
  });

  it('lets a person choose where the login manages several profiles', async ({ consent: { world, script } }) => {
    script.profiles = [profileOf('1'), { ...profileOf('2'), profile: { ...profileOf('2').profile, name: '<Two>' } }];
    const { url } = await invite(world);
    const { browser, back } = await openInvite(world, url);
    const page = await back({ code: 'two' });
    expect(page).toMatchObject(says(200, 'Choose what to connect'));
    expect(page.text).toContain('&lt;Two&gt;');
    expect(
      (await makeBrowser(world).open(page.text.match(/action="([^"]*)"/)![1]!.replaceAll('&amp;', '&'))).status,
    ).toBe(403);
    expect(await browser.submit(page, { profile: '3' })).toMatchObject(says(400, 'Choose one of them'));
    const chosen = await Promise.all([browser.submit(page, { profile: '2' }), browser.submit(page, { profile: '2' })]);
    expect(new Set(chosen.map(({ headers }) => headers.location)).size).toBe(1);
    expect(await browser.follow(chosen[0])).toMatchObject(says(200, 'The invitation has been used'));
    const { data } = (await world.rest('GET /v1/accounts')).body;
    expect(data).toMatchObject([{ username: 'user.2', brand_id: world.brandId }]);
  });

  it('may be given up where a profile is to be chosen', async ({ consent: { world, script } }) => {
    script.profiles = [profileOf('1'), profileOf('2')];
    const { url } = await invite(world);
    const { browser, back } = await openInvite(world, url);
    const page = await back({ code: 'two' });
    const end = await browser.follow(await browser.submit(page, { cancel: 'yes' }));
    expect(end.words).toContain('nothing was changed');
    const late = await openInvite(world, url);
    const open = await late.back({ code: 'two' });
    world.clock.move(30 * MINUTE);
    expect((await late.browser.submit(open, { profile: '1' })).status).toBe(403);
    expect((await world.rest('GET /v1/accounts')).body.count).toBe(0);
  });

  it('leads to our own form where a platform takes credentials', async () => {
    const world = await makeWorld();
    const { url } = await invite(world, { platform: 'bluesky' });
    const { browser, page } = await openInvite(world, url);
    expect(page.words).toContain('You are invited to connect Bluesky');
    const end = await browser.follow(await browser.submit(page, credentialsOf(world)));
    expect(end).toMatchObject(says(200, 'Bluesky is connected'));
    expect((await world.rest(`GET /v1/accounts?brand_id=${world.brandId}`)).body.count).toBe(1);
  });
});

describe('an invitation that cannot be used', () => {
  it('has a page for each reason', async ({ consent: { world } }) => {
    const open = async (url: string) => {
      const page = await makeBrowser(world).open(url);
      expect(page.headers['content-type']).toMatch(/^text\/html/);
      return page;
    };
    expect(await open('/invite/abc')).toMatchObject(says(400, 'not the address of an invitation'));
    expect(await open('/invite/%20%3Cb%3E')).toMatchObject(says(400, 'not the address of an invitation'));
    expect(await open(`/invite/${'a'.repeat(64)}`)).toMatchObject(says(404, 'This invitation does not exist'));
    const expired = await invite(world, { expires_in_days: 1 });
    world.clock.move(DAY);
    expect(await open(expired.url)).toMatchObject(says(410, 'This invitation has expired'));
    const revoked = await invite(world);
    await call(world, 'revoke_invite', { invite_id: revoked.id });
    expect(await open(revoked.url)).toMatchObject(says(400, 'This invitation was withdrawn'));
    const { body: brand } = await world.rest('POST /v1/brands', { name: 'Short' });
    const gone = await invite(world, { brand_id: brand.id });
    await world.rest(`DELETE /v1/brands/${brand.id}`);
    expect(await open(gone.url)).toMatchObject(says(400, 'This invitation was withdrawn'));
    const unpaid = await invite(world);
    await block(world);
    expect(await open(unpaid.url)).toMatchObject(says(402, 'cannot be used at the moment'));
  });

  it('ends pages that are open', async ({ consent: { world } }) => {
    const { id, url } = await invite(world);
    const late = await openInvite(world, url);
    await call(world, 'revoke_invite', { invite_id: id });
    expect(await late.back()).toMatchObject(says(400, 'used or withdrawn'));
    const { url: next } = await invite(world, { expires_in_days: 1 });
    world.clock.move(DAY - MINUTE);
    const open = await openInvite(world, next);
    world.clock.move(MINUTE);
    expect(await open.back()).toMatchObject(says(410, 'This invite has expired'));
    expect((await world.rest('GET /v1/accounts')).body.count).toBe(0);
  });

  it('is not opened by who only looks at the address, nor without end', async ({ consent: { world } }) => {
    const { url } = await invite(world);
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(405);
    for (let n = 0; n < 50; n += 1) expect((await fetch(url, { redirect: 'manual' })).status).toBe(302);
    const more = await fetch(url, { redirect: 'manual' });
    expect([more.status, more.headers.get('retry-after')]).toEqual([429, '900']);
    expect(await more.text()).toContain('It opens again in 15 minutes');
    world.clock.move(15 * MINUTE - 1000);
    const soon = await fetch(url, { redirect: 'manual' });
    expect([soon.status, soon.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await soon.text()).toContain('It opens again in a minute');
    world.clock.move(1000);
    expect((await fetch(url, { redirect: 'manual' })).status).toBe(302);
  });
});
