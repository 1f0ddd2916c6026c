import type { Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { missing } from '../../clients/chromium.ts';
import { signIn } from '../owner.ts';
import { it } from './stage.ts';

const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Presses Tab until it is there. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  const isThere = async () => (await wanted.and(page.locator(':focus')).count()) === 1;
  for (let presses = 0; presses < 60 && !(await isThere()); presses += 1) await page.keyboard.press('Tab');
  expect(await isThere()).toBe(true);
}

describe.skipIf(missing !== '')(`the composer${missing}`, () => {
  it('schedules a post to several accounts, written by the keys alone', async ({ stage, inspect }) => {
    const { page, root, rest, account } = stage;
    await page.goto(`${root}/`);
    await page.locator('main').focus();
    await page.goto(`${root}/dashboard/posts`);
    await page.getByText('There is no post yet.').waitFor();
    await page.keyboard.press('c');
    await page.waitForURL(`${root}/dashboard/compose`);
    await page.getByRole('heading', { name: 'New post' }).waitFor();
    await inspect('compose-empty');
    await tabTo(page, page.getByRole('checkbox', { name: account.name }));
    await page.keyboard.press('Space');
    await tabTo(page, page.getByLabel('Text for all accounts'));
    await page.keyboard.type(`Family 👩‍👩‍👧 ${'a'.repeat(300)}`);
    await page.getByText('Bluesky: 9 too many').waitFor();
    await page.getByText('Bluesky: exceeds 300 character limit (309/300).').waitFor();
    expect(await page.title()).toContain('(1 to fix)');
    await page.keyboard.press('Control+Enter');
    await page.getByText('First fix what is listed above.').waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Write another text for it' }));
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator(':focus').getAttribute('id')).toBe('text');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Cupping on Saturday, 4 seats left. #coffee');
    await page.getByText('This account has its own text.').waitFor();
    await page.locator('.issues li').waitFor({ state: 'detached' });
    await tabTo(page, page.getByLabel('When', { exact: true }));
    await page.keyboard.type('01052030');
    await page.keyboard.press('Tab');
    await page.keyboard.type('0900AM');
    await page.keyboard.press('Control+Enter');
    await page.waitForURL(/\/dashboard\/posts\/post_/);
    await page.getByText(/Scheduled for Sat,? 5 Jan 2030, 09:00\./).waitFor();
    const [post] = (await rest('GET /v1/posts?status=scheduled')).data;
    expect(post.targets[0]).toMatchObject({ account_id: account.id, text: expect.stringContaining('Cupping') });
  });

  it('takes files, and descriptions for who cannot see them', async ({ stage: { page, root, rest }, inspect }) => {
    await page.goto(`${root}/dashboard/compose?at=2030-02-01T10:30`);
    await page.locator('.choice input').first().check();
    expect(await page.getByLabel('When', { exact: true }).inputValue()).toBe('2030-02-01T10:30');
    await page.getByLabel('Text for all accounts').fill('A look behind the scenes https://example.org/roast');
    const files = ['one.png', 'two.png'].map((name, at) => ({
      name,
      mimeType: 'image/png',
      buffer: Buffer.concat([PICTURE, Buffer.alloc(at)]),
    }));
    for (const file of files) {
      await page.locator('#files').setInputFiles([file]);
      await page.getByLabel(`Description of ${file.name}`).waitFor();
    }
    await page.getByLabel('Description of two.png').fill('Sacks of green coffee');
    await page.getByRole('button', { name: 'Move two.png earlier' }).press('Enter');
    await expect.poll(() => page.locator('.tray input').first().inputValue()).toBe('Sacks of green coffee');
    await page.getByRole('button', { name: 'First comment' }).click();
    await page.getByLabel('First comment').fill('More in the shop.');
    await page.getByText('Saved on this device').waitFor();
    for (const place of ['.tray', '.previews']) {
      const width = `document.querySelector('${place} img').naturalWidth`;
      await expect.poll(() => page.evaluate(width)).toBeGreaterThan(0);
    }
    await inspect('compose-media');
    await page.getByRole('button', { name: /Keep as draft/ }).click();
    await page.getByText('Draft kept.').waitFor();
    const [post] = (await rest('GET /v1/posts?status=draft')).data;
    expect(post.platform_data.bluesky.alts).toEqual(['Sacks of green coffee', null]);
    expect(post.targets[0].first_comment).toBe('More in the shop.');
    expect(page.url()).toContain(`post=${post.id}`);
    await rest(`PATCH /v1/posts/${post.id}`, { text: 'Changed by an assistant' });
    await expect.poll(() => page.locator('#text').inputValue()).toBe('Changed by an assistant');
  });

  it('loses nothing to a reload, and tells of changes elsewhere', async ({ stage: { page, root, rest }, inspect }) => {
    await page.goto(`${root}/dashboard/compose`);
    await page.getByLabel('Text for all accounts').fill('Begun');
    await page.getByText('Saved on this device').waitFor();
    await page.reload();
    await page.getByText('Here is what you wrote last time.').waitFor();
    await page.keyboard.press('Control+s');
    await page.getByText('Draft kept.').waitFor();
    const id = new URL(page.url()).searchParams.get('post');
    await page.getByLabel('Text for all accounts').fill('Mine');
    await page.getByText('Saved on this device').waitFor();
    await page.reload();
    await page.getByText('Here is what you wrote last time.').waitFor();
    expect(await page.locator('#text').inputValue()).toBe('Mine');
    await rest(`PATCH /v1/posts/${id}`, { text: 'Theirs' });
    await page.getByText('This post was changed elsewhere while you wrote.').waitFor();
    await inspect('compose-elsewhere');
    await page.getByRole('button', { name: 'Keep my version' }).click();
    await page.keyboard.press('Control+s');
    await page.getByText('Draft kept.').waitFor();
    expect((await rest(`GET /v1/posts/${id}`)).text).toBe('Mine');
  });

  it('draws what each platform can be told besides', async ({ stage: { page, root, rest }, inspect }) => {
    for (const platform of ['TikTok', 'Pinterest']) {
      await page.goto(`${root}/dashboard/accounts`);
      await page.getByRole('button', { name: `Connect ${platform}` }).click();
      await page
        .getByRole('link', { name: `Continue to ${platform}` })
        .first()
        .click();
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.waitForURL(`${root}/dashboard/accounts?connected=acc_**`);
    }
    await page.goto(`${root}/dashboard/compose`);
    for (const box of await page.locator('.choice input').all()) await box.check();
    await page.getByLabel('Text for all accounts').fill('What we roast this week');
    await page.getByText('TikTok: needs an image or a video.').waitFor();
    await page.getByText('Pinterest: the board is required on Pinterest.').waitFor();
    await page.getByLabel(/^Board of /).selectOption({ index: 1 });
    await page.locator('summary').filter({ hasText: 'Only on TikTok' }).click();
    await page.getByLabel('Privacy level').selectOption('SELF_ONLY');
    await page.getByLabel('Disable comment').selectOption('Yes');
    await page.getByText('Pinterest: the board is required on Pinterest.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /Keep as draft/ }).click();
    await page.getByText('Draft kept.').waitFor();
    const [post] = (await rest('GET /v1/posts?search=roast')).data;
    expect(post.platform_data.tiktok).toEqual({ privacy_level: 'SELF_ONLY', disable_comment: true });
    await inspect('compose-options');
  });

  it('asks once before it publishes, naming the accounts', async ({ stage: { page, root, account } }) => {
    await page.goto(`${root}/dashboard/compose`);
    await page.getByRole('checkbox', { name: account.name }).check();
    await page.getByLabel('Text for all accounts').fill('Open today until six.');
    await page.getByRole('button', { name: 'Publish now …' }).click();
    await page.getByRole('dialog').getByText(account.name).waitFor();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.waitForURL(/\/dashboard\/posts\/post_/);
    await page.getByText('Published.').waitFor();
  });

  it('stays when the session ends, and goes on once the person has signed in elsewhere', async ({
    stage: { page, root, complaints },
  }) => {
    await page.goto(`${root}/dashboard/compose`);
    await page.locator('.choice input').first().check();
    await page.context().clearCookies();
    await page.getByLabel('Text for all accounts').fill('Not to be lost');
    const link = page.getByRole('link', { name: 'Sign in in a new tab' });
    const [tab] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
    await signIn(tab);
    await tab.waitForURL(`${root}/dashboard`);
    await tab.close();
    await page.getByRole('button', { name: /Keep as draft/ }).click();
    await page.getByText('Draft kept.').waitFor();
    expect(await page.locator('#text').inputValue()).toBe('Not to be lost');
    await link.waitFor({ state: 'detached' });
    complaints.length = 0;
  });

  it('takes the next free posting time, and the one after it', async ({ stage, inspect }) => {
    const { page, root, rest, account, complaints } = stage;
    await page.goto(`${root}/dashboard/compose`);
    const [choice] = await page.locator('.choice input').all();
    if (!(await choice!.isChecked())) await choice!.check();
    const button = page.getByRole('button', { name: 'Next free time' });
    await button.press('Enter');
    await page.getByText(/^No posting times are set .* under Settings in the dashboard\.$/).waitFor();
    expect(complaints.splice(0)).toEqual([expect.stringContaining('409')]);
    const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
    await rest('PUT /v1/posting-times', { times: days.map((day) => ({ day, time: '12:00' })) });
    const { times } = await rest(`GET /v1/posting-times/free?account_ids=${account.id}&count=2`);
    for (const { scheduled_at } of times as { scheduled_at: string }[]) {
      await button.press('Enter');
      await expect.poll(() => page.locator('#when').inputValue()).toBe(scheduled_at.slice(0, 16));
    }
    expect(await page.getByRole('status').filter({ hasText: '12:00 is free.' }).count()).toBe(1);
    await inspect('compose-next-time');
  });
});
