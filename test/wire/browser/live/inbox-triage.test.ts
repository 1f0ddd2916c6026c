import { describe, expect } from 'vitest';
import { missing } from '../../clients/chromium.ts';
import { play } from './console.ts';
import { it } from './stage.ts';

const COMMENTS = 14;
const ALL = 20;

describe.skipIf(missing !== '')(`a triage of the inbox${missing}`, () => {
  it('goes through twenty things of four kinds by the keys alone, on a phone too', async ({
    stage: { page, root, rest, complaints },
    inspect,
  }) => {
    for (const platform of ['Facebook', 'Google Business Profile']) {
      await page.goto(`${root}/dashboard/accounts`);
      await page.getByRole('button', { name: `Connect ${platform}` }).click();
      await page.getByRole('link', { name: `Continue to ${platform}` }).click();
      await page.getByRole('button', { name: 'Continue' }).click();
      const done = page.getByText(`${platform} is connected`);
      const choice = page.getByRole('radio').first();
      await done.or(choice).first().waitFor();
      if (await choice.isVisible()) {
        await choice.check();
        await page.getByRole('button', { name: 'Connect', exact: true }).click();
      }
      await done.waitFor();
    }
    const [facebook] = (await rest('GET /v1/accounts?platform=facebook')).data;
    await rest('POST /v1/posts', { text: 'Fresh bread', account_ids: [facebook.id], publish_now: true });
    const sandbox = await page.context().newPage();
    await sandbox.goto(`${root}/sandbox/facebook`);
    for (let n = 1; n <= COMMENTS; n += 1)
      await play(sandbox, 'Comment on a post or answer a comment', { 'Comment (optional)': `Comment ${n}` });
    for (const Who of ['Mia Message', 'Fred Follower'])
      await play(sandbox, 'Write to a Page', { Who, Page: 'Harbour Coffee', 'Text (optional)': `Message of ${Who}` });
    for (let n = 1; n <= 3; n += 1)
      await play(sandbox, 'Mention a Page in an own post', { Page: 'Harbour Coffee', Text: `Mention ${n}` });
    await sandbox.goto(`${root}/sandbox/google`);
    await play(sandbox, 'Write a review', { Stars: '5', 'Text; empty is a rating alone (optional)': 'Best bread' });
    const waiting = async () => (await rest('GET /v1/inbox/unanswered?limit=100')).data as { kind: string }[];
    await expect.poll(async () => (await waiting()).length, { timeout: 20_000 }).toBe(ALL);
    expect(new Set((await waiting()).map(({ kind }) => kind)).size).toBe(4);

    await page.bringToFront();
    await page.goto(`${root}/dashboard/inbox?view=mentions`);
    await page.locator('.item', { hasText: 'Mention 3' }).waitFor();
    await page.goto(`${root}/dashboard/inbox?view=reviews`);
    await page.locator('.item', { hasText: 'Best bread' }).waitFor();
    await page.keyboard.press('j');
    await page.getByRole('article', { name: 'Review' }).waitFor();
    await inspect('inbox-review');
    await page.goto(`${root}/dashboard/inbox`);
    await expect.poll(() => page.title()).toBe(`(${ALL}) To answer · Inbox · Rostra`);
    for (let n = 1; n <= ALL; n += 1) {
      if (n === ALL / 2) await page.setViewportSize({ width: 390, height: 844 });
      await page.keyboard.press('j');
      await page.locator('#reply').waitFor();
      await page.keyboard.press('r');
      await page.keyboard.type(`Answer ${n}`);
      await page.keyboard.press('Control+Enter');
      await page.locator('.body', { hasText: `Answer ${n}` }).waitFor();
    }
    await expect.poll(async () => await waiting(), { timeout: 20_000 }).toEqual([]);
    await expect.poll(() => page.title()).toBe('To answer · Inbox · Rostra');
    await inspect('inbox-triage');
    expect(complaints).toEqual([]);
  });
});
