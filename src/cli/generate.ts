import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { checksumsOf } from '../../db/migrations/checksum.ts';
import { migrations, shipped } from '../../db/migrations/index.ts';
import { toolsets } from '../../tools/index.ts';
import { ConfigError } from '../kernel/config/config.ts';
import { credentialNames } from '../kernel/config/names.ts';
import { platforms } from '../platforms/index.ts';
import { isPlatform } from '../kernel/platforms.ts';
import type { OAuthConnect } from '../platforms/connect.ts';
import { appOf, kindsOf, loginsOf } from '../platforms/lookup.ts';
import type { Platform } from '../platforms/platform.ts';
import { supportOf } from '../platforms/support.ts';
import { generate, type PlatformEntry } from '../serve/reference.ts';

const FOLDER = fileURLToPath(new URL('../../docs/reference', import.meta.url));
const CHECKSUMS = fileURLToPath(new URL('../../db/migrations/checksums.json', import.meta.url));

/** Every platform and each of its further kinds of account, as the reference shows it. */
export const platformEntries: readonly PlatformEntry[] = [...platforms.values()].flatMap((platform) =>
  kindsOf(platform).map(([name, kind]) => ({
    name,
    support: supportOf(kind),
    settings: kind === platform ? settingsOf(platform) : [],
  })),
);

function settingsOf(platform: Platform): PlatformEntry['settings'] {
  const { slug, title, hosts, settings = [] } = platform;
  const logins = [...loginsOf(platform).values()].filter(({ connect }) => connect.kind === 'oauth');
  // The apps of other platforms stand with those.
  const apps = logins.filter((login) => appOf(login) === slug || !isPlatform(appOf(login)));
  return [
    ...apps.flatMap((login) => {
      const { id, secret } = credentialNames(appOf(login));
      const { title: product = title } = login.connect as OAuthConnect;
      return [
        { name: id, meaning: `The id of your app on ${product}.`, default: '' },
        { name: secret, meaning: 'The secret of that app.', default: '' },
      ];
    }),
    ...settings.map(({ name, meaning, host }) => ({
      name,
      meaning,
      default: (host !== undefined && hosts.real[host]) || '',
    })),
  ];
}

/** Writes the reference pages, the OpenAPI document and the checksums of migrations; with `check` it only compares. */
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
