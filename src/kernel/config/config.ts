import { resolve } from 'node:path';
import { LOG_FORMATS, type LogSettings } from '../log.ts';
import { MEDIA_MAX_BYTES } from '../limits/sizes.ts';
import { PRESETS, type Preset } from '../limits/leash.ts';
import { isLoopback } from '../net/addresses.ts';
import { PLANS, type PlanPlatforms, type PlanTier } from '../plans.ts';
import { type AppName, APPS } from '../platforms.ts';
import {
  credentialNames,
  IDENTITY,
  PROVIDER,
  refuseMisspelt,
  STRIPE,
  STRIPE_PRICES,
  type Configurable,
} from './names.ts';
import { backup, type Backup } from './backup.ts';
import { mediaBucket, type MediaBucket } from './media-bucket.ts';
import { mail, type MailSettings } from './mail.ts';
import { linksOf, type Links } from './links.ts';
import { traces, type Traces } from './traces.ts';
import { parsed, reader, textOf, wrong, type Env, type Values } from './reader.ts';
import {
  PRICE_ID,
  SECRET_KEY,
  SIGNING_SECRET,
  databaseUrl,
  duration,
  flag,
  HEADER_WORD,
  headerPrefixes,
  hostNames,
  httpsOrigin,
  integer,
  list,
  masterKeys,
  namedUrls,
  oneOf,
  origin,
  planPlatforms,
  privateNetwork,
  siteFiles,
  url,
  userIds,
} from './values.ts';

export type Config = Readonly<{
  port: number;
  host: string;
  /** Whether only this machine can reach the server, because it listens on loopback and has a loopback origin. */
  onThisMachine: boolean;
  rootUrl: string;
  allowedHosts: readonly string[];
  dataDir: string;
  databaseUrl: string | undefined;
  masterKeys: readonly string[];
  /** A file with the master keys, if they are not in the environment. */
  masterKeyFile: string | undefined;
  sandbox: boolean;
  defaultPlan: PlanTier;
  /** The platforms of those plans that do not include all. */
  planPlatforms: PlanPlatforms;
  /** Whether pages count as profiles in the limits of plans. */
  profileUnits: boolean;
  /** Toolsets that are in beta, and the users who may call them. */
  beta: Readonly<{ toolsets: readonly string[]; testers: ReadonlySet<string> }>;
  /** API base URLs that replace those of migration providers, by provider. */
  migrationUrls: Readonly<Record<string, string>>;
  planWithout: PlanTier;
  webhookHeaderPrefixes: readonly string[];
  webhookCaFile: string | undefined;
  allowPrivateNetwork: 'off' | 'on' | readonly string[];
  egressProxy: string | undefined;
  trustProxy: number;
  metricsToken: string | undefined;
  /** Where traces are sent; if absent, none are recorded. */
  traces: Traces;
  publishMaxLatenessMs: number;
  /** Whether the server has no outside effects; if undefined, only when its store is a copy of another one. */
  paused: 'on' | 'off' | undefined;
  /** Pages of the operator, such as the privacy policy. */
  links: Links;
  /** The server that sends our mails. */
  mail: MailSettings;
  /** Where and how often the server backs up its store automatically. */
  backup: Backup;
  /** The name of this installation, by which a copy of its store is recognized. */
  installation: string | undefined;
  /** Files by name, served at the root of the site so that platforms can verify the domain. */
  siteFiles: ReadonlyMap<string, string>;
  log: LogSettings;
  /** The file with which the test harness sets the time of a child process; never set in production. */
  clockFile: string | undefined;
  /** Where a test makes the process exit (`<point>:<nth>`); never set in production. */
  crashAt: string | undefined;
  /** Extensions of the authorization server, which are off by default. */
  oauth: Readonly<{ iss: boolean; clientIdMetadata: boolean; replayRevokes: boolean }>;
  /** The preset of limits that is preselected on the consent page. */
  consentPreset: Preset;
  /** Another issuer whose tokens the dashboard accepts. */
  identity: Readonly<{ jwksUrl: string; issuer: string; audience: string }> | undefined;
  /** The key that `rostra mcp` uses. */
  apiKey: string | undefined;
  sandboxUrl: string | undefined;
  credentials: Readonly<Partial<Record<AppName, Readonly<{ clientId: string; clientSecret: string }>>>>;
  /** The bucket that stores media in place of DATA_DIR. */
  mediaBucket: MediaBucket;
  /** An OpenAI-compatible API with its models, which makes transcripts and descriptions for exports. */
  provider: Provider | undefined;
  /** The origin from which platforms fetch media, if it is not the public one. */
  mediaPublicUrl: string | undefined;
  mediaMaxBytes: number;
  /** Whether published files keep the metadata that cameras write. */
  mediaKeepMetadata: boolean;
  /** The Stripe account that receives payments; prices by plan and interval, such as `pro_month`. */
  stripe: Readonly<{ secretKey: string; webhookSecret: string; prices: Readonly<Record<string, string>> }> | undefined;
  platformSettings: Readonly<Record<string, string>>;
}>;

