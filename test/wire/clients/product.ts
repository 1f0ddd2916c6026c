import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished } from 'vitest';
import { askRest, type Json } from '../../harness/calls/requests.ts';
import { MAIN } from '../../harness/program.ts';

const RECEIVER = join(import.meta.dirname, '..', '..', '..', 'src', 'receiver.ts');

type Env = Readonly<Record<string, string>>;
/** As whom a process runs, and how large it may make a file. */
type Limits = Readonly<{ as?: { uid: number; gid: number } | undefined; fileLimitKiB?: number }>;
export type Exit = Readonly<{ code: number | null; signal: string | null; stdout: string; stderr: string }>;

/** A process of ours with everything it writes; it does not outlive the test. */
function start(program: string, args: readonly string[], env: Env, { as, fileLimitKiB }: Limits = {}) {
  const command = [process.execPath, program, ...args];
  // Without the trap the limit would end the process by a signal; a full disk only makes the write fail.
  const limited = ['sh', '-c', 'trap "" XFSZ; ulimit -f "$1"; shift; exec "$@"', 'sh', String((fileLimitKiB ?? 0) * 2)];
  const [file, ...rest] = fileLimitKiB === undefined ? command : [...limited, ...command];
  const child = spawn(file!, rest, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', ...env },
    ...as,
  });
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (part: string) => (written.stdout += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (written.stderr += part));
  // Whoever has nothing to read may be gone before it is written.
  child.stdin.on('error', () => {});
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const look of waiting) look();
  });
  const exit = once(child, 'close').then(([code, signal]): Exit => {
    for (const look of waiting) look();
    return { code: code as number | null, signal: signal as string | null, ...written };
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exit;
  });

  /** The first line of standard output, from line `from` on, that matches; a process that ends first is an error. */
  function lineOf(pattern: RegExp, from = 0): Promise<string> {
    return new Promise((resolve, reject) => {
      function look() {
        const found = lines.slice(from).find((line) => pattern.test(line));
        const ended = child.exitCode !== null || child.signalCode !== null;
        if (found === undefined && !ended) return;
        waiting.delete(look);
        if (found !== undefined) resolve(found);
        else reject(new Error(`no line ${String(pattern)} in:\n${written.stdout}\n${written.stderr}`));
      }
      waiting.add(look);
      look();
    });
  }

  return { child, exit, lines, lineOf };
}

type Asked = Limits & Readonly<{ input?: readonly (string | Uint8Array)[] }>;

/** Runs a command of the program to its end; `input` is what it reads from its standard input, part by part. */
export async function runCommand(args: readonly string[], env: Env, { input = [], ...limits }: Asked = {}) {
  const { child, exit } = start(MAIN, args, { LOG_LEVEL: 'warn', ...env }, limits);
  for (const part of input) child.stdin.write(part);
  child.stdin.end();
  return exit;
}

/** Expects a command to have said in one line what is wrong, without a stack, and nothing else. */
export function expectComplaint(ended: Exit, line: RegExp): void {
  expect(ended).toEqual({ code: 1, signal: null, stdout: '', stderr: expect.stringMatching(line) });
  expect(ended.stderr).toMatch(/^rostra: [^\n]*\n$/);
}

export type Product = Readonly<{
  /** Where the process listens, whatever ROOT_URL says. */
  url: string;
  dataDir: string;
  /** What a first start leaves for the person who started it; `command` is the one to try. */
  firstRun(): Readonly<{ key: string; command: string }>;
  /** Sends SIGTERM and answers how the process ended. */
  stop(): Promise<Exit>;
  /** Ends it at once, as a crash does. */
  kill(): Promise<Exit>;
}>;

/** Starts the whole server as a process of its own, on any free port. */
export async function startProduct(dataDir: string, env: Env = {}): Promise<Product> {
  const { child, exit, lineOf } = start(MAIN, ['serve'], { PORT: '0', DATA_DIR: dataDir, ...env });
  const { port } = JSON.parse(await lineOf(/"msg":"serving"/)) as { port: number };
  return Object.freeze({
    url: `http://localhost:${port}`,
    dataDir,
    firstRun() {
      const text = readFileSync(join(dataDir, 'first-run.txt'), 'utf8');
      const [command = ''] = /^curl .*$/m.exec(text) ?? [];
      return { key: /^ +API key +(\S+)$/m.exec(text)![1]!, command };
    },
    stop: () => end(child, exit, 'SIGTERM'),
    kill: () => end(child, exit, 'SIGKILL'),
  });
}

/** Starts the receiver that a person tries deliveries with; it has to be told the secret of the endpoint. */
export async function startReceiverProgram(folder: string) {
  const { child, lines, lineOf } = start(RECEIVER, ['--port', '0', '--folder', folder], {});
  const settingOf = async (name: string) => (await lineOf(new RegExp(`^ +${name}=`))).trim().slice(name.length + 1);
  const [, url] = /(https:\S+)/.exec(await lineOf(/^Receiver listening/))!;
  const env = Object.freeze({
    WEBHOOK_CA_FILE: await settingOf('WEBHOOK_CA_FILE'),
    ALLOW_PRIVATE_NETWORK: await settingOf('ALLOW_PRIVATE_NETWORK'),
  });
  await lineOf(/^3\. /);
  return Object.freeze({
    url: url!,
    /** The settings it says a server needs. */
    env,
    async learn(secret: string) {
      child.stdin.write(`${secret}\n`);
      await lineOf(/^Secret added/);
    },
    /** How many lines it has printed; a later delivery is printed behind them. */
    mark: () => lines.length,
    delivery: (event: string, from: number) => lineOf(new RegExp(`^${event.replace('.', '\\.')} `), from),
  });
}

async function end(child: ChildProcess, exit: Promise<Exit>, signal: 'SIGTERM' | 'SIGKILL'): Promise<Exit> {
  child.kill(signal);
  return exit;
}

/** Calls the REST API of a server; what is no success is an error that shows the answer. */
export async function call({ url }: Pick<Product, 'url'>, key: string, route: string, body?: unknown): Promise<Json> {
  const answer = await askRest(url, key, route, body);
  if (answer.status < 300) return answer.body;
  throw new Error(`${route} was answered ${answer.status} ${JSON.stringify(answer.body)}`);
}
