/** The sandbox network: one Koa app with the simulators, the console and, for tests, a control API. */
import Koa, { type Context } from 'koa';
import { isLoopbackName } from '#kernel/net/addresses.ts';
import type { Clock } from '#kernel/clock.ts';
import { makeOutbound, type Outbound, type OutboundRequest } from '#kernel/net/request.ts';
import { ABOUT as bluesky } from './bluesky/about.ts';
import { makeConsole } from './console.ts';
import { makeControl } from './control.ts';
import { ABOUT as facebook } from './facebook/about.ts';
import { openFaults, type Fault } from './faults.ts';
import { openForms, PageError } from './forms.ts';
import { html, ICON, page } from './html.ts';
import { openJournal, type JournalEntry } from './journal.ts';
import type { TwinOptions } from './kit/options.ts';
import { makeSmallPictures, type MakeSmall } from './kit/small.ts';
import { openStore, type Store } from './store.ts';
import { STYLESHEET } from './stylesheet.ts';
import { ABOUT as google } from './google/about.ts';
import { ABOUT as instagram } from './instagram/about.ts';
import { ABOUT as linkedin } from './linkedin/about.ts';
import { ABOUT as pinterest } from './pinterest/about.ts';
import { ABOUT as stripe } from './stripe/about.ts';
import { ABOUT as telegram } from './telegram/about.ts';
import { ABOUT as threads } from './threads/about.ts';
import { ABOUT as tiktok } from './tiktok/about.ts';
import type { SandboxPerson, SandboxPost } from './twin.ts';
import { makeTwins, type TwinEntry } from './twins.ts';
import { ABOUT as twitter } from './twitter/about.ts';
import { ABOUT as whatsapp } from './whatsapp/about.ts';
import { ABOUT as youtube } from './youtube/about.ts';
import { ABOUT as zalo } from './zalo/about.ts';
import { ABOUT as zernio } from './zernio/about.ts';

type Complain = (fields: object, message: string) => void;

/** The simulators of platforms, of Stripe and of a migration provider. Each is loaded when it is first used. */
export const TWINS: readonly TwinEntry[] = [
  { ...bluesky, load: async () => (await import('./bluesky/index.ts')).openBluesky },
  { ...facebook, load: async () => (await import('./facebook/index.ts')).openFacebook },
  { ...google, load: async () => (await import('./google/index.ts')).openGoogle },
  { ...instagram, load: async () => (await import('./instagram/index.ts')).openInstagram },
  { ...linkedin, load: async () => (await import('./linkedin/index.ts')).openLinkedin },
  { ...pinterest, load: async () => (await import('./pinterest/index.ts')).openPinterest },
  { ...stripe, load: async () => (await import('./stripe/index.ts')).openStripe },
  { ...telegram, load: async () => (await import('./telegram/index.ts')).openTelegram },
  { ...threads, load: async () => (await import('./threads/index.ts')).openThreads },
  { ...tiktok, load: async () => (await import('./tiktok/index.ts')).openTikTok },
  { ...twitter, load: async () => (await import('./twitter/index.ts')).openX },
  { ...whatsapp, load: async () => (await import('./whatsapp/index.ts')).openWhatsApp },
  { ...youtube, load: async () => (await import('./youtube/index.ts')).openYoutube },
  { ...zalo, load: async () => (await import('./zalo/index.ts')).openZalo },
  { ...zernio, load: async () => (await import('./zernio/index.ts')).openZernio },
];

export type SandboxOptions = Readonly<{
  /** By default the simulators of all platforms. */
  twins?: readonly TwinEntry[];
  /** A path or `:memory:`. */
  file: string;
  clock: Clock;
  /** The origin at which programs reach the simulators, as in DID documents and media URLs. */
  rootUrl: () => string;
  /** The origin for browsers, if it is different. */
  webUrl?: (() => string) | undefined;
  /** The origin of the app that receives pushes, if it is not this server. */
  productUrl?: (() => string) | undefined;
  appSecret?: string | undefined;
  log?: Readonly<{ info: Complain; warn: Complain; error: Complain }> | undefined;
  /** Enables the control API under `/sandbox/__control`. */
  control?: boolean;
  rateLimits?: boolean;
  /** Set if other machines can reach it. Then it calls no private addresses on their behalf. */
  guarded?: boolean;
  /** Makes small pictures for the pages, which otherwise show full-size ones. */
  small?: MakeSmall | undefined;
  /** Whether a Host header belongs to the sandbox; by default loopback names and the host of `rootUrl`. */
  hosts?: (host: string) => boolean;
}>;

