import { describe, expect } from 'vitest';
import { makeFolder } from '../../harness/folders.ts';
import { missing } from '../clients/chromium.ts';
import { serve } from '../clients/serving.ts';
import { it } from './axe.ts';

/** What a person meets who opens an address that shows nothing: its path, and what the page is called. */
const PROBLEMS = [
  ['no-page', '/nothing/here', 404, 'There is no such page'],
  ['no-method', '/oauth/token', 405, 'This address cannot be opened'],
  ['late-set-up', '/setup?token=0', 403, 'This set-up link is not valid'],
  ['late-join', '/join?token=0', 403, 'This invitation is not valid'],
  ['late-media', '/media/none/a.png', 403, 'This link no longer works'],
  ['no-upload', '/upload/none', 403, 'Nothing can be uploaded here'],
  ['late-connection', '/connect/bluesky/callback?state=0&code=0', 403, 'That did not work'],
  ['no-result', '/connect/result', 400, 'There is no result to show'],
  ['no-invitation', '/invite/none', 400, 'This is not the address of an invitation.'],
  ['no-client', '/oauth/authorize?client_id=none', 400, 'That did not work'],
] as const;

describe.skipIf(missing !== '')(`a person who opens what cannot be shown${missing}`, () => {
  it('reads why, on a page that is as clean as others', async ({ page, check }) => {
    const server = await serve(makeFolder(), { SANDBOX: 'on' });
    for (const [name, path, status, heading] of PROBLEMS) {
      expect([path, (await page.goto(`${server.root}${path}`))?.status()]).toEqual([path, status]);
      expect([path, await check(`problem-${name}`)]).toEqual([path, heading]);
    }
    await server.stop();
  });

  it('reads that the server is paused', async ({ page, check }) => {
    const server = await serve(makeFolder(), { SANDBOX: 'on', PAUSED: 'on' });
    for (const path of ['/', '/sign-in', '/connect/result']) {
      await page.goto(`${server.root}${path}`);
      expect(await page.getByRole('status').innerText()).toContain('This server is paused');
      await check(`paused${path.replaceAll('/', '-')}`);
    }
    await server.stop();
  });

  it('reads at another name of the server where it is', async ({ page, check }) => {
    const server = await serve(makeFolder(), { SANDBOX: 'on' });
    const other = server.root.replace('//localhost', '//elsewhere.localhost');
    expect((await page.goto(`${other}/dashboard`))?.status()).toBe(421);
    expect(await check('problem-other-name')).toBe('This server has another address');
    await page.getByRole('link', { name: `Open ${server.root}` }).click();
    expect(page.url()).toBe(`${server.root}/`);
    await server.stop();
  });
});
