import { describe, expect } from 'vitest';
import { missing } from '../../clients/chromium.ts';
import { it } from './stage.ts';

const HOSTILE = '<img src=x onerror=alert(1)> "\'&amp; </main><script>alert(2)</script>';

describe.skipIf(missing !== '')(`posts in the dashboard${missing}`, () => {
  it('are none at first', async ({ stage: { page, root }, inspect }) => {
    await page.goto(`${root}/`);
    await page.getByRole('link', { name: 'Posts', exact: true }).click();
    await page.getByText('There is no post yet.').waitFor();
    await inspect('posts-empty');
  });

  it('are listed by their state, and come without a reload', async ({
    stage: { page, rest, root, account },
    inspect,
  }) => {
    const make = (text: string, more = {}) => rest('POST /v1/posts', { text, account_ids: [account.id], ...more });
    await make('Cupping on Saturday, 4 seats left.', { scheduled_at: '2030-01-05T09:00:00Z' });
    await page.getByRole('button', { name: 'Show what is new' }).click();
    await page.getByRole('link', { name: /Scheduled.*Cupping on Saturday/ }).waitFor();
    await make('A look behind the scenes', { publish_now: true });
    await make(HOSTILE);
    for (let at = 0; at < 26; at += 1) await make(`Draft number ${at}`);
    await page.goto(`${root}/dashboard/posts`);
    expect(await page.locator('.post').count()).toBe(25);
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText(HOSTILE).waitFor();
    await inspect('posts');
    await page.getByRole('link', { name: 'Published', exact: true }).click();
    await page.getByRole('link', { name: /A look behind/ }).waitFor();
    expect(await page.locator('.post').count()).toBe(1);
    await page.getByLabel('Text of posts').fill('nothing of the kind');
    await page.keyboard.press('Enter');
    await page.getByText('No post here says “nothing of the kind”.').waitFor();
  });

  it('are opened by the keys alone, and acted upon', async ({ stage: { page, rest, root }, inspect }) => {
    await page.goto(`${root}/dashboard/keys`);
    await page.goto(`${root}/dashboard/posts?view=scheduled`);
    await page.locator('.post').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Post', exact: true }).waitFor();
    await page.getByText('Cupping on Saturday').waitFor();
    await inspect('post-scheduled');
    await page.getByRole('button', { name: 'Publish now' }).click();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('Published.').waitFor();
    await page.getByRole('link', { name: /See it on/ }).waitFor();
    expect((await rest('GET /v1/posts?status=published')).data).toHaveLength(2);
    await inspect('post-published');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.locator(':focus').innerText()).toBe('Delete');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL(`${root}/dashboard/posts`);
    await page.getByText('Deleted.').waitFor();
  });

  it('are reached by commands, and keys are listed', async ({ stage: { page, root }, inspect }) => {
    await page.goto(`${root}/dashboard/posts`);
    await page.locator('.post').first().waitFor();
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('failed');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${root}/dashboard/posts?view=failed`);
    await page.getByText('Nothing failed.').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await page.waitForURL(`${root}/dashboard/keys`);
    await inspect('keys');
  });

  it('are filtered by account, and the address keeps it', async ({
    stage: { page, root, account, complaints },
    inspect,
  }) => {
    await page.goto(`${root}/dashboard/posts`);
    await page.getByLabel('Account', { exact: true }).focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    await page.waitForURL(`${root}/dashboard/posts?account=${account.id}`);
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Account');
    await page.getByRole('link', { name: 'Failed', exact: true }).click();
    await page.waitForURL(`${root}/dashboard/posts?view=failed&account=${account.id}`);
    await page.getByText('No post here matches the filters.').waitFor();
    await inspect('posts-filtered-empty');
    await page.getByRole('link', { name: 'Remove the filters' }).click();
    await page.waitForURL(`${root}/dashboard/posts?view=failed`);
    await page.goto(`${root}/dashboard/posts?account=acc_none`);
    await page.getByText('There is no account acc_none').waitFor();
    await page.getByRole('link', { name: 'Remove the filters' }).click();
    await page.locator('.post').first().waitFor();
    complaints.length = 0;
  });

  it('are selected and moved, unscheduled and deleted by the keys alone', async ({
    stage: { page, rest, root, account },
  }) => {
    for (let at = 1; at <= 3; at += 1)
      await rest('POST /v1/posts', {
        text: `Offer ${at} of the week`,
        account_ids: [account.id],
        scheduled_at: `2030-02-0${at}T09:00:00Z`,
      });
    const scheduled = async () =>
      ((await rest('GET /v1/posts?status=scheduled&search=Offer')).data as { scheduled_at: string }[]).map((one) =>
        one.scheduled_at.slice(0, 16),
      );
    await page.goto(`${root}/dashboard/posts?view=scheduled&search=Offer`);
    await page.locator('.post').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('2 selected').waitFor();
    await page.keyboard.press('a');
    expect(await page.locator(':focus').innerText()).toBe('Move');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Move 2 posts' }).waitFor();
    await page.getByLabel('By how much').fill('4');
    await page.keyboard.press('Enter');
    await page.getByText('2 posts moved.').waitFor();
    expect(await scheduled()).toEqual(['2030-02-01T09:00', '2030-02-06T09:00', '2030-02-07T09:00']);

    await page.getByLabel('Select all on this page').focus();
    await page.keyboard.press('Space');
    await page.getByText('3 selected').waitFor();
    await page.keyboard.press('a');
    await page.keyboard.press('Enter');
    await page.getByLabel('By how much').fill('300');
    await page.getByLabel('Unit').selectOption('days');
    await page.getByLabel('Direction').selectOption('earlier');
    await rest('DELETE /v1/posts/' + (await rest('GET /v1/posts?search=Offer 1')).data[0].id);
    await page.getByText('2 selected').waitFor();
    await page.getByLabel('By how much').press('Enter');
    await page.getByText('2 posts moved.').waitFor();
    await page.getByLabel('Select all on this page').press('Space');
    await page.getByRole('button', { name: 'Unschedule' }).press('Enter');
    await page.getByRole('heading', { name: 'Unschedule 2 posts?' }).waitFor();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByText('2 posts unscheduled.').waitFor();
    expect(await scheduled()).toEqual([]);
    await page.getByRole('link', { name: /Draft.*Offer 2/ }).waitFor();
    await page.getByLabel('Select all on this page').press('Space');
    await page.getByRole('button', { name: 'Delete' }).press('Enter');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByText('2 posts deleted.').waitFor();
    await page.getByText('No post here says “Offer”.').waitFor();
    expect(await page.locator(':focus').innerText()).toBe('Posts');
  });

  it('that could not be moved stay selected, each with the reason', async ({
    stage: { page, rest, root, account },
  }) => {
    for (const [text, day] of [
      ['Report too early', '2030-03-01'],
      ['Report late enough', '2033-03-01'],
    ])
      await rest('POST /v1/posts', { text, account_ids: [account.id], scheduled_at: `${day}T09:00:00Z` });
    await page.goto(`${root}/dashboard/posts?view=scheduled&search=Report`);
    await page.getByLabel('Select all on this page').press('Space');
    await page.getByRole('button', { name: 'Move' }).press('Enter');
    // Now is before the new time of the later post only.
    const days = Math.ceil((Date.parse('2030-03-02') - Date.now()) / 86_400_000);
    await page.getByLabel('By how much').fill(`${days}`);
    await page.getByLabel('Direction').selectOption('earlier');
    await page.getByLabel('By how much').press('Enter');
    await page.getByText('1 of 2 posts could not be moved:').waitFor();
    await page.getByText('1 post moved.').waitFor();
    await page.locator('.refusal').getByRole('link', { name: 'Report too early' }).waitFor();
    await page.getByText('1 selected').waitFor();
  });

  it('that failed say why, and what to do about it', async ({ stage: { page, rest, root, account }, inspect }) => {
    const tooLong = { text: 'x'.repeat(400), account_ids: [account.id], skip_validation: true, publish_now: true };
    await expect(rest('POST /v1/posts', tooLong)).rejects.toThrow('platform.bluesky');
    await page.goto(`${root}/dashboard/posts?view=failed`);
    await page.locator('.post.failed').click();
    await page.locator('.target .refusal').waitFor();
    await page.getByRole('button', { name: 'Publish again' }).waitFor();
    expect(await page.title()).toContain('Failed: ');
    await inspect('post-failed');
  });

  it('are published, and published again, several at once', async ({
    stage: { page, rest, root, account },
    inspect,
  }) => {
    for (const text of ['News of the day', 'News of the week'])
      await rest('POST /v1/posts', { text, account_ids: [account.id] });
    await page.goto(`${root}/dashboard/posts?view=draft&search=News`);
    await page.getByLabel('Select all on this page').press('Space');
    await page.getByText('2 selected').waitFor();
    await inspect('posts-selected', (copy) => copy.getByLabel('Select all on this page').check());
    await page.getByRole('button', { name: 'Publish now' }).press('Enter');
    await page.getByRole('heading', { name: 'Publish 2 posts now?' }).waitFor();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByText('2 posts sent.').waitFor();
    expect((await rest('GET /v1/posts?status=published&search=News')).data).toHaveLength(2);

    const tooLong = { text: 'y'.repeat(400), account_ids: [account.id], skip_validation: true, publish_now: true };
    await expect(rest('POST /v1/posts', tooLong)).rejects.toThrow('platform.bluesky');
    await page.goto(`${root}/dashboard/posts?view=failed`);
    await page.getByLabel('Select all on this page').press('Space');
    await page.getByRole('button', { name: 'Publish again' }).press('Enter');
    await page.getByRole('heading', { name: 'Publish 2 posts again?' }).waitFor();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByText('2 posts sent again.').waitFor();
    await page.getByText('Select all on this page').waitFor();
  });

  it('that do not exist have a page that says so', async ({ stage: { page, root, complaints } }) => {
    const answer = await page.goto(`${root}/dashboard/posts/none`);
    expect(answer?.status()).toBe(404);
    expect(await page.locator('main').innerText()).toContain('none');
    complaints.length = 0;
  });

  it('are shown to nobody who is not signed in', async ({ stage: { page, root } }) => {
    await page.context().clearCookies();
    await page.goto(`${root}/dashboard/posts`);
    await page.waitForURL(`${root}/sign-in?next=%2Fdashboard%2Fposts`);
  });
});
