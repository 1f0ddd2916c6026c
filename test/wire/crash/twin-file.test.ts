import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../../harness/folders.ts';
import { bearer } from '../../harness/worlds/twins/app.ts';
import { ALICE, png } from '../../harness/worlds/twins/bluesky.ts';

const POST = 'app.bsky.feed.post';
const KEY = '3lbexample222';

describe('a twin on a file', () => {
  it('keeps an answered write, its blobs and its sessions through kill -9', async () => {
    const directory = makeFolder();
    const start = async () => {
      const child = spawn(
        process.execPath,
        [fileURLToPath(new URL('twin-process.ts', import.meta.url)), join(directory, 'sandbox.db')],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      const [line] = await once(child.stdout, 'data');
      const root = String(line).trim();
      const json = async (path: string, init?: RequestInit): Promise<any> => (await fetch(root + path, init)).json();
      const xrpc = (nsid: string, init: RequestInit) =>
        json(`/sandbox/bluesky/xrpc/${nsid}`, { method: 'POST', ...init });
      return { child, json, xrpc };
    };
    const kill = async (child: ChildProcess) => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    };
    let running: ChildProcess | undefined;
    try {
      let twin = await start();
      running = twin.child;
      const { data } = await twin.json('/sandbox/__control/people');
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ identifier: ALICE, password: data[0].credentials.app_password });
      const { did, accessJwt, refreshJwt } = await twin.xrpc('com.atproto.server.createSession', { headers, body });
      const { blob } = await twin.xrpc('com.atproto.repo.uploadBlob', {
        headers: { ...bearer(accessJwt), 'content-type': 'image/png' },
        body: png() as NonNullable<RequestInit['body']>,
      });
      const embed = { $type: 'app.bsky.embed.images', images: [{ image: blob, alt: '' }] };
      const record = { $type: POST, text: 'kept', createdAt: '2026-11-21T12:00:00.000Z', embed };
      const input = JSON.stringify({ repo: did, collection: POST, rkey: KEY, record, swapRecord: null });
      const putOnce = { headers: { ...headers, ...bearer(accessJwt) }, body: input };
      const made = await twin.xrpc('com.atproto.repo.putRecord', putOnce);
      await kill(twin.child);
      twin = await start();
      running = twin.child;
      const again = await twin.xrpc('com.atproto.repo.putRecord', putOnce);
      expect(again).toEqual({ uri: made.uri, cid: made.cid, validationStatus: 'valid' });
      const history = await twin.json(`/sandbox/__control/posts?person=${ALICE}`);
      expect(history.data).toMatchObject([{ exists: true, versions: [{ action: 'create', cid: made.cid }] }]);
      expect((await twin.xrpc('com.atproto.server.refreshSession', { headers: bearer(refreshJwt) })).did).toBe(did);
    } finally {
      if (running !== undefined) await kill(running);
    }
  });
});
