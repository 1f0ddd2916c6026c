import { describe, expect } from 'vitest';
import { missing } from '../../clients/chromium.ts';
import { play } from './console.ts';
import { it } from './stage.ts';

const TEXT = 'Fresh bread from seven o’clock';

describe.skipIf(missing !== '')(`the inbox in the dashboard${missing}`, () => {
  it('says that nobody waits, in every view', async ({ stage: { page, root }, inspect }) => {
    await page.getByRole('link', { name: 'Inbox', exact: true }).click();
    await page.getByText('Everything is answered.').waitFor();
    await inspect('inbox-empty');
    for (const [view, words] of [
      ['messages', 'There are no conversations here.'],
      ['comments', 'No post here has comments.'],
      ['mentions', 'Nobody has mentioned these accounts.'],
      ['reviews', 'There is no review here.'],
    ] as const) {
      await page.keyboard.press(']');
      await page.waitForURL(`${root}/dashboard/inbox?view=${view}`);
      await page.getByText(words).waitFor();
    }
  });

  it('hears what is written in two seconds, and answers by the keys alone', async ({
    stage: { page, root, rest, account },
    inspect,
  }) => {
    await page.goto(`${root}/dashboard/accounts`);
    await page.getByRole('button', { name: 'Connect Facebook' }).click();
    await page.getByRole('link', { name: 'Continue to Facebook' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Facebook is connected').waitFor();
    const [facebook] = (await rest('GET /v1/accounts?platform=facebook')).data;
    await rest('POST /v1/posts', { text: TEXT, account_ids: [facebook.id], publish_now: true });
    expect(account.id).not.toBe(facebook.id);

    await page.goto(`${root}/dashboard/inbox`);
    await page.getByText('Everything is answered.').waitFor();
    const sandbox = await page.context().newPage();
    await sandbox.goto(`${root}/sandbox/facebook`);
    const post = sandbox.locator('#posts article').filter({ hasText: TEXT });
    const form = post.locator('details', { hasText: 'Comment' }).first();
    await form.locator('summary').click();
    await form.getByRole('textbox', { name: /^Comment/ }).fill('Is there rye as well?');
    await form.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.locator('.item', { hasText: 'Is there rye as well?' }).waitFor({ timeout: 2_000 });
    await expect.poll(() => page.title()).toBe('(1) To answer · Inbox · Rostra');
    await play(sandbox, 'Write to a Page', {
      Who: 'Mia Message',
      Page: 'Harbour Coffee',
      'Text (optional)': 'Are you open?',
    });
    await page.locator('.item', { hasText: 'Are you open?' }).waitFor({ timeout: 2_000 });

    await page.keyboard.press('j');
    await page.getByText('You can write until').waitFor();
    await inspect('inbox-message');
    await page.keyboard.press('r');
    await page.keyboard.type('Until six o’clock.');
    await page.reload();
    await expect.poll(() => page.locator('#reply').inputValue()).toBe('Until six o’clock.');
    await page.keyboard.press('r');
    await page.keyboard.press('Control+Enter');
    await page.locator('.item', { hasText: 'Mia' }).getByText('Answered').waitFor();
    await page.keyboard.press('j');
    await page.locator('.comment', { hasText: 'Is there rye' }).waitFor();
    await inspect('inbox-comment');
    await page.keyboard.press('r');
    await page.keyboard.type('On Saturdays.');
    await page.keyboard.press('Control+Enter');
    await page.locator('.comment', { hasText: 'On Saturdays.' }).waitFor();
    await inspect('inbox-answered');
    await sandbox.reload();
    await sandbox.locator('.said', { hasText: 'On Saturdays.' }).first().waitFor();
    await sandbox.locator('.said', { hasText: 'Until six o’clock.' }).first().waitFor();
  });

  it('keeps what was not sent, with a way to send it again', async ({ stage: { page, complaints }, inspect }) => {
    await page.keyboard.press('k');
    await page.locator('.thread h2', { hasText: 'Mia Message' }).waitFor();
    await page.route('**/messages', (route) => route.abort());
    await page.keyboard.press('r');
    await page.keyboard.type('And on Sundays?');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Not sent. No answer came.').waitFor();
    complaints.length = 0;
    await page.unroute('**/messages');
    await page.reload();
    await inspect('inbox-failed');
    await page.getByRole('button', { name: 'Retry' }).press('Enter');
    await page
      .locator('.bubble', { hasText: 'And on Sundays?' })
      .getByText(/Sent|Delivered|Read/)
      .waitFor();
    expect(await page.getByText('Not sent').count()).toBe(0);
  });

  it('takes what is written before the thread has loaded', async ({ stage: { page, root } }) => {
    const loaded = Promise.withResolvers<void>();
    await page.route('**/inbox/threads/**', async (route) => {
      await loaded.promise;
      await route.continue();
    });
    await page.goto(`${root}/dashboard/inbox?view=messages`);
    await page.locator('.item', { hasText: 'Mia Message' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('r');
    await page.keyboard.type('We are.');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Sent once the thread has loaded').waitFor();
    expect(await page.locator('#reply').inputValue()).toBe('We are.');
    loaded.resolve();
    await page
      .locator('.bubble', { hasText: 'We are.' })
      .getByText(/Sent|Delivered|Read/)
      .waitFor();
    expect(await page.locator('#reply').inputValue()).toBe('');
    await page.unroute('**/inbox/threads/**');
  });

  it('finds what was written, and opens its thread there', async ({ stage: { page, root }, inspect }) => {
    await page.goto(`${root}/dashboard/inbox`);
    await page.locator('h1', { hasText: 'Inbox' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('nowhere');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing matches your search.').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('are you op');
    await page.keyboard.press('Enter');
    await page.locator('.item mark', { hasText: 'open' }).waitFor();
    await page.keyboard.press('j');
    await page.locator('.bubble.is-found', { hasText: 'Are you open?' }).waitFor();
    await inspect('inbox-search');
    const kinds = page.getByRole('combobox', { name: 'Kind of what is found' });
    await kinds.focus();
    await kinds.selectOption({ label: 'Comments' });
    await page.getByText('Nothing matches your search.').waitFor();
    // The list that was chosen from can be chosen from again.
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Kind of what is found');
    // After a choice by the mouse, single keys do something.
    const { x, y, width, height } = (await kinds.boundingBox())!;
    await page.mouse.click(x + width / 2, y + height / 2);
    await kinds.selectOption({ label: 'Messages' });
    await page.locator('.item mark', { hasText: 'open' }).waitFor();
    await page.keyboard.press('j');
    await page.locator('.thread h2', { hasText: 'Mia Message' }).waitFor();
  });

  it('hides and likes a comment, archives a thread, and takes that back', async ({ stage: { page, rest, root } }) => {
    await page.goto(`${root}/dashboard/inbox?view=comments`);
    await page.keyboard.press('j');
    await page.locator('.comment', { hasText: 'Is there rye' }).waitFor();
    await page.getByRole('button', { name: 'Answer: comment of Fred Follower', exact: true }).press('Enter');
    await page.keyboard.press('Escape');
    await page.keyboard.press('h');
    await page.getByText('Hidden from others:').waitFor();
    await page.keyboard.press('z');
    await page.getByText('Shown again:').waitFor();
    await page.keyboard.press('l');
    await page.getByText('Liked:').waitFor();
    await page.goto(`${root}/dashboard/inbox?view=messages`);
    await page.keyboard.press('j');
    await page.locator('.thread h2', { hasText: 'Mia Message' }).waitFor();
    await page.keyboard.press('e');
    await page.getByText('Archived:').waitFor();
    expect((await rest('GET /v1/inbox/conversations?status=archived')).data).toHaveLength(1);
    await page.keyboard.press('z');
    await page.getByText('Undone:').waitFor();
    expect((await rest('GET /v1/inbox/conversations?status=archived')).data).toEqual([]);
  });

  it('shows the list and what is open in turns on a phone', async ({ stage: { page, root } }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${root}/dashboard/inbox?view=messages`);
    await page.locator('.item', { hasText: 'Mia Message' }).click();
    await page.locator('.thread h2', { hasText: 'Mia Message' }).waitFor();
    expect(await page.locator('.item').first().isVisible()).toBe(false);
    await page.goBack();
    await page.locator('.item', { hasText: 'Mia Message' }).press('Enter');
    await expect.poll(() => page.locator(':focus').innerText()).toBe('Mia Message');
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await page.locator('.item', { hasText: 'Mia Message' }).waitFor();
    await page.setViewportSize({ width: 1360, height: 900 });
  });
});
