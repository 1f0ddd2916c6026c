import { findBrand } from '#db/access/brands.ts';
import { findWorkspace } from '#db/access/users.ts';
import type { Network } from '#db/schema/database.ts';
import type { Store } from '#db/store/store.ts';
import type { AppFinder } from '#call/ports.ts';
import type { Authority, Workspace } from '#kernel/authority.ts';
import { credentialNames } from '#kernel/config/names.ts';
import { fail, noSuch } from '#kernel/errors.ts';
import { PLANS, type PlannedPlatforms } from '#kernel/plans.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import { checkRedirectUri } from '#kernel/redirect-uri.ts';
import { callbackOf } from '#platforms/addresses.ts';
import type { ConnectMetadata } from '#platforms/connect.ts';
import {
  appOf,
  keyLoginOf,
  knownPlatform,
  loginsOf,
  metadataNames,
  notSupported,
  type Platforms,
} from '#platforms/lookup.ts';
import type { Platform } from '#platforms/platform.ts';

export type AdmissionDeps = Readonly<{
  store: Store;
  platforms: Platforms;
  rootUrl: string;
  networkOf(platform: PlatformSlug): Network;
  apps: Pick<AppFinder, 'choose'>;
  plannedPlatforms: PlannedPlatforms;
  admitRedirect(workspaceId: string, uri: string): Promise<void>;
}>;

/** Checks that apply to every way of connecting an account. */
export function makeAdmission(deps: AdmissionDeps) {
  const { store, platforms } = deps;

  function connector(name: string, field: string): Platform {
    const slug = knownPlatform(name, field);
    return (
      platforms.get(slug) ??
      notSupported(slug, 'connect', {
        message: `${slug} cannot be connected here yet.`,
        next: 'Use one of the platforms that get_constraints lists.',
      })
    );
  }

  return Object.freeze({
    connector,

    /** Returns the connector if the plan allows the platform and the caller may use the brand. */
    async admit(
      authority: Authority,
      workspace: Workspace,
      request: Readonly<{ platform: string; brandId: string | undefined }>,
    ): Promise<Platform> {
      const platform = connector(request.platform, 'platform');
      deps.plannedPlatforms.refuse(workspace, platform.slug);
      if (authority.brands && request.brandId === undefined) {
        fail('validation.field_required', {
          message: 'brand_id is required for a key limited to brands.',
          meta: { field: 'brand_id' },
        });
      }
      if (request.brandId !== undefined && !(await findBrand(store.db, authority, request.brandId))) {
        noSuch('brand', request.brandId);
      }
      return platform;
    },

    /** Refuses if another brand is needed and the plan does not allow one more. */
    async refuseBrandLimit(workspace: Workspace): Promise<void> {
      const max = PLANS[workspace.plan].limits.profiles;
      if (max < 0) return;
      const row = await findWorkspace(store.db, workspace.id);
      if (row && row.brands_count >= max) fail('brand.limit_reached', { meta: { plan: workspace.plan, max } });
    },

    /** The network of a new account; an account on a server that the user names is always real. */
    networkOf(platform: Platform, fields: Readonly<Record<string, string>>): Network {
      const named = keyLoginOf(platform)?.direct.namesServer?.(fields) === true;
      return named ? 'real' : deps.networkOf(platform.slug);
    },

    chooseApp: (platform: Platform, network: Network, { id }: Pick<Workspace, 'id'>, brand: string | undefined) =>
      deps.apps.choose(platform, { network, workspace: id, brand }),

    loginNamed(platform: Platform, { login }: Readonly<Record<string, string>>): string | undefined {
      const logins = loginsOf(platform);
      if (login === undefined || logins.size === 1 || logins.has(login)) return logins.size > 1 ? login : undefined;
      const message = `metadata.login is one of ${[...logins.keys()].join(', ')}.`;
      return fail('validation.field_invalid', { message, meta: { field: 'metadata.login' } });
    },

    metadataFor({ connect }: Platform, fields: Readonly<Record<string, string>>): ConnectMetadata {
      const { metadata: shapes = {} } = connect.kind === 'oauth' ? connect : {};
      return Object.fromEntries(
        Object.entries(shapes).flatMap(([name, shape]) => {
          const value = fields[name];
          if (value === undefined) return [];
          if (shape.test(value)) return [[name, value]];
          const field = `metadata.${name}`;
          return fail('validation.field_invalid', { message: `${field} is malformed.`, meta: { field } });
        }),
      );
    },

    async checkRedirect(
      workspace: Workspace,
      given: string | undefined,
      field = 'redirect_uri',
    ): Promise<string | undefined> {
      if (given === undefined) return undefined;
      const uri = checkRedirectUri(given, field);
      await deps.admitRedirect(workspace.id, uri);
      return uri;
    },

    callbackOf: (platform: Platform): string => callbackOf(deps.rootUrl, platform),
  });
}

/** Refuses a consent or refresh that has no app; for the sandbox, says where the credentials of an app are shown. */
export function noClient(platform: Platform, network?: Network, rootUrl?: string): never {
  const { slug, connect } = platform;
  const { id, secret } = credentialNames(appOf(platform));
  const { storedBy } = (connect.kind === 'oauth' ? connect.customerApps : undefined) ?? {};
  const whose = network === 'sandbox' ? `an app that ${rootUrl}/sandbox/${slug} shows` : 'your app';
  fail('byok.credentials_missing', {
    message: `${slug} needs app credentials that are not set.`,
    next:
      storedBy === undefined
        ? `Set ${id} and ${secret} on the server.`
        : `Set the credentials of ${whose} with ${storedBy}.`,
    meta: { field: storedBy === undefined ? id : 'client_id' },
  });
}

export function nothingFound({ slug, title }: Platform): never {
  fail(`platform.${slug}.not_found`, {
    message: `The ${title} login has nothing that can be connected.`,
    next: 'Call connect_account again, and log in with an account that has something to connect.',
  });
}

/** The metadata strings of a caller, trimmed; refuses other types in fields that the platform reads. */
export function stringsOf(
  platform: Platform,
  metadata: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  const wrong = metadataNames(platform).find(
    (name) => !['string', 'undefined'].includes(typeof (metadata[name] ?? undefined)),
  );
  if (wrong !== undefined) {
    const field = `metadata.${wrong}`;
    fail('validation.field_invalid', { message: `${field} must be a string.`, meta: { field } });
  }
  return Object.fromEntries(
    Object.entries(metadata).flatMap(([name, value]) =>
      typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()]] : [],
    ),
  );
}

export type Admission = ReturnType<typeof makeAdmission>;
