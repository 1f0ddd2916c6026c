import { createHash } from 'node:crypto';
import { expect, vi } from 'vitest';
import type { Browser, Shown } from './browser.ts';
import { makeWorld, type World, type WorldOptions } from '../world.ts';

export const CALLBACK = 'https://app.example.org/back';
const VERIFIER = 'v'.repeat(64);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

/** A world whose clock the authorization server goes by as well; the file puts `Date` back after each test. */
export async function openAuthWorld(options: WorldOptions = {}) {
  const world = await makeWorld(options);
  vi.useFakeTimers({ toFake: ['Date'], now: world.clock.now() });
  const move = (ms: number) => {
    world.clock.move(ms);
    vi.setSystemTime(world.clock.now());
  };
  return { world, move };
}

/** Registers a client; answers its id. */
async function register(world: World, redirect = CALLBACK, client_name = 'Assistant'): Promise<string> {
  const { status, body } = await world.rest(
    'POST /oauth/register',
    { client_name, redirect_uris: [redirect] },
    { key: null },
  );
  expect(status).toBe(201);
  return body.client_id as string;
}

/** Begins an authorization in a browser; answers where it was sent. */
export async function begin(browser: Browser, client_id: string, redirect_uri = CALLBACK): Promise<Shown> {
  const query = new URLSearchParams({
    client_id,
    redirect_uri,
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    state: 'the state & more',
  });
  return browser.open(`/oauth/authorize?${query.toString()}`);
}

/** Registers a client and takes a browser to the page it is asked on. */
export async function askConsent(world: World, browser: Browser, redirect?: string, name?: string) {
  const client = await register(world, redirect, name);
  const page = await browser.follow(await begin(browser, client, redirect));
  return { client, page };
}

/** Decides, and follows our own redirects until the browser leaves us. */
export async function decide(browser: Browser, page: Shown, decision: string): Promise<URL> {
  let shown = await browser.submit(page, { decision }, /action="(\/oauth\/consent\/[^"]+)"/.exec(page.text)![1]);
  for (let hops = 0; hops < 5 && shown.headers.location?.startsWith('/'); hops++) shown = await browser.follow(shown);
  return new URL(shown.headers.location!);
}

/** Trades a code for tokens. */
export const exchange = (world: World, client_id: string, code: string) =>
  world.rest(
    'POST /oauth/token',
    { grant_type: 'authorization_code', client_id, code, code_verifier: VERIFIER },
    { key: null },
  );

/** The access token of an app that the owner allowed. */
export async function accessToken(world: World, browser: Browser): Promise<string> {
  const { client, page } = await askConsent(world, browser);
  const back = await decide(browser, page, 'allow');
  return (await exchange(world, client, back.searchParams.get('code')!)).body.access_token as string;
}
