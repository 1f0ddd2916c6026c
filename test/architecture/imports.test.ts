import { describe, expect, it } from 'vitest';
import { ALIASES, importsOf, sources, withoutComments } from './source.ts';

/** What each part may import besides itself; `type` allows names that vanish when the program runs. */
type Law = Readonly<{ all: readonly string[]; type?: readonly string[] }>;

/** Imports run one way. */
const LAWS: Readonly<Record<string, Law>> = {
  kernel: { all: [] },
  call: { all: ['kernel'], type: ['db', 'platforms'] },
  /** Every query of tenant data takes an Authority. JSON columns hold what connectors report, by its types. */
  db: { all: ['kernel'], type: ['platforms'] },
  platforms: { all: ['kernel'] },
  sandbox: { all: ['kernel'] },
  engine: { all: ['kernel', 'call', 'db', 'platforms', 'engine/jobs'] },
  oauth: { all: ['kernel', 'call', 'db'] },
  tools: { all: ['kernel', 'call', 'db', 'platforms'], type: ['engine'] },
  serve: { all: ['kernel', 'call', 'oauth'], type: ['engine'] },
  /** The program beside the server. */
  receiver: { all: ['kernel', 'certificate-authority'] },
  'certificate-authority': { all: ['kernel'] },
};

/** The composition root and the commands on it: they know everyone, and nobody knows them. */
const COMPOSING = /^src\/main\.ts$|^src\/(?:compose|cli)\//;

