import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { blockOf } from '../../harness/docs/blocks.ts';
import { CHECKED } from '../../harness/docs/checked.ts';
import { makeFolder } from '../../harness/folders.ts';
import { MAIN } from '../../harness/program.ts';
import { freePort } from '../../harness/sockets.ts';
import { call, runCommand, startProduct } from '../clients/product.ts';

/** What stands for something of the reader's own in a block, and what it is here. */
type Own = Readonly<Record<string, string>>;
type Reader = Readonly<{ own?: Own; input?: string }>;
type Ran = Readonly<{ code: number; out: string }>;

/** Every block that was run, to hold against the list of those that are to be. */
const done = new Set<string>();

/** A server with a folder of its own, as somebody has it who follows the pages; `rostra` is the program under test. */
async function openPlace() {
  const folder = makeFolder();
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'rostra'), `#!/bin/sh\nexec ${process.execPath} ${MAIN} "$@"\n`);
  chmodSync(join(bin, 'rostra'), 0o755);
  writeFileSync(join(folder, '.curlrc'), 'fail-with-body\n');
  const port = String(await freePort());
  const dataDir = join(folder, 'data');
  const server = await startProduct(dataDir, { PORT: port, SANDBOX: 'on' });
  const { key, command } = server.firstRun();
  const env = { HOME: folder, PATH: `${bin}:${process.env['PATH']!}`, PORT: port, SANDBOX: 'on', DATA_DIR: dataDir };
  const account = /acc_\w+/.exec(command)![0];
  const own: Record<string, string> = { 'acc_…': account, 'med_…': /med_\w+/.exec(command)![0], 'rostra_key_…': key };
  const variables: Record<string, string> = { ROSTRA_KEY: key, ACCOUNT: account };

  /** Runs a block to its end, as a shell does that stops at the first failure. */
  async function run(page: string, beginning: string, { own: mine = {}, input = '' }: Reader = {}): Promise<Ran> {
    const block = blockOf(page, beginning);
    done.add(block);
    const text = asHere(block, { ...own, 'http://localhost:8080': server.url, ...mine });
    const child = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', text], {
      cwd: folder,
      env: { ...env, ...variables },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let out = '';
    child.stdout.on('data', (part: Buffer) => (out += part.toString()));
    child.stderr.on('data', (part: Buffer) => (out += part.toString()));
    child.stdin.end(input);
    const [code] = (await once(child, 'close')) as [number];
    return { code, out };
  }

  /** The same of a block that must succeed; answers what it prints. */
  async function succeed(...block: Parameters<typeof run>): Promise<string> {
    const { code, out } = await run(...block);
    expect([block[1], code, out]).toEqual([block[1], 0, out]);
    return out;
  }
  /** Runs a command of the program beside the server; answers what it prints. */
  async function rostra(args: readonly string[], input?: string): Promise<string> {
    const settings = { PORT: port, SANDBOX: 'on', DATA_DIR: dataDir };
    const { code, stdout, stderr } = await runCommand(args, settings, { input: input === undefined ? [] : [input] });
    expect([args, code, stderr]).toEqual([args, 0, '']);
    return stdout;
  }
  return { folder, dataDir, server, key, own, variables, run, succeed, rostra };
}

/** A block with what is the reader's own filled in, and without containers and npm around the program. */
function asHere(text: string, own: Own): string {
  const plain = text
    .replaceAll(/docker compose exec (?:-T )?rostra node src\/main\.ts/g, 'rostra')
    .replaceAll('npm run --silent rostra --', 'rostra')
    .replaceAll('curl -N', 'curl -N --max-time 2');
  return Object.entries(own).reduce((all, [from, to]) => all.replaceAll(from, to), plain);
}

const idIn = (out: string, prefix: string): string => new RegExp(`"id":"(${prefix}_\\w+)"`).exec(out)![1]!;

