import { createServer } from 'node:http';
import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { makeFolder } from '../../harness/folders.ts';
import { freePort, serveTest } from '../../harness/sockets.ts';
import { call, runCommand, startProduct } from '../clients/product.ts';

type Found = Readonly<{ check: string; verdict: string; found: string; todo?: string }>;
type Env = Readonly<Record<string, string>>;

async function examine(env: Env) {
  const { code, stdout, stderr } = await runCommand(['doctor', '--json'], env);
  expect(stderr).toBe('');
  const findings = JSON.parse(stdout) as Found[];
  return { code, bad: findings.filter(({ verdict }) => verdict !== 'ok'), findings };
}

type Faults = Readonly<{
  /** It keeps the Authorization header. */
  keepsCredentials?: boolean;
  bodies?: 'refused' | 'reset';
  /** It collects answers before it passes them on. */
  collects?: boolean;
  /** How many addresses arrive in X-Forwarded-For. */
  adds?: number;
}>;

/** A proxy with faults; the server behind it is played. */
async function startProxy({ keepsCredentials, bodies, collects, adds = 1 }: Faults): Promise<string> {
  const server = createServer((req, res) => {
    const id = req.headers['x-request-id'];
    if (typeof id === 'string') res.setHeader('X-Request-ID', id);
    const size = Number(req.headers['content-length'] ?? 0);
    const isLarge = size > 1_000_000;
    if (isLarge && bodies === 'reset') return void req.once('data', () => req.socket.resetAndDestroy());
    req.resume();
    if (isLarge && bodies === 'refused') return void res.writeHead(413).end();
    if (req.url === '/healthz/proxy' && req.method === 'GET') {
      const first = `data: {"proxies":${adds}}\n\n`;
      res.writeHead(200, { 'Content-Type': 'text/event-stream' });
      if (collects !== true) res.write(first);
      return void setTimeout(() => res.end(`${collects === true ? first : ''}data: {}\n\n`), 1_500);
    }
    if (req.url === '/healthz/proxy') return void req.once('end', () => res.end(`{"bytes":${size}}`));
    if (req.url === '/healthz') return void res.end('{}');
    const code = keepsCredentials === true ? 'missing_header' : 'invalid_token';
    return void res.writeHead(401).end(`{"error":{"code":"auth.${code}"}}`);
  });
  return serveTest(server);
}

