import { spawn, type ChildProcess } from 'node:child_process';
import { MAIN } from '../../harness/program.ts';

/** Starts the program; answers its address and what it printed until it was ready. */
export async function serve(env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [MAIN, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  const ready = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString('utf8');
      // The lines come in one write, and the file is written before them.
      if (/REST {7}\S+\/v1\n/.test(printed)) resolve(printed);
    });
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return { child, root: /Dashboard {2}(\S+)\/\n/.exec(ready)![1]!, printed: ready };
}

/** Ends the program as an operator does. */
export async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
