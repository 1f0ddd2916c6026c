import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { missing } from '../../clients/chromium.ts';
import { it } from './stage.ts';
import { play } from './console.ts';

const BODY = { type: 'BODY', text: 'Your order {{1}} is ready.', example: { body_text: [['A-17']] } };
const MANY = 200;

/** A conversation as the server lists it, of somebody who does not exist. */
const aConversation = (account_id: string, n: number) => ({
  id: `conv_${n}`,
  account_id,
  platform: 'whatsapp',
  participant_name: `Person ${n}`,
  participant_picture: null,
  status: 'active',
  unread_count: 0,
  last_message: `Words of ${n}`,
  last_message_at: new Date(Date.UTC(2026, 0, 1) - n * 60_000).toISOString(),
  last_message_direction: 'incoming',
  blocked: null,
});

const pageOf = (data: readonly object[], next_cursor: string) => ({
  data,
  next_cursor,
  pagination: { has_more: next_cursor !== '', next_cursor, limit: 50 },
});

/** Presses J once for each thread, and answers what was open a frame later each time. */
const walk = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`(async () => {
    const seen = [];
    for (let n = 0; n < ${MANY}; n += 1) {
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }));
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      seen.push(document.querySelector('.thread h2').textContent + ': ' + document.querySelector('.thread .body').textContent);
    }
    return seen;
  })()`) as Promise<readonly string[]>;

describe.skipIf(missing !== '')(`whom the inbox reaches${missing}`, () => {
  it('offers choices to press, and an approved template with its variables', async ({
    stage: { page, root, rest },
    inspect,
  }) => {
    await page.goto(`${root}/dashboard/accounts`);
    await page.getByRole('button', { name: 'Connect WhatsApp' }).click();
    await page.getByRole('link', { name: 'Continue to WhatsApp' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('WhatsApp is connected').waitFor();
    const [account] = (await rest('GET /v1/accounts?platform=whatsapp')).data;
    const template = { name: 'order_ready', language: 'en_US', category: 'UTILITY', components: [BODY] };
    await rest(`POST /v1/platforms/whatsapp/accounts/${account.id}/templates`, template);
    const sandbox = await page.context().newPage();
    await sandbox.goto(`${root}/sandbox/whatsapp`);
    await play(sandbox, 'Decide on a template', { Decision: 'APPROVED' });
    await page.goto(`${root}/dashboard/inbox`);
    await play(sandbox, 'Write to a number', { 'Text (optional)': 'When is it ready?' });
    await page.locator('.item', { hasText: 'When is it ready?' }).press('Enter');
    await page.getByText(/^You can write until .* only an approved template reaches them/).waitFor();

    await page.getByRole('button', { name: 'Add quick replies or buttons' }).press('Enter');
    await page.getByLabel('Words of 1').fill('Today');
    await page.getByRole('button', { name: 'One more' }).press('Enter');
    await page.getByLabel('Words of 2').fill('Tomorrow');
    await page.locator('#reply').fill('When will you come?');
    await inspect('inbox-choices');
    await page.locator('#reply').press('Control+Enter');
    await page.locator('.bubble', { hasText: 'When will you come?' }).getByText('Tomorrow').waitFor();

    await page.getByRole('button', { name: 'Send a template' }).press('Enter');
    await page.getByRole('combobox', { name: 'Template' }).selectOption({ label: 'order_ready (en_US)' });
    await page.getByLabel('Value 1').fill('A-17');
    await page.getByRole('dialog').getByText('Your order A-17 is ready.').waitFor();
    await page.getByRole('button', { name: 'Send the template' }).press('Enter');
    await page
      .locator('.messages .bubble', { hasText: 'Your order A-17 is ready.' })
      .getByText(/Sent|Delivered/)
      .waitFor();
    await sandbox.reload();
    await sandbox.getByText('Your order A-17 is ready.').first().waitFor();
    await inspect('inbox-template');

    for (const What of ['location', 'contacts', 'order', 'unsupported'])
      await play(sandbox, 'Send something else', { What });
    const map = page.getByRole('link', { name: 'Harbour, Quay 1' });
    expect(await map.getAttribute('href')).toMatch(/^https:\/\/www\.openstreetmap\.org\//);
    await page.getByText('Contact: Fay Friend, +12025550199').waitFor();
    const [newest, room] = [page.locator('.bubble').last(), page.locator('.body')];
    const below = async (one: typeof room) => {
      const { y, height } = (await one.boundingBox())!;
      return y + height;
    };
    await expect.poll(async () => (await below(newest)) <= (await below(room)) + 1, { timeout: 10_000 }).toBe(true);
    await inspect('inbox-extras');
    expect(await below(page.locator('#reply'))).toBeLessThan(page.viewportSize()!.height);
  });

  it('is narrowed to a platform without the account of another', async ({
    stage: { page, root, account, complaints },
  }) => {
    await page.goto(`${root}/dashboard/inbox?view=messages&account=${account.id}`);
    await page.getByLabel('Platform').selectOption({ label: 'WhatsApp' });
    await page.waitForURL(`${root}/dashboard/inbox?view=messages&platform=whatsapp`);
    await page.locator('.item').first().waitFor();
    expect(complaints).toEqual([]);
  });

  it('moves through 200 threads without waiting for a server, and takes nobody from what they write', async ({
    stage: { page, root, rest, complaints, begin },
  }) => {
    const [account] = (await rest('GET /v1/accounts?platform=whatsapp')).data;
    await begin('**/dashboard/inbox?view=messages', (first) => {
      const many = Array.from({ length: MANY }, (_, n) => aConversation(account.id, n));
      first['items'] = pageOf(many, 'more');
    });
    const more = Promise.withResolvers<void>();
    await page.route(/\/inbox\/conversations\?.*cursor=more/, async (route) => {
      await more.promise;
      await route.fulfill({ json: pageOf([aConversation(account.id, MANY)], '') });
    });
    await page.route('**/inbox/threads/**', () => {});
    await page.route('**/inbox/conversations/**', () => {});
    await page.goto(`${root}/dashboard/inbox?view=messages`);
    await page.bringToFront();
    await page.locator('.item').first().waitFor();
    const seen = await walk(page);
    expect(seen).toEqual(Array.from({ length: MANY }, (_, n) => `Person ${n}: Words of ${n}`));
    await page.keyboard.press('j');
    await page.keyboard.press('r');
    await page.keyboard.type('We j');
    more.resolve();
    await page.locator('.item', { hasText: `Person ${MANY}` }).waitFor();
    await page.keyboard.type('ust did.');
    expect(await page.locator('#reply:focus').inputValue()).toBe('We just did.');
    expect(await page.locator('.thread h2').innerText()).toBe(`Person ${MANY - 1}`);
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.locator('.thread h2', { hasText: `Person ${MANY}` }).waitFor();
    expect(complaints).toEqual([]);
  });
});