export type Sandbox = Readonly<{
  /** Serves the path `/sandbox`, both when it is mounted there and when it is standalone. */
  app: Koa;
  /** Whether a path is for people and may show passwords, rather than for programs. */
  isConsole(path: string): boolean;
  /** Opens one simulator, or all of them, before they are first used. */
  open(network?: string): Promise<void>;
  /** A person who connects with a form, from the first network that has such people. */
  someoneWithForm(): Promise<SandboxPerson | undefined>;
  people(): readonly SandboxPerson[];
  /** The posts of a person; empty until the simulator is open. */
  posts(network: string, person: string): readonly SandboxPost[];
  requests(): readonly JournalEntry[];
  /** Sets a fault for a person of a simulator that is open. */
  setFault(fault: Omit<Fault, 'times' | 'delay_ms'> & { times?: number; delay_ms?: number }): void;
  reset(): Promise<void>;
  /** Resolves when no simulator has anything left to send. */
  settle(): Promise<void>;
  close(): void;
}>;

const POLICY =
  "default-src 'none'; img-src 'self'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** The files that pages use, by name. */
const ASSETS: ReadonlyMap<string | undefined, Pick<Context, 'type' | 'body'>> = new Map([
  ['style.css', { type: 'css', body: STYLESHEET }],
  ['icon.svg', { type: 'svg', body: ICON }],
]);

const hostname = (host: string): string => (URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '');

const isOurs = (path: string) => path === '/sandbox' || path.startsWith('/sandbox/');

