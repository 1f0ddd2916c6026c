import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { dashboardToken } from '../../harness/calls/dashboard.ts';
import { call } from '../../harness/calls/operations.ts';
import { makeFolder } from '../../harness/folders.ts';
import { serveTest } from '../../harness/sockets.ts';
import { migratedImage } from '../../harness/stores/images.ts';
import { makeWorld, type Json, type World, type WorldOptions } from '../../harness/world.ts';
import { authorisationOf } from '#engine/migrations/authorisation.ts';

export const KEY = 'sk_0123456789abcdef0123456789abcdefcanary';
const VERSION = authorisationOf({ title: 'any' }).version;

/** An account as the provider lists it. */
export const account = (platform: string, profileId: unknown = 'pro-1', more: object = {}): Json => ({
  _id: `${platform}-${Math.random()}`,
  platform,
  profileId,
  username: `${platform}.user`,
  isActive: true,
  ...more,
});

type Asked = Readonly<{ method: string; url: string; headers: IncomingMessage['headers']; body: string }>;

/** A provider that plays Zernio: its lists, page by page, and whatever a test puts in place of them. */
async function playProvider() {
  const asked: Asked[] = [];
  const plays = {
    profiles: [{ _id: 'pro-1', name: 'Bakery' }] as Json[],
    accounts: [account('bluesky')] as Json[],
    /** What every answer waits for. */
    hold: undefined as Promise<void> | undefined,
    release: () => {},
    onAsked: () => {},
    /** Answers in place of the lists. */
    instead: undefined as ((req: IncomingMessage, res: ServerResponse) => void) | undefined,
  };
  const server = createServer((req, res) => {
    void (async () => {
      if (plays.instead) return plays.instead(req, res);
      const body = await text(req);
      plays.onAsked();
      await plays.hold;
      asked.push({ method: req.method!, url: req.url!, headers: req.headers, body });
      const { pathname, searchParams } = new URL(req.url!, 'http://x');
      const number = (name: string) => Number(searchParams.get(name));
      const send = (status: number, value: object) =>
        res
          .writeHead(status, { 'content-type': 'application/json', 'x-ratelimit-remaining': '59' })
          .end(JSON.stringify(value));
      if (req.headers.authorization !== `Bearer ${KEY}`) return send(401, { error: 'Unauthorized' });
      if (pathname === '/api/v1/accounts') {
        const [page, limit] = [number('page'), number('limit')];
        const accounts = plays.accounts.slice((page - 1) * limit, page * limit);
        return send(200, { accounts, pagination: { page, limit, pages: Math.ceil(plays.accounts.length / limit) } });
      }
      if (pathname === '/api/v1/profiles') {
        const [skip, limit] = [number('skip'), number('limit')];
        return send(200, { profiles: plays.profiles.slice(skip, skip + limit), total: plays.profiles.length });
      }
      return send(200, { method: req.method, url: req.url, got: body });
    })();
  });
  const origin = await serveTest(server);
  return { asked, plays, url: `${origin}/api` };
}

/** A database that a second server can open, in a folder of its own. */
export async function makeFile(): Promise<Readonly<{ file: string; folder: string }>> {
  const folder = makeFolder();
  const file = join(folder, 'rostra.db');
  writeFileSync(file, await migratedImage());
  return { file, folder };
}

/** A world with a provider that is played. */
export async function migrationWorld({ env, ...options }: WorldOptions = {}) {
  const provider = await playProvider();
  const world = await makeWorld({ ...options, env: { MIGRATION_URLS: `zernio=${provider.url}`, ...env } });
  return { ...provider, world, ...(await operationsOf(world)) };
}

/** The same, with a migration that has begun. */
export async function startedWorld(options: WorldOptions = {}) {
  const opened = await migrationWorld(options);
  await opened.start();
  opened.asked.length = 0;
  return opened;
}

/** The operations of migrations, as the dashboard calls them. */
export async function operationsOf(world: World, userId?: string) {
  const key = await dashboardToken(world, userId);
  const ask = (name: string, input: object = {}) => call(world, name, { provider: 'zernio', ...input }, { key });
  return {
    get: async (input: object = {}): Promise<Json> => (await ask('get_migration', input)).body,
    start: (input: object = {}) => ask('start_migration', { api_key: KEY, authorisation_version: VERSION, ...input }),
    stop: () => ask('stop_migration'),
  };
}

type Sent = Omit<RequestInit, 'headers'> & Readonly<{ headers?: Readonly<Record<string, string>> }>;

/** Sends a request to the base URL of the migration. */
export function send(world: World, path: string, init: Sent = {}, key: string | null = KEY): Promise<Response> {
  const headers = { ...(key !== null && { authorization: `Bearer ${key}` }), ...init.headers };
  return fetch(`${world.root}/migrate/zernio${path}`, { redirect: 'manual', ...init, headers });
}
