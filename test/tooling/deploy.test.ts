import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '#kernel/config/config.ts';
import { platforms } from '#platforms/index.ts';
import { makeFolder } from '../harness/folders.ts';

const FOLDER = 'docs/examples/deploy';
const read = (path: string) => readFileSync(path, 'utf8');

type Service = Readonly<{
  image?: string;
  build?: unknown;
  environment?: Record<string, string | number>;
  volumes?: readonly string[];
  ports?: readonly string[];
  depends_on?: object;
  labels?: Readonly<Record<string, string>>;
  command?: readonly string[];
  entrypoint?: readonly string[];
}>;
type File = Readonly<{ services: Readonly<Record<string, Service>>; volumes?: Readonly<Record<string, unknown>> }>;

const compose = (path: string) =>
  parse(read(path), { customTags: [{ tag: '!reset', collection: 'seq', resolve: (value: unknown) => value }] }) as File;

const BASE = ['compose.yaml', 'compose.postgres.yaml'] as const;
const EXAMPLES = globSync(`${FOLDER}/compose.*.yaml`);
/** Each file over those that it is put over. */
const STACKS = [
  BASE.slice(0, 1),
  BASE,
  ...EXAMPLES.map((path) => [...(path.includes('postgres') ? BASE : BASE.slice(0, 1)), path]),
  [...BASE, `${FOLDER}/compose.backup.yaml`],
];

it('every example of a deployment is on a page', () => {
  const pages = globSync('docs/deploy/*.md').map(read).join('\n');
  const examples = globSync(`${FOLDER}/*`);
  expect(examples.length).toBeGreaterThan(4);
  expect(examples.filter((path) => !pages.includes(`../examples/deploy/${path.split('/').at(-1)!}`))).toEqual([]);
});

/** What Compose reads of a service, as far as our files use it; a misspelt word is not among it. */
const WORDS = new Set(
  (
    'build cap_drop command depends_on entrypoint env_file environment healthcheck image init labels ports read_only ' +
    'restart security_opt stop_grace_period tmpfs volumes'
  ).split(' '),
);

describe.each(STACKS.map((files) => [files.join(' + '), files] as const))('Compose with %s', (_, files) => {
  const all = files.map(compose);
  const parts = all.flatMap(({ services }) => Object.entries(services));
  const names = new Set(parts.map(([name]) => name));
  const of = (name: string) => parts.flatMap(([own, service]) => (own === name ? [service] : []));
  const settings: Record<string, string | number> = Object.assign({}, ...of('rostra').map((one) => one.environment));

  it('has services, volumes and words that there are', () => {
    expect(parts.flatMap(([, service]) => Object.keys(service)).filter((word) => !WORDS.has(word))).toEqual([]);
    const volumes = new Set(all.flatMap((file) => Object.keys(file.volumes ?? {})));
    for (const name of names) {
      expect([name, of(name).some(({ image, build }) => Boolean(image ?? build))]).toEqual([name, true]);
      const needed = of(name).flatMap(({ depends_on: on = [] }) => (Array.isArray(on) ? on : Object.keys(on)));
      expect(needed.filter((one) => !names.has(one))).toEqual([]);
      const mounted = of(name).flatMap((one) => (one.volumes ?? []).map((volume) => volume.split(':')[0]!));
      expect(
        mounted.filter((from) => !volumes.has(from) && !/^(?:\.\/backups|\/var\/run\/docker\.sock)$/.test(from)),
      ).toEqual([]);
    }
  });

  it('has settings that the server has, and writes only where a volume is', () => {
    const given: Record<string, string> = { POSTGRES_PASSWORD: 'a1', MASTER_KEY: 'ab'.repeat(32) };
    const filled = (text: string) => text.replaceAll(/\$\{(\w+)[^}]*\}/g, (_all, name: string) => given[name]!);
    const env = Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, filled(String(value))]));
    // A name that is no setting is refused as a misspelt one.
    expect(() => readConfig(platforms.values(), env)).not.toThrow();
    const mounted = of('rostra').flatMap((one) => (one.volumes ?? []).map((volume) => volume.split(':')[1]));
    for (const name of ['DATA_DIR', 'BACKUP_TO'])
      if (settings[name] !== undefined) expect(mounted).toContain(settings[name]);
    const inside = of('rostra').flatMap(({ ports = [] }) => ports.map((port) => port.split(':').at(-1)));
    expect(inside.filter((port) => port !== String(settings['PORT']))).toEqual([]);
    expect(read('Dockerfile')).toContain(`\nEXPOSE ${settings['PORT']}\n`);
  });

  it('asks in .env for nothing that no page names', () => {
    const asked = files.flatMap((path) => [...read(path).matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name]) => name!));
    const pages = [...globSync('docs/deploy/*.md'), 'docs/running.md', '.env.example'].map(read).join('\n');
    expect(asked.filter((name) => !pages.includes(name))).toEqual([]);
  });
});

