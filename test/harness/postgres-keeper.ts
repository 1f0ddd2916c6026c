import { execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * Run as a process of its own: keeps a throw-away PostgreSQL cluster in a folder for as long as another process lives,
 * however that one ends. Arguments: folder, the programs' folder, the id of the process to outlive.
 */
const [folder, programs, owner] = process.argv.slice(2) as [string, string, string];

/** PostgreSQL does not run as root. */
function unprivileged(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string, name: string) => Number(execFileSync('id', [flag, name], { stdio: 'pipe' }));
  for (const name of ['postgres', 'nobody']) {
    try {
      return { uid: idOf('-u', name), gid: idOf('-g', name) };
    } catch {
      continue;
    }
  }
  throw new Error('running as root, and there is neither a user postgres nor nobody');
}

/** Writes a file that is either absent or whole. */
function publish(name: string, text: string): void {
  writeFileSync(join(folder, `${name}.part`), text);
  renameSync(join(folder, `${name}.part`), join(folder, name));
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const SETTINGS = {
  listen_addresses: '',
  unix_socket_directories: folder,
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  shared_buffers: '32MB',
  deadlock_timeout: '50ms',
  // A server whose defaults differ from what the product wants, so that it has to say what it wants.
  default_transaction_isolation: 'repeatable read',
};

async function start(): Promise<() => Promise<void>> {
  const user = unprivileged();
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid!);
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (user.uid !== undefined) chownSync(data, user.uid, user.gid!);

  const locale = ['--encoding=UTF8', '--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en'];
  const initdb = ['-D', data, '-U', 'rostra', '-A', 'trust', '--no-sync', '--no-instructions', ...locale];
  execFileSync(join(programs, 'initdb'), initdb, { ...user, cwd: folder, stdio: 'pipe' });

  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(join(programs, 'postgres'), ['-D', data, ...settings], {
    ...user,
    cwd: folder,
    stdio: 'ignore',
  });
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const address = ['-h', folder, '-U', 'rostra', '-d', 'postgres', '-q'];
  for (let tries = 200; ; tries -= 1) {
    try {
      execFileSync(join(programs, 'pg_isready'), address, { ...user, cwd: folder, stdio: 'pipe' });
      break;
    } catch (error) {
      if (tries === 0 || server.exitCode !== null) throw error;
      await wait(25);
    }
  }
  return async () => {
    server.kill('SIGQUIT');
    await ended;
  };
}

let stop = async () => {};
try {
  stop = await start();
  publish('ready', '');
  while (lives(Number(owner))) await wait(500);
} catch (error) {
  publish('failed', String((error as { stderr?: Buffer }).stderr ?? error));
  while (lives(Number(owner))) await wait(500);
} finally {
  await stop();
  rmSync(folder, { recursive: true, force: true });
}
