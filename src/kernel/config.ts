import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { isCidr, isLoopbackName } from './net/addresses.ts';
import { isPlanTier, type PlanTier } from './plans.ts';
import { PLATFORMS, type PlatformSlug } from './platforms.ts';

export type Config = Readonly<{
  port: number;
  host: string;
  /** Nobody else reaches this server: it listens on loopback alone, and that is also its public origin. */
  onThisMachine: boolean;
  /** The public origin, without a trailing slash. */
  rootUrl: string;
  allowedHosts: readonly string[];
  dataDir: string;
  databaseUrl: string | undefined;
  masterKeys: readonly string[];
  sandbox: boolean;
  defaultPlan: PlanTier;
  webhookHeaderPrefixes: readonly string[];
  webhookCaFile: string | undefined;
  allowPrivateNetwork: 'off' | 'on' | readonly string[];
  egressProxy: string | undefined;
  trustProxy: number;
  metricsToken: string | undefined;
  publishMaxLatenessMs: number;
  logLevel: string;
  /** Where the test harness keeps the time of a child process; never set in production. */
  clockFile: string | undefined;
  /** Where a test ends the process: `<point>:<nth>`; never set in production. */
  crashAt: string | undefined;
  /** What the authorization server does beyond the contract, each off unless asked for. */
  oauth: Readonly<{ iss: boolean; clientIdMetadata: boolean; replayRevokes: boolean }>;
  /** Another issuer whose tokens the dashboard may use. */
  identity: Readonly<{ jwksUrl: string; issuer: string; audience: string }> | undefined;
  /** The key that `rostra mcp` acts with. */
  apiKey: string | undefined;
  /** A sandbox that runs as its own process, instead of the one inside this server. */
  sandboxUrl: string | undefined;
  credentials: Readonly<Partial<Record<PlatformSlug, Readonly<{ clientId: string; clientSecret: string }>>>>;
  /** The bucket media are kept in, instead of DATA_DIR; `url` is what the keys of its objects follow. */
  mediaBucket: Readonly<{ url: string; region: string; accessKeyId: string; secretAccessKey: string }> | undefined;
  /** What of Bluesky is elsewhere, what is not set is absent; a service of one's own also means the real network. */
  bluesky: Readonly<Partial<Record<'service' | 'plc' | 'web' | 'chat', string>>>;
}>;

