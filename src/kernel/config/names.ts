import { type AppName, APPS, type PlatformSlug } from '../platforms.ts';
import { nearestNames } from '../text/nearest.ts';
import type { Parse } from './values.ts';

export const IDENTITY = Object.freeze([
  'DASHBOARD_JWKS_URL',
  'DASHBOARD_JWT_ISSUER',
  'DASHBOARD_JWT_AUDIENCE',
] as const);

export const MEDIA_S3 = Object.freeze([
  'MEDIA_S3_ENDPOINT',
  'MEDIA_S3_BUCKET',
  'MEDIA_S3_REGION',
  'MEDIA_S3_ACCESS_KEY_ID',
  'MEDIA_S3_SECRET_ACCESS_KEY',
] as const);

export const STRIPE = Object.freeze(['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'] as const);

export const STRIPE_PRICES = Object.freeze([
  'STRIPE_PRICE_STARTER_MONTH',
  'STRIPE_PRICE_STARTER_YEAR',
  'STRIPE_PRICE_PRO_MONTH',
  'STRIPE_PRICE_PRO_YEAR',
  'STRIPE_PRICE_BUSINESS_MONTH',
  'STRIPE_PRICE_BUSINESS_YEAR',
] as const);
export const PROVIDER = Object.freeze(['AI_URL', 'AI_KEY', 'AI_TRANSCRIPT_MODEL', 'AI_VISION_MODEL'] as const);

export const MAIL = Object.freeze(['SMTP_URL', 'MAIL_FROM'] as const);

/** These names are defined by OpenTelemetry. */
const TRACES = Object.freeze([
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_SERVICE_NAME',
  'OTEL_TRACES_SAMPLER_ARG',
] as const);

const SETTINGS = Object.freeze([
  'PORT',
  'HOST',
  'ROOT_URL',
  'ALLOWED_HOSTS',
  'DATA_DIR',
  'DATABASE_URL',
  'MASTER_KEY',
  'MASTER_KEY_FILE',
  'SANDBOX',
  'DEFAULT_PLAN',
  'PLAN_PLATFORMS',
  'PROFILE_UNITS',
  'BETA_TOOLSETS',
  'BETA_TESTERS',
  'MIGRATION_URLS',
  'WEBHOOK_HEADER_PREFIXES',
  'WEBHOOK_CA_FILE',
  'ALLOW_PRIVATE_NETWORK',
  'EGRESS_PROXY',
  'TRUST_PROXY',
  'METRICS_TOKEN',
  'PUBLISH_MAX_LATENESS',
  'PAUSED',
  'BACKUP_TO',
  'BACKUP_EVERY',
  'BACKUP_KEEP',
  'INSTALLATION',
  'LOG_LEVEL',
  'LOG_FORMAT',
  'CLOCK_FILE',
  'CRASH_AT',
  'SANDBOX_URL',
  'SITE_VERIFICATION',
  'CONSENT_PRESET',
  'PRIVACY_URL',
  'TERMS_URL',
  'SUPPORT_URL',
  'OAUTH_ISS',
  'OAUTH_CLIENT_METADATA',
  'OAUTH_REPLAY_REVOKES',
  ...IDENTITY,
  ...MEDIA_S3,
  ...STRIPE,
  ...STRIPE_PRICES,
  ...PROVIDER,
  ...MAIL,
  ...TRACES,
  'MEDIA_S3_PATH_STYLE',
  'MEDIA_MAX_BYTES',
  'MEDIA_PUBLIC_URL',
  'MEDIA_KEEP_METADATA',
  'ROSTRA_API_KEY',
] as const);

export type SettingName = (typeof SETTINGS)[number];

/** An environment variable that a platform needs in addition to those of the server. */
export type PlatformSetting = Readonly<{
  /** Begins with the slug in capitals or with a shared prefix, as in `GRAPH_VERSION`. */
  name: string;
  meaning: string;
  parse: Parse<string>;
  /** The default value, shown in the reference. */
  otherwise?: string;
  /** The name of the connector's host that its value replaces. */
  host?: string;
  /** The value in the sandbox, which ignores the environment. */
  sandbox?: string;
  /** In the sandbox the environment is used too, in preference to `sandbox`. */
  everywhere?: true;
  /** The host in its value may have a private address. */
  trusted?: true;
  /** If it is set, accounts are connected to the real network even when the sandbox is on. */
  leavesSandbox?: true;
}>;

