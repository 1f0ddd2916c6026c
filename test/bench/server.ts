import { execFileSync, fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../harness/sockets.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const START_TIMEOUT_MS = 60_000;

/** A server in a process of its own. */
export type Running = Readonly<{ url: string; pid: number; stop(): Promise<void> }>;

/** Where the server's program is: as it stands, or as the package ships it. */
export const SOURCE = join(ROOT, 'src', 'main.ts');
const BUILT = join(ROOT, 'dist', 'src', 'main.js');

let isBuilt = false;

/** The program as the package ships it, built once for each run. */
export function builtProgram(): string {
  if (!isBuilt) execFileSync(process.execPath, [join(ROOT, '.ci', 'build.mjs')], { stdio: ['ignore', 2, 2] });
  isBuilt = true;
  return BUILT;
}

/** Calls `work` with an empty folder that is gone afterwards. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'rostra-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type StartOptions = Readonly<{
  program?: string;
  sandbox?: 'on' | 'off';
  /** Further settings, by name. */
  settings?: Readonly<Record<string, string>>;
}>;

/** Starts the product on a data folder and waits until it has started; its output goes to a file, as in a service. */
export async function startRostra(
  dataDir: string,
  { program = SOURCE, sandbox = 'off', settings = {} }: StartOptions = {},
): Promise<Running & { firstAnswerMs: number }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const output = `${dataDir}-${port}.log`;
  const file = openSync(output, 'w');
  const set = { PORT: String(port), ROOT_URL: url, DATA_DIR: dataDir, SANDBOX: sandbox, PAUSED: 'off', ...settings };
  const cache = program === SOURCE && { NODE_COMPILE_CACHE: join(ROOT, '.runtime', 'compile-cache') };
  // Besides the path, what the launcher sets.
  const env = { PATH: process.env['PATH'], MALLOC_TRIM_THRESHOLD_: '131072', ...cache, ...set };
  const began = performance.now();
  const child = spawn(process.execPath, [program, 'serve'], { env, stdio: ['ignore', file, file] });
  closeSync(file);
  const written = () => readFileSync(output, 'utf8');
  const until = async (isDone: () => boolean | Promise<boolean>) => {
    while (!(await isDone())) {
      if (child.exitCode !== null || performance.now() - began > START_TIMEOUT_MS) {
        child.kill('SIGKILL');
        throw new Error(`the server did not start:\n${written().slice(-2000)}`);
      }
      await wait(3);
    }
  };
  await until(() => answers(url));
  const firstAnswerMs = performance.now() - began;
  await until(() => written().includes('Rostra is running.'));
  return { ...running(child, url), firstAnswerMs };
}

/** Starts one of the peers and sends it its answers. */
export async function startPeer(name: string, answers: object): Promise<Running> {
  const child = fork(fileURLToPath(new URL('peers.ts', import.meta.url)), [name]);
  child.send(answers);
  const url = await Promise.race([
    once(child, 'message').then(([message]) => message as string),
    once(child, 'exit').then(() => {
      throw new Error(`the peer ${name} did not start`);
    }),
  ]);
  return running(child, url);
}

function running(child: ChildProcess, url: string): Running {
  return {
    url,
    pid: child.pid!,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    },
  };
}

/** Stops servers however the work with them ended. */
export async function withServers<T>(
  servers: Promise<Running>[],
  work: (running: readonly Running[]) => Promise<T>,
): Promise<T> {
  try {
    return await work(await Promise.all(servers));
  } finally {
    const started = await Promise.allSettled(servers);
    await Promise.all(started.flatMap((one) => (one.status === 'fulfilled' ? [one.value.stop()] : [])));
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/healthz`, { headers: { Connection: 'close' } });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** Makes a data folder with its owner, and answers the owner's key. */
export async function makeDataDir(dataDir: string, settings?: StartOptions['settings']): Promise<string> {
  const server = await startRostra(dataDir, { ...(settings && { settings }) });
  await server.stop();
  const key = /rostra_key_\w+/.exec(readFileSync(join(dataDir, 'first-run.txt'), 'utf8'))?.[0];
  if (key === undefined) throw new Error('the first start printed no key');
  return key;
}
