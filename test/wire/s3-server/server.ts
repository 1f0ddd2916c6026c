import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, onTestFinished } from 'vitest';
import { makeFolder } from '../../harness/folders.ts';
import { isUpToDate } from '../installed.mjs';

const here = import.meta.dirname;

const isInstalled = isUpToDate(join(here, 'npm'));
if (!isInstalled) process.stderr.write('s3: skipped, run node test/wire/s3-server/install.mjs first\n');

/** Tests that need the server; they are skipped where install.mjs was not run. */
export const describeS3 = describe.skipIf(!isInstalled);

const BUCKET = 'rostra-media';

/** Starts the server with an empty bucket; it ends with the test. */
export async function startS3Server() {
  const directory = makeFolder();
  // It encrypts the tokens of its pages with DES, which OpenSSL has put away.
  const args = ['--openssl-legacy-provider', join(here, 'run.mjs'), directory, BUCKET];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const [line] = await Promise.race([
    once(child.stdout, 'data') as Promise<[Buffer]>,
    ended.then(() => {
      throw new Error('the S3 server ended before it was ready');
    }),
  ]);
  const endpoint = `http://localhost:${line.toString().trim()}`;
  return {
    /** The one account that server knows. */
    settings: { url: `${endpoint}/${BUCKET}`, region: 'us-east-1', accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    env: {
      MEDIA_S3_ENDPOINT: endpoint,
      MEDIA_S3_BUCKET: BUCKET,
      MEDIA_S3_REGION: 'us-east-1',
      MEDIA_S3_ACCESS_KEY_ID: 'S3RVER',
      MEDIA_S3_SECRET_ACCESS_KEY: 'S3RVER',
    },
    /** The ids of the items that have objects. */
    items: () => {
      const folder = join(directory, BUCKET, 'media');
      return existsSync(folder) ? readdirSync(folder).toSorted() : [];
    },
  };
}
