import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * Run as a process of its own: keeps a throw-away PostgreSQL cluster in a folder for as long as another process lives,
 * however that one ends. While there is a file `pause` in the folder the server is shut down; `paused` says that it is.
 * Arguments: folder, the programs' folder, the id of the process to outlive, and `durable` where commits are to wait for
 * the disk.
 */
const [folder, programs, owner, kind] = process.argv.slice(2) as [string, string, string, string?];

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

const FLUSHES = kind === 'durable' ? 'on' : 'off';

const SETTINGS = {
  listen_addresses: '',
  unix_socket_directories: folder,
  fsync: FLUSHES,
  synchronous_commit: FLUSHES,
  full_page_writes: FLUSHES,
  wal_level: 'minimal',
  max_wal_senders: '0',
  checkpoint_timeout: '1h',
  max_wal_size: '4GB',
  jit: 'off',
  max_connections: '200',
  shared_buffers: '32MB',
  deadlock_timeout: '50ms',
  // A server whose defaults differ from what the product wants, so that it has to say what it wants.
  default_transaction_isolation: 'repeatable read',
};

type Server = Readonly<{ end(signal: 'SIGQUIT' | 'SIGINT'): Promise<void> }>;

/** Makes the cluster; the answer is the user it belongs to. */
function init(): { uid?: number; gid?: number } {
  const user = unprivileged();
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid!);
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (user.uid !== undefined) chownSync(data, user.uid, user.gid!);

  const locale = ['--encoding=UTF8', '--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en'];
  const initdb = ['-D', data, '-U', 'rostra', '-A', 'trust', '--no-sync', '--no-instructions', ...locale];
  execFileSync(join(programs, 'initdb'), initdb, { ...user, cwd: folder, stdio: 'pipe' });
  return user;
}

async function start(user: { uid?: number; gid?: number }): Promise<Server> {
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(join(programs, 'postgres'), ['-D', join(folder, 'data'), ...settings], {
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
  return {
    async end(signal) {
      server.kill(signal);
      await ended;
    },
  };
}

/** Shuts the server down, as its administrator would, until the file that asks for it is gone. */
async function pause(server: Server, user: { uid?: number; gid?: number }): Promise<Server> {
  await server.end('SIGINT');
  publish('paused', '');
  while (existsSync(join(folder, 'pause'))) await wait(25);
  const next = await start(user);
  rmSync(join(folder, 'paused'));
  return next;
}

let server: Server | undefined;
try {
  const user = init();
  server = await start(user);
  publish('ready', '');
  for (let turn = 0; turn % 10 !== 0 || lives(Number(owner)); turn += 1) {
    await wait(50);
    if (existsSync(join(folder, 'pause'))) server = await pause(server, user);
  }
} catch (error) {
  publish('failed', String((error as { stderr?: Buffer }).stderr ?? error));
  while (lives(Number(owner))) await wait(500);
} finally {
  await server?.end('SIGQUIT');
  rmSync(folder, { recursive: true, force: true });
}
