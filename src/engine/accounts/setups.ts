import type { Network } from '#db/schema/database.ts';
import { credentialNames } from '#kernel/config/names.ts';
import type { EnteredAddress, PlatformSetup } from '#kernel/config/platform-setup.ts';
import type { AppName, PlatformSlug } from '#kernel/platforms.ts';
import { callbackOf, pushAddressOf } from '#platforms/addresses.ts';
import { appOf, keyLoginOf, loginsOf, type Platforms } from '#platforms/lookup.ts';
import type { Platform } from '#platforms/platform.ts';

type SetupDeps = Readonly<{
  platforms: Platforms;
  rootUrl: string;
  networkOf(slug: PlatformSlug): Network;
  hasApp(app: AppName): boolean;
  isSet(setting: string): boolean;
}>;

/** What each platform requires before accounts can be connected, in the order in which platforms are listed. */
export function setupsOf({ platforms, rootUrl, networkOf, hasApp, isSet }: SetupDeps): readonly PlatformSetup[] {
  function setupOf(platform: Platform): PlatformSetup {
    const { slug, title, connect, push } = platform;
    const isSandbox = networkOf(slug) === 'sandbox';
    const apps = [...loginsOf(platform).values()].flatMap((login) => {
      if (login.connect.kind !== 'oauth') return [];
      const app = appOf(login);
      return [
        { title: login.connect.title ?? title, settings: Object.values(credentialNames(app)), isSet: hasApp(app) },
      ];
    });
    const byForm = keyLoginOf(platform) !== undefined;
    const ownApp = connect.kind === 'oauth' && connect.customerApps !== undefined;
    const token = push?.verifyToken?.name;
    return {
      platform: slug,
      title,
      isSandbox,
      isReady: byForm || (isSandbox && !ownApp) || apps.some((app) => app.isSet),
      apps,
      byForm,
      ownApp,
      addresses: [...(apps.length > 0 ? [callback(platform)] : []), ...pushAddresses(platform)],
      verifyToken: token === undefined ? null : { setting: token, isSet: isSet(token) },
    };
  }

  const callback = (platform: Platform): EnteredAddress => ({
    name: 'Redirect address (callback)',
    address: callbackOf(rootUrl, platform),
    byServer: false,
  });

  function pushAddresses({ slug, push }: Platform): readonly EnteredAddress[] {
    // In other scopes, each account or app has its own webhook address, which the server registers by itself.
    if (push?.scope !== 'app') return [];
    const webhooks = {
      name: 'Webhooks',
      address: pushAddressOf(rootUrl, slug, null),
      byServer: push.register !== undefined,
    };
    const others = Object.entries(push.callbacks ?? {}).map(([path, name]) => ({
      name,
      address: pushAddressOf(rootUrl, slug, path),
      byServer: false,
    }));
    return [webhooks, ...others];
  }

  return [...platforms.values()].map(setupOf);
}