/** A setting that cannot be used; the message is the one line that stops the start. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

const IDENTITY = Object.freeze(['DASHBOARD_JWKS_URL', 'DASHBOARD_JWT_ISSUER', 'DASHBOARD_JWT_AUDIENCE'] as const);

const MEDIA_S3 = Object.freeze([
  'MEDIA_S3_ENDPOINT',
  'MEDIA_S3_BUCKET',
  'MEDIA_S3_REGION',
  'MEDIA_S3_ACCESS_KEY_ID',
  'MEDIA_S3_SECRET_ACCESS_KEY',
] as const);

const KNOWN: ReadonlySet<string> = new Set([
  'PORT',
  'HOST',
  'ROOT_URL',
  'ALLOWED_HOSTS',
  'DATA_DIR',
  'DATABASE_URL',
  'MASTER_KEY',
  'SANDBOX',
  'DEFAULT_PLAN',
  'WEBHOOK_HEADER_PREFIXES',
  'WEBHOOK_CA_FILE',
  'ALLOW_PRIVATE_NETWORK',
  'EGRESS_PROXY',
  'TRUST_PROXY',
  'METRICS_TOKEN',
  'PUBLISH_MAX_LATENESS',
  'LOG_LEVEL',
  'CLOCK_FILE',
  'CRASH_AT',
  'BLUESKY_SERVICE',
  'BLUESKY_PLC',
  'BLUESKY_WEB',
  'BLUESKY_CHAT_DID',
  'SANDBOX_URL',
  'OAUTH_ISS',
  'OAUTH_CLIENT_METADATA',
  'OAUTH_REPLAY_REVOKES',
  ...IDENTITY,
  ...MEDIA_S3,
  'MEDIA_S3_PATH_STYLE',
  'ROSTRA_API_KEY',
]);

type Env = Readonly<Record<string, string | undefined>>;

/** Reads the environment; throws ConfigError naming the first setting that is wrong. */
export function readConfig(env: Env = process.env, overrides: { port?: number } = {}): Config {
  const text = (name: string) => env[name]?.trim() || undefined;
  const wrong = (name: string, why: string): never => {
    throw new ConfigError(`${name} ${why}`);
  };
  refuseMisspelt(env, wrong);
  const test = env['NODE_ENV'] === 'test';

  const port = overrides.port ?? integer(text('PORT') ?? '8080', 0, 65_535) ?? wrong('PORT', 'must be 0 to 65535');
  const rootUrl = rootOf(text('ROOT_URL') ?? `http://localhost:${port}`, wrong);
  const host = text('HOST') ?? '127.0.0.1';
  const databaseUrl = text('DATABASE_URL');
  if (databaseUrl !== undefined && !(/^postgres(ql)?:\/\//.test(databaseUrl) && URL.canParse(databaseUrl))) {
    wrong('DATABASE_URL', 'must be a postgres:// address with its password percent-encoded (leave it out for SQLite)');
  }
  const masterKeys = list(text('MASTER_KEY'));
  for (const key of masterKeys) {
    if (!/^[0-9a-f]{64}$/i.test(key)) wrong('MASTER_KEY', 'must be 64 hex characters each (openssl rand -hex 32)');
  }
  if (databaseUrl !== undefined && masterKeys.length === 0) {
    wrong('MASTER_KEY', 'is required with DATABASE_URL, so that every process opens the same secrets');
  }
  const tier = text('DEFAULT_PLAN') ?? 'enterprise';

  return Object.freeze({
    port,
    host,
    onThisMachine: isLoopback(rootUrl) && isLoopback(`http://${host.includes(':') ? `[${host}]` : host}`),
    rootUrl,
    allowedHosts: list(text('ALLOWED_HOSTS')).map((name) => hostName(name.toLowerCase(), wrong)),
    dataDir: resolve(text('DATA_DIR') ?? './data'),
    databaseUrl,
    masterKeys,
    sandbox: onOff(text('SANDBOX')) ?? (text('SANDBOX') ? wrong('SANDBOX', 'must be on or off') : isLoopback(rootUrl)),
    defaultPlan: isPlanTier(tier) ? tier : wrong('DEFAULT_PLAN', 'must be free, starter, pro, business or enterprise'),
    webhookHeaderPrefixes: headerPrefixes(text('WEBHOOK_HEADER_PREFIXES') ?? 'X-Service,X-SocialAPI', wrong),
    webhookCaFile: text('WEBHOOK_CA_FILE'),
    allowPrivateNetwork: privateNetwork(text('ALLOW_PRIVATE_NETWORK') ?? 'off', wrong),
    egressProxy: url(text('EGRESS_PROXY'), 'EGRESS_PROXY', wrong),
    trustProxy: integer(text('TRUST_PROXY') ?? '0', 0, 16) ?? wrong('TRUST_PROXY', 'must be a number of hops, 0 to 16'),
    metricsToken: text('METRICS_TOKEN'),
    publishMaxLatenessMs:
      duration(text('PUBLISH_MAX_LATENESS') ?? '6h') ?? wrong('PUBLISH_MAX_LATENESS', 'must look like 90m, 6h or 2d'),
    logLevel: oneOf(text('LOG_LEVEL') ?? 'info', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], () =>
      wrong('LOG_LEVEL', 'must be fatal, error, warn, info, debug, trace or silent'),
    ),
    clockFile: test ? text('CLOCK_FILE') : undefined,
    crashAt: test ? text('CRASH_AT') : undefined,
    apiKey: text('ROSTRA_API_KEY'),
    credentials: credentials(text, wrong),
    oauth: Object.freeze({
      iss: flag(text('OAUTH_ISS'), 'OAUTH_ISS', wrong),
      clientIdMetadata: flag(text('OAUTH_CLIENT_METADATA'), 'OAUTH_CLIENT_METADATA', wrong),
      replayRevokes: flag(text('OAUTH_REPLAY_REVOKES'), 'OAUTH_REPLAY_REVOKES', wrong),
    }),
    identity: identity(text, rootUrl, wrong),
    sandboxUrl: url(text('SANDBOX_URL'), 'SANDBOX_URL', wrong),
    mediaBucket: mediaBucket(text, wrong),
    bluesky: bluesky(text, wrong),
  });
}

/** True when an origin can only be reached from this machine. */
export function isLoopback(origin: string): boolean {
  return URL.canParse(origin) && isLoopbackName(new URL(origin).hostname);
}

