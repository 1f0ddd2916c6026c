import { globSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { expect, it } from 'vitest';
import { readConfig } from '#kernel/config/config.ts';
import { platforms } from '#platforms/index.ts';

const FOLDER = 'docs/examples/deploy';
const read = (path: string) => readFileSync(path, 'utf8');
const compose = (name: string) =>
  parse(read(name), { customTags: [{ tag: '!reset', collection: 'seq', resolve: (value: unknown) => value }] }) as {
    services: Record<string, { environment?: Record<string, string | number>; volumes?: string[] }>;
  };

it('every example of a deployment is on a page', () => {
  const pages = globSync('docs/deploy/*.md').map(read).join('\n');
  const examples = globSync(`${FOLDER}/*`);
  expect(examples.length).toBeGreaterThan(4);
  expect(examples.filter((path) => !pages.includes(`../examples/deploy/${path.split('/').at(-1)!}`))).toEqual([]);
});

it('files of Compose go over services that are there, with settings that are there', () => {
  const base = { ...compose('compose.yaml').services, ...compose('compose.postgres.yaml').services };
  for (const path of globSync(`${FOLDER}/compose.*.yaml`)) {
    const { services } = compose(path);
    const over = Object.keys(services).filter((name) => name in base);
    expect([path, over.length > 0 || 'postgres' in base]).toEqual([path, true]);
    const settings = services['rostra']?.environment ?? {};
    const env = Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));
    // A name that is no setting is refused as a misspelt one.
    expect(() => readConfig(platforms.values(), env)).not.toThrow();
  }
});

it('the unit of systemd starts what is there, and lets the server drain', () => {
  const unit = read(`${FOLDER}/rostra.service`);
  const values = new Map([...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]));
  expect(values.get('ExecStart')).toBe('/usr/bin/node src/launch.mjs serve');
  expect(Number(values.get('TimeoutStopSec'))).toBeGreaterThan(20);
  expect(values.get('StateDirectory')).toBe('rostra');
});
