import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { compose } from '../../src/compose/index.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { readConfig } from '../../src/kernel/config/config.ts';
import { makeLog } from '../../src/kernel/log.ts';
import { makeSealer } from '../../src/kernel/seal.ts';
import { askRest } from '../harness/calls/requests.ts';
import { within, type Finding } from './finding.ts';
import { withFolder } from './server.ts';
import { authorityOver } from '../../src/kernel/authority.ts';

export type PublishEffort = Readonly<{ posts: number; accounts: readonly number[] }>;

const SLOW_TWIN = fileURLToPath(new URL('slow-twin.ts', import.meta.url));
const TWIN_MS = 50;
const HOUR = 3_600_000;
/** Everything is final by then, and 99 of 100 posts are out by half of it (rulings 2.2). */
const ALL_MS = 60_000;
const P99_MS = 30_000;

type Person = Readonly<{ handle: string; credentials: Readonly<Record<string, string>> }>;
type Done = Readonly<{ published_at: number; due: number; account_id: string; position: number }>;

/** Posts that are due in the same second, on few accounts and on many, while the platform takes 50 ms to answer. */
export async function benchPublish({ posts, accounts }: PublishEffort): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const count of accounts) findings.push(...(await withTwin((twins) => run(twins, posts, count))));
  return findings;
}

async function withTwin<T>(work: (twins: string) => Promise<T>): Promise<T> {
  return withFolder(async (folder) => {
    const child = fork(SLOW_TWIN, [join(folder, 'twin.db'), String(TWIN_MS)]);
    try {
      const [root] = (await once(child, 'message')) as [string];
      return await work(`${root}/sandbox`);
    } finally {
      child.kill();
      await once(child, 'exit');
    }
  });
}

const addPeople = (twins: string, count: number): Promise<readonly Person[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const person = { network: 'bluesky', handle: `bench-${n}.sandbox.test` };
      return (await askRest(twins, null, 'POST /__control/people', person)).body.data as Person;
    }),
  );

async function run(twins: string, posts: number, accounts: number): Promise<readonly Finding[]> {
  return withFolder(async (folder) => {
    let aheadMs = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
    const config = readConfig([], { DATA_DIR: folder, SANDBOX_URL: twins, ALLOW_PRIVATE_NETWORK: '127.0.0.0/8' });
    const log = makeLog('error', process.stderr);
    const product = await compose(config, { clock, log, sealer: makeSealer(['11'.repeat(32)]), port: config.port });
    const { users, posts: publishing } = product.modules;
    const owner = (await users.create('bench@example.org', 'Bench'))!;
    const authority = authorityOver(owner.workspaceId);
    const workspace = {
      id: owner.workspaceId,
      plan: 'enterprise',
      createdAt: clock.now(),
      blockedAt: undefined,
      timezone: 'UTC',
    } as const;
    const ids: string[] = [];
    for (const { handle, credentials } of await addPeople(twins, accounts)) {
      const metadata = { identifier: handle, app_password: credentials['app_password'] };
      const ask = { platform: 'bluesky', metadata, redirect_uri: undefined, state: undefined, brandId: undefined };
      const { body } = await product.modules.accounts.connect.start(authority, workspace, ask);
      ids.push((body as { account_id: string }).account_id);
    }
    const due = Math.ceil(clock.now() / 1000) * 1000 + HOUR;
    for (let n = 0; n < posts; n += 1) {
      await publishing.create(authority, workspace, {
        content: { text: `Post ${n}`, media: [], visibility: 'public', platform_data: {}, segments: [] },
        targets: [{ account_id: ids[n % ids.length]! }],
        // All within one second, in the order they were made.
        scheduledAt: due + Math.floor((n / posts) * 1000),
        publishNow: false,
        skipDuplicateCheck: true,
        skipValidation: true,
      });
    }
    await product.start();
    const before = process.cpuUsage();
    aheadMs = due + 1000 - systemClock.now();
    await untilFinal(product.store, posts);
    const { user, system } = process.cpuUsage(before);
    await product.stop();
    await product.close();
    const done = read(join(folder, 'rostra.db'));
    return report({ done, posts, accounts, cpuMs: (user + system) / 1000 });
  });
}

async function untilFinal(store: Awaited<ReturnType<typeof compose>>['store'], posts: number): Promise<void> {
  for (let final = 0; final < posts;) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const row = await store.db
      .selectFrom('posts')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .where('status', 'in', ['published', 'partial', 'failed'])
      .executeTakeFirstOrThrow();
    final = row.n;
  }
}

function read(file: string): readonly Done[] {
  const database = new Database(file, { readonly: true });
  try {
    return database
      .prepare<[], Done>(
        `select t.published_at, p.scheduled_at as due, t.account_id, row_number() over (order by p.scheduled_at, p.id) as position
        from targets t join posts p on p.id = t.post_id where t.status = 'published'`,
      )
      .all();
  } finally {
    database.close();
  }
}

type Seen = Readonly<{ done: readonly Done[]; posts: number; accounts: number; cpuMs: number }>;

function report({ done, posts, accounts, cpuMs }: Seen): readonly Finding[] {
  const late = done.map(({ published_at, due }) => published_at - due).toSorted((a, b) => a - b);
  const last = late.at(-1) ?? 0;
  const p99 = late[Math.ceil(late.length * 0.99) - 1] ?? 0;
  const what = `${posts} posts due in one second on ${accounts} accounts`;
  return [
    {
      what: `${what}: until all are final`,
      ...within(ALL_MS, last, ' ms'),
      note:
        `${((posts / last) * 1000).toFixed(0)} posts/s at ${(cpuMs / posts).toFixed(1)} ms CPU each; ` +
        `${posts - done.length} not published, ${outOfOrder(done)} out of the order of their account`,
    },
    { what: `${what}: p99 of lateness`, ...within(P99_MS, p99, ' ms') },
  ];
}

/** Posts that went out before one of the same account that was due earlier. */
function outOfOrder(done: readonly Done[]): number {
  const byAccount = Map.groupBy(
    done.toSorted((a, b) => a.position - b.position),
    ({ account_id }) => account_id,
  );
  return [...byAccount.values()].reduce(
    (sum, rows) => sum + rows.filter((row, at) => at > 0 && row.published_at < rows[at - 1]!.published_at).length,
    0,
  );
}