type Wrong = (name: string, why: string) => never;

function hostName(text: string, wrong: Wrong): string {
  const named = URL.canParse(`http://${text}`) && new URL(`http://${text}`).host;
  if (!named || (named !== text && `${named}:80` !== text)) {
    wrong('ALLOWED_HOSTS', 'must be host names, with a port where they have one: app.example.org, 10.0.0.5:8080');
  }
  return text;
}

/** A misspelt setting is worse than a missing one: names that look like ours but are unknown stop the start. */
function refuseMisspelt(env: Env, wrong: Wrong): void {
  const families = [
    /^OAUTH_/,
    /^ALLOWED_HOST/,
    /^TRUST_PROX/,
    /^SANDBOX/,
    /^EGRESS_/,
    /^WEBHOOK_/,
    /^PUBLISH_/,
    /^ROOT_URL/,
    /^ALLOW_PRIVATE/,
    /^MASTER_KEY/,
    /^BLUESKY_/,
    /^METRICS_/,
    /^DASHBOARD_/,
    /^MEDIA_/,
  ];
  const credentials = PLATFORMS.flatMap((slug) => Object.values(credentialNames(slug)));
  const known = new Set([...KNOWN, ...credentials]);
  // Names of one word are left to others: `host` and `port` may mean anything.
  const compound = [...known].filter((name) => name.includes('_'));
  const meant = new Map(compound.map((name) => [squeezed(name), name]));
  for (const name of Object.keys(env)) {
    if (known.has(name)) continue;
    const right = meant.get(squeezed(name));
    if (right !== undefined) wrong(name, `is not a setting of Rostra; its name is ${right}`);
    if (families.some((family) => family.test(name)))
      wrong(name, 'is not a setting of Rostra; see docs/configuration.md');
  }
}

/** A name without what is easily mistyped about it. */
function squeezed(name: string): string {
  return name.replaceAll('_', '').toUpperCase();
}

/** The settings that hold the app of a platform. */
export function credentialNames(slug: PlatformSlug) {
  const name = slug.toUpperCase();
  return { id: `${name}_CLIENT_ID`, secret: `${name}_CLIENT_SECRET` };
}

function credentials(text: (name: string) => string | undefined, wrong: Wrong): Config['credentials'] {
  const found: Partial<Record<PlatformSlug, { clientId: string; clientSecret: string }>> = {};
  for (const slug of PLATFORMS) {
    const { id, secret } = credentialNames(slug);
    const clientId = text(id);
    const clientSecret = text(secret);
    if (clientId === undefined && clientSecret === undefined) continue;
    if (clientId === undefined) wrong(id, `is missing beside ${secret}`);
    if (clientSecret === undefined) wrong(secret, `is missing beside ${id}`);
    found[slug] = Object.freeze({ clientId: clientId, clientSecret: clientSecret });
  }
  return Object.freeze(found);
}

/** All three or none: keys alone would let in the tokens of everybody that host knows, whoever they are meant for. */
function identity(text: (name: string) => string | undefined, rootUrl: string, wrong: Wrong): Config['identity'] {
  const given = IDENTITY.find((name) => text(name) !== undefined);
  if (given === undefined) return undefined;
  const [jwksUrl, issuer, audience] = IDENTITY.map(
    (name) => text(name) ?? wrong(name, `is missing beside ${given}`),
  ) as [string, string, string];
  const protocol = URL.canParse(jwksUrl) ? new URL(jwksUrl).protocol : '';
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(jwksUrl))) {
    wrong('DASHBOARD_JWKS_URL', 'must be an https URL (http on this machine alone)');
  }
  if (issuer === rootUrl) wrong('DASHBOARD_JWT_ISSUER', 'must not be ROOT_URL, which issues tokens of its own');
  return Object.freeze({ jwksUrl, issuer, audience });
}

