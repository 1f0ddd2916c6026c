import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe } from 'vitest';
import * as z from 'zod';
import { bluesky } from '../../../src/platforms/bluesky/index.ts';
import { askRest, type Json } from '../../harness/calls/requests.ts';
import { isUpToDate } from '../installed.mjs';

const here = import.meta.dirname;
const pinned = join(here, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');

export type Listed = Readonly<{ uri: string; cid: string; value: Readonly<Record<string, unknown>> }>;
export type Person = Readonly<{ did: string; handle: string; password: string; appPassword: string }>;
export type Pds = Readonly<{
  url: string;
  plc: string;
  /** A new account, its handle ends in .test, with an ordinary app password. */
  createAccount(handle: string): Promise<Person>;
  /** The records of the account's posts, oldest first. */
  listPosts(did: string): Promise<readonly Listed[]>;
  /** What a person of the network says under a post. */
  reply(person: Person, to: Listed, text: string): Promise<void>;
  /** The revision of the account's repository: it changes with every commit. */
  revision(did: string): Promise<string>;
  revokeAppPassword(person: Person): Promise<void>;
  close(): Promise<void>;
}>;

const { connect } = bluesky;
if (connect.kind !== 'direct') throw new Error('not a direct connection');
/** How people connect: with what they type. */
export const connection = connect;

/** What of a post's text is marked, each word with what it stands for. */
export function marksOf({ value }: Listed): readonly (readonly [string, unknown])[] {
  const bytes = Buffer.from(String(value['text']));
  const facets = value['facets'] as { index: { byteStart: number; byteEnd: number }; features: object[] }[];
  return facets.map(({ index, features }) => [bytes.toString('utf8', index.byteStart, index.byteEnd), features[0]]);
}

const isInstalled = isUpToDate(here) && existsSync(pinned);
if (!isInstalled) process.stderr.write('real PDS: skipped, run node test/wire/bluesky-pds/install.mjs first\n');

/** Tests that need the PDS; they are skipped where install.mjs was not run. */
export const describePds = describe.skipIf(!isInstalled);

/** Starts a PDS with its own PLC directory on free ports, with nobody in it. */
export async function startPds(): Promise<Pds> {
  const directory = await mkdtemp(join(tmpdir(), 'rostra-pds-'));
  const child = spawn(pinned, [join(here, 'start.mjs'), directory], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], LOG_ENABLED: 'false' },
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([
    once(lines, 'line') as Promise<[string]>,
    exited.then((): never => {
      throw new Error('the PDS did not start');
    }),
  ]);
  const { pds: url, plc } = z.object({ pds: z.string(), plc: z.string() }).parse(JSON.parse(line));

  type Asked = Readonly<{ post?: object; query?: Record<string, string>; token?: string | null }>;
  async function xrpc(method: string, { post, query, token = null }: Asked): Promise<Json> {
    const path = `/xrpc/${method}?${new URLSearchParams(query).toString()}`;
    const { status, body } = await askRest(url, token, `${post ? 'POST' : 'GET'} ${path}`, post);
    if (status !== 200) throw new Error(`${method} ${status} ${JSON.stringify(body)}`);
    return body;
  }

  return {
    url,
    plc,
    async createAccount(handle) {
      const password = 'a password of the owner';
      const post = { handle, email: `${handle.split('.', 1)[0]}@mail.test`, password };
      const { did, accessJwt: token } = await xrpc('com.atproto.server.createAccount', { post });
      const app = await xrpc('com.atproto.server.createAppPassword', { post: { name: 'rostra' }, token });
      return { did, handle, password, appPassword: app.password };
    },
    async listPosts(did) {
      const query = { repo: did, collection: 'app.bsky.feed.post', limit: '100', reverse: 'true' };
      return (await xrpc('com.atproto.repo.listRecords', { query })).records;
    },
    async reply({ did, password }, { uri, cid }, text) {
      const session = await xrpc('com.atproto.server.createSession', { post: { identifier: did, password } });
      const place = { root: { uri, cid }, parent: { uri, cid } };
      const record = { text, createdAt: new Date().toISOString(), reply: place };
      const post = { repo: did, collection: 'app.bsky.feed.post', record };
      await xrpc('com.atproto.repo.createRecord', { post, token: session.accessJwt });
    },
    async revision(did) {
      return (await xrpc('com.atproto.sync.getLatestCommit', { query: { did } })).rev;
    },
    async revokeAppPassword({ did, password }) {
      const owner = await xrpc('com.atproto.server.createSession', { post: { identifier: did, password } });
      const post = { name: 'rostra' };
      await xrpc('com.atproto.server.revokeAppPassword', { post, token: owner.accessJwt });
    },
    async close() {
      child.stdin.end();
      await exited;
      lines.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