/** Packages that belong to one place each, so that they can be replaced there. */
const OWNED: Readonly<Record<string, readonly RegExp[]>> = {
  undici: [/^src\/kernel\//],
  'better-sqlite3': [/^db\//, /^sandbox\/store\.ts$/],
  pg: [/^db\//],
  kysely: [/^db\//],
  pino: [/^src\/kernel\/log\.ts$/],
  koa: [/^src\/serve\//, /^(?:oauth|sandbox)\//, COMPOSING],
  '@koa/router': [/^src\/serve\//, /^(?:oauth|sandbox)\//],
  'find-my-way': [/^src\/serve\/http\//],
  'prom-client': [/^src\/serve\/http\//],
  'csv-parse': [/^src\/engine\/publishing\/create\/csv\.ts$/],
  htmlparser2: [/^src\/platforms\/shared\/web\/(?:atom|page-metadata)\.ts$/],
  '@fastify/busboy': [/^src\/serve\/http\//],
  '@modelcontextprotocol/sdk': [/^src\/serve\/mcp\//],
  'oidc-provider': [/^oauth\//],
  'libheif-js': [/^src\/engine\/media\/pictures\//],
  sharp: [/^src\/engine\/media\/pictures\//],
  stripe: [/^src\/engine\/billing\/stripe\//],
};

/** Where a server or a client of HTTP may be made by hand. */
const SPEAKS_HTTP = /^src\/(?:kernel|serve|cli)\/|^src\/(?:main|receiver)\.ts$|^(?:oauth|sandbox)\//;

/** The part of the product a file belongs to; engine rooms are parts of their own. */
function partOf(path: string): string {
  const [top, second = '', third = ''] = path.split('/');
  if (top !== 'src') return top!;
  if (second === 'engine') return `engine/${third}`;
  return second.replace(/\.ts$/, '');
}

function mayImport(from: string, to: string, typeOnly: boolean): boolean {
  if (from === to) return true;
  const { all, type = [] } = LAWS[from.split('/')[0]!] ?? { all: [] };
  const open = (list: readonly string[]) =>
    list.some((part) => part === to || (part === 'engine' && to.startsWith('engine/')));
  return open(all) || (typeOnly && open(type));
}

/** Folders that connectors and simulators may import besides their own, and what each of these may import in turn. */
const KITS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  platforms: { app: [], shared: ['app'], graph: ['app', 'shared'], googleapis: ['app', 'shared'] },
  sandbox: { kit: [], graph: ['kit'], atproto: ['kit'], googleapis: ['kit'] },
};

/** Whether a file of one folder of a part may import one of another; '' is a file beside the folders. */
function mayShare(kits: Readonly<Record<string, readonly string[]>>, from: string, to: string): boolean {
  if (from === to || to === '' || from === '') return true;
  return (kits[from] ?? Object.keys(kits)).includes(to);
}

/** The circles of a graph, each from its first node back to it; a node that was followed once is not followed again. */
function circlesIn(graph: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const done = new Set<string>();
  const circles: (readonly string[])[] = [];
  const follow = (node: string, trail: readonly string[]): void => {
    const at = trail.indexOf(node);
    if (at !== -1) circles.push([...trail.slice(at), node]);
    if (at !== -1 || done.has(node)) return;
    for (const next of graph.get(node) ?? []) follow(next, [...trail, node]);
    done.add(node);
  };
  for (const node of graph.keys()) follow(node, []);
  return circles;
}

describe('imports', () => {
  it('run one way', () => {
    const crossings = sources
      .filter(({ path }) => !COMPOSING.test(path))
      .flatMap(({ path, imports }) =>
        imports
          .filter(({ isPackage }) => !isPackage)
          .filter(({ target, typeOnly }) => !mayImport(partOf(path), partOf(target), typeOnly))
          .map(({ target, typeOnly }) => `${path} → ${target}${typeOnly ? ' (type)' : ''}`),
      );
    expect(crossings).toEqual([]);
  });

  it('never run in a circle, types included', () => {
    const importsOfFile = new Map(
      sources.map(({ path, imports }) => [
        path,
        imports.filter(({ isPackage }) => !isPackage).map(({ target }) => target),
      ]),
    );
    expect(
      circlesIn(importsOfFile).map((circle) => `break ${circle.join(' → ')}: move what both need to a file of its own`),
    ).toEqual([]);
  });

  it('name another folder of the first level by its alias, and climb two folders at most', () => {
    const folderOf = (path: string) => ALIASES.find(({ folder }) => path.startsWith(folder))?.folder;
    const strays = sources.flatMap(({ path, imports }) =>
      imports
        .filter(({ written }) => written.startsWith('.'))
        .filter(({ target, written }) => {
          const folder = folderOf(target);
          return (folder !== undefined && folder !== folderOf(path)) || written.startsWith('../../../');
        })
        .map(({ written }) => `${path} → ${written}`),
    );
    expect(strays).toEqual([]);
  });

  it('leave the composition root alone', () => {
    const users = sources
      .filter(({ path }) => !COMPOSING.test(path))
      .filter(({ imports }) => imports.some(({ target }) => COMPOSING.test(target)));
    expect(users.map(({ path }) => path)).toEqual([]);
  });

  it('keep the twins and the connectors strangers', () => {
    const shared = sources.flatMap(({ path, imports }) =>
      imports
        .map(({ target }) => [partOf(path), partOf(target)])
        .filter((pair) => pair.includes('platforms') && pair.includes('sandbox'))
        .map(() => path),
    );
    expect(shared).toEqual([]);
  });

  it.each(Object.entries(KITS))('of the folders in %s go to kits alone: what two need belongs there', (part, kits) => {
    const folderOf = (path: string) => new RegExp(`^(?:src/)?${part}/([^/]+)/`).exec(path)?.[1] ?? '';
    const crossings = sources.flatMap(({ path, imports }) =>
      imports
        .filter(({ target, isPackage }) => !isPackage && partOf(path) === part && partOf(target) === part)
        .filter(({ target }) => !mayShare(kits, folderOf(path), folderOf(target)))
        .map(({ target }) => `${path} → ${target}`),
    );
    expect(crossings).toEqual([]);
  });

  it('leave packages to the part that owns them', () => {
    const strays = sources.flatMap(({ path, imports }) =>
      imports
        .filter(({ target, typeOnly }) => !typeOnly && OWNED[target]?.every((place) => !place.test(path)))
        .map(({ target }) => `${path} → ${target}`),
    );
    expect(strays).toEqual([]);
  });

  it('keep operations unaware of how they were called', () => {
    const aware = sources
      .filter(({ path }) => path.startsWith('tools/'))
      .flatMap(({ path, imports }) =>
        imports.filter(({ isPackage }) => isPackage).map(({ target }) => `${path} → ${target}`),
      )
      .filter((line) => !line.endsWith(' → zod'));
    expect(aware).toEqual([]);
  });

  it('leave HTTP to those who speak it', () => {
    const speakers = sources
      .filter(({ path }) => !SPEAKS_HTTP.test(path))
      .filter(({ imports }) =>
        imports.some(({ target, typeOnly }) => /^node:(?:http|https|http2|tls)$/.test(target) && !typeOnly),
      );
    expect(speakers.map(({ path }) => path)).toEqual([]);
  });
});

describe('the finder of circles', () => {
  it('finds every circle once, and nothing in a tree', () => {
    const graph = (edges: Record<string, string[]>) => new Map(Object.entries(edges));
    expect(circlesIn(graph({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }))).toEqual([]);
    expect(circlesIn(graph({ a: ['b'], b: ['c'], c: ['b'], d: ['d'] }))).toEqual([
      ['b', 'c', 'b'],
      ['d', 'd'],
    ]);
  });
});

describe('the reader of imports', () => {
  it('sees every form and tells types apart', () => {
    const code = withoutComments(`
import { a } from './a.ts';
import type { B } from '../b.ts';
import { type C, type D } from './c.ts';
import e, { type F } from './e.ts';
import * as g from 'pkg/sub';
import {
  h,
} from '@scope/name/deep';
export { i } from './i.ts';
export type * from './j.ts';
import './k.ts';
const l = await import('./l.ts');
// import { no } from './no.ts';
/* import { no } from './no.ts'; */
const url = 'http://x'; import { m } from './m.ts';
import { n } from '#kernel/n.ts';
`);
    const seen = importsOf('src/x/y.ts', code).map(({ target, typeOnly }) => `${target}${typeOnly ? ' type' : ''}`);
    expect(seen).toEqual([
      'src/x/a.ts',
      'src/b.ts type',
      'src/x/c.ts type',
      'src/x/e.ts',
      'pkg',
      '@scope/name',
      'src/x/i.ts',
      'src/x/j.ts type',
      'src/x/k.ts',
      'src/kernel/n.ts',
      'src/x/l.ts',
    ]);
  });

  it('knows the law', () => {
    expect(mayImport('tools', 'engine/media', true)).toBe(true);
    expect(mayImport('tools', 'engine/media', false)).toBe(false);
    expect(mayImport('engine/inbox', 'engine/media', true)).toBe(false);
    expect(mayImport('engine/inbox', 'engine/jobs', false)).toBe(true);
    expect(mayImport('serve', 'tools', true)).toBe(false);
    expect(mayImport('kernel', 'db', true)).toBe(false);
    const connectors = KITS['platforms']!;
    expect(
      mayShare(connectors, 'facebook', 'graph') &&
        mayShare(connectors, 'bluesky', 'shared') &&
        mayShare(connectors, 'graph', 'shared'),
    ).toBe(true);
    expect(mayShare(connectors, '', 'facebook') && mayShare(connectors, 'facebook', '')).toBe(true);
    expect(
      mayShare(connectors, 'instagram', 'facebook') ||
        mayShare(connectors, 'graph', 'facebook') ||
        mayShare(connectors, 'shared', 'graph'),
    ).toBe(false);
  });
});
