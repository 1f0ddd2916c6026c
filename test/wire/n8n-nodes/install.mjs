// Unpacks n8n's own nodes beside the public clients, whose n8n-workflow they share. The whole package brings a server's
// worth of libraries, and native ones; these nodes need none of them. Seconds when nothing changed.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install } from '../installed.mjs';

const VERSION = '2.41.2';
const INTEGRITY = 'qUItyawxR1aR/t6Fgk0whYwBSDR+VOu5RkgAI3AElVI3dqPLLcCAawAMFc/N3GFG35//quOVRUwuc7a3mVLC0g==';
const NODES = ['Facebook', 'Google/GenericFunctions.js', 'Google/YouTube', 'LinkedIn', 'Twitter'];

const clients = fileURLToPath(new URL('../clients/npm', import.meta.url));
install(clients);
const place = join(clients, 'node_modules', 'n8n-nodes-base');
const isThere =
  existsSync(join(place, 'package.json')) &&
  JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')).version === VERSION;
if (!isThere) {
  const folder = mkdtempSync(join(tmpdir(), 'rostra-n8n-'));
  const name = `n8n-nodes-base@${VERSION}`;
  execFileSync('npm', ['pack', name, '--silent', '--ignore-scripts', '--pack-destination', folder], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const archive = join(folder, `n8n-nodes-base-${VERSION}.tgz`);
  const found = createHash('sha512').update(readFileSync(archive)).digest('base64');
  if (found !== INTEGRITY) throw new Error(`${name} is not what it was: ${found}`);
  mkdirSync(place, { recursive: true });
  const parts = [...NODES.map((node) => `dist/nodes/${node}`), 'dist/utils', 'package.json', 'LICENSE.md'];
  execFileSync('tar', [
    '-xzf',
    archive,
    '-C',
    place,
    '--strip-components=1',
    ...parts.map((part) => `package/${part}`),
  ]);
  rmSync(folder, { recursive: true });
}
