#!/usr/bin/env node
// Starts Rostra, or a tool of its clone, with everything it needs: a Node that runs TypeScript and the locked packages.
// Plain JavaScript without dependencies, because it is what runs before either of them is there (Node 18 or newer).
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, join, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const USAGE = `usage: rostra <command> …           a command of the server, or "receiver"
       rostra dev                     the server of this clone, started again whenever a file of it changes
       rostra --run <tool or file> …  a development tool by its package name, or a file of this clone`;
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
// As an installed package the tree around it belongs to the parent project, and Node strips no types below node_modules.
const PACKED = ROOT.split(sep).includes('node_modules');
const RUNTIME = PACKED ? join(homedir(), '.cache', 'rostra') : join(ROOT, '.runtime');
const OWNER_MAX_AGE = 15 * 60_000;

function say(line) {
  writeSync(2, `rostra: ${line}\n`);
}

/** Ends the launch with one line; thrown, so that locks and half-made folders are cleared on the way out. */
function stop(line) {
  throw Object.assign(new Error(line), { name: 'Stop' });
}

/** What the command line asks for: the script to run, its arguments, Node's, and whether the development packages are needed. */
function parse([first, ...rest]) {
  if (first === '--run') {
    const [what, ...args] = rest;
    if (what === undefined || PACKED) stop(PACKED ? '--run works in a clone only' : USAGE);
    const script = () => (/^\.|\//.test(what) ? join(ROOT, what) : toolScript(what));
    return { script, args, dev: true };
  }
  if (first === 'dev') {
    if (PACKED) stop('dev works in a clone only');
    const main = join(ROOT, 'src', 'main.ts');
    return {
      script: () => main,
      args: ['serve', ...rest],
      options: ['--watch', '--watch-preserve-output'],
      dev: false,
    };
  }
  const name = first === 'receiver' ? 'receiver' : 'main';
  const args = name === 'main' && first !== undefined ? [first, ...rest] : rest;
  const script = () => (PACKED ? join(ROOT, 'dist', 'src', `${name}.js`) : join(ROOT, 'src', `${name}.ts`));
  return { script, args, dev: false };
}

/** The file behind a package's command; run by path, since the links in .bin name whatever `node` comes first. */
function toolScript(name) {
  const folder = join(ROOT, 'node_modules', name);
  if (!existsSync(folder)) stop(`"${name}" is not a package of this clone`);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = typeof bin === 'string' ? bin : (bin?.[name] ?? Object.values(bin ?? {})[0]);
  return file === undefined ? stop(`"${name}" has no command`) : join(folder, file);
}

/** True when node_modules holds what package-lock.json asks for; npm writes its own record last, so a torn install fails. */
function isInstalled(dev) {
  const modules = join(ROOT, 'node_modules');
  const foreign = ['.modules.yaml', '.yarn-integrity', '.yarn-state.yml'];
  if (foreign.some((file) => existsSync(join(modules, file)))) return true;
  const present = lockedPackages(join(modules, '.package-lock.json'));
  const wantedPackages = lockedPackages(join(ROOT, 'package-lock.json'));
  if (present === undefined || wantedPackages === undefined) return false;
  return Object.entries(wantedPackages).every(([path, wanted]) => {
    if (path === '') return true;
    const found = present[path];
    if (found === undefined) return Boolean(wanted.optional || wanted.devOptional || (wanted.dev && !dev));
    const same = found.version === wanted.version && found.integrity === wanted.integrity;
    return same && existsSync(join(ROOT, path, 'package.json'));
  });
}

function lockedPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** Node 22.19 and 24 on run TypeScript as it stands; 23 is out of support and its early versions do not. */
function isNewEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major >= 24 || (major === 22 && minor >= 19);
}

/** Runs a child to its end and passes signals on to it. */
function run(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', ...options });
    // A terminal sends Ctrl-C to the child as well; a second one could mean "stop at once".
    const pass = (signal) => void (signal === 'SIGINT' && process.stdin.isTTY ? undefined : child.kill(signal));
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.on(signal, pass);
    const done = (settle, value) => {
      for (const signal of signals) process.off(signal, pass);
      settle(value);
    };
    child.on('error', (error) => done(reject, error));
    child.on('exit', (code, signal) => done(resolve, { code, signal }));
  });
}

/**
 * Preloaded by a program that runs beside the launcher: its fourth stream ends when the launcher does, however that
 * dies, and the program then stops. The variable goes at once, because children inherit it and the preload.
 */
const FOLLOW = `
import { Socket } from 'node:net';
if (process.env.ROSTRA_LAUNCHER_FD) {
  const fd = Number(process.env.ROSTRA_LAUNCHER_FD);
  delete process.env.ROSTRA_LAUNCHER_FD;
  const launcher = new Socket({ fd, readable: true, writable: false });
  launcher.on('error', () => {}).on('close', () => process.kill(process.pid, 'SIGTERM')).resume().unref();
}`;

/** Runs the program as a child that does not outlive the launcher. */
function runFollowing(node, command) {
  const preload = ['--import', `data:text/javascript,${encodeURIComponent(FOLLOW)}`];
  const env = { ...process.env, ROSTRA_LAUNCHER_FD: '3' };
  return run(node, [...preload, ...command], { stdio: ['inherit', 'inherit', 'inherit', 'pipe'], env });
}