function segmentsOf(path: string): readonly string[] | undefined {
  const below = isOurs(path) ? path.slice('/sandbox'.length) : path;
  try {
    return below.split('/').filter(Boolean).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** Makes waits that end when the sandbox closes, so that no response hangs on a clock that stands still. */
function makeWaits(clock: Clock) {
  const open = new Map<symbol, (over: boolean) => void>();
  return {
    /** Returns true when the time has passed; false if the sandbox was closed first. */
    wait(ms: number): Promise<boolean> {
      const id = Symbol('wait');
      const { promise, resolve } = Promise.withResolvers<boolean>();
      open.set(id, resolve);
      const cancel = clock.after(ms, () => resolve(true));
      return promise.finally(() => {
        open.delete(id);
        cancel();
      });
    },
    end() {
      for (const resolve of open.values()) resolve(false);
    },
  };
}

function show(ctx: Context, status: number, message: string): void {
  ctx.status = status;
  ctx.type = 'html';
  ctx.body = page(
    message,
    html`<h1>${message}</h1>
      <p class="quiet">Status ${status}. Go back in your browser, or <a href="/sandbox">to the sandbox</a>.</p>`,
  );
}

function makeTwinOptions(options: SandboxOptions, store: Store, complain: TwinOptions['complain']) {
  const { clock, rootUrl, webUrl = rootUrl, productUrl = rootUrl } = options;
  const waits = makeWaits(clock);
  // Created when it is first used, because only then the URLs are known.
  let client: Outbound | undefined;
  const outbound = {
    send(request: OutboundRequest) {
      client ??= makeOutbound({
        allowPrivate: options.guarded ? 'off' : 'on',
        ownPort: () => undefined,
        trustedOrigins: () => [rootUrl(), webUrl(), productUrl()].map((url) => new URL(url).origin),
        userAgent: 'Sandbox',
      });
      return client.send(request);
    },
  };
  const shared: TwinOptions = {
    store,
    clock,
    rootUrl,
    webUrl,
    productUrl,
    appSecret: options.appSecret ?? 'sandbox',
    outbound,
    forms: openForms(store.secret('forms')),
    faults: openFaults(store),
    journal: openJournal(),
    rateLimits: options.rateLimits ?? true,
    wait: waits.wait,
    complain,
  };
  function close(): void {
    waits.end();
    void client?.close();
  }
  return { shared, close };
}

/** Opens the sandbox on its own SQLite file. A write that was confirmed survives a crash of the process. */
export function openSandbox(options: SandboxOptions): Sandbox {
  const { rootUrl, log } = options;
  const store = openStore(options.file);
  const complain = (error: unknown, what: string) => log?.error({ err: error }, `sandbox: ${what} failed`);
  const { shared, close } = makeTwinOptions(options, store, complain);
  const { faults, journal, forms } = shared;
  const small = makeSmallPictures(store, options.small);
  const twins = makeTwins(options.twins ?? TWINS, shared);
  const openedTwin = (slug: string) => twins.opened().find((twin) => twin.slug === slug);
  const ours =
    options.hosts ?? ((host) => isLoopbackName(hostname(host)) || hostname(host) === new URL(rootUrl()).hostname);

  function setFault(fault: Parameters<Sandbox['setFault']>[0]): void {
    const twin = openedTwin(fault.network);
    const person = twin?.find(fault.person);
    if (person === undefined) throw new PageError(404, 'There is no such person.');
    // A revocation takes effect at once and for good, unlike a fault of some calls.
    if (fault.kind === 'revoked') twin?.revoke(person);
    else faults.add({ ...fault, person, times: fault.times ?? 1, delay_ms: fault.delay_ms ?? 5000 });
  }
  async function reset(): Promise<void> {
    await twins.reset();
    small.reset();
    faults.clear();
    journal.clear();
  }

  /** Whether a path is for programs, judged by the segments that are used for routing. */
  function isApi(segments: readonly string[] = []): boolean {
    const [first, ...rest] = segments;
    const isBelow = (area: string) => area.split('/').every((part, at) => part === rest[at]);
    return twins.all.some(({ slug, apis }) => slug === first && apis.some(isBelow));
  }

  const answerConsole = makeConsole({ twins, faults, journal, forms, setFault });
  const answerControl = makeControl({ twins, faults, journal, setFault, reset });

  async function route(ctx: Context): Promise<void> {
    const segments = segmentsOf(ctx.path);
    if (segments === undefined) throw new PageError(400, 'This address cannot be read.');
    const [first, ...rest] = segments;
    const twin = rest.length > 0 ? await twins.open(first) : undefined;
    const asset = rest.length === 0 ? ASSETS.get(first) : undefined;
    if (twin !== undefined) await twin.handle(ctx, rest);
    else if (first === '__control' && options.control === true) await answerControl(ctx, rest);
    else if (asset !== undefined) Object.assign(ctx, asset);
    else await answerConsole(ctx, segments);
  }

  const app = new Koa();
  app.on('error', (error) => complain(error, 'connection'));
  app.use(async function answerSandbox(ctx) {
    ctx.set({
      Date: new Date(options.clock.now()).toUTCString(),
      'Content-Security-Policy': POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'same-origin',
    });
    try {
      if (!ours(ctx.host)) throw new PageError(421, 'This host is not served here.');
      await small.answer(ctx, () => route(ctx));
      // Show a page instead of Koa's plain 404.
      if (ctx.status === 404 && ctx.body === undefined && ctx.respond !== false)
        show(ctx, 404, 'There is nothing here.');
    } catch (error) {
      if (!(error instanceof PageError)) complain(error, ctx.path);
      const known = error instanceof PageError ? error : new PageError(500, 'Something went wrong.');
      show(ctx, known.status, known.message);
    }
  });

  return Object.freeze({
    app,
    isConsole: (path: string) => isOurs(path) && !isApi(segmentsOf(path)),
    async open(network?: string) {
      const slugs = network === undefined ? twins.all.map(({ slug }) => slug) : [network];
      await Promise.all(slugs.map(twins.open));
    },
    async someoneWithForm() {
      for (const { slug } of twins.all) {
        const person = (await twins.open(slug))?.people().find(({ form }) => form !== undefined);
        if (person !== undefined) return person;
      }
      return undefined;
    },
    people: () => twins.opened().flatMap((twin) => twin.people()),
    posts: (network: string, person: string) => openedTwin(network)?.posts(person) ?? [],
    requests: () => journal.list(),
    setFault,
    reset,
    settle: twins.settle,
    close() {
      close();
      twins.close();
      store.close();
    },
  });
}
