import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAIN } from '../../harness/program.ts';

export type Served = Awaited<ReturnType<typeof serve>>;

/** Starts the program on a data folder; answers its address and what it printed until it was ready. */
export async function serve(dataDir: string, more: NodeJS.ProcessEnv = {}) {
  const env = { PATH: process.env['PATH'], PORT: '0', LOG_LEVEL: 'error', DATA_DIR: dataDir, ...more };
  const child = spawn(process.execPath, [MAIN, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString('utf8');
      // The lines come in one write, and the file is written before them.
      if (/REST {7}\S+\/v1\n/.test(printed)) resolve();
    });
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  const file = join(dataDir, 'first-run.txt');
  const firstRun = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return {
    root: /Dashboard {2}(\S+)\/\n/.exec(printed)![1]!,
    printed,
    /** What a first start leaves for the person who started it. */
    firstRun,
    setUpLink: () => /^ {2}Set up {5}(\S+)$/m.exec(firstRun)![1]!,
    key: () => /^ {2}API key {4}(\S+)$/m.exec(firstRun)![1]!,
    /** Ends the program as an operator does. */
    async stop(): Promise<void> {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
