import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeFolder } from '../../harness/folders.ts';

const LAUNCHER = fileURLToPath(new URL('../../../src/launch.mjs', import.meta.url));

/** A clone in miniature: the launcher, a program, one locked tool, and an npm that notes its calls and "installs" it. */
let root: string;

beforeEach(() => {
  root = makeFolder();
  mkdirSync(join(root, 'src'));
  cpSync(LAUNCHER, join(root, 'src', 'launch.mjs'));
  write('package.json', JSON.stringify({ type: 'module' }));
  write('src/main.ts', PROGRAM);
  write('package-lock.json', lock('1.0.0'));
  write('npm/npm-cli.js', NPM);
});

const PROGRAM = `
import { appendFileSync } from 'node:fs';
const [command, ...rest]: string[] = process.argv.slice(2);
const { NODE_COMPILE_CACHE: cache, MALLOC_TRIM_THRESHOLD_: trim } = process.env;
if (command === 'compile') appendFileSync('ROOT/compiled', cache + '\\n');
if (command === 'exit') process.exit(Number(rest[0]));
if (command === 'wait') {
  process.on('SIGTERM', () => { process.stdout.write('drained'); process.exit(3); });
  setInterval(() => {}, 1000);
  process.stdout.write('ready ');
} else if (command === 'hang') {
  setInterval(() => {}, 1000);
  process.stdout.write('ready ');
} else {
  process.stdout.write(JSON.stringify({ command, rest, node: process.execPath, cwd: process.cwd(), cache, trim }));
}`;

// Takes its time between emptying and filling, which is when a second launcher would do harm.
const NPM = `
import { appendFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
const args = process.argv.slice(2);
appendFileSync(${JSON.stringify('ROOT/calls')}, args.join(' ') + '\\n');
process.stdout.write('npm talks\\n');
if (args[0] === 'ci') {
  rmSync('node_modules', { recursive: true, force: true });
  await sleep(50);
  mkdirSync('node_modules/tool', { recursive: true });
  writeFileSync('node_modules/tool/package.json', JSON.stringify({ type: 'module', bin: { tool: './run.js' } }));
  writeFileSync('node_modules/tool/run.js', 'process.stdout.write("tool " + process.argv.slice(2) + " " + process.cwd())');
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  delete packages['node_modules/elsewhere'];
  writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages }));
} else {
  const [name] = args[1].split('@');
  const bin = args[args.indexOf('--prefix') + 1] + '/node_modules/' + name + '/bin';
  mkdirSync(bin, { recursive: true });
  symlinkSync(process.env.REAL_NODE, bin + '/node');
}
process.exit(Number(process.env.NPM_EXIT ?? 0));`;

/** Makes the launcher believe it runs on Node 20, which also has no way to become another program. */
const OLD_NODE = `data:text/javascript,
Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.20.2'}});process.execve=undefined`;

/** A lock file with a tool and a package for other machines, or npm's record of what it installed from it. */
function lock(version: string, wanted = true): string {
  const tool = { version, integrity: `sha512-${version}` };
  const elsewhere = { 'node_modules/elsewhere': { version: '1.0.0', optional: true, os: ['other'] } };
  return JSON.stringify({ packages: { '': {}, 'node_modules/tool': tool, ...(wanted ? elsewhere : {}) } });
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text.replaceAll('ROOT', root));
}

const calls = () => readFileSync(join(root, 'calls'), 'utf8').trim().split('\n');

type Ended = { code: number | null; signal: string | null; out: string; err: string };
type Setting = { old?: boolean; env?: Record<string, string>; signal?: NodeJS.Signals };

