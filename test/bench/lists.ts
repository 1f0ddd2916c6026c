import { join } from 'node:path';
import { listPosts } from '#db/posts/posts.ts';
import { type Lists, makeLists } from '#kernel/pagination.ts';
import { openKeyRing } from '#compose/keyring.ts';
import { atMost, type Finding } from './finding.ts';
import { compare, type Effort } from './load.ts';
import { planOf, positionAfter, seedPosts, statementOf, type Seeded } from './seed.ts';
import { makeDataDir, startRostra, withFolder, withServers, type Running } from './server.ts';
import { authorityOver } from '#kernel/authority.ts';

const LIMIT = 25;
const FIRST = `/v1/posts?limit=${LIMIT}`;

type Place = Readonly<{ name: string; path(size: number): string }>;

const after = (lists: Lists, size: number, share: number) => {
  const cursor = lists.encode('posts', positionAfter(Math.floor(size * share) - LIMIT), {});
  return `${FIRST}&cursor=${cursor}`;
};
const placesOf = (lists: Lists): readonly Place[] => [
  { name: 'first page', path: () => FIRST },
  { name: 'page in the middle', path: (size) => after(lists, size, 0.5) },
  { name: 'last page', path: (size) => after(lists, size, 1) },
];

/** A page of posts beside itself on tables of other sizes. */
export function benchLists(effort: Effort, sizes: readonly number[]): Promise<readonly Finding[]> {
  return withFolder(async (folder) => {
    const empty = join(folder, 'empty');
    const headers = { authorization: `Bearer ${await makeDataDir(empty)}` };
    // Nobody pages through half a million posts to get to the middle: its cursor is made as the server makes them.
    const lists = makeLists(openKeyRing({ masterKeys: [], dataDir: empty, databaseUrl: undefined }).derive('cursor'));
    const seeded = sizes.map((size) => seedPosts(empty, join(folder, String(size)), size));
    const starting = sizes.map((size) => startRostra(join(folder, String(size))));
    return withServers(starting, async (servers) => {
      const findings: Finding[] = [];
      for (const place of placesOf(lists)) {
        for (const [index, size] of sizes.entries()) await refuseShort(servers[index]!, place.path(size), headers);
        findings.push(...(await flatness(place, sizes, servers, headers, effort)));
      }
      findings.push(await planned(seeded.at(-1)!, sizes.at(-1)!));
      return findings;
    });
  });
}

async function flatness(
  { name, path }: Place,
  sizes: readonly number[],
  servers: readonly Running[],
  headers: Record<string, string>,
  effort: Effort,
): Promise<readonly Finding[]> {
  const nameOf = (size: number) => `${size} rows`;
  const contenders = sizes.map((size, index) => ({
    name: nameOf(size),
    ...servers[index]!,
    headers,
    requests: [{ method: 'GET' as const, path: path(size) }],
  }));
  const compared = await compare(contenders, effort);
  return sizes.slice(1).map((size) => ({
    what: `posts, ${name}: ${size} rows, times slower than ${sizes[0]}`,
    ...atMost(1.2, compared.ratio(nameOf(size))),
    note: compared.describe(nameOf(size)),
  }));
}

/** A page that is no full page of posts would be quick for the wrong reason. */
async function refuseShort({ url }: Running, path: string, headers: Record<string, string>): Promise<void> {
  const body = (await (await fetch(url + path, { headers })).json()) as { data?: { targets: object[] }[] };
  const full = body.data?.length === LIMIT && body.data.every(({ targets }) => targets.length === 1);
  if (!full) throw new Error(`${path} is no full page`);
}

async function planned({ file, workspace }: Seeded, size: number): Promise<Finding> {
  const page = { sort: 'scheduled_asc', limit: LIMIT, from: positionAfter(size / 2) } as const;
  const statement = await statementOf((db) => listPosts(db, authorityOver(workspace), { hidden: false }, page));
  const steps = planOf(file, statement);
  const searches = steps.every((step) => step.startsWith('SEARCH') && step.includes('USING INDEX'));
  return {
    what: 'plan of a page of posts',
    aim: 'index only',
    measured: searches ? 'index only' : 'reads the table',
    verdict: searches ? 'holds' : 'MISSED',
    note: steps.join('; '),
  };
}
