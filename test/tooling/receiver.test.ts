import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { signLegacy, signV2 } from '#kernel/sign.ts';
import { instructions, readArguments, startReceiver } from '../../src/receiver.ts';
import { makeFolder } from '../harness/folders.ts';

const SECRET = '0123456789abcdef'.repeat(4);
const NOW = Date.UTC(2026, 10, 21, 12);
const BODY = '{"event":"post.published","data":{"post_id":"post_1"}}';

let folder: string;
let lines: string[];
let heard: (line: string) => void;

beforeEach(() => {
  folder = makeFolder();
  lines = [];
  heard = (line) => lines.push(line);
});

/** A receiver with the folder of the test; it ends with the test, or before. */
async function start({ now = NOW, ...options }: { secrets?: string[]; fail?: number; now?: number } = {}) {
  const receiver = await startReceiver({
    port: 0,
    folder,
    secrets: [SECRET],
    ...options,
    now: () => now,
    print: (line) => heard(line),
  });
  let closed: Promise<void> | undefined;
  onTestFinished(() => closed ?? receiver.close());
  return { ...receiver, close: () => (closed = receiver.close()) };
}

/** Starts a receiver and ends it; answers the certificate of its authority. */
async function startAndEnd(): Promise<string> {
  const { close } = await start();
  await close();
  return authority();
}

const authority = () => readFileSync(join(folder, 'receiver-ca.pem'), 'utf8');

/** Sends one request as Rostra's own client would: trusting the receiver's CA and nothing else. */
function send(
  url: string,
  headers: Record<string, string>,
  body: string | Buffer = BODY,
  method = 'POST',
  ca?: string,
) {
  const agent = new Agent({ ca: ca ?? authority(), keepAlive: false });
  return new Promise<number>((resolve, reject) => {
    const sent = request(url, { method, headers, agent }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode!));
    });
    sent.on('error', reject).end(body);
  });
}

function signed(secret = SECRET, { age = 0, prefix = 'X-Service', body = BODY } = {}): Record<string, string> {
  const timestamp = String(NOW / 1000 - age);
  return {
    [`${prefix}-Signature-V2`]: signV2(secret, timestamp, body),
    [`${prefix}-Signature`]: signLegacy(secret, body),
    [`${prefix}-Timestamp`]: timestamp,
    [`${prefix}-Delivery`]: 'dlv_1',
    [`${prefix}-Event`]: 'post.published',
  };
}

describe('a delivery', () => {
  it('with a good V2 signature is accepted and shown in one line', async () => {
    const { url } = await start();
    expect(await send(url, signed(SECRET, { age: 2 }))).toBe(204);
    expect(lines).toEqual(['post.published  dlv_1  V2 verified: yes  age: 2.0 s  -> 204']);
  });

  it('is accepted whatever the header prefix is', async () => {
    const { url } = await start();
    expect(await send(url, signed(SECRET, { prefix: 'X-Acme' }))).toBe(204);
    expect(lines[0]).toContain('post.published  dlv_1');
  });

  it.each([
    ['another secret', signed('f'.repeat(64))],
    ['another body', signed(SECRET, { body: '{}' })],
    ['no V2 signature, only the legacy one', { 'X-Service-Signature': signLegacy(SECRET, BODY) }],
    ['no header at all', {}],
  ])('with %s is refused', async (_, headers) => {
    const { url } = await start();
    expect(await send(url, headers)).toBe(401);
    expect(lines[0]).toContain('V2 verified: no ');
  });

  it('that is replayed after more than five minutes is refused though its signature is good', async () => {
    const { url } = await start();
    expect(await send(url, signed(SECRET, { age: 300 }))).toBe(204);
    expect(await send(url, signed(SECRET, { age: 301 }))).toBe(401);
    expect(await send(url, signed(SECRET, { age: -301 }))).toBe(401);
    expect(lines[1]).toContain('yes, but too old');
  });

  it('is refused until the secret is known, and accepted from then on', async () => {
    const receiver = await start({ secrets: [] });
    expect(await send(receiver.url, signed())).toBe(401);
    expect(lines[0]).toContain('no secret yet');
    receiver.addSecret(SECRET);
    expect(await send(receiver.url, signed())).toBe(204);
    receiver.addSecret('e'.repeat(64));
    expect(await send(receiver.url, signed())).toBe(204);
  });

  it('meets 500 as often as asked', async () => {
    const { url } = await start({ fail: 2 });
    const answers = [await send(url, signed()), await send(url, signed()), await send(url, signed())];
    expect(answers).toEqual([500, 500, 204]);
    expect(lines[0]).toContain('-> 500 (1 failures left)');
  });

  it('cannot write to the terminal of the person who watches', async () => {
    const { url } = await start();
    await send(url, { ...signed(), 'X-Service-Event': 'post\u009b2Jx' });
    expect(lines[0]).toMatch(/^post\?+2Jx {2}dlv_1/);
  });

  it('of more than 1 MiB is refused, and so is another method', async () => {
    const { url } = await start();
    expect(await send(url, signed(), Buffer.alloc(1024 * 1024 + 1))).toBe(413);
    expect(await send(url, {}, '', 'GET')).toBe(405);
    expect(lines).toEqual([]);
  });
});