function launch(args: string[], { old = false, env = {}, signal }: Setting = {}): Promise<Ended> {
  const preload = old ? ['--import', OLD_NODE] : [];
  const child = spawn(process.execPath, [...preload, join(root, 'src', 'launch.mjs'), ...args], {
    cwd: tmpdir(),
    env: {
      PATH: process.env['PATH'],
      npm_execpath: join(root, 'npm', 'npm-cli.js'),
      REAL_NODE: process.execPath,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return new Promise((resolve, reject) => {
    let [out, err] = ['', ''];
    child.stdout.on('data', (part) => {
      out += part;
      if (signal && out === 'ready ') child.kill(signal);
    });
    child.stderr.on('data', (part) => (err += part));
    child.on('error', reject);
    child.on('close', (code, endedBy) => resolve({ code, signal: endedBy, out, err }));
  });
}

it('installs once, says so on stderr alone, and hands over arguments, folder and exit code', async () => {
  const first = await launch(['key', 'create', '--name', 'a b']);
  expect(JSON.parse(first.out)).toMatchObject({ command: 'key', rest: ['create', '--name', 'a b'], cwd: tmpdir() });
  expect(first.err).toContain('rostra: installing the locked dependencies');
  const second = await launch(['exit', '7']);
  expect(second).toEqual({ code: 7, signal: null, out: '', err: '' });
  expect(calls()).toEqual([expect.stringMatching(/^ci --omit=dev --ignore-scripts /)]);
});

it('reads settings from .env beside package.json, and what the environment has already wins', async () => {
  write('.env', '# a comment\nNODE_COMPILE_CACHE=ROOT/from-file\nMALLOC_TRIM_THRESHOLD_="7"\n');
  const fromFile = await launch(['key']);
  expect(JSON.parse(fromFile.out)).toMatchObject({ cache: join(root, 'from-file'), trim: '7' });
  const { out } = await launch(['key'], { env: { MALLOC_TRIM_THRESHOLD_: '8' } });
  expect(JSON.parse(out)).toMatchObject({ cache: join(root, 'from-file'), trim: '8' });
});

it('compiles the sources once, before the first command, and lets the program return what it has freed', async () => {
  const cache = join(root, '.runtime', 'compile-cache');
  for (const name of ['a', 'b']) {
    const { out } = await launch(['key', name]);
    expect(JSON.parse(out)).toMatchObject({ rest: [name], cache, trim: '131072' });
  }
  const { out } = await launch(['key'], { env: { NODE_COMPILE_CACHE: root, MALLOC_TRIM_THRESHOLD_: '1' } });
  expect(JSON.parse(out)).toMatchObject({ cache: root, trim: '1' });
  expect(readFileSync(join(root, 'compiled'), 'utf8')).toBe(`${cache}\n`);
});

it('takes what `npm ci` left as installed, without a mark of its own', async () => {
  write('node_modules/tool/package.json', '{}');
  write('node_modules/.package-lock.json', lock('1.0.0', false));
  expect(await launch(['exit', '0'])).toMatchObject({ code: 0, err: '' });
  expect(() => calls()).toThrow();
});

it.each([
  ['another version is installed', () => write('node_modules/.package-lock.json', lock('0.9.0', false))],
  ['an install was cut short', () => rmSync(join(root, 'node_modules', '.package-lock.json'))],
  ['a package is gone', () => rmSync(join(root, 'node_modules', 'tool'), { recursive: true })],
  ['its record is torn', () => write('node_modules/.package-lock.json', '{"pack')],
])('installs again when %s', async (_, damage) => {
  write('node_modules/tool/package.json', '{}');
  write('node_modules/.package-lock.json', lock('1.0.0', false));
  damage();
  expect(await launch(['exit', '0'])).toMatchObject({ code: 0 });
  expect(calls()).toHaveLength(1);
});

it('installs once when several start at the same time', async () => {
  const all = await Promise.all([1, 2, 3, 4].map(() => launch(['exit', '5'])));
  expect(all.map(({ code }) => code)).toEqual([5, 5, 5, 5]);
  expect(calls()).toHaveLength(1);
});

it('is not held up by a start that died while it was installing', async () => {
  const gone = spawn(process.execPath, ['-e', '']);
  await new Promise((resolve) => gone.on('close', resolve));
  write(`.runtime/owners/${gone.pid}-dead`, '');
  expect(await launch(['exit', '0'])).toMatchObject({ code: 0 });
  expect(readdirSync(join(root, '.runtime', 'owners'))).toEqual([]);
});

it('says in one line that the dependencies could not be installed', async () => {
  const { code, out, err } = await launch(['serve'], { env: { NPM_EXIT: '1' } });
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(/\nrostra: the locked dependencies could not be installed; see above\n$/);
});

it('runs a tool of the clone by its package name, in the clone, and installs the development packages for it', async () => {
  expect(await launch(['--run', 'tool', 'a', 'b'])).toMatchObject({ code: 0, out: `tool a,b ${root}` });
  expect(calls()[0]).toContain('--include=dev');
  const refused = { code: 1, err: 'rostra: "nothing" is not a package of this clone\n' };
  expect(await launch(['--run', 'nothing'])).toMatchObject(refused);
});

it('runs the receiver and files of the clone', async () => {
  write('src/receiver.ts', 'process.stdout.write("receiver " + process.argv.slice(2))');
  write('test/bench/main.ts', 'process.stdout.write("bench")');
  expect(await launch(['receiver', '--port', '0'])).toMatchObject({ out: 'receiver --port,0' });
  expect(await launch(['--run', './test/bench/main.ts'])).toMatchObject({ out: 'bench' });
});

describe('on a Node that does not run TypeScript', () => {
  it('fetches one once, whole, and runs the program with it', async () => {
    const all = await Promise.all([1, 2, 3].map(() => launch(['which'], { old: true })));
    const name = `node-${process.platform}-${process.arch}`;
    const fetched = join(root, '.runtime', 'node_modules', name, 'bin', 'node');
    for (const { out } of all) expect(JSON.parse(out)).toMatchObject({ command: 'which' });
    const installs = calls().filter((call) => call.startsWith('install'));
    expect(installs).toEqual([expect.stringContaining(`install ${name}@24 `)]);
    expect(all.filter(({ err }) => err.includes('fetching Node 24 from npm'))).toHaveLength(1);
    expect(readdirSync(join(root, '.runtime')).toSorted()).toEqual(['compile-cache', 'node_modules', 'owners']);
    expect(readlinkSync(fetched)).toBe(process.execPath);
  });

  it('names what to do when none can be fetched', async () => {
    const { code, err } = await launch(['which'], { old: true, env: { NPM_EXIT: '1' } });
    expect(code).toBe(1);
    expect(err).toMatch(/could not be used; install Node 22\.19 or newer and try again\n$/);
    expect(readdirSync(join(root, '.runtime'))).toEqual(['owners']);
  });
});

describe.each([
  ['becoming the program', false],
  ['beside the program', true],
])('%s', (_, old) => {
  it('lets SIGTERM drain it and keeps its exit code', async () => {
    const drained = { code: 3, signal: null, out: 'ready drained' };
    expect(await launch(['wait'], { old, signal: 'SIGTERM' })).toMatchObject(drained);
  });

  it('ends by the signal that ended it', async () => {
    expect(await launch(['hang'], { old, signal: 'SIGTERM' })).toMatchObject({ code: null, signal: 'SIGTERM' });
  });
});

describe('beside the program', () => {
  it.each(['wait', 'hang'])('is followed by %s, which stops when the launcher is killed', async (command) => {
    const { out, signal } = await launch([command], { old: true, signal: 'SIGKILL' });
    // `close` comes when nobody holds standard output any more: the program is gone too.
    expect({ out, signal }).toEqual({ out: command === 'wait' ? 'ready drained' : 'ready ', signal: 'SIGKILL' });
  });

  it('hands its environment and its children nothing of that', async () => {
    write(
      'src/main.ts',
      `import { execFileSync } from 'node:child_process';
      const child = execFileSync(process.execPath, [...process.execArgv, '-p', 'process.env.ROSTRA_LAUNCHER_FD']);
      process.stdout.write(String(process.env['ROSTRA_LAUNCHER_FD']) + ' ' + child);`,
    );
    expect(await launch(['serve'], { old: true })).toMatchObject({ code: 0, out: 'undefined undefined\n' });
  });
});

it('runs compiled JavaScript when it was installed as a package, and installs nothing there', async () => {
  const installed = join(root, 'node_modules', 'rostra');
  write('node_modules/rostra/package.json', JSON.stringify({ type: 'module' }));
  write('node_modules/rostra/dist/src/main.js', 'process.stdout.write("compiled " + process.argv.slice(2))');
  cpSync(LAUNCHER, join(installed, 'src', 'launch.mjs'));
  const whole = root;
  root = installed;
  try {
    expect(await launch(['mcp', '--x'])).toMatchObject({ code: 0, out: 'compiled mcp,--x', err: '' });
    expect(await launch(['--run', 'vitest'])).toMatchObject({ code: 1, err: 'rostra: --run works in a clone only\n' });
  } finally {
    root = whole;
  }
  expect(() => calls()).toThrow();
});
