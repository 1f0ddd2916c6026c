import { fail } from '#kernel/errors.ts';
import { isPlatform, type AppName, type PlatformSlug } from '#kernel/platforms.ts';
import { type Connected, type DirectConnect, directOf } from './connect.ts';
import type { IdShapes, Platform } from './platform.ts';

export type Platforms = ReadonlyMap<PlatformSlug, Platform>;

/** The slug given in a field; throws if the platform is unknown. */
export function knownPlatform(name: string, field: string): PlatformSlug {
  if (isPlatform(name)) return name;
  return fail('account.unsupported_platform', { message: `There is no platform ${name}.`, meta: { field } });
}

/** What selects the connector of an account; `kind` is null for the first kind of its platform. */
export type AccountOf = Readonly<{ platform: PlatformSlug; kind: string | null }>;

/** Selects the connector for the account of a finished login. */
export const accountOf = (platform: PlatformSlug, { kind }: Pick<Connected, 'kind'>): AccountOf => ({
  platform,
  kind: kind ?? null,
});

/** A platform and its further kinds, under the names used in the reference: `slug` and `slug:kind`. */
export function kindsOf(platform: Platform): readonly (readonly [name: string, kind: Platform])[] {
  const { slug, kinds = {} } = platform;
  return [[slug, platform], ...Object.entries(kinds).map(([kind, own]) => [`${slug}:${kind}`, own] as const)];
}

/** The logins of a platform by name (the slug, then further kinds), each with the kind of account it connects. */
export function loginsOf(platform: Platform): ReadonlyMap<string, Platform> {
  const { slug, connect, kinds = {} } = platform;
  return new Map([[slug, platform], ...Object.entries(kinds).filter(([, kind]) => kind.connect !== connect)]);
}

/** The login with credentials, and the kind of account it connects; undefined if there is only consent. */
export function keyLoginOf(platform: Platform): Readonly<{ login: Platform; direct: DirectConnect }> | undefined {
  for (const login of loginsOf(platform).values()) {
    const direct = directOf(login.connect);
    if (direct) return { login, direct };
  }
  return undefined;
}

/** The names that a platform reads from connection metadata: credentials, consent parameters and `login`. */
export function metadataNames(platform: Platform): readonly string[] {
  const { connect } = platform;
  const fields = keyLoginOf(platform)?.direct.form.map(({ name }) => name) ?? [];
  const steering = connect.kind === 'oauth' ? Object.keys(connect.metadata ?? {}) : [];
  return [...fields, ...steering, ...(loginsOf(platform).size > 1 ? ['login'] : [])];
}

export function appOf({ slug, connect }: Platform): AppName {
  return (connect.kind === 'oauth' ? connect.app : undefined) ?? slug;
}

/** Throws 501 `resource.not_supported`; `resource` is the requested feature, such as `comments.hide`. */
export function notSupported(
  platform: PlatformSlug,
  resource: string,
  detail: Readonly<{ message?: string; next?: string }> = {},
): never {
  return fail('resource.not_supported', { ...detail, meta: { resource, platform } });
}

/** The connector of an account; undefined if this server has none for its platform or kind. */
export function platformFor(platforms: Platforms, { platform, kind }: AccountOf): Platform | undefined {
  const first = platforms.get(platform);
  return kind === null ? first : first?.kinds?.[kind];
}

/** The connector of an account; throws 501 `resource.not_supported` if there is none. */
export function connectorOf(platforms: Platforms, account: AccountOf): Platform {
  return platformFor(platforms, account) ?? notSupported(account.platform, 'platform');
}

/** The part of a connector that implements `resource`; throws 501 `resource.not_supported` without it. */
export function capabilityOf<T>(
  platforms: Platforms,
  account: AccountOf,
  resource: string,
  part: (platform: Platform) => T | undefined,
  message?: string,
): T {
  const platform = platformFor(platforms, account);
  const found = platform && part(platform);
  return found ?? notSupported(account.platform, resource, message === undefined ? {} : { message });
}

/** Whether the platform could have issued an id; if not, nothing with this id exists. */
export function canBeId(platforms: Platforms, account: AccountOf, thing: keyof IdShapes, id: string): boolean {
  return platformFor(platforms, account)?.ids?.[thing]?.test(id) ?? true;
}

export function hasPages(platforms: Platforms, account: AccountOf): boolean {
  return platformFor(platforms, account)?.pages !== undefined;
}
