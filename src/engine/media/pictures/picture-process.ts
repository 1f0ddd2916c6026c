// The process that works on pictures, started by workshop.ts: what a hostile picture does to it does not touch the server.
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import sharp from 'sharp';
import { RefusedError } from './decoding.ts';
import { fit, thumbnail } from './fitting.ts';
import { TOO_LONG, TOO_MUCH_MEMORY, type PictureReply, type PictureTask } from './tasks.ts';

const REST_MS = 60_000;
const LONGEST_MS = 60_000;
const MOST_BYTES = 1_073_741_824;
const GROWN_BYTES = 134_217_728;
const WATCH_MS = 20;
const UNREADABLE = 'cannot be read: it is damaged or incomplete';

let rest = setTimeout(leave, REST_MS);
let late: NodeJS.Timeout | undefined;

function leave(): never {
  process.exit(0);
}

/** Ends the process before it takes the memory of others. */
function watch(): void {
  if (process.memoryUsage.rss() > MOST_BYTES) process.exit(TOO_MUCH_MEMORY);
}

async function work(task: PictureTask): Promise<PictureReply> {
  try {
    return { result: { made: await (task.kind === 'fit' ? fit(task) : thumbnail(task)) } };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof RefusedError) return { result: { refused: message } };
    // A full disk is no property of the picture.
    if (code !== undefined) return { failed: message };
    return {
      result: { refused: message.includes('pixel limit') ? 'has too many pixels in all its frames' : UNREADABLE },
    };
  }
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

function reply(answer: PictureReply): void {
  clearTimeout(late);
  // What a large picture took is rarely given back whole; the next picture finds another process.
  const hasGrown = process.memoryUsage.rss() > GROWN_BYTES;
  process.send!(answer, undefined, undefined, () => hasGrown && leave());
  rest = setTimeout(leave, REST_MS);
}

stepBack();
sharp.cache(false);
sharp.concurrency(1);
setInterval(watch, WATCH_MS);
process.on('disconnect', leave);
process.on('message', (task: PictureTask) => {
  clearTimeout(rest);
  late = setTimeout(() => process.exit(TOO_LONG), LONGEST_MS);
  void work(task).then(reply);
});
process.send!('ready');