type Provider = Readonly<{ url: string } & Record<'key' | 'transcriptModel' | 'visionModel', string | undefined>>;

const TIER = oneOf(Object.keys(PLANS) as PlanTier[]);
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** The master keys, or the file that contains them; with PostgreSQL every process needs the same keys. */
function keyRing({ optional, text }: Values, isShared: boolean): Pick<Config, 'masterKeys' | 'masterKeyFile'> {
  const keys = optional('MASTER_KEY', masterKeys) ?? [];
  const file = text('MASTER_KEY_FILE');
  if (file !== undefined && keys.length > 0) wrong('MASTER_KEY_FILE', 'and MASTER_KEY are both set: leave one out');
  if (isShared && file === undefined && keys.length === 0) {
    wrong('MASTER_KEY', 'is required with DATABASE_URL, so that every process opens the same secrets');
  }
  return { masterKeys: keys, masterKeyFile: file === undefined ? undefined : resolve(file) };
}

/** Reads the environment; throws a ConfigError that names the first invalid setting. */
export function readConfig(configurable: Iterable<Configurable>, env: Env = process.env): Config {
  const platforms = [...configurable];
  refuseMisspelt(Object.keys(env), platforms, wrong);
  const values = reader(env);
  const { text, optional, required } = values;
  const test = env['NODE_ENV'] === 'test';

  const port = required('PORT', integer(0, 65_535, 'must be 0 to 65535'), '8080');
  const rootUrl = required('ROOT_URL', origin, `http://localhost:${port}`);
  const host = text('HOST') ?? '127.0.0.1';
  const database = optional('DATABASE_URL', databaseUrl);
  const paidTo = stripe(values);

  return Object.freeze({
    port,
    host,
    onThisMachine: isLoopback(rootUrl) && isLoopback(`http://${host.includes(':') ? `[${host}]` : host}`),
    rootUrl,
    allowedHosts: optional('ALLOWED_HOSTS', hostNames) ?? [],
    dataDir: resolve(text('DATA_DIR') ?? './data'),
    databaseUrl: database,
    ...keyRing(values, database !== undefined),
    sandbox: optional('SANDBOX', flag) ?? isLoopback(rootUrl),
    planPlatforms: optional('PLAN_PLATFORMS', planPlatforms) ?? {},
    profileUnits: required('PROFILE_UNITS', flag, 'off'),
    beta: Object.freeze({
      toolsets: optional('BETA_TOOLSETS', list) ?? [],
      testers: optional('BETA_TESTERS', userIds) ?? new Set(),
    }),
    migrationUrls: optional('MIGRATION_URLS', namedUrls) ?? {},
    defaultPlan: required('DEFAULT_PLAN', TIER, paidTo === undefined ? 'enterprise' : 'free'),
    planWithout: required('DEFAULT_PLAN', TIER, 'free'),
    stripe: paidTo,
    webhookHeaderPrefixes: required('WEBHOOK_HEADER_PREFIXES', headerPrefixes, 'X-Service,X-SocialAPI'),
    webhookCaFile: text('WEBHOOK_CA_FILE'),
    allowPrivateNetwork: required('ALLOW_PRIVATE_NETWORK', privateNetwork, 'off'),
    egressProxy: optional('EGRESS_PROXY', url),
    trustProxy: required('TRUST_PROXY', integer(0, 16, 'must be a number of hops, 0 to 16'), '0'),
    metricsToken: optional('METRICS_TOKEN', HEADER_WORD),
    traces: traces(values),
    publishMaxLatenessMs: required('PUBLISH_MAX_LATENESS', duration, '6h'),
    paused: onOff(optional('PAUSED', flag)),
    installation: text('INSTALLATION'),
    mail: mail(values),
    backup: backup(values),
    links: linksOf(values),
    siteFiles: optional('SITE_VERIFICATION', siteFiles) ?? new Map(),
    log: Object.freeze({
      level: required('LOG_LEVEL', oneOf(LOG_LEVELS), 'info'),
      format: required('LOG_FORMAT', oneOf(LOG_FORMATS), 'auto'),
    }),
    clockFile: test ? text('CLOCK_FILE') : undefined,
    crashAt: test ? text('CRASH_AT') : undefined,
    apiKey: text('ROSTRA_API_KEY'),
    credentials: credentials(env),
    consentPreset: required('CONSENT_PRESET', oneOf(PRESETS), 'full'),
    oauth: Object.freeze({
      iss: required('OAUTH_ISS', flag, 'off'),
      clientIdMetadata: required('OAUTH_CLIENT_METADATA', flag, 'off'),
      replayRevokes: required('OAUTH_REPLAY_REVOKES', flag, 'off'),
    }),
    identity: identity(values, rootUrl),
    sandboxUrl: optional('SANDBOX_URL', url),
    mediaBucket: mediaBucket(values),
    provider: provider(values),
    mediaPublicUrl: optional('MEDIA_PUBLIC_URL', httpsOrigin),
    mediaKeepMetadata: required('MEDIA_KEEP_METADATA', flag, 'off'),
    mediaMaxBytes: required('MEDIA_MAX_BYTES', bytes, String(MEDIA_MAX_BYTES)),
    platformSettings: platformSettings(platforms, env),
  });
}

