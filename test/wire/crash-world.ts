import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { receiverCertificates, startReceiver, type Receiver } from '../harness/receiver.ts';
import { png } from '../engine/media-samples.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
/** Longer than every lease: what a dead process held is free after this. */
export const AFTER_LEASES_MS = 100_000;
const LOOK_MS = 20;

// oxlint-disable-next-line typescript/no-explicit-any -- answers are read by tests that know their shape
type Json = any;
type Env = Readonly<Record<string, string>>;

/** A process of the product; `ended` is its exit code, or the signal that ended it. */
export type Running = Readonly<{ child: ChildProcess; output: Promise<string>; ended: Promise<number | string> }>;

function run(args: readonly string[], env: Env, until: RegExp): Running {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env['PATH'], NODE_ENV: 'test', LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | string>((resolve) => {
    child.on('exit', (code, signal) => resolve(code ?? signal ?? 'gone'));
  });
  let text = '';
  const output = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      if (until.test(text)) resolve(text);
    });
    void ended.then((how) => reject(new Error(`${args[0]} ended with ${how} before it was ready`)));
  });
  // A server that is killed while it starts is no error of the test's.
  output.catch(() => undefined);
  return { child, output, ended };
}

async function kill({ child, ended }: Running): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  await ended;
}

/** A server process, and how to talk to it. */
export type Server = Running &
  Readonly<{
    root: string;
    rest(method: string, path: string, body?: unknown): Promise<{ status: number; body: Json }>;
  }>;

export type CrashWorld = Awaited<ReturnType<typeof openCrashWorld>>;

/** Twins as a process of their own, a receiver, and a prepared data folder that each test gets a copy of. */
export async function openCrashWorld() {
  const folder = mkdtempSync(join(tmpdir(), 'rostra-crash-'));
  const started: Running[] = [];
  const receiver: Receiver = await startReceiver();
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, receiverCertificates.ca);

  const dataOf = (name: string) => {
    mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
    return join(folder, name);
  };
  const twin = run(['sandbox', '--port', '0'], { DATA_DIR: dataOf('twin') }, /\/sandbox\n/);
  started.push(twin);
  const twins = (await twin.output).trim();

  async function control(path: string, body?: unknown): Promise<Json> {
    const headers = { 'Content-Type': 'application/json' };
    const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(`${twins}/__control/${path}`, init);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { data: Json }).data;
  }

  async function serve(data: string, env: Env = {}, aheadMs = 0): Promise<Server> {
    const clock = join(data, 'clock');
    writeFileSync(clock, String(aheadMs));
    const running = run(
      ['serve'],
      {
        PORT: '0',
        DATA_DIR: data,
        SANDBOX_URL: twins,
        DEFAULT_PLAN: 'free',
        ALLOW_PRIVATE_NETWORK: '127.0.0.0/8,::1/128',
        WEBHOOK_CA_FILE: ca,
        CLOCK_FILE: clock,
        ...env,
      },
      /REST {7}\S+\/v1\n/,
    );
    started.push(running);
    const [, root] = /REST {7}(\S+)\/v1\n/.exec(await running.output)!;
    const key = () => /API key {4}(\S+)/.exec(readFileSync(join(data, 'first-run.txt'), 'utf8'))![1]!;
    return {
      ...running,
      root: root!,
      async rest(method, path, body) {
        const form = body instanceof FormData;
        const response = await fetch(`${root}${path}`, {
          method,
          headers: {
            Authorization: `Bearer ${key()}`,
            ...(body !== undefined && !form && { 'Content-Type': 'application/json' }),
          },
          ...(body !== undefined && { body: form ? body : JSON.stringify(body) }),
        });
        return { status: response.status, body: await response.json() };
      },
    };
  }

  async function close(): Promise<void> {
    await Promise.all(started.map(kill));
    await receiver.close();
    rmSync(folder, { recursive: true, force: true });
  }

  async function prepare() {
    const first = await serve(template);
    const [person] = await control('people');
    const { app_password } = person.credentials;
    const connecting = { platform: 'bluesky', metadata: { identifier: person.handle, app_password } };
    const connected = await first.rest('POST', '/v1/accounts/connect', connecting);
    const account: string = connected.body.account_id;
    const form = new FormData();
    form.set('file', new Blob([png()], { type: 'image/png' }), 'picture.png');
    const uploaded = await first.rest('POST', '/v1/media/upload', form);
    const hook = await first.rest('POST', '/v1/webhooks', {
      url: receiver.url,
      events: ['post.published', 'post.failed'],
    });
    for (const { status, body } of [connected, uploaded, hook])
      if (status !== 201) throw new Error(JSON.stringify(body));
    first.child.kill('SIGTERM');
    if ((await first.ended) !== 0) throw new Error('the first server did not end well');
    return { account, person: person.id as string, mediaId: uploaded.body.id as string };
  }

  const template = dataOf('template');
  const prepared = await prepare().catch(async (error: unknown) => {
    await close();
    throw error;
  });

  let copies = 0;

  return Object.freeze({
    ...prepared,
    receiver,
    serve,
    control,
    kill,
    /** A data folder with an account, a picture and a webhook in it. */
    data(): string {
      copies += 1;
      const data = join(folder, `data-${copies}`);
      cpSync(template, data, { recursive: true });
      return data;
    },
    /** Asks until there is an answer; the test's own time limit is the only one. */
    async until<T>(ask: () => Promise<T | undefined>): Promise<T> {
      for (;;) {
        const found = await ask();
        if (found !== undefined) return found;
        await pause(LOOK_MS);
      }
    },
    /** Posts the public sees with this text, each with everything that was ever written under its key. */
    async seen(text: string): Promise<readonly Json[]> {
      return (await control('posts')).filter((post: Json) => post.text === text);
    },
    close,
  });
}