it('finds nothing on a healthy server, and each planted fault with what to do', async () => {
  const folder = join(makeFolder(), 'data');
  const env = { DATA_DIR: folder, PORT: String(await freePort()) };
  const server = await startProduct(folder, env);
  const { key } = server.firstRun();
  const [account] = (await call(server, key, 'GET /v1/accounts')).data;
  const post = { text: 'Later', account_ids: [account.id], scheduled_at: '2099-01-01T00:00:00Z' };
  await call(server, key, 'POST /v1/posts', post);
  expect(await examine(env)).toMatchObject({ code: 0, bad: [] });
  const text = await runCommand(['doctor', '--full'], env);
  expect(text).toMatchObject({ code: 0, stdout: expect.stringMatching(/\d+ checks, nothing to do\n$/) });
  await server.stop();

  const file = join(folder, 'rostra.db');
  const sound = join(makeFolder(), 'sound.db');
  copyFileSync(file, sound);

  /** Plants a fault on the sound installation; what the doctor then finds is it alone, beside the server that is gone. */
  async function plant(fault: string | (() => void), more: Env = {}): Promise<Found[]> {
    copyFileSync(sound, file);
    if (typeof fault === 'function') fault();
    else {
      const handle = new Database(file);
      handle.exec(fault);
      handle.close();
    }
    const { bad, code } = await examine({ ...env, ...more });
    expect(code).toBeGreaterThan(0);
    return bad.filter(({ check }) => check !== 'server');
  }
  const one = (check: string, verdict: string, found: RegExp) => [
    { check, verdict, found: expect.stringMatching(found), todo: expect.stringMatching(/\S/) },
  ];
  const nothing = '';
  const long = 'set run_at = 1';

  expect((await examine(env)).bad).toEqual(one('server', 'failure', /nothing answers at http:\/\/127\.0\.0\.1/));
  expect(await plant('insert into settings values (\'paused\', \'{"why":"It was copied."}\')')).toEqual(
    one('pause', 'failure', /It was copied/),
  );
  expect(await plant("update accounts set status = 'reconnect_required'")).toEqual(
    one('accounts', 'warning', /connected again: bluesky/),
  );
  expect(await plant('update targets set due_at = 1 where due_at > 1')).toEqual(
    one('posts', 'failure', /overdue for \d+ minutes/),
  );
  const [kind] = ["(select id from jobs where kind = 'refresh_sessions')"];
  expect(await plant(`update jobs ${long} where id = ${kind}`)).toEqual(
    one('jobs', 'failure', /more than 15 minutes: refresh_sessions \(1\)/),
  );
  const late = ['dlv_x', account.workspace_id ?? 'ws', 'whk_x', 'post.failed', 'pending', 0, 1, 0, 1];
  const values = late.map((value) => (typeof value === 'string' ? `'${value}'` : value)).join(', ');
  expect(
    await plant(
      `pragma foreign_keys = off; insert into deliveries (id, workspace_id, endpoint_id, event_type, status,
       attempt_count, run_at, interrupted, created_at) values (${values})`,
    ),
  ).toEqual(one('deliveries', 'failure', /1 webhooks have been due/));
  expect(await plant("update accounts set network = 'real', platform = 'facebook'")).toEqual(
    one('app of facebook', 'failure', /FACEBOOK_CLIENT_ID and FACEBOOK_CLIENT_SECRET are not set/),
  );
  const app = { FACEBOOK_CLIENT_ID: 'your app id', FACEBOOK_CLIENT_SECRET: 'abc' };
  expect(await plant("update accounts set network = 'real', platform = 'facebook'", app)).toEqual(
    expect.arrayContaining(one('app of facebook', 'warning', /do not look like/)),
  );
  expect(await plant("insert into schema_migrations (version, name) values (999, 'future')")).toEqual(
    one('schema', 'failure', /version 999/),
  );
  expect(
    await plant('delete from schema_migrations where version = (select max(version) from schema_migrations)'),
  ).toEqual(one('schema', 'warning', /this Rostra has version/));
  expect(await plant(nothing, { MASTER_KEY: 'ab'.repeat(32) })).toEqual(one('master key', 'failure', /does not open/));
  expect(await plant(nothing, { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'rostra@example.org' })).toEqual(
    one('mail', 'failure', /127\.0\.0\.1: .*ECONNREFUSED/),
  );
  expect(await plant(nothing, { BACKUP_TO: join(folder, 'none') })).toEqual(one('backups', 'failure', /there is none/));
  expect(await plant(nothing, { ROOT_URL: 'https://127.0.0.1:9', SANDBOX: 'on', HOST: '0.0.0.0' })).toEqual([
    ...one('ROOT_URL', 'failure', /cannot be reached from here/),
    ...one('TRUST_PROXY', 'warning', /TRUST_PROXY is 0/),
  ]);
  expect(await plant(nothing, { ROOT_URL: 'http://rostra.invalid.example', SANDBOX: 'on', TRUST_PROXY: '1' })).toEqual([
    ...one('ROOT_URL', 'failure', /cannot be reached from here/),
    ...one('TLS', 'failure', /without TLS/),
  ]);
  /** What is found of an installation behind a proxy. */
  const behind = async (faults: Faults, more: Env = {}) =>
    plant(nothing, { SANDBOX: 'on', HOST: '0.0.0.0', TRUST_PROXY: '1', ...more, ROOT_URL: await startProxy(faults) });
  expect(await behind({ keepsCredentials: true, bodies: 'refused', collects: true })).toEqual([
    ...one('Authorization', 'failure', /does not pass the Authorization header on/),
    ...one('streams', 'failure', /collects answers/),
    ...one('uploads', 'failure', /refuses a body of 2 MB \(413\)/),
  ]);
  expect(await behind({ bodies: 'reset', adds: 2 })).toEqual([
    ...one('TRUST_PROXY', 'warning', /2 proxies add .* all visitors count as one/),
    ...one('uploads', 'failure', /refuses a body of 2 MB \(\S+/),
  ]);
  const facebook = { FACEBOOK_CLIENT_ID: '1234567890', FACEBOOK_CLIENT_SECRET: 'ab'.repeat(16) };
  expect(await behind({ adds: 0 }, facebook)).toEqual([
    ...one('TRUST_PROXY', 'failure', /0 proxies add .* anybody can claim/),
    ...one('push addresses', 'warning', /platforms cannot call http:/),
  ]);
  expect(await plant(() => chmodSync(join(folder, 'master.key'), 0o644))).toEqual(
    one('key file', 'warning', /can read/),
  );
  chmodSync(join(folder, 'master.key'), 0o600);
  expect(await plant(() => writeFileSync(file, 'no database at all'.repeat(1000)))).toEqual(
    one('database', 'failure', /damaged/),
  );
  rmSync(file);
  mkdirSync(file);
  expect((await examine(env)).bad).toEqual(expect.arrayContaining(one('database', 'failure', /^it cannot be used/)));
  const empty = join(makeFolder(), 'data');
  expect((await examine({ ...env, DATA_DIR: empty })).bad).toEqual(
    expect.arrayContaining(one('DATA_DIR', 'failure', /there is no folder/)),
  );
  mkdirSync(empty);
  expect((await examine({ ...env, DATA_DIR: empty })).bad).toEqual(
    expect.arrayContaining(one('database', 'failure', /there is none/)),
  );
});
