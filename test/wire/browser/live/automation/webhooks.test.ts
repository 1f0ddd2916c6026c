import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { signV2 } from '#kernel/sign.ts';
import { forFile } from '../../../../harness/fixtures.ts';
import { makeFolder } from '../../../../harness/folders.ts';
import { receiverCertificates, startReceiver } from '../../../../harness/webhooks/receiver.ts';
import { missing } from '../../../clients/chromium.ts';
import { withSettings } from '../stage.ts';

const caFile = join(makeFolder(afterAll), 'ca.pem');
writeFileSync(caFile, receiverCertificates.ca);
const it = withSettings({ WEBHOOK_CA_FILE: caFile, ALLOW_PRIVATE_NETWORK: '127.0.0.0/8,::1/128' }).extend(
  'receiver',
  { scope: 'file' },
  forFile(async (atEnd) => {
    const receiver = await startReceiver();
    atEnd(() => receiver.close());
    return receiver;
  }),
);

describe.skipIf(missing !== '')(`webhooks in the dashboard${missing}`, () => {
  it('are made, tested, seen as they were signed, retried and replayed', async ({ stage, inspect, receiver }) => {
    const { page, root, rest, account } = stage;
    const button = (name: string | RegExp) => page.getByRole('button', { name });
    await page.goto(`${root}/dashboard/webhooks`);
    await page.getByText('npm run receiver').waitFor();
    await inspect('webhooks-empty');
    await page.getByLabel('Address').fill(receiver.url);
    await page.getByRole('checkbox', { name: 'All events' }).press('Space');
    await button('Add endpoint').press('Enter');
    await page.getByRole('heading', { name: 'Keep this secret now' }).waitFor();
    const secret = await page.locator('.secret .copy code').innerText();
    await inspect('webhooks');
    await page.getByRole('link', { name: 'I have kept it: send a test' }).press('Enter');

    await page.getByLabel('Event', { exact: true }).last().selectOption('post.published');
    await button('Send test').press('Enter');
    await page.getByText('It arrived: answered 204').waitFor();
    await button('See the request').press('Enter');
    await page.getByRole('heading', { name: 'Request' }).waitFor();
    const [test] = receiver.received as [(typeof receiver.received)[number]];
    const signature = signV2(secret, test.headers['x-service-timestamp'] as string, test.raw);
    await page.getByText(signature, { exact: true }).first().waitFor();
    await inspect('webhook');

    receiver.answer(500);
    await button('Send test').press('Enter');
    await page.getByText('It did not arrive: answered 500').waitFor();
    await page.getByRole('link', { name: 'See them' }).press('Enter');
    await page.getByText('Given up', { exact: true }).last().waitFor();
    await page.locator('.rows button').first().press('Enter');
    await page.getByText('your program answered 500').waitFor();
    await inspect('webhook-given-up');

    await page.getByRole('link', { name: 'All', exact: true }).press('Enter');
    await rest('POST /v1/posts', { text: 'Bread', account_ids: [account.id], publish_now: true });
    await button(/^Show \d+ new/).press('Enter');
    const published = page.locator('.rows li').filter({ has: page.getByRole('button', { name: 'post.published' }) });
    await published.first().getByText('Delivered').waitFor();
    await published.first().getByRole('button').press('Enter');
    await button('Send it again').press('Enter');
    await expect.poll(() => receiver.events().filter((name) => name === 'post.published').length).toBe(4);
    await button('Send again').press('Enter');
    await expect.poll(() => receiver.events().filter((name) => name === 'post.published').length).toBe(5);

    await button('Pause').press('Enter');
    await page.getByText('Paused: nothing is sent or kept').first().waitFor();
    await button('Delete').press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
    await page.getByText('The endpoint is deleted.').waitFor();
    await page.getByText('npm run receiver').waitFor();
  });
});