/** npm under the given Node, so that what fits that Node is chosen; all it prints goes to stderr. */
async function npm(node, args, cwd) {
  const asRun = process.env.npm_execpath;
  const beside = join(dirname(realpathSync(process.execPath)), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js');
  const cli = [asRun, beside].find((file) => file && basename(file) === 'npm-cli.js' && existsSync(file));
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
  const [command, first] = cli ? [node, [cli]] : ['npm', []];
  const options = { cwd, stdio: ['ignore', 2, 2], shell: !cli && process.platform === 'win32' };
  const end = await run(command, [...first, ...args, ...quiet], options).catch((error) =>
    stop(`npm: ${error.message}`),
  );
  if (end.signal) finish(end);
  return end.code === 0;
}

/**
 * Runs `task` while no other launcher runs one. Each contender writes a file of its own name before it looks for others:
 * of two, at least one sees the other and steps back. A dead owner's file can be removed by anyone without a race.
 */
async function exclusively(task) {
  const folder = join(RUNTIME, 'owners');
  mkdirSync(folder, { recursive: true });
  const mine = `${process.pid}-${randomBytes(4).toString('hex')}`;
  for (let turn = 0; ; turn += 1) {
    writeFileSync(join(folder, mine), '');
    if (!readdirSync(folder).some((name) => name !== mine && isOwned(join(folder, name)))) break;
    rmSync(join(folder, mine), { force: true });
    if (turn === 0) say('waiting for another start that is preparing this folder');
    await sleep(100 + Math.random() * 400);
  }
  try {
    return await task();
  } finally {
    rmSync(join(folder, mine), { force: true });
  }
}

function isOwned(file) {
  try {
    if (Date.now() - statSync(file).mtimeMs < OWNER_MAX_AGE) {
      process.kill(Number(basename(file).split('-')[0]), 0);
      return true;
    }
  } catch (error) {
    if (error.code === 'EPERM') return true;
    if (error.code !== 'ESRCH') return false;
  }
  rmSync(file, { force: true });
  return false;
}

/** The Node to run with: this one, or Node 24 from npm, moved into place only once it has answered. */
async function ensureNode() {
  if (isNewEnough()) return process.execPath;
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const folder = join(RUNTIME, 'node_modules', name);
  const binary = (at) => join(at, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(binary(folder))) return binary(folder);
  return exclusively(async () => {
    if (existsSync(binary(folder))) return binary(folder);
    say(`Node ${process.versions.node} does not run TypeScript; fetching Node 24 from npm into ${RUNTIME} (once)`);
    const fetched = mkdtempSync(join(RUNTIME, 'fetch-'));
    try {
      const args = ['install', `${name}@24`, '--prefix', fetched, '--no-save', '--no-package-lock'];
      const arrived = await npm(process.execPath, args, fetched);
      const fresh = join(fetched, 'node_modules', name);
      const answers =
        arrived && (await run(binary(fresh), ['--version'], { stdio: 'ignore' }).catch(() => ({ code: 1 })));
      if (!answers || answers.code !== 0)
        stop(`${name}@24 could not be used; install Node 22.19 or newer and try again`);
      mkdirSync(dirname(folder), { recursive: true });
      rmSync(folder, { recursive: true, force: true });
      renameSync(fresh, folder);
      return binary(folder);
    } finally {
      rmSync(fetched, { recursive: true, force: true });
    }
  });
}

/** Installs the locked packages when they are missing or not those of the lock file. */
async function ensurePackages(node, dev) {
  if (PACKED || isInstalled(dev)) return;
  await exclusively(async () => {
    if (isInstalled(dev)) return;
    say('installing the locked dependencies (npm ci)');
    const complete = await npm(node, ['ci', dev ? '--include=dev' : '--omit=dev'], ROOT);
    if (!complete || !isInstalled(dev)) stop('the locked dependencies could not be installed; see above');
  });
}

/** Fills the cache of stripped and compiled modules before the first start, in a process of its own. */
async function ensureCompiled(node) {
  const cache = process.env.NODE_COMPILE_CACHE;
  if (existsSync(cache)) return;
  try {
    mkdirSync(cache, { recursive: true });
  } catch {
    // Nothing can be kept there: the program compiles its modules itself, at every start.
    return;
  }
  const end = await run(node, [join(ROOT, 'src', 'main.ts'), 'compile'], { stdio: 'ignore' });
  if (end.signal) finish(end);
}

/** Takes settings from `.env` beside package.json; what the environment has already wins. */
function readSettings() {
  const file = join(ROOT, '.env');
  if (!existsSync(file)) return;
  try {
    process.loadEnvFile(file);
  } catch (error) {
    stop(`${file} cannot be read: ${error.message}`);
  }
}

/** Ends this process the way its child ended. */
function finish({ code, signal }) {
  if (signal) process.kill(process.pid, signal);
  process.exit(signal ? 1 : (code ?? 1));
}

async function main() {
  const { script, args, options = [], dev } = parse(process.argv.slice(2));
  if (!PACKED && !dev) readSettings();
  const node = await ensureNode();
  await ensurePackages(node, dev);
  if (!dev) {
    // For the first modules too: what Node strips types with takes 10 to 20 MB for as long as the program runs.
    process.env.NODE_COMPILE_CACHE ??= join(RUNTIME, 'compile-cache');
    if (!PACKED) await ensureCompiled(node);
  }
  // Memory that was freed goes back to the system at this many bytes; the C library's own limit grows with what it saw.
  if (!dev) process.env.MALLOC_TRIM_THRESHOLD_ ??= '131072';
  const command = [...process.execArgv, ...options, script(), ...args];
  if (node !== process.execPath) process.env.PATH = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`;
  if (dev) process.chdir(ROOT);
  // Becoming the program leaves no second process to keep signals, memory and exit codes straight with.
  if (process.execve && process.platform !== 'win32') process.execve(node, [node, ...command], process.env);
  // A watcher starts its own children, which have no stream of the launcher's.
  finish(await (options.length > 0 ? run(node, command) : runFollowing(node, command)));
}

await main().catch((error) => {
  say(error.name === 'Stop' ? error.message : error.stack);
  process.exit(1);
});
