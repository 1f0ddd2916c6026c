import { describe, expect } from 'vitest';
import { missing } from '../../clients/chromium.ts';
import { it } from './stage.ts';

/** One red pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
);
const NAME = '<img src=x onerror=alert(1)>.png';

describe.skipIf(missing !== '')(`media in the dashboard${missing}`, () => {
  it('are uploaded, seen and deleted', async ({ stage: { page, rest, root, account }, inspect }) => {
    for (const { id } of (await rest('GET /v1/media')).data) await rest(`DELETE /v1/media/${id}`);
    await page.goto(`${root}/dashboard/media`);
    await page.getByText('No file is stored yet.').waitFor();
    await inspect('media-empty');
    await page.getByLabel(/^Upload files/).setInputFiles([
      { name: NAME, mimeType: 'image/png', buffer: PNG },
      { name: 'used.png', mimeType: 'image/png', buffer: PNG },
    ]);
    await page.getByText('used.png is there.').waitFor();
    await page.getByText('2 files,').waitFor();
    const { data } = await rest('GET /v1/media');
    expect(data.map(({ filename }: { filename: string }) => filename).toSorted()).toEqual([NAME, 'used.png']);
    await expect.poll(() => page.evaluate("document.querySelector('.thumb img').naturalWidth")).toBe(1);
    await inspect('media');

    // Its header is whole, and its pixels are not there.
    await page
      .getByLabel(/^Upload files/)
      .setInputFiles([{ name: 'half.png', mimeType: 'image/png', buffer: PNG.subarray(0, 45) }]);
    await page.locator('.thumb .blank', { hasText: 'half.png' }).waitFor();
    const [{ id: damaged, thumbnail_url: address }] = (await rest('GET /v1/media')).data;
    expect(await (await fetch(address)).json()).toMatchObject({
      error: { code: 'media.not_found', message: expect.stringContaining('half.png, which cannot be read') },
    });
    await rest(`DELETE /v1/media/${damaged}`);
    await page.reload();

    const used = data.find(({ filename }: { filename: string }) => filename === 'used.png').id as string;
    const post = { text: 'x', media_ids: [used], account_ids: [account.id], scheduled_at: '2030-01-05T09:00:00Z' };
    await rest('POST /v1/posts', post);
    const remove = async (name: string) => {
      await page.getByRole('button', { name: `Delete ${name}` }).press('Enter');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
    };
    await remove('used.png');
    await page
      .getByText('Failed:')
      .or(page.getByRole('img', { name: 'Failed:' }))
      .waitFor();
    expect(await page.locator('.media li').count()).toBe(2);
    await page.getByRole('link', { name: 'See where' }).click();
    await page.getByText('Only posts that use one file.').waitFor();
    expect(await page.locator('.post').count()).toBe(1);
    await page.goBack();
    await page.getByRole('link', { name: `Where it is used: ${NAME}` }).click();
    await page.getByText('No post here uses this file.').waitFor();
    await page.goBack();
    await remove(NAME);
    await page.getByText(`${NAME} is deleted.`).waitFor();
    expect(await page.locator('.media li').count()).toBe(1);
    expect(await page.locator(':focus').innerText()).toBe('Media');
  });
});
