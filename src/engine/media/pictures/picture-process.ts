// The process that converts pictures, started by workshop.ts; a hostile picture can crash only this process.
import { writeFileSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { isHeic } from '#kernel/pictures/picture.ts';
import { RefusedError, UNREADABLE, type PictureGreeting, type PictureReply, type PictureTask } from './tasks.ts';

const REST_MS = 60_000;
const MOST_BYTES = 1_073_741_824;
const GROWN_BYTES = 134_217_728;
const WATCH_MS = 20;
/** Decoder errors that are caused by the machine, not the picture. */
const OF_THE_MACHINE = /no space left|too many open files|input\/output error/i;

let rest = setTimeout(leave, REST_MS);

/** Does not use process.exit, which would wait for a decoder thread. */
function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

function leave(): never {
  process.exit(0);
}

/** Ends the process before it takes memory that other processes need. */
function watch(): void {
  if (process.memoryUsage.rss() <= MOST_BYTES) return;
  clearInterval(watching);
  send({ result: { refused: 'needs too much memory' }, leaving: true }, die);
}

function send(answer: PictureReply | PictureGreeting, sent?: () => void): void {
  process.send!(answer, undefined, undefined, () => sent?.());
}

/** Loads the decoders, and with them sharp; reports it if they are missing. */
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
    // A full disk or a missing file does not mean that the picture is bad.
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

/** Makes the system end this process first if it runs out of memory. */
function stepBack(): void {
  try {
    setPriority(10);
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Only Linux has this file.
  }
}

function reply(answer: PictureReply, { type }: PictureTask): void {
  // Memory for a large picture is rarely released, and a broken HEIC decoder stays broken: the next picture gets a new
  // process.
  const leaving = process.memoryUsage.rss() > GROWN_BYTES || isHeic(type);
  send({ ...answer, leaving }, leaving ? leave : undefined);
  rest = setTimeout(leave, REST_MS);
}

stepBack();
const watching = setInterval(watch, WATCH_MS);
process.on('disconnect', die);
// Ignored: the server gets these signals too, and finishes its work first.
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
