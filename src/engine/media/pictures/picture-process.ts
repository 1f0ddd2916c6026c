// The process that works on pictures, started by workshop.ts: what a hostile picture does to it does not touch the server.
import { writeFileSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { isHeic } from '#kernel/pictures/picture.ts';
import { RefusedError, UNREADABLE, type PictureGreeting, type PictureReply, type PictureTask } from './tasks.ts';

const REST_MS = 60_000;
const MOST_BYTES = 1_073_741_824;
const GROWN_BYTES = 134_217_728;
const WATCH_MS = 20;
/** Words of a decoder about the machine. */
const OF_THE_MACHINE = /no space left|too many open files|input\/output error/i;

let rest = setTimeout(leave, REST_MS);

/** Not by process.exit, which waits for a thread that decodes. */
function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

function leave(): never {
  process.exit(0);
}

/** Ends the process before it takes the memory of others. */
function watch(): void {
  if (process.memoryUsage.rss() <= MOST_BYTES) return;
  clearInterval(watching);
  send({ result: { refused: 'needs too much memory' }, leaving: true }, die);
}

function send(answer: PictureReply | PictureGreeting, sent?: () => void): void {
  process.send!(answer, undefined, undefined, () => sent?.());
}

/** The decoders, and so sharp, are loaded here, where it is told if they are missing. */
async function load() {
  const [{ default: sharp }, { fit, thumbnail }] = await Promise.all([import('sharp'), import('./fitting.ts')]);
  sharp.cache(false);
  sharp.concurrency(1);
  return (task: PictureTask) => (task.kind === 'fit' ? fit(task) : thumbnail(task));
}

async function work(make: Awaited<ReturnType<typeof load>>, task: PictureTask): Promise<PictureReply> {
  try {
    return { result: { made: await make(task) } };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof RefusedError) return { result: { refused: message } };
    // A full disk or a missing file is no property of the picture.
    if (code !== undefined || OF_THE_MACHINE.test(message) || !(await isThere(task.from))) return { failed: message };
    return {
      result: { refused: message.includes('pixel limit') ? 'has too many pixels in all its frames' : UNREADABLE },
    };
  }
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Where the system runs out of memory, this process goes first. */
function stepBack(): void {
  try {
    setPriority(10);
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Other systems have no such file.
  }
}

function reply(answer: PictureReply, { type }: PictureTask): void {
  // What a large picture took is rarely given back whole, and what broke the decoder of HEIC stays broken in it:
  // the next picture finds another process.
  const leaving = process.memoryUsage.rss() > GROWN_BYTES || isHeic(type);
  send({ ...answer, leaving }, leaving ? leave : undefined);
  rest = setTimeout(leave, REST_MS);
}

stepBack();
const watching = setInterval(watch, WATCH_MS);
process.on('disconnect', die);
// The server, which gets them too, finishes its work first.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
load().then(
  (make) => {
    process.on('message', (task: PictureTask) => {
      clearTimeout(rest);
      void work(make, task).then((answer) => reply(answer, task));
    });
    send('ready');
  },
  (error: Error) => send({ unavailable: error.message }, leave),
);