/** The part of a platform that declares its settings. */
export type Configurable = Readonly<{
  slug: PlatformSlug;
  settings?: readonly PlatformSetting[];
  /** Other programs use variables that begin with the slug too. */
  sharedPrefix?: true;
}>;

export function credentialNames(app: AppName) {
  const name = app.toUpperCase();
  return { id: `${name}_CLIENT_ID`, secret: `${name}_CLIENT_SECRET` };
}

/** Any name with one of these prefixes is taken for a setting of Rostra. */
const FAMILIES: readonly RegExp[] = [
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
  /^SMTP_/,
  /^MAIL_/,
  /^METRICS_/,
  /^DASHBOARD_/,
  /^MEDIA_/,
  /^BETA_/,
  /^MIGRATION_/,
  /^PLAN_PLATFORM/,
  /^STRIPE_/,
  /^BACKUP_/,
];

function knownSettings(platforms: readonly Configurable[]): ReadonlySet<string> {
  return new Set<string>([
    ...SETTINGS,
    ...APPS.flatMap((app) => Object.values(credentialNames(app))),
    ...platforms.flatMap(({ settings = [] }) => settings.map(({ name }) => name)),
  ]);
}

const SECRET = /KEY|SECRET|TOKEN|PASSWORD|DATABASE_URL|OTLP_HEADERS/;

/** The settings of an environment as lines of a file; secrets are listed without their values. */
export function settingsText(all: Iterable<Configurable>, env: NodeJS.ProcessEnv): string {
  const known = knownSettings([...all]);
  const lines = Object.entries(env).flatMap(([name, value = '']) => {
    if (!known.has(name) || value === '') return [];
    const isSecret = SECRET.test(name) || /:\/\/[^/]*@/.test(value);
    return [isSecret ? `# ${name} is set: its value is not saved` : `${name}=${value}`];
  });
  return `${['# The settings of the server that was saved.', ...lines.toSorted()].join('\n')}\n`;
}

/** Refuses unknown names that look like settings, because a misspelt setting would be ignored silently. */
export function refuseMisspelt(
  names: readonly string[],
  platforms: readonly Configurable[],
  wrong: (name: string, why: string) => never,
): void {
  const own = platforms.filter(({ settings = [] }) => settings.length > 0);
  const alone = own.filter(({ sharedPrefix }) => sharedPrefix !== true);
  const families = [...FAMILIES, ...alone.map(({ slug }) => new RegExp(`^${slug.toUpperCase()}_`))];
  const known = knownSettings(own);
  const shared = own
    .filter(({ sharedPrefix }) => sharedPrefix === true)
    .flatMap(({ slug, settings = [] }) => [
      ...Object.values(credentialNames(slug)),
      ...settings.map(({ name }) => name),
    ]);
  // Names of a single word are not compared, because `host` and `port` may belong to anything.
  const compound = [...known].filter((name) => name.includes('_'));
  const meant = new Map(compound.map((name) => [squeezed(name), name]));
  for (const name of names.filter((one) => !known.has(one))) {
    const right = meant.get(squeezed(name));
    if (right !== undefined) wrong(name, `is not a setting of Rostra; its name is ${right}`);
    if (families.some((family) => family.test(name)))
      wrong(name, 'is not a setting of Rostra; see docs/configuration.md');
    const [near] = nearestNames(
      name,
      shared.filter((one) => prefixOf(one) === prefixOf(name)),
    );
    if (near !== undefined) wrong(name, `is not a setting of Rostra; its name is ${near}`);
  }
}

function prefixOf(name: string): string {
  return name.split('_', 1)[0]!;
}

/** A name without underscores and case, which are easily mistyped. */
function squeezed(name: string): string {
  return name.replaceAll('_', '').toUpperCase();
}
