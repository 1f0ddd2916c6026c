import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, describe, expect } from 'vitest';
import { call } from '../../harness/calls/operations.ts';
import { makeFolder } from '../../harness/folders.ts';
import { gif, png } from '../../harness/media-samples.ts';
import { makeWorld, type Json, type World } from '../../harness/world.ts';
import { headingOf, missing } from '../clients/chromium.ts';
import { it } from './axe.ts';

const folder = makeFolder(afterAll);

function fileOf(name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}
const picture = fileOf('menu.png', png());
const other = fileOf('menu.gif', gif());

async function asked(world: World, more: object = {}): Promise<Json> {
  const input = { media_type: 'image/png', filename: 'menu.png', ...more };
  return (await call(world, 'get_media_upload_url', input)).body;
}

describe.skipIf(missing !== '')(`a person who uploads a file${missing}`, () => {
  it('chooses it without a script, after one that is refused', async ({ page, press, check, complaints }) => {
    const world = await makeWorld();
    const { upload_page, media_id } = await asked(world);
    await page.goto(upload_page);
    expect(await check('upload')).toBe('Upload a file');
    await page.getByLabel('File').setInputFiles(other);
    await press('Upload');
    expect(await page.getByRole('alert').innerText()).toContain('The bytes are image/gif.');
    expect(await page.locator('input:focus').getAttribute('name')).toBe('file');
    expect(await check('upload-refused')).toBe('Upload a file');
    await page.getByLabel('File').setInputFiles(picture);
    await press('Upload');
    expect(await check('upload-done')).toBe('The file has arrived');
    expect((await call(world, 'verify_media_upload', { media_id })).ok).toBe(true);

    const late = await asked(world);
    world.clock.move(15 * 60_000);
    await page.goto(late.upload_page);
    expect(await check('upload-expired')).toBe('This link has expired');
    expect(complaints.filter((line) => !line.includes('Failed to load resource'))).toEqual([]);
  });

  it('with a script drops it, or chooses it, and stays on the page', async ({ browser }) => {
    const world = await makeWorld();
    const { page, complaints } = await openTab(browser);
    const { upload_page, media_id } = await asked(world, { size_bytes: 400 });
    await page.goto(upload_page);
    await drop(page, 'large.png', png(3, 2, 500));
    expect(await page.getByRole('alert').innerText()).toContain('The file is larger than 400 bytes.');
    await drop(page, 'menu.gif', gif());
    await page.getByText('The bytes are image/gif.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(1);
    expect(await page.title()).toBe('Error: Upload a file · Rostra');
    await page.getByLabel('File').setInputFiles(picture);
    await page.getByRole('heading', { name: 'The file has arrived' }).waitFor();
    expect(await page.locator('h1:focus').count()).toBe(1);
    expect((await call(world, 'verify_media_upload', { media_id })).ok).toBe(true);
    await page.reload();
    expect(await headingOf(page)).toContain('The file has arrived');
    expect(complaints.filter((line) => !line.includes('Failed to load resource'))).toEqual([]);
    await page.context().close();
  });
});

/** A tab that runs scripts, with what its console complains of. */
async function openTab(browser: Browser) {
  const context = await browser.newContext();
  const complaints: string[] = [];
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  context.on('weberror', (error) => complaints.push(String(error.error())));
  return { page: await context.newPage(), complaints };
}

/** Drops a file on the page. */
async function drop(page: Page, name: string, bytes: Buffer): Promise<void> {
  const files = await page.evaluateHandle(
    `(() => {
      const held = new DataTransfer();
      const bytes = Uint8Array.from(${JSON.stringify([...bytes])});
      held.items.add(new File([bytes], ${JSON.stringify(name)}));
      return held;
    })()`,
  );
  await page.dispatchEvent('form', 'drop', { dataTransfer: files });
}
