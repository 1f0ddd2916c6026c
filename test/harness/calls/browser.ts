import { expect } from 'vitest';
import { makeWebSessions } from '#engine/signin/sessions.ts';
import { exchange, type Exchanged } from '../sockets.ts';
import type { World } from '../world.ts';

/** An answer, with the text of the page as people read it. */
export type Shown = Exchanged & Readonly<{ words: string }>;

type Fields = Readonly<Record<string, string | readonly string[]>>;

/** A browser as far as servers can tell: it keeps cookies, says where a form stood, and follows nothing by itself. */
export function makeBrowser(
  world: Readonly<{ config: Pick<World['config'], 'rootUrl'>; root: string }>,
  /** The port of the next request, where several servers share the address. */
  nextPort = () => Number(new URL(world.root).port),
) {
  const origin = world.config.rootUrl;
  const jar = new Map<string, Readonly<{ value: string; path: string }>>();

  function keep(line: string): void {
    const [pair = '', ...traits] = line.split(/; */);
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    const path = traits.find((trait) => /^path=/i.test(trait))?.slice(5) ?? '/';
    const gone = traits.some((trait) => /^max-age=0$/i.test(trait)) || /expires=Thu, 01 Jan 1970/i.test(line);
    if (gone) jar.delete(name);
    else jar.set(name, { value, path });
  }

  function cookies(path: string): string {
    return [...jar]
      .filter(
        ([, cookie]) =>
          path === cookie.path || path.startsWith(cookie.path.replace(/\/?$/, '/')) || cookie.path === '/',
      )
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
  }

  async function send(
    method: string,
    target: string,
    headers: Record<string, string> = {},
    body?: string,
  ): Promise<Shown> {
    const path = target.startsWith(origin) ? target.slice(origin.length) : target;
    const cookie = cookies(path.split('?')[0]!);
    const all = { Host: new URL(origin).host, ...(cookie !== '' && { Cookie: cookie }), ...headers };
    const shown = await exchange({ port: nextPort(), method, path, headers: all }, body);
    shown.setCookies.forEach(keep);
    return { ...shown, words: shown.text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ') };
  }

  const post = (path: string, fields: Fields, headers: Record<string, string> = {}) => {
    const pairs = Object.entries(fields).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, one]),
    );
    const body = new URLSearchParams(pairs).toString();
    return send(
      'POST',
      path,
      { 'Content-Type': 'application/x-www-form-urlencoded', Origin: origin, ...headers },
      body,
    );
  };

  return {
    jar,
    open: (path: string, headers: Record<string, string> = {}) => send('GET', path, headers),
    /** Posts what a form would, with nothing but the given fields. */
    post,
    /** Fills in the form of a page and sends it: that with the given action, else the first that is not for signing out. */
    submit(page: Shown, fields: Fields = {}, action?: string, headers: Record<string, string> = {}) {
      const forms = formsOf(page.text);
      const form = forms.find((one) => (action === undefined ? one.action !== '/sign-out' : one.action === action));
      if (form === undefined) throw new Error(`no form${action === undefined ? '' : ` for ${action}`}: ${page.words}`);
      return post(form.action, { ...form.hidden, ...fields }, headers);
    },
    /** Follows a redirect. */
    follow(page: Shown) {
      const { location } = page.headers;
      if (location === undefined) throw new Error(`no redirect: ${page.status} ${page.words}`);
      return send('GET', location);
    },
  };
}

export type Browser = ReturnType<typeof makeBrowser>;

/** What a test expects of a page that has a status and some words. */
export const says = (status: number, words: string) => ({ status, words: expect.stringContaining(words) as string });

/** The forms of a page, with what they carry unseen. */
export function formsOf(text: string) {
  return [...text.matchAll(/<form\s([^>]*)>([\s\S]*?)<\/form>/g)].map(([, tag = '', inner = '']) => ({
    action: unescape(/action="([^"]*)"/.exec(tag)?.[1] ?? ''),
    hidden: Object.fromEntries(
      [...inner.matchAll(/<input\s[^>]*type="hidden"[^>]*>/g)].map(([input]) => [
        /name="([^"]*)"/.exec(input)![1]!,
        unescape(/value="([^"]*)"/.exec(input)![1]!),
      ]),
    ) as Record<string, string>,
  }));
}

/** What an escaped text of a page says. */
export function unescape(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

export const OWNER = Object.freeze({ email: 'anna@example.org', name: 'Anna', password: 'correct horse battery' });

/** Sets the server up as its owner does, and stays signed in. */
export async function setUp(world: World, browser: Browser = makeBrowser(world)): Promise<Browser> {
  const token = (await world.product.signin.setupLink())!;
  const page = await browser.follow(await browser.open(`/setup?token=${token}`));
  const { status, words } = await browser.submit(page, { ...OWNER, repeated: OWNER.password });
  if (status !== 302) throw new Error(words);
  return browser;
}

export const isSignedIn = async ({ open }: Browser) => (await open('/dashboard/keys')).status === 200;

/** A browser with a session of a user, who needs no password for it. */
export async function sessionOf({ product: { store }, ...world }: World, userId: string): Promise<Browser> {
  const sessions = makeWebSessions({ store, clock: world.clock });
  const browser = makeBrowser(world);
  const value = await store.write((tx) => sessions.begin(tx, userId));
  browser.jar.set('rostra-session', { value, path: '/' });
  return browser;
}

type Credentials = Readonly<{ email: string; password: string }>;

/** Signs in; answers what the browser was shown. */
export async function signIn(browser: Browser, { email, password }: Credentials = OWNER, next = ''): Promise<Shown> {
  return browser.submit(await browser.open(`/sign-in${next && `?next=${encodeURIComponent(next)}`}`), {
    email,
    password,
  });
}

/** A server that believes its proxy about where requests come from. */
export const BEHIND_PROXY = { env: { TRUST_PROXY: '1' } };

/** Signs in with a new browser on the given network, to a server that is behind a proxy. */
export async function signInFrom(
  world: World,
  network: string,
  { email, password }: Credentials = OWNER,
): Promise<Shown> {
  const browser = makeBrowser(world);
  const page = await browser.open('/sign-in');
  return browser.submit(page, { email, password }, undefined, { 'X-Forwarded-For': network });
}
