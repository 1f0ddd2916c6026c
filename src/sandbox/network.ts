/** The stand-in network: one Koa app with every twin, the console and, for tests, a control door. */
import Koa from 'koa';
import type { Context } from 'koa';
import { isLoopbackName } from '../kernel/net/addresses.ts';
import type { Clock } from '../kernel/clock.ts';
import { makeOutbound } from '../kernel/net/request.ts';
import type { Outbound, OutboundRequest } from '../kernel/net/request.ts';
import { openBluesky } from './bluesky/index.ts';
import { makeConsole } from './console.ts';
import { makeControl } from './control.ts';
import { openFacebook } from './facebook/index.ts';
import { openThreads } from './threads/index.ts';
import { openFaults } from './faults.ts';
import type { Fault } from './faults.ts';
import { openForms, PageError } from './forms.ts';
import { html, ICON, page } from './html.ts';
import { openJournal } from './journal.ts';
import type { JournalEntry } from './journal.ts';
import type { TwinOptions } from './kit/options.ts';
import { openStore } from './store.ts';
import type { Store } from './store.ts';
import { STYLESHEET } from './stylesheet.ts';
import type { SandboxPerson, SandboxPost, Twin } from './twin.ts';

export type OpenTwin = (options: TwinOptions) => Twin;
type Complain = (fields: object, message: string) => void;

/** The twins of the platforms; a platform's is one line here. */
export const TWINS: readonly OpenTwin[] = [openBluesky, openFacebook, openThreads];

export type SandboxOptions = Readonly<{
  /** Who is on the network. Absent: every platform's twin. */
  twins?: readonly OpenTwin[];
  /** A path, or `:memory:`. */
  file: string;
  clock: Clock;
  /** The origin the twins name in DID documents and media addresses: where the callers of their API reach them. */
  rootUrl: () => string;
  /** The origin browsers see; pages, pictures and files are named under it. Absent: the same. */
  webUrl?: (() => string) | undefined;
  /** The origin of the app the twins push to. Absent: the sandbox is part of it. */
  productUrl?: (() => string) | undefined;
  /** The secret of the one app of the sandbox, which signs what the twins push. */
  appSecret?: string | undefined;
  log?: Readonly<{ info: Complain; warn: Complain; error: Complain }> | undefined;
  /** Opens the JSON door under `/sandbox/__control`. */
  control?: boolean;
  rateLimits?: boolean;
  /** Others than this machine reach it: it then calls nothing private for them. */
  guarded?: boolean;
  /** Whether a Host header is ours; main passes its own rule. Else loopback names and the host of rootUrl. */
  hosts?: (host: string) => boolean;
}>;

export type Sandbox = Readonly<{
  /** To be mounted under `/sandbox`, or listened on alone: it answers under that path either way. */
  app: Koa;
  /** Whether an address is the sandbox's and for people to look at, passwords and all; the rest is what programs call. */
  isConsole(path: string): boolean;
  people(): readonly SandboxPerson[];
  posts(network: string, person: string): readonly SandboxPost[];
  requests(): readonly JournalEntry[];
  setFault(fault: Omit<Fault, 'times' | 'delay_ms'> & { times?: number; delay_ms?: number }): void;
  reset(): void;
  /** When no twin has anything more to send by itself. */
  settle(): Promise<void>;
  close(): void;
}>;

const POLICY =
  "default-src 'none'; img-src 'self'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const hostname = (host: string): string => (URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '');

const isOurs = (path: string) => path === '/sandbox' || path.startsWith('/sandbox/');

/** The decoded segments below `/sandbox`; undefined when the path cannot be read. */
function segmentsOf(path: string): readonly string[] | undefined {
  const below = isOurs(path) ? path.slice('/sandbox'.length) : path;
  try {
    return below.split('/').filter(Boolean).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** Waits that a closing sandbox ends, so that no answer hangs on a clock nobody moves any more. */
function makeWaits(clock: Clock) {
  const open = new Map<symbol, (over: boolean) => void>();
  return {
    /** Whether the time passed; false when the sandbox closed meanwhile. */
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

/** What every twin is given, and the end of what it was given. */
function makeTwinOptions(options: SandboxOptions, store: Store, complain: TwinOptions['complain']) {
  const { clock, rootUrl, webUrl = rootUrl, productUrl = rootUrl } = options;
  const waits = makeWaits(clock);
  // Made at the first use, when the addresses are known.
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

/** Opens the sandbox on its own SQLite file; an answered write is durable and survives a killed process. */
export function openSandbox(options: SandboxOptions): Sandbox {
  const { rootUrl, log } = options;
  const store = openStore(options.file);
  const complain = (error: unknown, what: string) => log?.error({ err: error }, `sandbox: ${what} failed`);
  const { shared, close } = makeTwinOptions(options, store, complain);
  const { faults, journal, forms } = shared;
  const twins = Object.freeze((options.twins ?? TWINS).map((open) => open(shared)));
  const twinOf = (slug: string | undefined) => twins.find((twin) => twin.slug === slug);
  const apis = twins.flatMap(({ slug, apis: areas }) => areas.map((area) => `/sandbox/${slug}/${area}/`));
  const ours =
    options.hosts ?? ((host) => isLoopbackName(hostname(host)) || hostname(host) === new URL(rootUrl()).hostname);

  function setFault(fault: Parameters<Sandbox['setFault']>[0]): void {
    const person = twinOf(fault.network)?.find(fault.person);
    if (person === undefined) throw new PageError(404, 'There is no such person.');
    // A grant is not taken back for a number of calls; it is gone when the switch is thrown.
    if (fault.kind === 'revoked') twinOf(fault.network)?.revoke(person);
    else faults.add({ ...fault, person, times: fault.times ?? 1, delay_ms: fault.delay_ms ?? 5000 });
  }
  function reset(): void {
    for (const twin of twins) twin.reset();
    faults.clear();
    journal.clear();
  }

  const answerConsole = makeConsole({ twins, faults, journal, forms, setFault });
  const answerControl = makeControl({ twins, faults, journal, setFault, reset });

  async function route(ctx: Context): Promise<void> {
    const segments = segmentsOf(ctx.path);
    if (segments === undefined) throw new PageError(400, 'This address cannot be read.');
    const [first, ...rest] = segments;
    const twin = twinOf(first);
    if (twin !== undefined && rest.length > 0) await twin.handle(ctx, rest);
    else if (first === '__control' && options.control === true) await answerControl(ctx, rest);
    else if (first === 'style.css' && rest.length === 0) {
      ctx.type = 'css';
      ctx.body = STYLESHEET;
    } else if (first === 'icon.svg' && rest.length === 0) {
      ctx.type = 'svg';
      ctx.body = ICON;
    } else await answerConsole(ctx, segments);
  }

  const app = new Koa();
  app.on('error', (error) => complain(error, 'connection'));
  app.use(async function answerSandbox(ctx) {
    ctx.set({
      'Content-Security-Policy': POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'same-origin',
    });
    try {
      if (!ours(ctx.host)) throw new PageError(421, 'This host is not served here.');
      await route(ctx);
      // Koa answers 404 to what nobody took up; a page says it better.
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
    isConsole: (path: string) => isOurs(path) && !apis.some((api) => path.startsWith(api)),
    people: () => twins.flatMap((twin) => twin.people()),
    posts: (network: string, person: string) => twinOf(network)?.posts(person) ?? [],
    requests: () => journal.list(),
    setFault,
    reset,
    async settle() {
      for (const twin of twins) await twin.settle?.();
    },
    close() {
      close();
      for (const twin of twins) twin.close?.();
      store.close();
    },
  });
}
