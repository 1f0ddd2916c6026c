import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { CrashPointName } from '#call/crash-points.ts';
import { askRest, type Answer, type Json } from './calls/requests.ts';
import { replaceFile } from './folders.ts';
import { askControl, openConnectPage } from './calls/stand-ins.ts';
import { MAIN } from './program.ts';
import { freePort } from './sockets.ts';
import { receiverCertificates, startReceiver, type Receiver } from './webhooks/receiver.ts';

const LOOK_MS = 20;

export type { Answer, Json };
type Env = Readonly<Record<string, string>>;

/** A process of the product; `ended` is its exit code, or the signal that ended it. */
type Running = Readonly<{
  child: ChildProcess;
  output: Promise<string>;
  printed(): string;
  ended: Promise<number | string>;
}>;

export type Seat = ReturnType<Processes['seat']>;

export type Processes = Awaited<ReturnType<typeof openProcesses>>;

/** Asks until there is an answer; the test's own time limit is the only one. */
export async function until<T>(ask: () => Promise<T | undefined>, lookMs = LOOK_MS): Promise<T> {
  for (;;) {
    const found = await ask();
    if (found !== undefined) return found;
    await pause(lookMs);
  }
}

/**
 * Simulators as a process of their own, a receiver of webhooks, and servers on folders of their own. Where a test compares
 * what the simulators say with when the server did it, one server and its simulators have `oneClock`.
 */
export async function openProcesses({ oneClock = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'rostra-processes-'));
  const started: Running[] = [];
  const receiver: Receiver = await startReceiver();
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, receiverCertificates.ca);

  const envOf = (env: Env) => ({
    PATH: process.env['PATH'],
    NODE_ENV: 'test',
    // Half of what a start costs, and a server that dies a hundred times starts a hundred times.
    NODE_COMPILE_CACHE: join(tmpdir(), 'rostra-compiled'),
    LOG_LEVEL: 'error',
    ...env,
  });

  function run(args: readonly string[], env: Env, ready: RegExp): Running {
    const child = spawn(process.execPath, [MAIN, ...args], { env: envOf(env), stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise<number | string>((resolve) => {
      child.on('exit', (code, signal) => resolve(code ?? signal ?? 'gone'));
    });
    let text = '';
    const output = new Promise<string>((resolve, reject) => {
      child.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8');
        if (ready.test(text)) resolve(text);
      });
      void ended.then((how) => reject(new Error(`${args[0]} ended with ${how} before it was ready`)));
    });
    // A server that is killed while it starts is no error of the test's.
    output.catch(() => undefined);
    const running = { child, output, printed: () => text, ended };
    started.push(running);
    return running;
  }

  async function kill({ child, ended }: Running): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
  }

  function folderOf(name: string): string {
    const path = join(folder, name);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  }

  const shared = join(folder, 'clock');
  // What apps are set up with at the platforms: pushes of whole apps go there.
  const port = await freePort();
  const address = `http://localhost:${port}`;
  const twin = { DATA_DIR: folderOf('twin'), ROOT_URL: address, ...(oneClock && { CLOCK_FILE: shared }) };
  if (oneClock) writeFileSync(shared, '0');
  const twins = (await run(['sandbox', '--port', '0'], twin, /\/sandbox\n/).output).trim();

  const control = (path: string, input?: object) => askControl(twins, path, input);

  let seats = 0;

  /** A data folder, and the server on it, which may die and come back at a later time. */
  function seat(name: string, env: Env = {}) {
    const data = folderOf(name);
    const clock = oneClock ? shared : join(data, 'clock');
    // Not in the folder, which another server may share.
    const crash = join(folder, `crash-${(seats += 1)}`);
    let aheadMs = 0;
    let running: Running | undefined;
    let root = '';
    let key = '';
    replaceFile(clock, '0');

    const own = {
      PORT: '0',
      DATA_DIR: data,
      SANDBOX_URL: twins,
      ALLOW_PRIVATE_NETWORK: '127.0.0.0/8,::1/128',
      WEBHOOK_CA_FILE: ca,
      CLOCK_FILE: clock,
      CRASH_AT: `@${crash}`,
      ...env,
    };

    return Object.freeze({
      async start(more: Env = {}): Promise<void> {
        replaceFile(crash, '');
        running = run(['serve'], { ...own, ...more }, /REST {7}\S+\/v1\n/);
        const printed = /REST {7}(\S+)\/v1\n/.exec(await running.output)![1]!;
        const port = more['PORT'] ?? own.PORT;
        root = port === '0' ? printed : `http://localhost:${port}`;
        if (key === '') key = /API key {4}(\S+)/.exec(readFileSync(join(data, 'first-run.txt'), 'utf8'))![1]!;
      },
      /** Runs another command on its folder, with `input` to read; answers what it printed. */
      async command(args: readonly string[], input = ''): Promise<string> {
        const ran = promisify(execFile)(process.execPath, [MAIN, ...args], { env: envOf(own) });
        ran.child.stdin!.end(input);
        return (await ran).stdout.trim();
      },
      rest: (method: string, path: string, body?: unknown, headers: Env = {}) =>
        askRest(root, key, `${method} ${path}`, body, headers),
      /** Has the server die when it passes a point for the nth time from now on. */
      dieAt: (point: CrashPointName, nth: number) => replaceFile(crash, `${point}:${nth}`),
      /** Has it stop there as if it were frozen, until it is thawed. */
      freezeAt: (point: CrashPointName) => replaceFile(crash, `${point}:1:SIGSTOP`),
      isFrozen: () => readFileSync(`/proc/${running!.child.pid}/stat`, 'utf8').includes(') T '),
      thaw: () => running!.child.kill('SIGCONT'),
      /** Has it pass there unharmed from now on. */
      live: () => replaceFile(crash, ''),
      kill: async () => running && kill(running),
      /** How the server that was started last has ended. */
      ended: () => running!.ended,
      /** What it printed so far, with its log. */
      printed: () => running!.printed(),
      /** Tells it to stop in good order. */
      stop() {
        running!.child.kill('SIGTERM');
        return running!.ended;
      },
      /** Moves the clock of the server, also of one that is yet to start. */
      pass(ms: number) {
        aheadMs += ms;
        replaceFile(clock, String(aheadMs));
      },
      /** What its clock says. */
      now: () => Date.now() + aheadMs,
      root: () => root,
      /** Its data folder. */
      folder: data,
      /** The process that was started last. */
      pid: () => running!.child.pid!,
    });
  }

  /** Servers on one folder and one database, at one address, which pushes reach; each keeps its port. */
  async function servers(count: number, env: Env = {}) {
    const ports = [port, ...(await Promise.all(Array.from({ length: count - 1 }, freePort)))];
    type Own = ReturnType<typeof seat>;
    const seats = ports.map((own) => seat('server', { PORT: String(own), ROOT_URL: address, ...env }));
    for (const one of seats) await one.start();
    return seats as [Own, ...Own[]];
  }

  return Object.freeze({
    receiver,
    /** Where the simulators are. */
    twins,
    /** Where apps are set up to have their pushes. */
    address,
    control,
    seat,
    servers,
    async close(): Promise<void> {
      await Promise.all(started.map(kill));
      await receiver.close();
      rmSync(folder, { recursive: true, force: true });
    },
  });
}

