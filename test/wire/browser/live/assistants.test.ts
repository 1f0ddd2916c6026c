import { describe, expect } from 'vitest';
import { missing } from '../../clients/chromium.ts';
import { PASSWORD } from '../owner.ts';
import { it } from './stage.ts';

const TEXT = 'Fresh bread from seven o’clock';

describe.skipIf(missing !== '')(`assistants in the dashboard${missing}`, () => {
  it('ask, and a person decides at the size of a phone', async ({ stage, inspect }) => {
    const { page, root, rest, account } = stage;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${root}/dashboard/assistants`);
    await page.getByText('Nothing is waiting for you.').waitFor();
    await inspect('assistants-empty');
    await page.getByRole('link', { name: /^Edit what/ }).click();
    await page.getByRole('radio', { name: /^Ask me first/ }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(`${root}/dashboard/assistants`);

    const ask = (text: string) => rest('POST /v1/posts', { text, account_ids: [account.id], publish_now: true });
    const held = await ask(TEXT);
    expect(held.status).toBe('held');
    // It stands there without a reload.
    await page.getByText('Publish a post').first().waitFor({ timeout: 5_000 });
    await expect.poll(() => page.title()).toBe('(1) Assistants · Rostra');
    for (const text of ['Second', 'Third', 'Fourth']) await ask(text);
    await page.locator('.held').nth(3).waitFor();
    await inspect('assistants');
    await page.getByRole('textbox', { name: 'Text' }).fill(`${TEXT}, every day`);
    await page.reload();
    await page.getByRole('button', { name: 'Approve with my changes' }).click();
    await page.getByRole('link', { name: 'See the post' }).waitFor();
    expect((await rest('GET /v1/posts')).data.map(({ text }: { text: string }) => text)).toEqual([
      `${TEXT}, every day`,
    ]);
    const [post] = (await rest('GET /v1/posts')).data;
    expect(await rest(`GET /v1/actions/${held.id}`)).toMatchObject({ state: 'done', outcome: { id: post.id } });

    // By the keys alone: the next is denied with a reason, two more are approved at once.
    await page.keyboard.press('j');
    await page.keyboard.press('d');
    await page.keyboard.type('Not today');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('.held').nth(1).getByText('Denied').first().waitFor();
    for (const key of ['j', 'x', 'j', 'x', 'a']) await page.keyboard.press(key);
    await page.getByRole('dialog').getByText('Approve 2?').waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await rest('GET /v1/posts')).data.length).toBe(3);
    await page.locator('.held .badge.published').nth(2).waitFor();
    await page.reload();
    await page.getByText('Decided recently').waitFor();
    await inspect('assistants-decided');

    // Of a stored post that would be moved, all is shown that would go out.
    const targets = [{ account_id: account.id, text: 'For one alone' }];
    const draft = await rest('POST /v1/posts', { text: 'For everybody', first_comment: 'And a word below', targets });
    const posts = [{ post_id: draft.id, scheduled_at: '2030-01-05T09:00:00Z' }];
    await rest('POST /v1/posts/reschedule', { posts });
    const moved = page.locator('.held', { hasText: 'Move posts to other times' });
    await moved.getByRole('button', { name: /^Move posts/ }).click();
    for (const shown of ['The post now', 'For everybody', 'And a word below', 'For one alone', /\b5 Jan 2030/])
      await moved.getByText(shown).first().waitFor();
    expect(await moved.getByText(/As soon as you approve|2030-01-05T/).count()).toBe(0);
    await inspect('assistants-posts');

    // More than before takes the password.
    await page.getByRole('link', { name: /^Edit what/ }).click();
    await inspect('assistants-leash');
    await page.getByRole('radio', { name: /^Everything/ }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your password is wrong').waitFor();
    await page.getByLabel('Your password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(`${root}/dashboard/assistants`);
    await page.getByRole('button', { name: /^End now/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End now' }).click();
    await page.getByText('Nothing is connected.').waitFor();
    await expect(rest('GET /v1/posts')).rejects.toThrow('auth.invalid_key');
  });
});
