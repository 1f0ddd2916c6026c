import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OWNER } from '../harness/calls/browser.ts';
import { askRest } from '../harness/calls/requests.ts';
import type { Seat } from '../harness/processes.ts';
import { MAIN } from '../harness/program.ts';
import { makeFolder } from '../harness/folders.ts';
import { call, expectComplaint, runCommand, startProduct } from './clients/product.ts';
import { limitedKey, signUp } from './crash/asking.ts';

const KEY = /^rostra_key_[0-9a-f]{62}\n$/;
const NOBODY = { uid: 65_534, gid: 65_534 };

/** An assistant on the desktop: the program is started by it, and spoken to over its standard streams. */
async function startAssistant(dataDir: string, key: string) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp'],
    env: { DATA_DIR: dataDir, ROSTRA_API_KEY: key },
    stderr: 'pipe',
  });
  const client = new Client({ name: 'assistant', version: '1' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

describe('rostra mcp', () => {
  it('serves the same tools and the same data as the running server beside it', async () => {
    const server = await startProduct(makeFolder());
    const { key } = server.firstRun();
    const [account] = (await call(server, key, 'GET /v1/accounts')).data;
    const client = await startAssistant(server.dataDir, key);
    const listed = (await client.listTools()).tools;
    const overHttp = await call(server, key, 'POST /mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
    expect(listed).toEqual(overHttp.result.tools);

    const ask = { text: 'From the desktop', account_ids: [account.id], publish_now: true };
    const made = await client.callTool({ name: 'create_post', arguments: ask });
    expect(made.isError ?? false).toBe(false);
    const post = made.structuredContent as Record<string, any>;
    expect(post).toMatchObject({ status: 'published', targets: [{ status: 'published' }] });
    const { data } = await call(server, key, 'GET /v1/posts');
    expect(data.map(({ id, source }: Record<string, unknown>) => [id, source])).toEqual([
      [post['id'], expect.any(String)],
    ]);
    const refused = await client.callTool({ name: 'get_post', arguments: { post_id: 'post_none' } });
    expect(refused.isError).toBe(true);
    expect(refused.structuredContent).toBeUndefined();
    await client.close();
    expect(await server.stop()).toMatchObject({ code: 0, stderr: '' });
  });

  it('publishes with no server running at all', async () => {
    const server = await startProduct(makeFolder());
    const { key } = server.firstRun();
    const [account] = (await call(server, key, 'GET /v1/accounts')).data;
    await server.stop();
    const client = await startAssistant(server.dataDir, key);
    const ask = { text: 'On my own', account_ids: [account.id], publish_now: true };
    const made = await client.callTool({ name: 'create_post', arguments: ask });
    expect(made.structuredContent).toMatchObject({ status: 'published' });
  });

  it('clears up after one that was killed', async () => {
    const server = await startProduct(makeFolder());
    const { key } = server.firstRun();
    await server.stop();
    const listed = () => {
      const db = new DatabaseSync(join(server.dataDir, 'rostra.db'), { readOnly: true });
      const rows = db.prepare('select id from processes').all();
      db.close();
      return rows.length;
    };
    const killed = await startAssistant(server.dataDir, key);
    process.kill((killed.transport as StdioClientTransport).pid!, 'SIGKILL');
    await expect.poll(listed).toBe(1);
    const next = await startAssistant(server.dataDir, key);
    await next.listTools();
    await next.close();
    await expect.poll(listed).toBe(0);
  });

  it('says in one line what is wrong with the key it was given', async () => {
    const server = await startProduct(makeFolder());
    const env = { DATA_DIR: server.dataDir };
    expectComplaint(await runCommand(['mcp'], env), /^rostra: ROSTRA_API_KEY /);
    const wrong = { ...env, ROSTRA_API_KEY: 'rostra_key_0' };
    expectComplaint(await runCommand(['mcp'], wrong), /^rostra: ROSTRA_API_KEY/);
  });

  it('is nothing for a key that decides on requests', async () => {
    const server = await startProduct(makeFolder());
    const { key } = server.firstRun();
    const rest: Seat['rest'] = (method, path, body) => askRest(server.url, key, `${method} ${path}`, body);
    const browser = await signUp({ root: () => server.url, folder: server.dataDir });
    const limits = { preset: 'read', decides: 'yes', password: OWNER.password };
    const deciding = await limitedKey({ rest }, browser, limits);
    const env = { DATA_DIR: server.dataDir, ROSTRA_API_KEY: deciding.key };
    expectComplaint(await runCommand(['mcp'], env), /^rostra: ROSTRA_API_KEY: A key that decides on requests/);
  });
});

describe('rostra key create', () => {
  it('prints the key and nothing else, twenty times in a row, and each one works', async () => {
    const server = await startProduct(makeFolder());
    const keys = new Set<string>();
    for (let n = 0; n < 20; n += 1) {
      const made = await runCommand(['key', 'create', '--name', `number ${n}`], { DATA_DIR: server.dataDir });
      expect(made).toMatchObject({ code: 0, signal: null, stderr: '' });
      expect(made.stdout).toMatch(KEY);
      keys.add(made.stdout.trim());
    }
    expect(keys.size).toBe(20);
    for (const key of keys) await call(server, key, 'GET /v1/usage');
    const listed = (await call(server, server.firstRun().key, 'GET /v1/keys')).data as { name: string }[];
    expect(listed).toHaveLength(21);
    expect(await server.stop()).toMatchObject({ code: 0, stderr: '' });
  });

  it('limits the key as it is told, and refuses limits that do not exist', async () => {
    const server = await startProduct(makeFolder());
    const env = { DATA_DIR: server.dataDir };
    const made = await runCommand(['key', 'create', '--name', 'reader', '--scopes', 'posts:read'], env);
    const key = made.stdout.trim();
    await call(server, key, 'GET /v1/posts');
    await expect(call(server, key, 'POST /v1/posts', { text: 'no' })).rejects.toThrow('auth.insufficient_scope');
    for (const args of [[], ['--name', 'x', '--scopes', 'posts:everything'], ['--name', 'x', '--brands', 'brd_none']])
      expectComplaint(await runCommand(['key', 'create', ...args], env), /^rostra: /);
  });
});

describe('a start that cannot go well', () => {
  it('stops in one line when the keys are not those of the database, and runs again with the right one', async () => {
    const dataDir = makeFolder();
    const right = { MASTER_KEY: '11'.repeat(32) };
    const first = await startProduct(dataDir, right);
    const { key } = first.firstRun();
    expect(await first.stop()).toMatchObject({ code: 0 });
    const wrong = await runCommand(['serve'], { PORT: '0', DATA_DIR: dataDir, MASTER_KEY: '22'.repeat(32) });
    expectComplaint(wrong, /^rostra: the master key /);
    const rotated = await startProduct(dataDir, { MASTER_KEY: `${'22'.repeat(32)},${'11'.repeat(32)}` });
    await call(rotated, key, 'GET /v1/usage');
  });

  it('makes no new key beside an existing database', async () => {
    const server = await startProduct(makeFolder());
    expect(await server.stop()).toMatchObject({ code: 0 });
    const file = join(server.dataDir, 'master.key');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const key = readFileSync(file, 'utf8');
    rmSync(file);
    for (const args of [['serve'], ['key', 'create', '--name', 'x']]) {
      expectComplaint(await runCommand(args, { PORT: '0', DATA_DIR: server.dataDir }), /master\.key/);
      expect(existsSync(file)).toBe(false);
    }
    expect(key).toMatch(/^[0-9a-f]{64}\n$/);
  });

  it('names the folder that it cannot write, and leaves nothing in it', async () => {
    const dataDir = makeFolder();
    const isRoot = process.getuid!() === 0;
    if (isRoot) chownSync(dataDir, NOBODY.uid, NOBODY.gid);
    chmodSync(dataDir, 0o500);
    for (const folder of [dataDir, join(dataDir, 'deeper')]) {
      const refused = await runCommand(['serve'], { PORT: '0', DATA_DIR: folder }, { as: isRoot ? NOBODY : undefined });
      expectComplaint(refused, new RegExp(`rostra: DATA_DIR ${folder} `));
    }
    expect(readdirSync(dataDir)).toEqual([]);
    chmodSync(dataDir, 0o700);
  });

  // A limit on the size of files stands in for a full disk: it needs no rights, and fails at the same writes.
  it.each([0, 8, 64, 256])(
    'names the folder whose disk takes no more than %i KiB, and starts once it does',
    async (size) => {
      const dataDir = makeFolder();
      const refused = await runCommand(['serve'], { PORT: '0', DATA_DIR: dataDir }, { fileLimitKiB: size });
      expectComplaint(refused, new RegExp(`rostra: DATA_DIR ${dataDir}`));
      const server = await startProduct(dataDir);
      await call(server, server.firstRun().key, 'GET /v1/usage');
    },
  );

  it('names the file of a backup for which there is no room', async () => {
    const server = await startProduct(makeFolder());
    await server.stop();
    const media = join(server.dataDir, 'media', 'ge');
    mkdirSync(media, { recursive: true });
    writeFileSync(join(media, 'med_large'), Buffer.alloc(12_000_000));
    const file = join(server.dataDir, 'backup.tar');
    const refused = await runCommand(['backup', file], { DATA_DIR: server.dataDir }, { fileLimitKiB: 8192 });
    expectComplaint(refused, new RegExp(`^rostra: ${file}: EFBIG`));
    expect(readdirSync(server.dataDir).filter((name) => /^backup|^\.backup/.test(name))).toEqual([]);
  });

  it('names the setting that is wrong', async () => {
    expectComplaint(await runCommand(['serve'], { PORT: 'often', DATA_DIR: makeFolder() }), /^rostra: PORT /);
  });
});
