import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type Koa from 'koa';
import { openStore, type Store as BareStore } from '../../db/store/open.ts';
import type { Network } from '../../db/schema/database.ts';
import { productStore } from '../../db/store/store.ts';
import { makeOAuth } from '../../oauth/index.ts';
import { toolsets } from '../../tools/index.ts';
import type { Rooms } from '../../tools/rooms.ts';
import type { CrashPoint } from '../call/ports.ts';
import { makeAccounts } from '../engine/accounts/index.ts';
import { makeCalling } from '../engine/accounts/calling.ts';
import { makePageFinder } from '../engine/accounts/page-finder.ts';
import { disconnect, makeSessions } from '../engine/accounts/sessions.ts';
import { makeBrands } from '../engine/brands/index.ts';
import { makeDelivery } from '../engine/delivery/index.ts';
import { sealAddresses } from '../engine/delivery/seal-addresses.ts';
import { makeEvents } from '../engine/events/index.ts';
import { makeCallers } from '../engine/keys/callers.ts';
import { makeKeys } from '../engine/keys/index.ts';
import { makeIdempotency } from '../engine/idempotency/index.ts';
import { makeIdentity } from '../engine/identity/index.ts';
import { makeInbound } from '../engine/inbox/inbound.ts';
import { makeInbox } from '../engine/inbox/index.ts';
import { makeMedia } from '../engine/media/media.ts';
import { openMediaFiles } from '../engine/media/open-files.ts';
import { makeRedirects } from '../engine/redirects/index.ts';
import { makeSignin } from '../engine/signin/index.ts';
import { makeUsage } from '../engine/metering/index.ts';
import { makeAdopting } from '../engine/publishing/external.ts';
import { makePublishing, PUBLISH_WAIT_MS } from '../engine/publishing/index.ts';
import { makeReadiness } from '../engine/readiness/index.ts';
import { makeUsers } from '../engine/users/index.ts';
import { readCa } from '../kernel/net/ca.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Config } from '../kernel/config.ts';
import { newId } from '../kernel/ids.ts';
import { LARGEST_FILE_BYTES } from '../kernel/limits/sizes.ts';
import type { Log } from '../kernel/log.ts';
import { signCursorsWith } from '../kernel/page.ts';
import type { PlatformSlug } from '../kernel/platforms.ts';
import { makeOutbound } from '../kernel/net/request.ts';
import type { Sealer } from '../kernel/seal.ts';
import { checkCanary } from './keyring.ts';
import { placeOf, selfName } from './places.ts';
import { platforms as everyPlatform } from '../platforms/index.ts';
import { supportedBy } from '../platforms/support.ts';
import { REQUEST_MS, type Platform } from '../platforms/platform.ts';
import { openSandbox, type Sandbox } from '../sandbox/network.ts';
import { makeHttp } from '../serve/http/app.ts';
import { mediaRoutes } from '../serve/http/media-routes.ts';
import { mountSandbox } from '../serve/http/sandbox.ts';
import type { RequestState } from '../serve/http/state.ts';
import { makeInvoke } from '../serve/invoke.ts';
import { makeMcp } from '../serve/mcp/index.ts';
import type { Card } from '../serve/mcp/card.ts';
import { pushRoutes } from '../serve/push/index.ts';
import { makePages } from '../serve/web/index.ts';
import { makeUpkeep } from './upkeep.ts';

export const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
export const card = createRequire(import.meta.url)('../../server-card.json') as Card;

const NETWORKS = Object.freeze(['real', 'sandbox'] as const);

export type Surroundings = Readonly<{
  clock: Clock;
  log: Log;
  sealer: Sealer;
  /** The port this server listens on. */
  port: number;
  /** A store that is open already; else the configuration says which one. */
  store?: BareStore;
  crash?: CrashPoint;
  /** Connectors instead of the product's own. */
  platforms?: ReadonlyMap<PlatformSlug, Platform>;
  /** How long requests of ours may take, and publishing is waited for; tests are less patient. */
  deadlines?: Readonly<{ call?: number; delivery?: number; publishWait?: number; identity?: number; stall?: number }>;
  sandboxFile?: string;
  sandboxControl?: boolean;
  /** Checks every answer against its schema: for tests and development. */
  checkOutput?: boolean;
  /** Extra certificate authority of webhook receivers, as PEM, instead of WEBHOOK_CA_FILE. */
  webhookCa?: string;
}>;

