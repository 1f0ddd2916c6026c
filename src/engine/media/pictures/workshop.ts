import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Log } from '#kernel/log.ts';
import { UNREADABLE, type PictureGreeting, type PictureReply, type PictureResult, type PictureTask } from './tasks.ts';

/** `trial`: the result is only displayed, so the task waits until no other is waiting. */
type RunHow = Readonly<{ trial?: boolean }>;

export type Workshop = Readonly<{
  /** Runs one task at a time; throws if the machine failed rather than the picture, or if too many trials wait. */
  run(task: PictureTask, how?: RunHow): Promise<PictureResult>;
  close(): void;
}>;

/** The program is next to this file, either as source or as built. */
const PROGRAM = fileURLToPath(
  new URL(import.meta.filename.endsWith('.ts') ? './picture-process.ts' : './picture-process.js', import.meta.url),
);
const MOST_HEAP_MB = 256;
const MOST_WORDS = 2000;
const LONGEST_MS = 65_000;
const MOST_TRIALS = 4;

/** Signals of a decoder that a picture has crashed; other signals come from outside. */
const CRASHES: ReadonlySet<string | null> = new Set(['SIGSEGV', 'SIGBUS', 'SIGABRT', 'SIGILL']);
const TOO_LONG = 'takes too long to convert';
const UNAVAILABLE =
  'must be converted, which this server cannot do: install the package sharp for its system (npm install --include=optional sharp)';

type Ended = Readonly<{ code: number | null; signal: string | null }>;
type Job = Readonly<{
  task: PictureTask;
  resolve(result: PictureResult): void;
  reject(error: unknown): void;
}>;

/** Starts the picture process when there is a task; it ends by itself after a minute without tasks. */
export function makeWorkshop(
  log: Pick<Log, 'warn'>,
  { program = PROGRAM, longestMs = LONGEST_MS }: Readonly<{ program?: string; longestMs?: number }> = {},
): Workshop {
  const [urgent, trials]: [Job[], Job[]] = [[], []];
  let child: ChildProcess | undefined;
  let busy = false;
  let closed = false;

  /** Starts a process and waits until it is ready; undefined if this system cannot run it. */
  async function start(): Promise<ChildProcess | undefined> {
    const { fork } = await import('node:child_process');
    if (closed) throw new Error('The server is closing.');
    // The process gets no settings, and therefore no secrets.
    const started = fork(program, [], {
      env: { NODE_NO_WARNINGS: '1' },
      execArgv: [`--max-old-space-size=${MOST_HEAP_MB}`],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    child = started;
    const forget = () => (child = child === started ? undefined : child);
    // Without a listener, an error at any later time would end the server.
    started.on('error', forget).once('exit', forget);
    let words = '';
    // If the system has run out of file descriptors, there is no pipe.
    started.stderr?.on('error', () => {});
    started.stderr?.on('data', (part: Buffer) => (words = (words + part.toString()).slice(-MOST_WORDS)));
    const answer = (await next(started)) as PictureGreeting | Ended;
    if (answer === 'ready') {
      started.unref();
      // The pipe is a socket, although its type does not say so.
      (started.stderr as unknown as Readonly<{ unref(): void }>).unref();
      return started;
    }
    forget();
    if ('unavailable' in answer) {
      log.warn({ error: answer.unavailable }, 'pictures cannot be converted: sharp cannot be loaded');
      return undefined;
    }
    throw new Error(`The process for pictures does not start: ${words.trim() || JSON.stringify(answer)}`);
  }

  async function attempt(task: PictureTask): Promise<PictureReply | Ended> {
    const worker = child ?? (await start());
    if (worker === undefined) return { result: { refused: UNAVAILABLE } };
    // A running task keeps the server from exiting, an idle process does not.
    worker.ref();
    worker.channel?.ref();
    const answer = next(worker) as Promise<PictureReply | Ended>;
    worker.send(task, () => {});
    let overdue = false;
    const timer = setTimeout(() => (overdue = worker.kill('SIGKILL')), longestMs);
    const settled = await answer;
    clearTimeout(timer);
    worker.channel?.unref();
    worker.unref();
    if (overdue && 'code' in settled) return { result: { refused: TOO_LONG } };
    if ('leaving' in settled && settled.leaving && child === worker) child = undefined;
    return settled;
  }

  async function work(task: PictureTask): Promise<PictureResult> {
    let answer = await attempt(task);
    // The idle process ended just as it got the task.
    if ('code' in answer && answer.code === 0) answer = await attempt(task);
    if ('result' in answer) return answer.result;
    if ('failed' in answer) throw new Error(answer.failed);
    const why = answer.signal === 'SIGKILL' ? 'probably out of memory' : undefined;
    log.warn({ code: answer.code, signal: answer.signal, type: task.type, why }, 'a picture ended its process');
    if (CRASHES.has(answer.signal)) return { refused: UNREADABLE };
    throw new Error(`The process for pictures was ended: ${answer.signal ?? answer.code}`);
  }

  async function workOff(): Promise<void> {
    if (busy) return;
    busy = true;
    for (let job = take(); job !== undefined; job = take()) await work(job.task).then(job.resolve, job.reject);
    busy = false;
  }

  const take = () => urgent.shift() ?? trials.shift();

  return Object.freeze({
    run(task: PictureTask, { trial = false }: RunHow = {}): Promise<PictureResult> {
      if (trial && trials.length >= MOST_TRIALS) return Promise.reject(new Error('Too many pictures are waiting.'));
      const { promise, resolve, reject } = Promise.withResolvers<PictureResult>();
      (trial ? trials : urgent).push({ task, resolve, reject });
      void workOff();
      return promise;
    },
    close() {
      closed = true;
      child?.kill('SIGKILL');
    },
  });
}

function next(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => {
    const settle = (answer: unknown) => {
      child.off('message', settle);
      child.off('exit', ended);
      child.off('error', failed);
      resolve(answer);
    };
    const ended = (code: number | null, signal: string | null) => settle({ code, signal });
    const failed = (error: Error) => settle({ code: null, signal: error.message });
    child.on('message', settle).on('exit', ended).on('error', failed);
  });
}
