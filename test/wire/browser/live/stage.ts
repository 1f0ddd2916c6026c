import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { forFile } from '../../../harness/fixtures.ts';
import { makeFolder } from '../../../harness/folders.ts';
import { press } from '../../clients/chromium.ts';
import { call } from '../../clients/product.ts';
import { serve } from '../../clients/serving.ts';
import { LIGHTS, violationsOf } from '../lights.ts';
import { fillSetUp } from '../owner.ts';

const PICTURES = process.env['SCREENSHOTS'];
const SIZES = [
  { width: 1360, height: 900 },
  { width: 390, height: 844 },
  { width: 320, height: 640 },
];
/** By how much the page, or what scrolls in it, is wider than its place. */
const WIDER = `Math.max(
  document.documentElement.scrollWidth - innerWidth,
  ...[...document.querySelectorAll('.scroll')].map((one) => one.scrollWidth - one.clientWidth),
)`;

/** What a page begins with, to be changed before its script reads it. */
type Change = (first: Record<string, unknown>) => void;

/** Lets a page begin with changed results, as those of a workspace that would take long to fill. */
async function changePage(context: BrowserContext, url: string, change: Change): Promise<void> {
  await context.route(url, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace(/data-first="([^"]*)"/, (_, given: string) => {
      const first = JSON.parse(given.replaceAll('&quot;', '"').replaceAll('&amp;', '&')) as Record<string, unknown>;
      change(first);
      return `data-first="${JSON.stringify(first).replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`;
    });
    await route.fulfill({ response, body });
  });
}

/** A server with one sandbox account, and its owner in a browser that runs scripts; both end with the file. */
async function openStage(atEnd: (end: () => Promise<void>) => void, settings: NodeJS.ProcessEnv) {
  const ends: (() => unknown)[] = [];
  atEnd(async () => {
    for (const end of ends.toReversed()) await end();
  });
  const folder = makeFolder((end) => void ends.push(end));
  let server = await serve(folder, settings);
  ends.push(() => server.stop());
  /** Stops the server, and starts it again at the same address. */
  async function restart(meanwhile: () => Promise<void>): Promise<void> {
    const { port } = new URL(server.root);
    await server.stop();
    await meanwhile();
    server = await serve(folder, { ...settings, PORT: port });
  }
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-quic'],
  });
  ends.push(() => browser.close());
  const context = await browser.newContext({ viewport: SIZES[0]! });
  context.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  context.on('weberror', (error) => complaints.push(String(error.error())));
  const page = await context.newPage();
  await page.goto(server.setUpLink());
  await fillSetUp(page);
  await press(page, 'Become the owner');
  await page.waitForURL(`${server.root}/dashboard`);
  const key = server.key();
  const rest = (route: string, body?: object) => call({ url: server.root }, key, route, body);
  const [account] = (await rest('GET /v1/accounts')).data as { id: string; name: string }[];
  const changes: (readonly [url: string, change: Change])[] = [];
  async function begin(url: string, change: Change): Promise<void> {
    changes.push([url, change]);
    await changePage(context, url, change);
  }
  return { browser, page, complaints, root: server.root, restart, rest, account: account!, begin, changes };
}

export type Stage = Awaited<ReturnType<typeof openStage>>;

type Prepare = (page: Page) => Promise<unknown>;

/**
 * What is wrong with a page in both lights and at three widths: what axe finds, and what is too wide. `prepare` does
 * what a person has done on it.
 */
async function inspect(
  { browser, page, complaints, changes }: Stage,
  name: string,
  prepare: Prepare = async () => {},
): Promise<void> {
  // axe is a script that the policy of the page forbids; the page is opened again where it is allowed, as it is now.
  const storageState = await page.context().storageState();
  const context = await browser.newContext({ bypassCSP: true, storageState });
  const session = (await page.evaluate('JSON.stringify(sessionStorage)')) as string;
  await context.addInitScript(`Object.assign(sessionStorage, ${session})`);
  for (const [url, change] of changes) await changePage(context, url, change);
  const copy = await context.newPage();
  const wrong: unknown[] = [];
  for (const size of SIZES) {
    await copy.setViewportSize(size);
    await copy.goto(page.url());
    await copy.locator('main h1').waitFor();
    await copy.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' });
    await prepare(copy);
    const wide = (await copy.evaluate(WIDER)) as number;
    if (wide > 0) wrong.push([size.width, `${wide} px too wide`]);
    if (PICTURES !== undefined) await takePictures(copy, `${name}-${size.width}`);
    if (size.width !== 320) for (const found of await violationsOf(copy)) wrong.push([size.width, ...found]);
  }
  await context.close();
  expect([name, wrong]).toEqual([name, []]);
  expect([name, complaints]).toEqual([name, []]);
}

async function takePictures(page: Page, name: string): Promise<void> {
  mkdirSync(PICTURES!, { recursive: true });
  for (const colorScheme of LIGHTS) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(PICTURES!, `${name}-${colorScheme}.png`) });
  }
}

/** Tests of live pages, as the owner of a server with these settings sees them. */
export const withSettings = (settings: NodeJS.ProcessEnv) =>
  test
    .extend(
      'stage',
      { scope: 'file' },
      forFile((atEnd) => openStage(atEnd, settings)),
    )
    .extend(
      'inspect',
      { scope: 'file' },
      ({ stage }) =>
        (name: string, prepare?: Prepare, page = stage.page) =>
          inspect({ ...stage, page }, name, prepare),
    );

/** A test of a live page, as the owner of a server sees it. */
export const it = withSettings({});