/** Puts the whole product together; nothing runs until `start`. */
export async function compose(config: Config, world: Surroundings) {
  const { clock, log, sealer, port, crash = () => {}, deadlines = {}, platforms = everyPlatform } = world;
  const ca = world.webhookCa ?? readCa(config.webhookCaFile);
  const bare = world.store ?? (await openStore(placeOf(config, log)));
  await checkCanary(bare, sealer);
  const store = productStore(bare, clock);
  signCursorsWith(sealer.derive('cursor'));

  const here = `http://${selfName(config.host)}:${port}`;
  const twins = config.sandboxUrl ?? `${here}/sandbox`;
  const { service, plc } = config.bluesky;
  const trusted = [...(config.sandbox ? [twins] : []), service, plc, config.mediaBucket?.url].flatMap((url) =>
    url ? [new URL(url).origin] : [],
  );
  const outbound = makeOutbound({
    allowPrivate: config.allowPrivateNetwork,
    ownPort: () => port,
    trustedOrigins: () => trusted,
    ca,
    proxy: config.egressProxy,
    userAgent: `Rostra/${version}`,
    log: (line) => log.debug(line, 'called'),
  });
  const sandboxClient = {
    clientId: 'sandbox',
    // Twins in a process of their own know no secret of ours; they are for tests.
    clientSecret: config.sandboxUrl === undefined ? sealer.derive('sandbox').toString('hex') : 'sandbox',
  };
  const sandbox: Sandbox | undefined =
    config.sandbox && config.sandboxUrl === undefined
      ? openSandbox({
          file: world.sandboxFile ?? join(config.dataDir, 'sandbox.db'),
          clock,
          rootUrl: () => here,
          webUrl: () => config.rootUrl,
          appSecret: sandboxClient.clientSecret,
          log,
          control: world.sandboxControl ?? false,
          guarded: !config.onThisMachine,
          hosts: () => true,
        })
      : undefined;

  const calling = makeCalling({
    outbound,
    clock,
    sandbox: () => ({ api: twins, web: config.sandboxUrl ?? `${config.rootUrl}/sandbox` }),
    sandboxOpen: config.sandbox || config.sandboxUrl !== undefined,
    overrides: { bluesky: config.bluesky },
    deadlineMs: deadlines.call ?? REQUEST_MS,
  });
  const clientOf = (slug: PlatformSlug, network: Network) =>
    network === 'sandbox' ? sandboxClient : config.credentials[slug];
  const configured = new Set(Object.keys(config.credentials) as PlatformSlug[]);
  if (service !== undefined) configured.add('bluesky');

  const sessions = makeSessions({ store, clock, log, sealer, calling, platforms, clientOf });
  const oauth = makeOAuth({ store, clock, log, sealer, outbound, rootUrl: config.rootUrl, options: config.oauth });
  const deadlineMs = deadlines.identity;
  const identity = config.identity && makeIdentity({ store, clock, log, outbound, ...config.identity, deadlineMs });
  const readerOf = (token: string) => (identity?.issued(token) ? identity : oauth);
  const callers = makeCallers({
    store,
    clock,
    log,
    verifyToken: (token) => readerOf(token).verifyToken(token),
    readDashboardToken: (token) => readerOf(token).readDashboardToken(token),
  });
  const media = makeMedia({
    store,
    files: await openMediaFiles({ config, store, outbound, clock, log }),
    clock,
    log,
    newId,
    outbound,
    sealer,
    rootUrl: config.rootUrl,
  });
  const pageFinder = makePageFinder({ store });
  const posts = makePublishing({
    store,
    sessions,
    media,
    fetchFile: media.fetchFile,
    pages: pageFinder,
    platforms,
    clock,
    log,
    crash,
    maxLatenessMs: config.publishMaxLatenessMs,
    waitMs: deadlines.publishWait ?? PUBLISH_WAIT_MS,
  });
  const secretsFor = (slug: PlatformSlug) =>
    NETWORKS.flatMap((network) => {
      const client = network === 'real' || config.sandbox ? clientOf(slug, network) : undefined;
      const verifyToken = sealer.derive(`push ${network} ${slug}`).toString('hex');
      return client ? [{ network, secret: client.clientSecret, verifyToken }] : [];
    });
  // Worked out once: strangers ask for them too.
  const pushSecrets = new Map([...platforms.keys()].map((slug) => [slug, secretsFor(slug)]));
  const inbound = makeInbound({
    store,
    sessions,
    platforms,
    clock,
    log,
    disconnect,
    adopt: makeAdopting({ platforms }),
    bare: calling.bare,
    clientOf,
    secretsOf: (slug) => pushSecrets.get(slug) ?? [],
    pushUrl: (network) => (network === 'sandbox' ? here : config.rootUrl),
    codeKey: sealer.derive('deletion'),
    rootUrl: config.rootUrl,
  });
  const inbox = makeInbox({ store, sessions, media, pages: pageFinder, platforms, clock, log, crash });
  const delivery = makeDelivery({
    store,
    outbound,
    clock,
    sealer,
    log,
    prefixes: config.webhookHeaderPrefixes,
    userAgent: `Rostra/${version}`,
    ...(deadlines.delivery !== undefined && { deadlineMs: deadlines.delivery }),
    crash,
  });
  const sealed = await sealAddresses(bare, sealer);
  if (sealed > 0) log.info({ endpoints: sealed }, 'user and password of webhook addresses were sealed');
  const usage = makeUsage({ store, clock });
  const idempotency = makeIdempotency({ store, clock, log, sealer, crash });
  const users = makeUsers({
    store,
    clock,
    defaultPlan: config.defaultPlan,
    ownAddressOnly: config.identity !== undefined,
    revoke: sessions.revoke,
    forget() {
      callers.forget();
      oauth.forget();
    },
  });
  const redirects = makeRedirects({ store, clock });
  const signin = makeSignin({
    store,
    clock,
    addUser: users.createWithin,
    onSignIn: () => rmSync(join(config.dataDir, 'first-run.txt'), { force: true }),
  });
  const rooms: Rooms = Object.freeze({
    accounts: makeAccounts({
      store,
      clock,
      sealer,
      calling,
      platforms,
      sessions,
      rootUrl: config.rootUrl,
      sandbox: config.sandbox,
      configured,
      clientOf,
      admitRedirect: redirects.admit,
      beforeConnected: inbound.beforeConnected,
      onConnected: inbound.onConnected,
    }),
    brands: makeBrands({ store, clock, revoke: sessions.revoke }),
    delivery,
    events: makeEvents({ store, clock, log }),
    inbound,
    inbox,
    keys: makeKeys({ store, clock, forget: callers.forget }),
    media,
    posts,
    redirects,
    usage,
    users,
  });

  const upkeep = makeUpkeep({
    store,
    clock,
    log,
    sessions,
    media,
    oauth,
    posts,
    delivery,
    inbound,
    inbox,
    idempotency,
  });
  const { queues, hearts } = upkeep;

  const supported = supportedBy(platforms.values());
  const invoke = makeInvoke({ rooms, log, meterHeaders: usage.headers, checkOutput: world.checkOutput ?? false });
  const mcp = makeMcp({ toolsets, supported, invoke, callers, rootUrl: config.rootUrl, card, log, clock });
  const pages = makePages({
    config,
    connect: rooms.accounts.connect,
    workspaceName: users.workspaceName,
    signin,
    oauth,
    toolsets,
    invoke,
    isConsole: (path) => sandbox !== undefined && !config.onThisMachine && sandbox.isConsole(path),
    log,
    clock,
    sealer,
    version,
  });
  const mounts: Koa.Middleware<RequestState>[] = [
    mcp.middleware as Koa.Middleware<RequestState>,
    oauth.middleware,
    pages,
    mediaRoutes(media),
    pushRoutes(inbound.pushes),
  ];
  if (sandbox) mounts.push(mountSandbox(sandbox.app));
  const app = makeHttp({
    config: { ...config, allowedHosts: [...config.allowedHosts, `${selfName(config.host)}:${port}`] },
    toolsets,
    invoke,
    callers,
    idempotency,
    log,
    mounts,
    health: makeReadiness({ store, clock, loops: [...hearts, delivery] }),
    stallMs: deadlines.stall,
    uploads: { maxFileBytes: LARGEST_FILE_BYTES, spoolDir: join(config.dataDir, 'spool') },
  });

  return Object.freeze({
    handle: app.callback(),
    store,
    rooms,
    invoke,
    callers,
    oauth,
    signin,
    sandbox,
    toolsets,
    supported,
    hearts,
    queues,
    posts,
    delivery,

    /** Starts what runs by itself: the scheduler, the queue, deliveries. */
    async start(): Promise<void> {
      await rooms.events.start();
      await upkeep.plan();
      callers.start();
      delivery.start();
      for (const heart of hearts) heart.start();
    },

    /** Ends new work and lets running attempts finish. */
    async stop(): Promise<void> {
      const stopping = [...hearts, delivery, callers].map((one) => one.stop());
      await Promise.all([...stopping, inbox.idle(), idempotency.idle()]);
      // Last, so that streams tell of what has just ended, and are not taken up again while we still refuse.
      await rooms.events.stop();
    },

    /** Closes everything; after `stop`, and once no request is answered any more. */
    async close(): Promise<void> {
      await outbound.close();
      sandbox?.close();
      await bare.close();
    },
  });
}

export type Product = Awaited<ReturnType<typeof compose>>;
