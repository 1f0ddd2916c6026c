/** Takes the pictures of README from the product: the calendar and the inbox, in light and dark, into docs/images. */
import { DAY } from '#kernel/clock.ts';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { startRostra, withFolder, withServers } from '../bench/server.ts';
import { jpeg } from '../harness/media-samples.ts';
import { play } from '../wire/browser/live/console.ts';
import { fillSetUp } from '../wire/browser/owner.ts';

const FOLDER = new URL('../../docs/images/', import.meta.url).pathname;
const SIZE = { width: 1280, height: 760 };
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
const COMMENTS = ['Is there rye as well?', 'The best knots in town!', 'Do you ship to Bremen?'] as const;

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
  form.set('file', new Blob([jpeg(1200, 900)], { type: 'image/jpeg' }), 'bread.jpg');
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
  const post = {
    text: 'Fresh bread from seven o’clock.',
    account_ids: of('facebook'),
    media_ids: [media_id],
    publish_now: true,
  };
  await ask('POST', '/posts', post);
}

/** What people say to it, in the console of the sandbox. */
async function answer(page: Page, root: string): Promise<void> {
  await page.goto(`${root}/sandbox/facebook`);
  const post = page.locator('#posts article').filter({ hasText: 'Fresh bread' });
  for (const comment of COMMENTS) {
    const form = post.locator('details', { hasText: 'Comment' }).first();
    await form.locator('summary').click();
    await form.getByRole('textbox', { name: /^Comment/ }).fill(comment);
    await form.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.getByText(/^Done: /).waitFor();
  }
  for (const text of MESSAGES)
    await play(page, 'Write to a Page', { Who: 'Mia Message', Page: 'Harbour Coffee', 'Text (optional)': text });
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
      await answer(page, root);
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
      }
    } finally {
      await browser.close();
    }
  });
});