function onOff(set: boolean | undefined): Config['paused'] {
  if (set === undefined) return undefined;
  return set ? 'on' : 'off';
}

/** The environment for a child process. */
export function childEnv(more: Env = {}): NodeJS.ProcessEnv {
  return { ...process.env, ...more };
}

function credentials(env: Env): Config['credentials'] {
  const found: Partial<Record<AppName, { clientId: string; clientSecret: string }>> = {};
  for (const app of APPS) {
    const { id, secret } = credentialNames(app);
    const clientId = textOf(env, id);
    const clientSecret = textOf(env, secret);
    if (clientId === undefined && clientSecret === undefined) continue;
    if (clientId === undefined) wrong(id, `is required together with ${secret}`);
    if (clientSecret === undefined) wrong(secret, `is required together with ${id}`);
    found[app] = Object.freeze({ clientId, clientSecret });
  }
  return Object.freeze(found);
}

function platformSettings(platforms: readonly Configurable[], env: Env): Config['platformSettings'] {
  const found: Record<string, string> = {};
  for (const { name, parse } of platforms.flatMap(({ settings = [] }) => settings)) {
    const value = textOf(env, name);
    if (value !== undefined) found[name] = parsed(name, value, parse);
  }
  return Object.freeze(found);
}

/** Requires all three settings or none: without issuer and audience, any token signed by the keys would pass. */
function identity({ allOrNone }: Values, rootUrl: string): Config['identity'] {
  const [jwksUrl, issuer, audience] = (allOrNone(IDENTITY) ?? []) as [string?, string?, string?];
  if (jwksUrl === undefined || issuer === undefined || audience === undefined) return undefined;
  const protocol = URL.canParse(jwksUrl) ? new URL(jwksUrl).protocol : '';
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(jwksUrl))) {
    wrong('DASHBOARD_JWKS_URL', 'must be an https URL (http only on this machine)');
  }
  if (issuer === rootUrl) wrong('DASHBOARD_JWT_ISSUER', 'must not be ROOT_URL, which issues tokens of its own');
  return Object.freeze({ jwksUrl, issuer, audience });
}

function stripe({ allOrNone, optional }: Values): Config['stripe'] {
  const given = allOrNone(STRIPE, STRIPE_PRICES);
  if (given === undefined) return undefined;
  const [secretKey, webhookSecret] = given as [string, string];
  const prices = STRIPE_PRICES.flatMap((name) => {
    const price = optional(name, PRICE_ID);
    return price === undefined ? [] : [[name.slice('STRIPE_PRICE_'.length).toLowerCase(), price] as const];
  });
  if (prices.length === 0)
    wrong(STRIPE_PRICES[0], 'or another STRIPE_PRICE_… is required together with STRIPE_SECRET_KEY');
  if (new Set(prices.map(([, price]) => price)).size < prices.length) {
    wrong('STRIPE_PRICE_…', 'settings name one price twice');
  }
  return Object.freeze({
    secretKey: parsed('STRIPE_SECRET_KEY', secretKey, SECRET_KEY),
    webhookSecret: parsed('STRIPE_WEBHOOK_SECRET', webhookSecret, SIGNING_SECRET),
    prices: Object.freeze(Object.fromEntries(prices)),
  });
}

function provider({ text, optional }: Values): Config['provider'] {
  const address = optional('AI_URL', url);
  const set = PROVIDER.find((name) => text(name) !== undefined);
  if (address === undefined) return set === undefined ? undefined : wrong('AI_URL', `is required together with ${set}`);
  const [transcriptModel, visionModel] = [text('AI_TRANSCRIPT_MODEL'), text('AI_VISION_MODEL')];
  if (transcriptModel === undefined && visionModel === undefined) {
    wrong('AI_URL', 'needs AI_TRANSCRIPT_MODEL, AI_VISION_MODEL or both');
  }
  return Object.freeze({ url: address, key: text('AI_KEY'), transcriptModel, visionModel });
}

const bytes = integer(1_048_576, 10_995_116_277_760, 'must be a number of bytes, 1048576 (1 MiB) or more');
