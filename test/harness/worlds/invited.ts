import { expect } from 'vitest';
import { makeBrowser, type Shown } from '../calls/browser.ts';
import { call } from '../calls/operations.ts';
import type { World, Json } from '../world.ts';

/** An invite to the world's brand, for a platform of consent pages unless another one is named. */
export async function invite(world: World, ask: object = {}): Promise<Json> {
  const input = { brand_id: world.brandId, platform: 'google', expires_in_days: 7, ...ask };
  const { ok, body } = await call(world, 'create_invite', input);
  expect([ok, body]).toMatchObject([true, { url: `${world.root}/invite/${body.token}` }]);
  return body;
}

/** Somebody without a user here, who opens the link of an invite in a browser of their own. */
export async function openInvite(world: World, url: string) {
  const browser = makeBrowser(world);
  const led = await browser.open(url);
  expect([led.status, led.text]).toEqual([302, '']);
  const page = await browser.follow(led);
  const consent = /href="(https:\/\/consent\.example\/[^"]*)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&');
  const asked = new URL(consent ?? world.root).searchParams;
  return {
    browser,
    page,
    /** The platform sends the browser back; answers the page that it comes to. */
    async back(query: Readonly<Record<string, string>> = { code: 'good' }): Promise<Shown> {
      const params = new URLSearchParams({ state: asked.get('state')!, ...query });
      return browser.follow(await browser.open(`${asked.get('callback')}?${params.toString()}`));
    },
  };
}
