import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect } from 'vitest';
import { makeFolder } from '../../../harness/folders.ts';
import { mp4, png } from '../../../harness/media-samples.ts';
import { phonePhoto } from '../../../harness/pictures/samples.ts';
import { missing } from '../../clients/chromium.ts';
import { it } from './stage.ts';

/** Larger than what a form takes. */
const LARGE = 51 * 1024 * 1024;
const picture = (name: string) => ({ name, mimeType: 'image/png', buffer: png() });

/** A video whose last box is empty, so that it takes no room on the disk. */
function largeVideo(): string {
  const path = join(makeFolder(afterAll), 'opening.mp4');
  const start = mp4();
  const header = Buffer.alloc(8);
  header.writeUInt32BE(LARGE - start.length);
  header.write('free', 4);
  writeFileSync(path, Buffer.concat([start, header]));
  truncateSync(path, LARGE);
  return path;
}

/** Lets a page take a file as if it was pasted or dropped. */
async function give(page: Page, selector: string, event: string, name: string): Promise<void> {
  await page.evaluate(`(() => {
    const held = new DataTransfer();
    const bytes = Uint8Array.from(${JSON.stringify([...png()])});
    held.items.add(new File([bytes], ${JSON.stringify(name)}, { type: 'image/png' }));
    const how = { clipboardData: held, dataTransfer: held, bubbles: true, cancelable: true };
    document.querySelector(${JSON.stringify(selector)}).dispatchEvent(${event});
  })()`);
}

