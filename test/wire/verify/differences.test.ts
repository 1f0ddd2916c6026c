import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { makeFolder } from '../../harness/folders.ts';
import { openProcesses, type Json, type Processes, type Seat } from '../../harness/processes.ts';
import { listen, stop } from '../../harness/sockets.ts';
import { threadsSubject } from '../../platforms/conformance/subjects/threads.ts';
import { connectFirst, verifyBeside } from './verify.ts';

/** What a platform has changed, by the method and path of the request: another body, or another answer. */
type Change = readonly [request: RegExp, change: (body: Json) => Json, status?: number];

const of = (body: Json, change: (one: Json) => Json) => ({ ...body, data: body.data.map(change) });

const CHANGES: readonly Change[] = [
  [
    /^GET .*\/debug_token\?/,
    ({ data }) => ({ data: { ...data, scopes: data.scopes.filter((it: string) => it !== LOST) } }),
  ],
  [/^GET .*\/\d+\/replies\?/, (body) => of(body, (reply) => ({ ...reply, timestamp: undefined }))],
  [/^GET .*\/\d+\/insights\?/, (body) => of(body, (one) => ({ ...one, values: {} }))],
  [/^GET .*\/mentions\?/, () => ({ error: { message: 'Something new', type: 'OAuthException', code: 98_765 } }), 400],
  [/^GET .*\/\d+\/threads\?/, (body) => of(body, (post) => ({ ...post, text: `${post.text} (shortened)` }))],
];
const LOST = 'threads_delete';

/** What the report has to say of each. */
const NAMED = [
  'scopes: the scope threads_delete is not granted',
  '`data[].timestamp` is missing, expected: string',
  '`data[].values` is object, expected: list',
  '400/98765',
  'read: the text is not the one that was sent',
];

let world: Processes;
let seat: Seat;
let account: string;
beforeAll(async () => {
  world = await openProcesses();
  [seat] = await world.servers(1);
  account = await connectFirst(world, seat, threadsSubject);
});
afterAll(async () => {
  await world?.close();
});

/** Passes everything on to the simulators, which answer as a platform that has changed. */
async function openChanged(changes: readonly Change[]): Promise<string> {
  const { twins } = world;
  const server = createServer((req, res) => {
    void (async () => {
      const body = await buffer(req);
      const { host: _host, connection: _connection, ...headers } = req.headers as Record<string, string>;
      const init = body.byteLength > 0 ? { method: req.method!, headers, body } : { method: req.method!, headers };
      const answer = await fetch(twins + req.url!.replace(/^\/sandbox/, ''), { ...init, redirect: 'manual' });
      // What the simulators say about themselves leads back here.
      const said = (await answer.text()).replaceAll(twins, url);
      const asked = `${req.method} ${req.url}`;
      const [, change, status = answer.status] = (answer.ok && changes.find(([one]) => one.test(asked))) || [];
      const sent = change ? JSON.stringify(change(JSON.parse(said))) : said;
      res.writeHead(status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' }).end(sent);
    })();
  });
  const url = `http://127.0.0.1:${await listen(server)}/sandbox`;
  onTestFinished(() => stop(server));
  return url;
}

describe('the report of a platform that has changed', () => {
  it('names everything that differs, and nothing else; ends with 1', async () => {
    const folder = makeFolder();
    const args = ['threads', '--account', account, '--record', folder];
    const { code, stdout } = await verifyBeside(seat, await openChanged(CHANGES), args);
    expect(code).toBe(1);
    const listed = stdout.split('\n').filter((line) => /^\d+\. /.test(line));
    expect(listed.filter((line) => !NAMED.some((what) => line.includes(what)))).toEqual([]);
    for (const what of NAMED) expect(listed.join('\n')).toContain(what);

    const record = readFileSync(join(folder, 'threads.json'), 'utf8');
    expect(JSON.parse(record).differences).toHaveLength(listed.length);
    const { body } = await seat.rest('GET', '/v1/accounts');
    const { username, platform_user_id } = body.data.find(({ id }: Json) => id === account);
    for (const personal of [username, platform_user_id, account, new URL(seat.root()).host]) {
      expect(stdout).not.toContain(personal);
      expect(record).not.toContain(personal);
    }
  });

  it('says what is left behind, and where, where it cannot be removed', async () => {
    const refuses = () => ({ error: { message: 'No', type: 'OAuthException', code: 10 } });
    const twins = await openChanged([[/^DELETE /, refuses, 403]]);
    const { code, stdout, stderr } = await verifyBeside(seat, twins, ['threads', '--account', account]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('## remove: differs') });
    const [, address] = /LEFT BEHIND[^\n]*\n {2}(\S+)/.exec(stderr)!;
    expect(stderr).toContain(`made, and to be removed: ${address}`);
    expect(stdout).not.toContain(address);

    const nowhere = join(import.meta.filename, 'record');
    const unkept = await verifyBeside(seat, twins, ['threads', '--account', account, '--record', nowhere]);
    expect(unkept).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('## remove: differs'),
      stderr: expect.stringMatching(/LEFT BEHIND[^]*\nrostra: ENOTDIR/),
    });
  });

  it('has asked the server at ROOT_URL, also where that is a private address and nothing is of the sandbox', async () => {
    const app = await verifyBeside(seat, world.twins, ['threads'], { SANDBOX: 'off' });
    expect(app.stdout).toContain('## callback address: as expected');
  });

  it('posts nothing without an account, and nothing but says what it would do with --dry-run', async () => {
    const before = await world.control('threads/posts');
    const app = await verifyBeside(seat, world.twins, ['threads']);
    expect({ code: app.code, stdout: app.stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('no differences'),
    });
    expect(app.stdout).not.toContain('## publish');
    const dry = await verifyBeside(seat, world.twins, ['threads', '--account', account, '--dry-run']);
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('Publish a post, seen by everybody') });
    expect(await world.control('threads/posts')).toEqual(before);
  });

  it('is not made, and the command ends with 2, of what there is not', async () => {
    const unknown = await verifyBeside(seat, world.twins, ['threads', '--account', 'acc_unknown']);
    expect(unknown).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('there is no account') });
    expect(await verifyBeside(seat, world.twins, ['myspace'])).toMatchObject({ code: 2, stdout: '' });
  });
});
