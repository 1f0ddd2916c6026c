// Unpacks n8n's own nodes beside the public clients, whose n8n-workflow they share. The whole package brings a server's
// worth of libraries, and native ones; these nodes need none of them. Seconds when nothing changed.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { install } from '../installed.mjs';
import { clients, INTEGRITY, isUnpacked, NODES, noteUnpacked, place, VERSION } from './unpacked.mjs';

function unpack(folder) {
  const name = `n8n-nodes-base@${VERSION}`;
  execFileSync('npm', ['pack', name, '--silent', '--ignore-scripts', '--pack-destination', folder], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const archive = join(folder, `n8n-nodes-base-${VERSION}.tgz`);
  const found = createHash('sha512').update(readFileSync(archive)).digest('base64');
  if (found !== INTEGRITY) throw new Error(`${name} is not what it was: ${found}`);
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  const parts = [...NODES.map((node) => `dist/nodes/${node}`), 'dist/utils', 'package.json', 'LICENSE.md'];
  const inside = parts.map((part) => `package/${part}`);
  execFileSync('tar', ['-xzf', archive, '-C', place, '--strip-components=1', ...inside]);
  noteUnpacked();
}

install(clients);
if (!isUnpacked()) {
  const folder = mkdtempSync(join(tmpdir(), 'rostra-n8n-'));
  try {
    unpack(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
