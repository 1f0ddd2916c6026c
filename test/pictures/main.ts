/** Takes the pictures of README from the product: calendar, inbox and composer, in light and dark, into docs/images. */
import { DAY } from '#kernel/clock.ts';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { chromium, type Page } from 'playwright-core';
import sharp from 'sharp';
import { startRostra, withFolder, withServers } from '../bench/server.ts';
import { play } from '../wire/browser/live/console.ts';
import { fillSetUp } from '../wire/browser/owner.ts';

const FOLDER = new URL('../../docs/images/', import.meta.url).pathname;
const SIZE = { width: 1280, height: 760 };
/** A drawn loaf, as the project has no photographs. */
const LOAF = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="900">
  <rect width="1200" height="900" fill="#e9dcc3"/><rect y="620" width="1200" height="280" fill="#a97b4f"/>
  <ellipse cx="600" cy="560" rx="430" ry="230" fill="#8a4f22"/><ellipse cx="600" cy="535" rx="400" ry="200" fill="#b56d31"/>
  <g stroke="#f0d9ae" stroke-width="26" stroke-linecap="round" fill="none">
    <path d="M360 480q60 60 40 130"/><path d="M520 430q70 80 50 190"/><path d="M690 430q70 80 50 190"/>
  </g></svg>`;
const PICTURE = await sharp(Buffer.from(LOAF)).jpeg().toBuffer();
const now = new Date();
/** The month that the calendar shows, the next one. */
const MONTH = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);

const POSTS = [
  'Rye is back from Monday on. Slow dough, dark crust.',
  'How we bake at four in the morning, in one minute.',
  'New on Saturdays: cinnamon knots, until they are gone.',
  'The oven is mended. Thank you for your patience!',
  'Which bread should we bake for the holidays?',
  'Meet Olivia, who has kept our sourdough for eleven years.',
  'Open on Sunday from eight to noon.',
  'A recipe for stale bread: soup with garlic and egg.',
] as const;

const MESSAGES = ['Hello! Are you open on Sunday?', 'And can I order two loaves for Saturday?'] as const;
const REPLY = 'Yes, from eight to noon.';
const FRESH = 'Fresh bread from seven o’clock.';
const NEXT = 'Our winter bread is back: rye, walnuts and a little honey. First come, first served.';

/** Sets up the owner, and connects accounts of three platforms more. */
async function furnish(page: Page, root: string, setUp: string): Promise<void> {
  await page.goto(setUp);
  await fillSetUp(page);
  await page.getByRole('button', { name: 'Become the owner' }).click();
  await page.waitForURL(`${root}/dashboard`);
  for (const platform of ['Facebook', 'Threads', 'LinkedIn']) {
    await page.goto(`${root}/dashboard/accounts`);
    await page.getByRole('button', { name: `Connect ${platform}` }).click();
    await page
      .getByRole('link', { name: `Continue to ${platform}` })
      .first()
      .click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText(`${platform} is connected`).waitFor();
  }
}

/** A month of posts, one of them public. */
async function write(root: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const ask = async (method: string, path: string, body?: object | FormData) => {
    const isForm = body instanceof FormData;
    const answer = await fetch(`${root}/v1${path}`, {
      method,
      headers: isForm || body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as any;
  };
  const form = new FormData();
  form.set('file', new Blob([PICTURE], { type: 'image/jpeg' }), 'bread.jpg');
  const { media_id } = await ask('POST', '/media/upload', form);
  const accounts = (await ask('GET', '/accounts')).data as { id: string; platform: string }[];
  const of = (...platforms: string[]) =>
    accounts.filter(({ platform }) => platforms.includes(platform)).map(({ id }) => id);
  const everywhere = of('bluesky', 'facebook', 'threads', 'linkedin');
  for (const [at, text] of POSTS.entries()) {
    const scheduled_at = new Date(MONTH + (1 + at * 3) * DAY + (7 + (at % 4) * 3) * 3_600_000).toISOString();
    const account_ids = [everywhere, of('facebook', 'threads'), of('bluesky'), of('linkedin', 'facebook')][at % 4]!;
    await ask('POST', '/posts', { text, account_ids, scheduled_at, ...(at % 3 === 0 && { media_ids: [media_id] }) });
  }
  await ask('POST', '/posts', { text: 'A text for the bakery’s birthday', account_ids: of('facebook') });
  const post = { text: FRESH, account_ids: everywhere, media_ids: [media_id], publish_now: true };
  await ask('POST', '/posts', post);
}

/** What people say to it, in the consoles of the sandbox, and what was answered already. */
async function converse(page: Page, root: string): Promise<void> {
  const write = (text: string) =>
    play(page, 'Write to a Page', { Who: 'Mia Message', Page: 'Harbour Coffee', 'Text (optional)': text });
  await page.goto(`${root}/sandbox/threads`);
  await play(page, 'Answer a post or an answer', { Who: 'Zoë Ünder', 'Text (optional)': 'Do you ship to Bremen?' });
  await page.goto(`${root}/sandbox/facebook`);
  await play(page, 'Comment on a post or answer a comment', { 'Comment (optional)': 'Is there rye, too?' });
  await write(MESSAGES[0]);
  await page.goto(`${root}/dashboard/inbox`);
  await page.getByText(MESSAGES[0]).first().click();
  await page.getByLabel('Message to Mia Message').fill(REPLY);
  await page.keyboard.press('Control+Enter');
  await page.getByText('Delivered').first().waitFor();
  await page.goto(`${root}/sandbox/facebook`);
  await write(MESSAGES[1]);
}

/** A post that is being written, with a picture and a text of its own for one account. */
async function compose(page: Page, root: string): Promise<void> {
  await page.goto(`${root}/dashboard/compose?at=${new Date(MONTH).toISOString().slice(0, 10)}T07:30`);
  const chosen = page.locator('.choice').filter({ hasText: /Harbour Coffee|Threads|Bluesky/ });
  for (const choice of await chosen.locator('input').all()) await choice.check();
  await page.getByLabel('Text for all accounts').fill(NEXT);
  await page.locator('#files').setInputFiles({ name: 'bread.jpg', mimeType: 'image/jpeg', buffer: PICTURE });
  await page.getByLabel('Description of bread.jpg').fill('A dark loaf with walnuts');
  await page.getByText('Saved on this device').waitFor();
  while (!(await page.evaluate("document.querySelector('.previews img')?.naturalWidth > 0"))) await setTimeout(50);
  await page.locator('#text').focus();
}

await withFolder((folder) => {
  const data = join(folder, 'data');
  return withServers([startRostra(data, { sandbox: 'on' })], async ([server]) => {
    const { url: root } = server!;
    const started = readFileSync(join(data, 'first-run.txt'), 'utf8');
    const browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-quic'],
    });
    try {
      const page = await browser.newPage({ viewport: SIZE });
      await furnish(page, root, /http\S+\/setup\S+/.exec(started)![0]);
      await write(root, /rostra_key_\w+/.exec(started)![0]);
      await converse(page, root);
      mkdirSync(FOLDER, { recursive: true });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.goto(`${root}/dashboard/calendar?on=${new Date(MONTH).toISOString().slice(0, 10)}`);
        await page.getByText(POSTS[0].slice(0, 12)).first().waitFor();
        await page.screenshot({ path: join(FOLDER, `calendar-${colorScheme}.png`) });
        await page.goto(`${root}/dashboard/inbox`);
        await page.getByText(MESSAGES[1]).first().click();
        await page.getByText('You can write until').waitFor();
        await page.screenshot({ path: join(FOLDER, `inbox-${colorScheme}.png`) });
        await compose(page, root);
        await page.evaluate('scrollTo(0, 0)');
        await page.screenshot({ path: join(FOLDER, `composer-${colorScheme}.png`) });
      }
    } finally {
      await browser.close();
    }
  });
});
