import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { givePassword, leashedKey } from '../../harness/calls/leash.ts';
import { callThrough } from '../../harness/calls/operations.ts';
import { list, publish, store } from '../../harness/calls/rest.ts';
import { png } from '../../harness/media-samples.ts';
import { facebookOf } from '../../harness/platforms/facebook.ts';
import { makeWorld, type Json } from '../../harness/world.ts';
import { missing } from '../clients/chromium.ts';
import { it } from './axe.ts';

const PHONE = { width: 320, height: 640 };
/** axe looks at each page six times. */
const TIMEOUT_MS = 400_000;
/** More than any page has fields, links and buttons. */
const MOST_TABS = 80;

/** Presses Tab until something has the focus, which is then in sight. */
async function tabTo(page: Page, selector: string): Promise<void> {
  const focused = page.locator(selector).and(page.locator(':focus'));
  for (let tabs = 0; tabs < MOST_TABS && (await focused.count()) === 0; tabs += 1) await page.keyboard.press('Tab');
  const { y, height } = (await focused.boundingBox())!;
  expect([selector, y + height > 0, y < PHONE.height]).toEqual([selector, true, true]);
}

/** A page with a post, a comment and a message, and what a connection asks for there. */
async function scene() {
  const world = await makeWorld();
  const facebook = facebookOf(world);
  const account_id = (await facebook.connect()).id as string;
  const { id: post_id, targets } = (await publish(world, account_id, { text: 'Fresh bread.' })).body;
  const on = targets[0].platform_post_id as string;
  await facebook.act('comment', { person: 'fred.sandbox.test', on, message: 'Is it rye?' });
  const [page] = await list(world, `/v1/accounts/${account_id}/pages`);
  await facebook.act('message', { person: 'mia.sandbox.test', page: page!.platform_page_id, text: 'Are you open?' });
  await world.settle();
  const [comment] = await list(world, `/v1/inbox/comments/${post_id}?account_id=${account_id}`);
  const [conversation] = await list(world, '/v1/inbox/conversations');
  const { id: media_id } = await store(world, 'bread.png', 'image/png', png());
  const key = await leashedKey(world, 'ask');
  const ask = async (name: string, input: object): Promise<string> => {
    const { status, body } = await callThrough(world, 'rest', name, { ...input }, { key });
    expect([name, status]).toEqual([name, 202]);
    return body.id;
  };
  const now = { account_ids: [account_id], publish_now: true };
  const draft = (await world.rest('POST /v1/posts', { text: 'Later', account_ids: [account_id] })).body.id;
  return {
    world,
    draft: draft as string,
    posts: async () => ((await facebook.look('posts')) as Json[]).map(({ message }) => message as string).toSorted(),
    stateOf: async (id: string) => (await world.rest(`GET /v1/actions/${id}`, undefined, { key })).body,
    ids: {
      fourth: await ask('create_post', { ...now, text: 'Fourth' }),
      third: await ask('create_post', { ...now, text: 'Third' }),
      stored: await ask('publish_post', { post_id: draft }),
      message: await ask('send_dm', { conversation_id: conversation!.id, text: 'We are.' }),
      reply: await ask('reply_to_comment', { post_id, comment_id: comment!.id, account_id, text: 'It is.' }),
      post: await ask('create_post', { ...now, text: `${'Sourdough'.repeat(12)} is back`, media_ids: [media_id] }),
    },
  };
}

describe.skipIf(missing !== '')(`a person without scripts who decides by the keys alone${missing}`, () => {
  it('on the narrowest phone', { timeout: TIMEOUT_MS }, async ({ page, check }) => {
    const { world, draft, posts, stateOf, ids } = await scene();
    const at = (id: string) => `${world.root}/review/${id}`;
    const press = async (selector: string) => {
      await page.setViewportSize(PHONE);
      await tabTo(page, selector);
      await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
    };
    const decide = (decision: string) => press(`button[value=${decision}]`);

    // The address that an assistant gives leads there by way of the sign-in.
    await page.setViewportSize(PHONE);
    await page.goto(at(ids.post));
    // On a slow machine, the field gets the focus some time after the page has loaded.
    await page.locator('[name=email]:focus').waitFor();
    await page.keyboard.type('owner@example.org');
    await page.keyboard.press('Tab');
    await page.keyboard.type(await givePassword(world));
    await page.keyboard.press('Enter');
    await page.waitForURL(at(ids.post));
    expect(await check('review-post', PHONE)).toBe('May this be done?');
    expect(await posts()).toEqual(['Fresh bread.']);

    await page.setViewportSize(PHONE);
    await tabTo(page, 'textarea');
    await page.keyboard.press('Control+End');
    await page.keyboard.type(', every day');
    await decide('edited');
    await world.settle();
    await page.reload();
    expect(await page.locator('main').innerText()).toMatch(/State\s+Done, by Owner/);
    expect(await check('review-done', PHONE)).toBe('What was asked');
    expect(await page.locator('main').innerText()).toContain('is back, every day');
    expect((await posts())[1]).toMatch(/^Sourdough.* is back, every day$/);

    await press('main a[href="/review"]');
    expect(await check('review', PHONE)).toBe('Review');
    await press(`main a[href="/review/${ids.reply}"]`);
    expect(await page.locator('main').innerText()).toContain('Is it rye?');
    await check('review-reply', PHONE);
    await page.setViewportSize(PHONE);
    await tabTo(page, '#field-note');
    await page.keyboard.type('Ask the baker first');
    await decide('deny');
    await page.getByText('Denied, by Owner').waitFor();
    expect(await stateOf(ids.reply)).toMatchObject({ state: 'denied', note: 'Ask the baker first' });

    await page.goto(at(ids.message));
    expect(await page.locator('main').innerText()).toContain('Are you open?');
    await check('review-message', PHONE);

    // What has changed meanwhile is refused, and what was typed is still there.
    await page.goto(at(ids.stored));
    expect(await page.locator('main').innerText()).toContain('Later');
    await check('review-stored', PHONE);
    await page.setViewportSize(PHONE);
    await tabTo(page, '#field-note');
    await page.keyboard.type('Go on');
    await world.rest(`PATCH /v1/posts/${draft}`, { text: 'Something else' });
    await decide('approve');
    expect(await page.getByRole('alert').innerText()).toContain('has changed since you read it');
    expect(await page.locator('#field-note').inputValue()).toBe('Go on');
    expect(await page.locator('main').innerText()).toContain('Something else');
    await check('review-changed', PHONE);
  });
});