describe.skipIf(missing !== '')(`what the composer takes${missing}`, () => {
  it('is another file, comment and time for one account', async ({ stage: { page, root, rest, account }, inspect }) => {
    await page.goto(`${root}/dashboard/accounts`);
    await page.getByRole('button', { name: 'Connect Threads' }).click();
    await page.getByRole('link', { name: 'Continue to Threads' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Threads is connected').waitFor();
    await page.goto(`${root}/dashboard/compose?at=2030-02-01T10:30`);
    for (const box of await page.locator('.choice input').all()) await box.check();
    await page.getByLabel('Text for all accounts').fill('Behind the scenes');
    await page.locator('#files').setInputFiles([picture('all.png')]);
    await page.getByLabel('Description of all.png').fill('For all');

    await page.getByRole('tab', { name: account.name }).press('Enter');
    await page.getByText('These files are for all accounts').waitFor();
    await page.getByRole('button', { name: 'Remove all.png' }).press('Enter');
    await page.locator('#files').setInputFiles([picture('one.png')]);
    await page.getByLabel('Description of one.png').fill('For one');
    await page.getByText('This account has its own files.').waitFor();
    await page.getByLabel('First comment').fill('Only here.');
    await page.getByText('This account has its own first comment.').waitFor();
    await page.getByText('Another time for one account').press('Enter');
    await page.getByLabel(new RegExp(`^Time of .*${account.name}`)).fill('2030-02-02T08:00');
    const different = page.getByRole('tab', { name: /different from all/ });
    await different.waitFor();
    await page.getByText('Saved on this device').waitFor();
    await inspect('compose-own');
    await page.keyboard.press('Control+Enter');
    await page.waitForURL(/\/dashboard\/posts\/post_/);

    const [post] = (await rest('GET /v1/posts?status=scheduled')).data;
    const [own, other] = post.targets.toSorted((one: { account_id: string }) =>
      one.account_id === account.id ? -1 : 1,
    );
    expect(own).toMatchObject({
      first_comment: 'Only here.',
      scheduled_at: '2030-02-02T08:00:00.000Z',
      platform_data: { alts: ['For one'] },
    });
    expect(other).toMatchObject({ first_comment: null, scheduled_at: null, media_ids: post.media_ids });
    expect(own.media_ids).not.toEqual(post.media_ids);
    await page.goto(`${root}/dashboard/compose?post=${post.id}`);
    await different.click();
    await page.getByRole('button', { name: 'Use the files for all accounts' }).press('Enter');
    expect(await page.getByLabel('Description of all.png').inputValue()).toBe('For all');
  });

  it('is for a few of 300 accounts, which are found by keys', async ({ stage, inspect }) => {
    const { page, root, begin } = stage;
    await begin('**/dashboard/compose?many', (first) => {
      const {
        data: [account],
      } = first['list_accounts'] as { data: [object] };
      const {
        data: [brand],
      } = first['list_brands'] as { data: [object] };
      const names = ['Bäckerei Süd', ...Array.from({ length: 29 }, (_, n) => `Client ${n}`)];
      first['list_brands'] = { data: names.map((name, n) => ({ ...brand, id: `brand_${n}`, name })) };
      first['list_accounts'] = {
        data: Array.from({ length: 300 }, (_, n) => ({
          ...account,
          id: `acc_${n}`,
          name: `Account ${n}`,
          brand_id: `brand_${n % names.length}`,
        })),
      };
    });
    await page.goto(`${root}/dashboard/compose?many`);
    await page.getByText('300 accounts, 0 chosen').waitFor();
    await inspect('compose-many');
    await page.getByRole('searchbox', { name: 'Find an account' }).focus();
    await page.keyboard.type('backerei sud');
    await page.getByText('10 of 300 accounts, 0 chosen').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.getByRole('searchbox', { name: 'Find an account' }).fill('nobody');
    await page.getByText('1 of 300 accounts, 1 chosen').waitFor();
    await page.getByRole('checkbox', { name: 'Account 0' }).press('Space');
    await page.getByText('No account has these words.').waitFor();
  });

  it('is a long text, split into a thread', async ({ stage: { page, root, rest, account } }) => {
    await page.goto(`${root}/dashboard/compose`);
    await page.getByRole('checkbox', { name: account.name }).check();
    const sentences = Array.from({ length: 12 }, (_, at) => `This is sentence ${at + 1} of a text that goes on.`);
    await page.getByLabel('Text for all accounts').fill(sentences.join(' '));
    await page.getByRole('button', { name: 'Split it into a thread' }).press('Enter');
    await page.getByLabel('Post 2 of the thread').waitFor();
    await page.locator('.issues li').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+s');
    await page.getByText('Draft kept.').waitFor();
    const [post] = (await rest('GET /v1/posts?search=sentence')).data;
    expect([post.text, ...post.segments.map(({ text }: { text: string }) => text)].join(' ')).toBe(sentences.join(' '));
  });

  it('are pictures that are converted, each by its name', async ({ stage: { page, root, account }, inspect }) => {
    await page.goto(`${root}/dashboard/compose`);
    await page.getByRole('checkbox', { name: account.name }).check();
    await page.getByLabel('Text for all accounts').fill('From my phone');
    const buffer = await phonePhoto(300, 200, 8);
    const turned = ['one.jpg', 'two.jpg'].map((name) => ({ name, mimeType: 'image/jpeg', buffer }));
    await page.locator('#files').setInputFiles([picture('plain.png'), ...turned]);
    for (const at of [2, 3])
      await page
        .getByText(new RegExp(`, picture ${at}: will be converted to JPEG, .*300 × 200\\.$`))
        .first()
        .waitFor();
    await inspect('compose-converted');
  });

  it('is a picture whose shape is refused, with borders', async ({ stage: { page, root, rest } }) => {
    await page.goto(`${root}/dashboard/accounts`);
    await page.getByRole('button', { name: 'Connect Instagram' }).click();
    await page.getByRole('link', { name: 'Continue to Instagram' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Instagram is connected').waitFor();
    await page.goto(`${root}/dashboard/compose`);
    await page.getByRole('checkbox', { name: /Instagram/ }).check();
    await page.getByLabel('Text for all accounts').fill('The whole coast');
    const wide = { name: 'wide.jpg', mimeType: 'image/jpeg', buffer: await phonePhoto(1200, 200, 1) };
    await page.locator('#files').setInputFiles([wide]);
    await page.getByText('an image takes an aspect ratio of 4:5 to 1.91:1.').waitFor();
    await page.getByRole('button', { name: 'Add borders' }).press('Enter');
    await page.getByText('Gets borders where its shape is refused.').waitFor();
    expect(await page.locator('button:focus').innerText()).toContain('Undo');
    await page.locator('.issues .bad').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+s');
    await page.getByText('Draft kept.').waitFor();
    const [post] = (await rest('GET /v1/posts?search=coast')).data;
    expect(post.media.at(-1)).toMatchObject({ fit: 'pad' });
  });

  it('are files that are pasted or dropped', async ({ stage: { page, root } }) => {
    await page.goto(`${root}/dashboard/compose`);
    await page.getByLabel('Text for all accounts').waitFor();
    await give(page, '#text', "new ClipboardEvent('paste', how)", 'pasted.png');
    await page.getByLabel('Description of pasted.png').waitFor();
    await give(page, '.previews', "new DragEvent('drop', how)", 'dropped.png');
    await page.getByLabel('Description of dropped.png').waitFor();
  });

  it('is a large file, which can be cancelled', async ({ stage: { page, root, rest } }) => {
    const path = largeVideo();
    await page.goto(`${root}/dashboard/compose`);
    let isHeld = true;
    await page.route('**/upload/*', async (route) => {
      if (!isHeld) await route.continue();
    });
    await page.locator('#files').setInputFiles(path);
    await page.getByRole('progressbar', { name: 'Sending opening.mp4' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).press('Enter');
    await page.getByRole('progressbar').waitFor({ state: 'detached' });
    isHeld = false;
    await page.locator('#files').setInputFiles(path);
    await page.getByLabel('Description of opening.mp4').waitFor();
    await page.unroute('**/upload/*');
    const [video] = (await rest('GET /v1/media')).data;
    expect(video).toMatchObject({ filename: 'opening.mp4', content_type: 'video/mp4', size_bytes: LARGE });
  });
});