/** All or none. The bucket is a part of the path, which every storage understands, or of the host name. */
function mediaBucket(text: (name: string) => string | undefined, wrong: Wrong): Config['mediaBucket'] {
  const given = [...MEDIA_S3, 'MEDIA_S3_PATH_STYLE'].find((name) => text(name) !== undefined);
  if (given === undefined) return undefined;
  const [endpoint, bucket, region, accessKeyId, secretAccessKey] = MEDIA_S3.map(
    (name) => text(name) ?? wrong(name, `is missing beside ${given}`),
  ) as [string, string, string, string, string];
  const root = new URL(url(endpoint, 'MEDIA_S3_ENDPOINT', wrong)!);
  if (root.search || root.hash || root.username) wrong('MEDIA_S3_ENDPOINT', 'must have no query, fragment or user');
  if (!/^\w[\w.-]{1,61}\w$/.test(bucket)) wrong('MEDIA_S3_BUCKET', 'must be the name of a bucket');
  if (!/^[\w-]{1,63}$/.test(region)) wrong('MEDIA_S3_REGION', 'must be the name of a region, such as us-east-1');
  const inPath = flag(text('MEDIA_S3_PATH_STYLE') ?? 'on', 'MEDIA_S3_PATH_STYLE', wrong);
  if (inPath) root.pathname = `${root.pathname.replace(/\/$/, '')}/${bucket}`;
  else if (isIP(root.hostname.replace(/^\[|\]$/g, '')) === 0) root.hostname = `${bucket}.${root.hostname}`;
  else wrong('MEDIA_S3_PATH_STYLE', 'must be on where MEDIA_S3_ENDPOINT is an IP address');
  return Object.freeze({ url: root.href.replace(/\/$/, ''), region, accessKeyId, secretAccessKey });
}

function bluesky(text: (name: string) => string | undefined, wrong: Wrong): Config['bluesky'] {
  const [service, plc, web] = ['BLUESKY_SERVICE', 'BLUESKY_PLC', 'BLUESKY_WEB'].map((name) =>
    url(text(name), name, wrong),
  );
  const chat = text('BLUESKY_CHAT_DID');
  if (chat !== undefined && !/^did:[a-z]+:[\w.:%-]+$/.test(chat)) {
    wrong('BLUESKY_CHAT_DID', 'must be a DID such as did:web:api.bsky.chat');
  }
  return Object.freeze({
    ...(service && { service }),
    ...(plc && { plc }),
    ...(web && { web }),
    ...(chat && { chat }),
  });
}

function rootOf(value: string, wrong: Wrong): string {
  const parsed = URL.canParse(value) ? new URL(value) : undefined;
  const plain = parsed && parsed.pathname === '/' && !parsed.search && !parsed.hash && !parsed.username;
  if (!parsed || !plain || !/^https?:$/.test(parsed.protocol)) {
    wrong('ROOT_URL', 'must be an http(s) origin such as https://social.example.org');
  }
  return parsed.origin;
}

function url(value: string | undefined, name: string, wrong: Wrong): string | undefined {
  if (value === undefined) return undefined;
  if (!URL.canParse(value) || !/^https?:/.test(value)) wrong(name, 'must be an http(s) URL');
  return value.replace(/\/+$/, '');
}

function integer(value: string, min: number, max: number): number | undefined {
  const number = Number(value);
  return /^\d+$/.test(value) && number >= min && number <= max ? number : undefined;
}

function flag(value: string | undefined, name: string, wrong: Wrong): boolean {
  return onOff(value) ?? (value === undefined ? false : wrong(name, 'must be on or off'));
}

function onOff(value: string | undefined): boolean | undefined {
  return value === 'on' ? true : value === 'off' ? false : undefined;
}

function list(value: string | undefined): readonly string[] {
  return Object.freeze(
    (value ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  );
}

function headerPrefixes(value: string, wrong: Wrong): readonly string[] {
  const prefixes = list(value);
  if (prefixes.length === 0 || prefixes.some((prefix) => !/^[A-Za-z0-9-]{1,40}$/.test(prefix))) {
    wrong('WEBHOOK_HEADER_PREFIXES', 'must be header name prefixes separated by commas');
  }
  return prefixes;
}

function privateNetwork(value: string, wrong: Wrong): Config['allowPrivateNetwork'] {
  if (value === 'on' || value === 'off') return value;
  const ranges = list(value);
  if (!ranges.every(isCidr)) wrong('ALLOW_PRIVATE_NETWORK', 'must be on, off or address ranges such as 10.0.0.0/8');
  return ranges;
}

function duration(value: string): number | undefined {
  const match = /^(\d{1,6})(s|m|h|d)$/.exec(value);
  if (!match) return undefined;
  return Number(match[1]) * { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[match[2] as 's' | 'm' | 'h' | 'd'];
}

function oneOf<T extends string>(value: string, allowed: readonly T[], otherwise: () => never): T {
  return allowed.includes(value as T) ? (value as T) : otherwise();
}