it('what the example for Traefik names is there: its entry points, its resolver, its service and its port', () => {
  const { services, volumes = {} } = compose(`${FOLDER}/compose.traefik.yaml`);
  const { rostra = {}, traefik = {} } = services;
  const flags = new Map(
    (traefik.command ?? []).map((flag) => /^--([^=]+)=(.*)$/.exec(flag)!.slice(1) as [string, string]),
  );
  const labels = new Map(Object.entries(rostra.labels ?? {}));
  const named = (from: Iterable<string>, pattern: RegExp) =>
    new Set([...from].flatMap((name) => pattern.exec(name)?.[1] ?? []));
  const points = named(flags.keys(), /^entrypoints\.(\w+)\.address$/);
  const resolvers = named(flags.keys(), /^certificatesresolvers\.(\w+)\./);
  const label = (part: string) => labels.get(`traefik.http.${part}`);

  expect([...points]).toEqual(['http', 'https']);
  expect(points).toContain(label('routers.rostra.entrypoints'));
  expect(points).toContain(flags.get('entrypoints.http.http.redirections.entrypoint.to'));
  const [resolver] = resolvers;
  expect(label('routers.rostra.tls.certresolver')).toBe(resolver);
  expect(points).toContain(flags.get(`certificatesresolvers.${resolver}.acme.httpchallenge.entrypoint`));
  const storage = flags.get(`certificatesresolvers.${resolver}.acme.storage`)!;
  const mounted = (traefik.volumes ?? []).map((volume) => volume.split(':'));
  const [volume] = mounted.find(([, to]) => storage.startsWith(`${to}/`)) ?? [];
  expect(Object.keys(volumes)).toContain(volume);
  // It reads labels from Docker, and shows only what asks to be shown.
  expect([flags.get('providers.docker'), flags.get('providers.docker.exposedbydefault')]).toEqual(['true', 'false']);
  expect(mounted).toContainEqual(['/var/run/docker.sock', '/var/run/docker.sock', 'ro']);
  expect(labels.get('traefik.enable')).toBe('true');
  expect(label('routers.rostra.rule')).toMatch(/^Host\(`\$\{TRAEFIK_HOST:\?[^}]+\}`\)$/);
  const port = compose('compose.yaml').services['rostra']!.environment!['PORT'];
  expect(label('services.rostra.loadbalancer.server.port')).toBe(String(port));
  expect(traefik.ports).toEqual(
    [...points].map((point) => flags.get(`entrypoints.${point}.address`)!.slice(1)).map((at) => `${at}:${at}`),
  );
  // Nothing but Traefik reaches the server, and its word about clients counts.
  expect([rostra.ports, rostra.environment]).toEqual([[], { TRUST_PROXY: 1 }]);
});

/** A folder with programs of the test's own, and the PATH that finds them first. */
function stubs(programs: Readonly<Record<string, string>>) {
  const folder = makeFolder();
  mkdirSync(folder, { recursive: true });
  for (const [name, script] of Object.entries(programs))
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { folder, PATH: `${folder}:${process.env['PATH'] ?? ''}` };
}