describe('the certificate authority', () => {
  it('is the same after a restart, with a key only its owner can read', async () => {
    const first = await startAndEnd();
    const { url } = await start();
    expect(authority()).toBe(first);
    expect(statSync(join(folder, 'receiver-ca-key.pem')).mode & 0o777).toBe(0o600);
    expect(await send(url, signed(), BODY, 'POST', first)).toBe(204);
  });

  it('covers both loopback addresses by name and number', async () => {
    const { url } = await start();
    const { port } = new URL(url);
    expect(await send(`https://127.0.0.1:${port}/`, signed())).toBe(204);
    expect(await send(`https://localhost:${port}/`, signed())).toBe(204);
  });

  it.each(['receiver-ca.pem', 'receiver-ca-key.pem'])('is made anew when %s is unusable', async (file) => {
    await startAndEnd();
    writeFileSync(join(folder, file), 'not a certificate');
    const { url } = await start();
    expect(await send(url, signed())).toBe(204);
  });

  it('is made anew when key and certificate do not belong together', async () => {
    await startAndEnd();
    const key = readFileSync(join(folder, 'receiver-ca-key.pem'), 'utf8');
    rmSync(join(folder, 'receiver-ca.pem'));
    await startAndEnd();
    writeFileSync(join(folder, 'receiver-ca-key.pem'), key);
    const { url } = await start();
    expect(await send(url, signed())).toBe(204);
  });

  it('is replaced before it expires', async () => {
    const first = await startAndEnd();
    const nineYears = 9 * 365 * 86_400_000;
    await start({ now: NOW + nineYears });
    expect(authority()).toBe(first);
    await start({ now: NOW + nineYears + 340 * 86_400_000 });
    expect(authority()).not.toBe(first);
  });

  it('is what a client must trust; the refusal of one that does not is explained', async () => {
    const { url, caFile } = await start();
    const told = new Promise<string>((resolve) => (heard = resolve));
    await expect(send(url, signed(), BODY, 'POST', '')).rejects.toThrow(/certificate/);
    expect(await told).toContain(`must trust ${caFile}`);
  });
});

describe('the command line', () => {
  it('has defaults and takes its options', () => {
    expect(readArguments([])).toMatchObject({ port: 8443, fail: 0, secrets: [] });
    expect(readArguments(['--port', '0', '--fail', '3', '--secret', SECRET, '--folder', '/x'])).toEqual({
      port: 0,
      fail: 3,
      secrets: [SECRET],
      folder: '/x',
    });
  });

  it.each([
    [['--port', '70000'], '--port'],
    [['--fail', 'often'], '--fail'],
    [['--secret', 'short'], '--secret'],
    [['--nonsense'], '--nonsense'],
  ])('refuses %j', (args, named) => expect(readArguments(args)).toContain(named));

  it('tells the two settings of the server and how to register', () => {
    const text = instructions({ url: 'https://localhost:9/', caFile: '/d/receiver-ca.pem' }, false);
    expect(text).toContain('WEBHOOK_CA_FILE=/d/receiver-ca.pem');
    expect(text).toContain('ALLOW_PRIVATE_NETWORK=127.0.0.0/8,::1/128');
    expect(text).toMatch(/curl .*\/v1\/webhooks .*"url":"https:\/\/localhost:9\/"/);
    expect(text).toContain('Paste the "secret"');
  });
});
