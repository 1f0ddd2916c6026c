import { fileURLToPath } from 'node:url';
import { toolsets } from '../../tools/index.ts';
import { ConfigError } from '../kernel/config.ts';
import { platforms } from '../platforms/index.ts';
import { supportOf } from '../platforms/support.ts';
import { generate } from '../serve/reference.ts';

const FOLDER = fileURLToPath(new URL('../../docs/reference', import.meta.url));

/** What every platform can do. */
export const support = new Map([...platforms.values()].map((platform) => [platform.slug, supportOf(platform)]));

/** Writes the reference pages and the OpenAPI document; with `check` it fails when one is out of step. */
export async function generateAll({ check }: Readonly<{ check: boolean }>): Promise<void> {
  const differing = await generate({ toolsets, support, folder: FOLDER, check });
  if (check && differing.length > 0) {
    throw new ConfigError(`docs/reference is out of step (${differing.join(', ')}); run npm run generate`);
  }
  process.stderr.write(differing.length === 0 ? 'docs/reference is in step\n' : `written: ${differing.join(', ')}\n`);
}
