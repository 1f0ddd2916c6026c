import { readFileSync } from 'node:fs';
import { validate } from 'dockerfile-utils';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

describe('Dockerfile', () => {
  const text = read('Dockerfile');
  const final = text.slice(text.indexOf('\nFROM node:24-slim AS server\n'), text.indexOf('\n\n# compose.postgres'));

  it('has nothing its linter objects to', () => {
    expect(validate(text)).toEqual([]);
    expect(validate('FORM node:24')).not.toEqual([]);
  });

  it('runs the server as a user without rights, with its data on a volume of that user', () => {
    const user = final.indexOf('\nUSER node\n');
    const owned = final.indexOf('chown node:node /data');
    expect(owned).toBeGreaterThan(0);
    expect(user).toBeGreaterThan(owned);
    expect(final.indexOf('\nVOLUME /data\n')).toBeGreaterThan(user);
    expect(final).toMatch(/\nCMD \["node", "src\/main\.ts", "serve"\]$/);
    expect(text).toMatch(/\n\nFROM server\n$/);
  });

  it('has the pg_dump of the database beside it, where that is PostgreSQL', () => {
    const { rostra, postgres } = services('compose.postgres.yaml');
    const { build } = rostra as { build: { target: string } };
    expect(text).toContain(`\nFROM server AS ${build.target}\nCOPY --from=postgres /out /opt/postgres\n`);
    expect(text).toContain(`\nFROM ${postgres!['image'] as string}-bookworm AS postgres\n`);
    expect(rostra!['image']).not.toBe(services('compose.yaml')['rostra']!['image']);
  });

  it('installs exactly the locked runtime packages and runs none of their scripts', () => {
    expect(text).toMatch(/RUN npm ci (?=.*--omit=dev)(?=.*--ignore-scripts)/);
  });

  it('checks its health through the port the server listens on', () => {
    const [, probe] = /HEALTHCHECK[^\n]*\\\n\s+CMD (\[.*\])\n/.exec(final)!;
    const [command, flag, script] = JSON.parse(probe!) as string[];
    expect([command, flag]).toEqual(['node', '-e']);
    expect(script).toContain("process.env.PORT + '/healthz'");
  });

  it('is sent the sources and nothing that could hold a secret or a build of this machine', () => {
    const [first, ...rest] = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(first).toBe('*');
    expect(rest.every((line) => line.startsWith('!'))).toBe(true);
    expect(rest).toEqual(expect.arrayContaining(['!src', '!db', '!tools', '!package-lock.json']));
    for (const kept of ['!.env', '!data', '!node_modules', '!.git', '!.runtime']) expect(rest).not.toContain(kept);
  });
});

type Service = Record<string, any>;
const services = (file: string) => (parse(read(file)) as { services: Record<string, Service> }).services;

describe('compose files', () => {
  it('keep the data on a named volume and offer the port to this machine only', () => {
    const { rostra } = services('compose.yaml');
    const { volumes } = parse(read('compose.yaml')) as { volumes: object };
    expect(rostra!['volumes']).toEqual(['data:/data']);
    expect(Object.keys(volumes)).toEqual(['data']);
    expect(rostra!['ports']).toEqual(['127.0.0.1:8080:8080']);
    expect(rostra!['environment']).toMatchObject({ DATA_DIR: '/data', HOST: '0.0.0.0' });
    expect(rostra!['read_only']).toBe(true);
  });

  it('leave a stopping server more than the 20 seconds its attempts may take', () => {
    const { rostra } = services('compose.yaml');
    expect(Number.parseInt(rostra!['stop_grace_period'] as string, 10)).toBeGreaterThan(20);
  });

  it('hold no password, and stop when one is missing', () => {
    const { rostra, postgres } = services('compose.postgres.yaml');
    expect(postgres!['environment'].POSTGRES_PASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?/);
    expect(rostra!['environment'].DATABASE_URL).toMatch(
      /^postgres:\/\/rostra:\$\{POSTGRES_PASSWORD:\?[^}]+\}@postgres:/,
    );
    expect(rostra!['environment'].MASTER_KEY).toMatch(/^\$\{MASTER_KEY:\?/);
    expect(rostra!['depends_on'].postgres).toEqual({ condition: 'service_healthy' });
    expect(postgres!['ports']).toBeUndefined();
  });

  it('have an example of their settings in which every secret is left out', () => {
    const set = read('.env.example')
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line));
    expect(set).toEqual(['ROOT_URL=http://localhost:8080']);
  });
});
