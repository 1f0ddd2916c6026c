import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { missing } from '../../clients/chromium.ts';
import { PASSWORD } from '../owner.ts';
import { it, type Stage } from './stage.ts';

const NAMES = { Editor: 'Eve', Viewer: 'Vera' } as const;

describe.skipIf(missing !== '')(`people in the dashboard${missing}`, () => {
  it('are invited, join, and find what their role allows', async ({ stage, inspect, onTestFinished }) => {
    const { page, root, rest, account } = stage;
    await rest('POST /v1/posts', { text: 'Of the owner', account_ids: [account.id] });
    await page.goto(`${root}/dashboard`);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('People');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${root}/dashboard/people`);
    await inspect('people-alone');
    const eve = await join(stage, 'Editor', onTestFinished);
    const vera = await join(stage, 'Viewer', onTestFinished);
    await page.goto(`${root}/dashboard/people`);
    await page.getByText('eve@example.org', { exact: true }).waitFor();
    await inspect('people');

    // An editor writes a post, and has no way to what administrators do.
    await eve.keyboard.press('c');
    await eve.waitForURL(`${root}/dashboard/compose`);
    await eve.getByRole('textbox', { name: 'Text' }).fill('Of the editor');
    await eve.getByText(/^Saved/).waitFor();
    for (const path of ['keys', 'people', 'webhooks', 'audit', 'migration']) {
      await eve.goto(`${root}/dashboard/${path}`);
      expect([path, await eve.getByRole('heading', { level: 1 }).innerText()]).toEqual([
        path,
        'This page is not for your role',
      ]);
      expect(await eve.getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
    }
    await inspect('people-not-for-role', undefined, eve);
    await eve.goto(`${root}/dashboard/settings`);
    await inspect('people-settings-editor', undefined, eve);

    // A viewer reads, and nothing is offered.
    for (const path of ['', '/inbox', '/posts', '/accounts']) {
      await vera.goto(`${root}/dashboard${path}`);
      await vera.locator('main h1').waitFor();
      await inspect(`people-viewer${path.replace('/', '-')}`, undefined, vera);
      expect([path, await vera.getByRole('link', { name: /New post/ }).count()]).toEqual([path, 0]);
    }
    await vera.goto(`${root}/dashboard/posts`);
    await vera.getByText('Of the owner').first().waitFor();

    // Removed, they are signed out.
    await page.goto(`${root}/dashboard/people`);
    await page.getByRole('link', { name: 'Remove Vera' }).press('Enter');
    await inspect('people-remove');
    await page.getByRole('button', { name: 'Remove this person' }).press('Enter');
    await page.getByText('vera@example.org', { exact: true }).waitFor({ state: 'detached' });
    await vera.goto(`${root}/dashboard`);
    await vera.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});

type AtEnd = (end: () => Promise<void>) => void;

/** The page of a person who was invited by the owner, and has joined in a browser of their own. */
async function join({ page, browser, root }: Stage, role: keyof typeof NAMES, atEnd: AtEnd): Promise<Page> {
  const name = NAMES[role];
  await page.goto(`${root}/dashboard/people`);
  await page.getByLabel('E-mail address').fill(`${name.toLowerCase()}@example.org`);
  await page.getByRole('group', { name: 'Role', exact: true }).getByLabel(role).check();
  await page.getByRole('button', { name: 'Make the link' }).press('Enter');
  const link = await page.locator('.secret code').innerText();
  const context: BrowserContext = await browser.newContext();
  atEnd(() => context.close());
  const theirs = await context.newPage();
  await theirs.goto(link);
  await theirs.getByLabel('Your name').fill(name);
  await theirs.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await theirs.getByLabel('Password once more').fill(PASSWORD);
  await theirs.getByRole('button', { name: 'Join' }).press('Enter');
  await theirs.waitForURL(`${root}/dashboard`);
  return theirs;
}