const refuse = ({ status, body }: Answer): never => {
  throw new Error(`${status}: ${JSON.stringify(body)}`);
};

/** Connects a person of the simulator of bluesky; answers the account's id. */
export async function connectBluesky({ control }: Processes, seat: Seat, person: string): Promise<string> {
  const { handle, credentials } = (await control('people')).find(({ id }: Json) => id === person);
  const metadata = { identifier: handle, app_password: credentials.app_password };
  const made = await seat.rest('POST', '/v1/accounts/connect', { platform: 'bluesky', metadata });
  return made.status === 201 ? made.body.account_id : refuse(made);
}

/** Connects a person of the simulator of facebook with one page, as a browser would; answers the account's id. */
export const connectFacebook = (
  world: Processes,
  seat: Seat,
  who: Readonly<{ person: string; pages: string }>,
): Promise<string> => connectByConsent(world, seat, 'facebook', who);

/** Connects a person of a simulator by its consent page; answers the id of the account. */
async function connectByConsent(
  { control }: Processes,
  seat: Seat,
  platform: string,
  who: Readonly<{ person: string }> & Readonly<Record<string, string>>,
): Promise<string> {
  const redirect_uri = 'https://app.example.org/done';
  const begun = await seat.rest('POST', '/v1/accounts/connect', { platform, redirect_uri });
  if (begun.status !== 202) refuse(begun);
  const { consents, back } = await openConnectPage(begun.body.auth_url);
  const { done } = await control(`${platform}/consent`, { url: consents[0], ...who });
  const end = await back(done.location);
  if (end.get('status') !== 'success') throw new Error(end.toString());
  return end.get('account_id')!;
}

/** Puts a file on the shelf; answers its id. */
export async function upload(seat: Seat, name: string, type: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const form = new FormData();
  form.set('file', new Blob([bytes], { type }), name);
  const made = await seat.rest('POST', '/v1/media/upload', form);
  return made.status === 201 ? made.body.id : refuse(made);
}
