import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const here = import.meta.dirname;

/** Tells whether install.mjs has been run; the tests that need the server are skipped otherwise. */
export function isS3ServerInstalled(): boolean {
  return existsSync(join(here, 'npm', 'node_modules', '.rostra-lock'));
}

const BUCKET = 'rostra-media';

/** Starts the server with an empty bucket; it ends with the test. */
export async function startS3Server() {
  const directory = mkdtempSync(join(tmpdir(), 'rostra-s3-'));
  // It seals the tokens of its pages with DES, which OpenSSL has put away.
  const args = ['--openssl-legacy-provider', join(here, 'run.mjs'), directory, BUCKET];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(directory, { recursive: true, force: true });
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
