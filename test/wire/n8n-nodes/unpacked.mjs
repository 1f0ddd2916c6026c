import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isUpToDate } from '../installed.mjs';

export const VERSION = '2.41.2';
export const INTEGRITY = 'qUItyawxR1aR/t6Fgk0whYwBSDR+VOu5RkgAI3AElVI3dqPLLcCAawAMFc/N3GFG35//quOVRUwuc7a3mVLC0g==';
export const NODES = ['Facebook', 'Google/GenericFunctions.js', 'Google/YouTube', 'LinkedIn', 'Twitter'];

/** The public clients, whose n8n-workflow the nodes share, and where the nodes lie beside them. */
export const clients = fileURLToPath(new URL('../clients/npm', import.meta.url));
export const place = join(clients, 'node_modules', 'n8n-nodes-base');

const stamp = join(place, '.rostra-unpacked');
const wanted = createHash('sha256')
  .update(JSON.stringify([VERSION, INTEGRITY, NODES]))
  .digest('hex');

/** Whether these nodes are there, whole, and what they need as its lock file says. */
export const isUnpacked = () => isUpToDate(clients) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;

/** Writes that they are; after everything else. */
export const noteUnpacked = () => writeFileSync(stamp, wanted);
