import { join } from 'node:path';
import type { Network } from '#db/schema/database.ts';
import { makeCalling } from '#engine/accounts/calling.ts';
import { makeAppFinder } from '#engine/apps/finder.ts';
import { makeSmall } from '#engine/media/pictures/small.ts';
import { makeQuotas } from '#engine/quotas/index.ts';
import { makeSessions } from '#engine/accounts/sessions.ts';
import { isPublicUrl } from '#kernel/net/addresses.ts';
import { readCa } from '#kernel/net/ca.ts';
import { makeOutbound } from '#kernel/net/request.ts';
import type { AppName, PlatformSlug } from '#kernel/platforms.ts';
import { REQUEST_MS } from '#platforms/call.ts';
import type { OAuthClient } from '#platforms/connect.ts';
import { appOf, loginsOf } from '#platforms/lookup.ts';
import type { Platform } from '#platforms/platform.ts';
import { openSandbox, type Sandbox } from '#sandbox/network.ts';
import { USER_AGENT } from './package.ts';
import { applySettings } from './platform-settings.ts';
import type { Setup } from './setup.ts';

/** How this server reaches platforms, real ones or simulators, and everything else outside. */
export function makeNetwork(setup: Setup) {
  const { base, config, sealer, platforms, deadlines } = setup;
  const host = `${hostOf(config.host)}:${setup.port}`;
  const origin = `http://${host}`;
  const twins = {
    api: config.sandboxUrl ?? `${origin}/sandbox`,
    web: config.sandboxUrl ?? `${config.rootUrl}/sandbox`,
  };
  const { overrides, trusted, real, settingsOf } = applySettings(config, platforms);
  const outbound = openOutbound(setup, [...(config.sandbox ? [twins.api] : []), ...trusted, ...(setup.trusted ?? [])]);
  const sandboxClient = {
    clientId: 'sandbox',
    // Simulators in a separate process are for tests and do not know our secret.
    clientSecret: config.sandboxUrl === undefined ? sealer.derive('sandbox').export().toString('hex') : 'sandbox',
  };
  const clientOf = (app: AppName, network: Network) =>
    network === 'sandbox' ? sandboxClient : config.credentials[app];
  const quotas = makeQuotas({ ...base, platforms: [...platforms.values()], settingsOf });
  const calling = makeCalling({
    outbound,
    clock: base.clock,
    meter: base.meter,
    trace: base.trace,
    sandbox: () => twins,
    sandboxOpen: config.sandbox || config.sandboxUrl !== undefined,
    overrides,
    settingsOf,
    quotas,
    deadlineMs: deadlines.call ?? REQUEST_MS,
  });
  const apps = makeAppFinder({ store: base.store, sealer, serverApp: clientOf });
  const configured = new Set([...(Object.keys(config.credentials) as AppName[]), ...real]);
  function isConfigured(slug: PlatformSlug): boolean {
    const platform = platforms.get(slug);
    const logins = platform === undefined ? [] : [...loginsOf(platform).values()];
    return [slug, ...logins.map(appOf)].some((one) => configured.has(one));
  }

  return Object.freeze({
    host,
    /** The address at which platforms of a network reach this server; a separate sandbox pushes to ROOT_URL. */
    pushUrl: (on: Network) => (on === 'sandbox' && config.sandboxUrl === undefined ? origin : config.rootUrl),
    isReachable: (on: Network) => on === 'sandbox' || isPublicUrl(config.rootUrl),
    origin,
    outbound,
    sandbox: openOwnSandbox(setup, origin, sandboxClient.clientSecret),
    clientOf,
    /** The simulators' URL, and the secret of their one app; undefined without a sandbox. */
    sandboxApp:
      config.sandbox || config.sandboxUrl !== undefined
        ? { api: twins.api, secret: sandboxClient.clientSecret }
        : undefined,
    calling,
    /** With the sandbox on, an unconfigured platform connects to its simulator. */
    networkOf: (slug: PlatformSlug): Network => (config.sandbox && !isConfigured(slug) ? 'sandbox' : 'real'),
    apps,
    quotas,
    sessions: makeSessions({ ...base, sealer, calling, platforms, apps }),
    appsOf: pushApps(setup, clientOf),
  });
}

/** The host name under which a server on `host` reaches itself. */
function hostOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

/** The only HTTP client. Addresses in `trusted`, and those of the bucket, may be private. */
function openOutbound({ base, config, pause, port, webhookCa }: Setup, trusted: readonly string[]) {
  const { mediaBucket, provider } = config;
  const named = [mediaBucket?.url, provider?.url, ...Object.values(config.migrationUrls)].filter(
    (url) => url !== undefined,
  );
  const origins = [...trusted, ...named].map((url) => new URL(url).origin);
  return makeOutbound({
    allowPrivate: config.allowPrivateNetwork,
    ownPort: () => port,
    trustedOrigins: () => origins,
    ca: webhookCa ?? readCa(config.webhookCaFile),
    proxy: config.egressProxy,
    userAgent: USER_AGENT,
    log: (line) => base.log.debug(line, 'called'),
    refuse: pause.refuse,
  });
}

/** The sandbox inside this server, unless it is off or a separate process. */
function openOwnSandbox(setup: Setup, origin: string, appSecret: string): Sandbox | undefined {
  const { base, config, sandboxFile, openSandbox: open = openSandbox, twins, workshop } = setup;
  if (!config.sandbox || config.sandboxUrl !== undefined) return undefined;
  return open({
    file: sandboxFile ?? join(config.dataDir, 'sandbox.db'),
    clock: base.clock,
    rootUrl: () => origin,
    webUrl: () => config.rootUrl,
    appSecret,
    log: base.log,
    ...(twins && { twins }),
    guarded: !config.onThisMachine,
    small: makeSmall({ folder: join(config.dataDir, 'spool', 'media'), workshop }),
    hosts: () => true,
  });
}

/** The signing secrets of each platform's pushes. Computed once, because anybody can trigger their use. */
function pushApps(
  { config, sealer, platforms }: Setup,
  clientOf: (app: AppName, network: Network) => OAuthClient | undefined,
) {
  const networks: readonly Network[] = config.sandbox ? ['real', 'sandbox'] : ['real'];
  const appsFor = ({ slug, push }: Platform) =>
    networks.flatMap((network) => {
      const signers = [slug, ...(push?.signedBy ?? [])];
      const secrets = signers.flatMap((signer) => clientOf(signer, network)?.clientSecret ?? []);
      const tokens = sealer.deriveAll(`push ${network} ${slug}`);
      return secrets.length === 0
        ? []
        : tokens.map((token) => ({
            network,
            secrets: [...new Set(secrets)],
            verifyToken: token.export().toString('hex'),
          }));
    });
  const apps = new Map([...platforms.values()].map((platform) => [platform.slug, appsFor(platform)]));
  return (slug: PlatformSlug) => apps.get(slug) ?? [];
}

export type Networks = ReturnType<typeof makeNetwork>;