it('blocks of programs do what their pages say', async () => {
  const { server, key, variables, own, run, succeed } = await openPlace();
  const published = await succeed('README.md', 'export ROSTRA_KEY');
  variables['POST'] = idIn(published, 'post');
  expect(await succeed('README.md', 'curl -sS "http://localhost:8080/v1/inbox/comments')).toContain('"comment_id"');
  expect(await succeed('README.md', 'npm run --silent rostra -- key create')).toMatch(/^rostra_key_\w+$/m);
  expect(await succeed('README.md', 'curl -sS http://localhost:8080/v1/accounts/connect')).toContain('"auth_url"');
  expect(await succeed('docs/platforms.md', 'curl')).toContain('"auth_url"');
  expect(await succeed('docs/analytics.md', 'curl')).toContain('"change_percent"');
  expect(await succeed('docs/posting-times.md', 'curl -sS -X PUT')).toContain('"times"');
  expect(await succeed('docs/posting-times.md', 'curl -sS "http')).toContain('"scheduled_at"');
  expect(await succeed('docs/repeating.md', 'curl')).toContain('"published"');
  expect(await succeed('docs/connect/twitter.md', 'curl', { own: { '…': 'a1b2' } })).toContain('"client_id_hint"');
  expect(await succeed('docs/events.md', 'curl -sS')).toContain('"data"');
  // The stream goes on until somebody ends it, here curl by itself.
  const stream = await run('docs/events.md', 'curl -N');
  expect([stream.code, stream.out]).toEqual([28, expect.stringContaining('retry: 3000')]);

  const endpoint = await succeed('docs/webhooks.md', 'curl -sS http://localhost:8080/v1/webhooks');
  expect(endpoint).toContain('"secret"');
  const webhook = (variables['WEBHOOK'] = idIn(endpoint, 'whk'));
  await call(server, key, `POST /v1/webhooks/${webhook}/replay`, { since: '2026-11-01T00:00:00Z' });
  variables['DELIVERY'] = (await call(server, key, `GET /v1/webhooks/${webhook}/deliveries`)).data[0].id;
  const again = await succeed('docs/webhooks.md', 'curl -sS "http://localhost:8080/v1/webhooks/$WEBHOOK/deliveries');
  expect(again).toContain('"replayed"');
  const tested = await succeed('docs/webhooks.md', 'curl -sS "http://localhost:8080/v1/webhooks/$WEBHOOK/test"');
  expect(tested).toContain('"response_status_code"');

  // The block asks for an export, and then for one by its id: an account has one at a time, so its own is not there yet.
  variables['EXPORT'] = 'exp_…';
  const asked = await run('docs/exports.md', 'curl');
  const started = idIn(asked.out, 'exp');
  expect((await call(server, key, `GET /v1/exports/${started}`)).id).toBe(started);
  expect(asked.out).toContain('"resource.not_found"');
  expect(own['acc_…']).toBe(variables['ACCOUNT']);
});

it('the posts of docs/connect/google.md fit what the platform takes', async () => {
  const { server, key } = await openPlace();
  for (const text of ['Rye is back.', 'Rye for half the price.']) {
    const post = JSON.parse(blockOf('docs/connect/google.md', `{\n  "text": "${text}"`)) as object;
    const said = await call(server, key, 'POST /v1/posts/validate', { ...post, platforms: ['google'] });
    expect([text, said.valid, said.errors]).toEqual([text, true, []]);
  }
});

it('blocks of operators do what their pages say', async () => {
  const { folder, dataDir, server, variables, succeed, rostra } = await openPlace();
  const password = 'correct horse battery';
  for (const name of ['you', 'anna', 'bob'])
    await rostra(['user', 'create', '--email', `${name}@example.org`, '--password-stdin'], password);
  await succeed('docs/running.md', 'npm run --silent rostra -- user password', { input: password });
  writeFileSync(join(folder, 'password.txt'), password);
  await succeed('docs/running.md', 'docker compose exec -T rostra node src/main.ts user password');

  variables['ROSTRA_TOKEN'] = (await rostra(['token', 'create', '--user', 'you@example.org'])).trim();
  expect(await succeed('docs/migrate.md', 'curl', { own: { 'sk_…': 'sk_1' } })).toContain('"base_url"');

  await rostra(['key', 'create', '--name', 'n8n', '--email', 'you@example.org']);
  const id = /key_\w+/.exec(await rostra(['key', 'list', '--email', 'you@example.org']))![0];
  const users = await succeed('docs/running.md', 'rostra user list', { own: { 'key_…': id } });
  expect(users).toContain('anna@example.org');

  for (const page of ['docs/running.md', 'docs/deploy/vps.md']) {
    const beginning = page.endsWith('vps.md')
      ? 'docker compose exec rostra node src/main.ts doctor'
      : 'npm run --silent rostra -- doctor';
    expect(await succeed(page, beginning)).toContain('nothing to do');
  }

  await server.stop();
  rmSync(join(dataDir, 'master.key'));
  await succeed('docs/running.md', 'cp -a data');
  expect(existsSync(join(dataDir, 'master.key'))).toBe(true);
});

it('every block that is to be run is', () => {
  const wanted = CHECKED.filter(([, , way]) => way === 'run').map(([page, beginning]) => blockOf(page, beginning));
  expect(wanted.filter((text) => !done.has(text))).toEqual([]);
});
