import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Log } from '#kernel/log.ts';
import { TOO_LONG, TOO_MUCH_MEMORY, type PictureReply, type PictureResult, type PictureTask } from './tasks.ts';

export type Workshop = Readonly<{
  /** Works on one picture at a time; throws if the process does not start, or the disk fails. */
  run(task: PictureTask): Promise<PictureResult>;
  close(): void;
}>;

/** Beside this file, in the form in which it runs itself. */
const PROGRAM = fileURLToPath(
  new URL(import.meta.filename.endsWith('.ts') ? './picture-process.ts' : './picture-process.js', import.meta.url),
);
const MOST_HEAP_MB = 256;
const MOST_WORDS = 2000;

/** Why a picture is refused that ended the process. */
const CRASHED: ReadonlyMap<number | null, string> = new Map([
  [TOO_MUCH_MEMORY, 'needs too much memory'],
  [TOO_LONG, 'takes too long to convert'],
]);
const DAMAGED = 'cannot be read: it is damaged or incomplete';

type Ended = Readonly<{ code: number | null; signal: string | null }>;

/** Starts the picture process when there is something to do; it ends by itself after a minute of rest. */
export function makeWorkshop(log: Pick<Log, 'warn'>): Workshop {
  let child: ChildProcess | undefined;
  let last: Promise<unknown> = Promise.resolve();

  async function start(): Promise<ChildProcess> {
    const { fork } = await import('node:child_process');
    // No settings, and so no secrets, reach the process.
    const started = fork(PROGRAM, [], {
      env: { NODE_NO_WARNINGS: '1' },
      execArgv: [`--max-old-space-size=${MOST_HEAP_MB}`],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let words = '';
    started.stderr!.on('data', (part: Buffer) => (words = (words + part.toString()).slice(-MOST_WORDS)));
    const answer = await next(started);
    if (answer === 'ready') {
      started.once('exit', () => (child = child === started ? undefined : child));
      started.unref();
      // A pipe is a socket, though its type does not say so.
      (started.stderr as unknown as Readonly<{ unref(): void }>).unref();
      return started;
    }
    throw new Error(`The process for pictures does not start: ${words.trim() || JSON.stringify(answer)}`);
  }

  async function attempt(task: PictureTask): Promise<PictureReply | Ended> {
    child ??= await start();
    // Only work keeps the server from ending, not an idle process.
    child.channel?.ref();
    const answer = next(child);
    child.send(task, () => {});
    return answer.finally(() => child?.channel?.unref()) as Promise<PictureReply | Ended>;
  }

  async function work(task: PictureTask): Promise<PictureResult> {
    let answer = await attempt(task);
    // It had just ended its rest.
    if ('code' in answer && answer.code === 0) answer = await attempt(task);
    if ('result' in answer) return answer.result;
    if ('failed' in answer) throw new Error(answer.failed);
    log.warn({ code: answer.code, signal: answer.signal, type: task.type }, 'a picture ended its process');
    return { refused: CRASHED.get(answer.code) ?? DAMAGED };
  }

  return Object.freeze({
    run(task: PictureTask): Promise<PictureResult> {
      const result = last.then(() => work(task));
      last = result.catch(() => {});
      return result;
    },
    close: () => void child?.kill('SIGKILL'),
  });
}

/** The next message of a process, or how it ended. */
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
