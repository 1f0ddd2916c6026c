import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { atMost, type Finding, within } from './finding.ts';
import { usedBy } from './load.ts';
import { connectPeople, NOTICE_MS, schedule, sooner, withPlatform, type Platform } from './platform.ts';
import { builtProgram, makeDataDir, startRostra, withFolder, withServers } from './server.ts';

export type PublishEffort = Readonly<{ posts: number; accounts: readonly number[] }>;

const ANSWER_MS = 50;
const SPREAD_MS = 1000;
/** On so many accounts their order binds nothing, so that only we do. */
const MANY = 100;
const P99_MS = 5000;
/** How much longer it may take on few accounts than their posts one after the other. */
const FEW_FACTOR = 1.4;

type Done = Readonly<{ published_at: number; due: number; account_id: string }>;
type Run = Readonly<{ posts: number; accounts: number }>;

/** Posts that are due in the same second, on few accounts and on many, while the platform takes 50 ms to answer. */
export async function benchPublish({ posts, accounts }: PublishEffort): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const count of accounts) {
    findings.push(...(await withPlatform(ANSWER_MS, (platform) => run(platform, { posts, accounts: count }))));
  }
  return findings;
}

function run(platform: Platform, { posts, accounts }: Run): Promise<readonly Finding[]> {
  return withFolder(async (folder) => {
    const dataDir = join(folder, 'data');
    const key = await makeDataDir(dataDir);
    const start = startRostra(dataDir, { program: builtProgram(), sandbox: 'on', settings: platform.settings });
    return withServers([start], async ([server]) => {
      const caller = { server: server!, key };
      const ids = await connectPeople(platform, caller, accounts);
      const from = await schedule(caller, { posts, accounts: ids, spreadMs: SPREAD_MS });
      const file = join(dataDir, 'rostra.db');
      bringForward(file, from - Date.now() - NOTICE_MS);
      await wait(NOTICE_MS);
      const before = { written: await platform.written(), cpuUs: usedBy(server!.pid) };
      const done = await untilFinal(file, posts);
      const written = await platform.written();
      const answers = (written.count - before.written.count) / posts;
      const answerMs = (written.ms - before.written.ms) / posts;
      const cpuUs = before.cpuUs === undefined ? undefined : usedBy(server!.pid)! - before.cpuUs;
      return report({ done, posts, accounts, answers, answerMs, cpuUs });
    });
  });
}

/** Making posts takes longer than the second in which they are due, so they are made for later. */
function bringForward(file: string, ms: number): void {
  const database = new Database(file);
  try {
    database.transaction(() => sooner(ms).forEach((statement) => database.exec(statement)))();
  } finally {
    database.close();
  }
}

/** The posts that were published, in the order of their times, once none of them is to come. */
async function untilFinal(file: string, posts: number): Promise<readonly Done[]> {
  const database = new Database(file, { readonly: true });
  try {
    const final = database
      .prepare<[], number>(`select count(*) from posts where status in ('published', 'partial', 'failed')`)
      .pluck();
    while (final.get()! < posts) await wait(100);
    return database
      .prepare<[], Done>(
        `select t.published_at, p.scheduled_at as due, t.account_id
        from targets t join posts p on p.id = t.post_id where t.status = 'published' order by p.scheduled_at, p.id`,
      )
      .all();
  } finally {
    database.close();
  }
}

type Seen = Run & Readonly<{ done: readonly Done[]; answers: number; answerMs: number; cpuUs: number | undefined }>;

function report({ done, posts, accounts, answers, answerMs, cpuUs }: Seen): readonly Finding[] {
  const byAccount = [...Map.groupBy(done, ({ account_id }) => account_id).values()];
  const late = p99Of(done.map(({ published_at, due }) => published_at - due));
  const least = p99Of(byAccount.flatMap((rows) => soonest(rows, answerMs)));
  const lastMs = Math.max(...done.map(({ published_at }) => published_at)) - Math.min(...done.map(({ due }) => due));
  const outOfOrder = byAccount.reduce((sum, rows) => sum + countOvertaken(rows), 0);
  const cpu = cpuUs === undefined ? '' : ` at ${(cpuUs / posts / 1000).toFixed(1)} ms CPU each`;
  const judged =
    accounts < MANY ? atMost(FEW_FACTOR, { speed: late / least, cpu: undefined }) : within(P99_MS, late, ' ms');
  const measure = accounts < MANY ? 'p99 of lateness, times what one after the other takes' : 'p99 of lateness';
  return [
    {
      what: `${posts} posts due in one second on ${accounts} accounts, ${measure}`,
      ...judged,
      note:
        `${((posts / lastMs) * 1000).toFixed(0)} posts/s${cpu}, p99 ${late.toFixed(0)} ms, last ${lastMs} ms after the first was due; ` +
        `${answers.toFixed(2)} answers a post, which took the platform ${answerMs.toFixed(0)} ms: one after the other p99 ${least.toFixed(0)} ms; ` +
        `${posts - done.length} not published, ${outOfOrder} out of the order of their account`,
    },
  ];
}

/** How late the posts of an account would be if each were published as soon as the one before was. */
function soonest(rows: readonly Done[], eachMs: number): readonly number[] {
  let free = 0;
  return rows.map(({ due }) => {
    free = Math.max(free, due) + eachMs;
    return free - due;
  });
}

const p99Of = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? Infinity;

/** Posts that went out before one of the same account that was due earlier. */
const countOvertaken = (rows: readonly Done[]) =>
  rows.filter((row, at) => at > 0 && row.published_at < rows[at - 1]!.published_at).length;