describe.skipIf(process.platform !== 'linux')('the container that backs up PostgreSQL', () => {
  const FOREVER = 'exec tail -f /dev/null';

  /** Runs its script with such a pg_dump until a line is said. */
  async function start(dump: string, line: string) {
    const { folder, PATH } = stubs({ pg_dump: dump, sleep: `echo "waits $1"; ${FOREVER}` });
    const backups = join(folder, 'backups');
    mkdirSync(backups);
    if (process.getuid!() === 0) chownSync(backups, 1000, 1000);
    const { backup } = compose(`${FOLDER}/compose.backup.postgres.yaml`).services;
    const script = backup!.entrypoint!.at(-1)!.replaceAll('$$', '$').replaceAll('/backups', backups);
    const child = spawn('bash', ['-c', script], { env: { PATH }, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
    // This waits for every process that writes to its output.
    const closed = once(child, 'close');
    const stop = () => {
      child.kill('SIGTERM');
      return closed;
    };
    onTestFinished(() => void spawnSync('sh', ['-c', `kill -9 -${child.pid}`]));
    for await (const said of child.stdout.iterator({ destroyOnReturn: false })) if (String(said).includes(line)) break;
    child.stdout.resume();
    return { backups, stop };
  }

  it('gives a dump to the owner of the folder, and lets nobody else read it', async () => {
    const { backups } = await start('for last; do :; done; echo dump > "${last#--file=}"', 'waits 86400\n');
    const [name, ...others] = readdirSync(backups);
    expect([name, others]).toEqual([expect.stringMatching(/^rostra-\d{8}T\d{6}Z\.dump$/), []]);
    const { uid, mode } = statSync(join(backups, name!));
    expect([uid, mode & 0o777]).toEqual([statSync(backups).uid, 0o600]);
  });

  it('tries a failed dump again soon', async () => {
    const { backups } = await start('exit 1', 'waits 900\n');
    expect(readdirSync(backups)).toEqual([]);
  });

  it('stops at once, also during a dump', async () => {
    for (const [dump, line] of [
      [`echo dumps; ${FOREVER}`, 'dumps'],
      ['exit 1', 'waits'],
    ] as const) {
      const { stop } = await start(dump, line);
      expect(await stop()).toEqual([0, null]);
    }
  });
});

it('the script for commands beside systemd gives every argument as it is', () => {
  const { PATH } = stubs({ 'systemd-run': 'printf "%s\\n" "$@"' });
  const args = ['key', 'create', '--name', 'A$B ${C} 100%', ''];
  const { stdout } = spawnSync('sh', [`${FOLDER}/rostra.sh`, ...args], { env: { PATH }, encoding: 'utf8' });
  // systemd makes one dollar of two, and replaces names after a single one.
  expect(stdout).toMatch(/\n\/usr\/bin\/node\nsrc\/launch\.mjs\nkey\ncreate\n--name\nA\$\$B \$\$\{C\} 100%\n\n$/);
});

describe('the unit of systemd', () => {
  const unit = read(`${FOLDER}/rostra.service`);
  const values = new Map([...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]));

  it('starts what is there, where it may write, and lets the server drain', () => {
    expect(values.get('ExecStart')).toBe('/usr/bin/node src/launch.mjs serve');
    expect(existsSync('src/launch.mjs')).toBe(true);
    expect(Number(values.get('TimeoutStopSec'))).toBeGreaterThan(20);
    expect(values.get('Environment')).toBe(`DATA_DIR=/var/lib/${values.get('StateDirectory')}`);
    expect(values.get('ReadWritePaths')).toBe(values.get('WorkingDirectory'));
    const page = read('docs/deploy/systemd.md');
    for (const name of ['EnvironmentFile', 'WorkingDirectory', 'User']) expect(page).toContain(values.get(name)!);
  });

  const analyze = ['/usr/bin', '/bin']
    .map((folder) => join(folder, 'systemd-analyze'))
    .find((path) => existsSync(path));

  it.skipIf(analyze === undefined)('is one that systemd reads without a complaint, where it is installed', () => {
    const folder = makeFolder();
    mkdirSync(folder, { recursive: true });
    /** What systemd says of it, with a Node that is there. */
    const verify = (text: string) => {
      const path = join(folder, 'rostra.service');
      writeFileSync(path, text.replace('/usr/bin/node', process.execPath));
      return spawnSync(analyze!, ['verify', '--man=no', path], { encoding: 'utf8' }).stderr;
    };
    expect(verify(unit)).not.toContain('rostra.service');
    expect(verify(unit.replace('Restart=', 'Restrat='))).toContain("'Restrat'");
  });
});
