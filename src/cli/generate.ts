import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { checksumsOf } from '#db/migrations/checksum.ts';
import { migrations, shipped } from '#db/migrations/index.ts';
import { toolsets } from '#tools/index.ts';
import { ConfigError } from '#kernel/config/reader.ts';
import { credentialNames } from '#kernel/config/names.ts';
import { platforms } from '#platforms/index.ts';
import { isPlatform } from '#kernel/platforms.ts';
import { appOf, kindsOf, loginsOf } from '#platforms/lookup.ts';
import type { Platform } from '#platforms/platform.ts';
import { knownReasons } from '#platforms/shared/reasons.ts';
import { supportOf } from '#platforms/support.ts';
import { endOf } from '#platforms/app/versions.ts';
import { generate } from '#serve/reference/index.ts';
import type { PlatformEntry } from '#serve/reference/platforms.ts';

const FOLDER = fileURLToPath(new URL('../../docs/reference', import.meta.url));
const CHECKSUMS = fileURLToPath(new URL('../../db/migrations/checksums.json', import.meta.url));

/** Every platform and kind of account in the reference. */
export const platformEntries: readonly PlatformEntry[] = [...platforms.values()].flatMap((platform) =>
  kindsOf(platform).map(([name, kind]) => ({
    name,
    support: supportOf(kind),
    ...(kind === platform
      ? { settings: settingsOf(platform), scopes: scopesOf(platform), versions: versionsOf(platform) }
      : { settings: [], scopes: [], versions: [] }),
    title: platform.title,
    reasons: kind === platform ? knownReasons(platform.slug, platform.errors ?? {}) : [],
  })),
);

function loginsIn(platform: Platform) {
  return [...loginsOf(platform).values()].flatMap((login) =>
    login.connect.kind === 'oauth' ? [{ app: appOf(login), connect: login.connect }] : [],
  );
}

function settingsOf(platform: Platform): PlatformEntry['settings'] {
  const { slug, title, hosts, settings = [] } = platform;
  // Apps of other platforms are listed on the pages of those platforms.
  const apps = loginsIn(platform).filter(({ app }) => app === slug || !isPlatform(app));
  return [
    ...apps.flatMap(({ app, connect: { title: product = title } }) => {
      const { id, secret } = credentialNames(app);
      return [
        { name: id, meaning: `The id of your app on ${product}.`, default: '' },
        { name: secret, meaning: 'The secret of that app.', default: '' },
      ];
    }),
    ...settings.map(({ name, meaning, host, otherwise }) => ({
      name,
      meaning,
      default: otherwise ?? ((host !== undefined && hosts.real[host]) || ''),
    })),
  ];
}

function scopesOf(platform: Platform): PlatformEntry['scopes'] {
  return loginsIn(platform).flatMap(({ connect: { scopes } }) =>
    [...(scopes?.effects ?? [])].map(([scope, effect]) => ({
      setting: scopes!.setting.name,
      scope,
      asked: scopes!.byDefault.includes(scope),
      effect,
    })),
  );
}

function versionsOf({ versions = [] }: Platform): PlatformEntry['versions'] {
  return versions.map((api) => ({
    api: api.api,
    version: api.version,
    end: endOf(api, api.version),
    setting: api.setting?.name,
    gone: api.gone,
    source: api.source,
  }));
}

/** Writes reference pages, OpenAPI document and checksums; with `check` it only compares. */
export async function generateAll({ check }: Readonly<{ check: boolean }>): Promise<void> {
  const pages = await generate({ toolsets, platforms: platformEntries, folder: FOLDER, check });
  const differing = [...pages.map((page) => `docs/reference/${page}`), ...(await generateChecksums(check))];
  if (check && differing.length > 0) {
    throw new ConfigError(`generated files are out of step (${differing.join(', ')}); run npm run generate`);
  }
  process.stderr.write(differing.length === 0 ? 'generated files are in step\n' : `written: ${differing.join(', ')}\n`);
}

async function generateChecksums(check: boolean): Promise<readonly string[]> {
  const checksums = await checksumsOf(migrations, shipped).catch((error: Error) => {
    throw new ConfigError(error.message);
  });
  const missing = Object.keys(checksums).filter((name) => !shipped[name]);
  if (missing.length === 0) return [];
  if (!check) await writeFile(CHECKSUMS, `${JSON.stringify(checksums, undefined, 2)}\n`);
  return ['db/migrations/checksums.json'];
}
