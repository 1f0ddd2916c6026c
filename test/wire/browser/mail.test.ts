import { describe, expect } from 'vitest';
import { makeFolder } from '../../harness/folders.ts';
import { missing } from '../clients/chromium.ts';
import { startMailServer } from '../clients/mail-server.ts';
import { serve } from '../clients/serving.ts';
import { it } from './axe.ts';
import { EMAIL, fillSetUp } from './owner.ts';

const NEXT = 'a quiet long password';

describe.skipIf(missing !== '')(`a server that sends mail, without scripts${missing}`, () => {
  it('mails invitations and links for a new password, and asks what people are notified of', async ({
    page,
    check,
    press,
  }) => {
    const mail = await startMailServer();
    const server = await serve(makeFolder(), { SANDBOX: 'on', ...mail.env });
    const { root } = server;
    await page.goto(server.setUpLink());
    await fillSetUp(page);
    await press('Become the owner');
    await page.goto(`${root}/dashboard/people`);
    await page.getByLabel('E-mail address').fill('bea@example.org');
    expect(await check('people-by-mail')).toBe('People');
    await press('Send the invitation');
    await page.getByText('A mail with this link was sent to bea@example.org').waitFor();
    const invitation = await page.locator('.secret').innerText();
    expect(await mail.next()).toContain(`\n${invitation}\n`);

    await page.goto(`${root}/dashboard/settings`);
    await page.getByRole('link', { name: 'E-mail notifications' }).press('Enter');
    expect(await check('notifications')).toBe('E-mail notifications');
    await page.getByLabel('Requests of assistants').press('Space');
    await press('Save');
    await page.waitForURL(`${root}/dashboard/settings`);

    await page.goto(`${root}/sign-out`);
    await press('Sign out');
    await page.goto(`${root}/sign-in`);
    await check('sign-in-by-mail');
    await page.getByRole('link', { name: 'Forgot your password?' }).press('Enter');
    expect(await check('forgot')).toBe('Forgot your password?');
    await page.getByLabel('E-mail address').fill('nobody');
    await page.locator('form').evaluate((form) => ((form as unknown as { noValidate: boolean }).noValidate = true));
    await press('Send the link');
    await page.getByText('This is not an e-mail address.').waitFor();
    await check('forgot-refused');
    await page.getByLabel('E-mail address').fill(EMAIL);
    await press('Send the link');
    await page.getByText('a link is on its way').waitFor();
    await check('forgot-asked');

    const link = /^\S+\/new-password\?token=\w+$/m.exec(await mail.next())![0];
    await page.goto(link);
    expect(await page.getByLabel('New password', { exact: true }).evaluate((field) => field.matches(':focus'))).toBe(
      true,
    );
    expect(await check('new-password')).toBe('Choose a new password');
    await page.keyboard.type(NEXT);
    await page.keyboard.press('Tab');
    await page.keyboard.type(`${NEXT}r`);
    await page.keyboard.press('Enter');
    await page.getByText('The passwords differ').waitFor();
    await check('new-password-refused');
    await page.getByLabel('New password', { exact: true }).fill(NEXT);
    await page.getByLabel('New password once more').fill(NEXT);
    await press('Save the password');
    await page.waitForURL(`${root}/dashboard`);
    expect(await mail.next()).toContain('Your Rostra password was changed');
    await page.goto(link);
    expect(await check('new-password-spent')).toBe('This link is not valid');
    await server.stop();
    await mail.stop();
  });
});
