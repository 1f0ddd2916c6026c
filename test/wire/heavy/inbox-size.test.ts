import { MINUTE } from '#kernel/clock.ts';
import { CompiledQuery, type Kysely } from 'kysely';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { listConversations } from '#db/inbox/lists.ts';
import { listUnanswered } from '#db/inbox/unanswered.ts';
import { addWords, findWords } from '#db/inbox/words.ts';
import type { Database } from '#db/schema/database.ts';
import { builderOn } from '#db/store/builder.ts';
import { openStore, type Store } from '#db/store/open.ts';
import { authorityOver } from '#kernel/authority.ts';
import { wantedOf } from '#kernel/search/words.ts';
import { makeFolder } from '../../harness/folders.ts';
import { fillSetUp } from '../browser/owner.ts';
import { missing, press } from '../clients/chromium.ts';
import { call } from '../clients/product.ts';
import { serve } from '../clients/serving.ts';
import { DATABASES } from '../two-servers.ts';

const THREADS = 5_000;
const IN_EACH = 20;
const AT_ONCE = 20;
const STEPS = 200;
/** After how many steps the walk rests. */
const REST_EACH = 10;
/** Rows that PostgreSQL may read for a list or a search, of a hundred thousand. */
const MOST_READ = 6_000;
/** Requests until the page is drawn. */
const MOST_REQUESTS = 30;
const TIMEOUT_MS = 900_000;

type Whose = Readonly<{ account_id: string; workspace_id: string }>;

/** A conversation with its messages, of which the last is the newest of all that were made before. */
function makeThread({ account_id, workspace_id }: Whose, n: number, begun: number) {
  const at = begun + n * MINUTE;
  const id = `conv_${String(n).padStart(6, '0')}`;
  const messages = Array.from({ length: IN_EACH }, (_, nth) => ({
    account_id,
    workspace_id,
    platform_id: `m${n}_${nth}`,
    conversation_id: id,
    direction: nth % 2 === 0 ? ('incoming' as const) : ('outgoing' as const),
    sender_id: nth % 2 === 0 ? `p${n}` : 'us',
    sender_name: nth % 2 === 0 ? `Person ${n}` : 'Us',
    text: nth === 0 ? `Do you have bread of kind k${n}?` : `Bread and butter, number ${nth}`,
    attachments: [],
    reply_to: null,
    status: 'received' as const,
    status_updated_at: null,
    metadata: {},
    gone_at: null,
    created_at: at + nth,
    announced: 1 as const,
    stored_at: at + nth,
    is_notice: 0 as const,
  }));
  const conversation = {
    id,
    workspace_id,
    account_id,
    platform_id: `c${n}`,
    page_id: null,
    participant_id: `p${n}`,
    participant_name: `Person ${n}`,
    participant_username: null,
    participant_picture: null,
    status: 'active' as const,
    unread_count: 1,
    last_message: messages.at(-1)!.text,
    last_message_at: at + IN_EACH,
    last_message_direction: 'incoming' as const,
    last_incoming_at: at + IN_EACH,
    metadata: {},
    created_at: at,
    updated_at: at,
  };
  return { conversation, messages };
}

async function fill(store: Store, whose: Whose): Promise<void> {
  const begun = Date.now() - (THREADS + 1) * MINUTE;
  for (let from = 0; from < THREADS; from += AT_ONCE) {
    const threads = Array.from({ length: AT_ONCE }, (_, n) => makeThread(whose, from + n, begun));
    const messages = threads.flatMap((thread) => thread.messages);
    await store.write(async ({ db }) => {
      await db
        .insertInto('conversations')
        .values(threads.map(({ conversation }) => conversation))
        .execute();
      await db.insertInto('messages').values(messages).execute();
      await addWords(db, 'messages', messages);
    });
  }
}

/** The milliseconds until a page shows something, from its request on. */
async function drawn(page: Page, url: string, shows: string): Promise<number> {
  const begun = performance.now();
  await page.goto(url, { waitUntil: 'commit' });
  await page.locator('.item', { hasText: shows }).first().waitFor();
  return performance.now() - begun;
}

type Step = Readonly<{ took: number; shows: string }>;

/** Presses J once for each thread; answers what was shown after each, and in how many milliseconds. */
const walk = (page: Page): Promise<readonly Step[]> =>
  page.evaluate(`(async () => {
    const steps = [];
    const shown = () => document.querySelector('.thread h2')?.textContent;
    for (let n = 0; n < ${STEPS}; n += 1) {
      const [begun, before] = [performance.now(), shown()];
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }));
      while (shown() === before && performance.now() - begun < 20_000)
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      steps.push({ took: performance.now() - begun, shows: shown() });
      // As a person reads, so that threads are asked for as well.
      await new Promise((done) => setTimeout(done, n % ${REST_EACH} === 0 ? 300 : 30));
    }
    return steps;
  })()`) as Promise<readonly Step[]>;

type Plan = Readonly<Record<string, unknown>> & Readonly<{ Plans?: readonly Plan[] }>;

/** How many rows PostgreSQL takes out of its tables, those it throws away included. */
const rowsOf = (plan: Plan): number => {
  const below = (plan.Plans ?? []).reduce((sum, one) => sum + rowsOf(one), 0);
  if (plan.Plans !== undefined && plan['Relation Name'] === undefined) return below;
  const found = ['Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Index Recheck'];
  const each = found.reduce((sum, name) => sum + Number(plan[name] ?? 0), 0);
  return each * Number(plan['Actual Loops']);
};

/** How many rows PostgreSQL reads for what is asked. */
async function rowsRead({ db }: Store, ask: (db: Kysely<Database>) => Promise<unknown>): Promise<number> {
  const asked: CompiledQuery[] = [];
  const note = async (query: CompiledQuery) => {
    asked.push(query);
    return { rows: [] };
  };
  await ask(builderOn<Database>('postgres', note));
  let sum = 0;
  for (const { sql, parameters } of asked) {
    const { rows } = await db.executeQuery(CompiledQuery.raw(`explain (analyze, format json) ${sql}`, [...parameters]));
    const [{ 'QUERY PLAN': told }] = rows as [{ 'QUERY PLAN': string | [{ Plan: Plan }] }];
    const [{ Plan: plan }] = typeof told === 'string' ? (JSON.parse(told) as [{ Plan: Plan }]) : told;
    sum += rowsOf(plan);
  }
  return sum;
}

const FIRST_PAGE = { limit: 50, from: undefined };
const NEWEST = { at: Number.MAX_SAFE_INTEGER, accountId: '', id: '' };
/** What is searched for, and how much of it is found at most on a page of 25. */
const SEARCHED = { bread: 25, k2500: 1, 'butter number 7': 25, 'Person 4321': 10, bre: 25, 'nothing like it': 0 };

/** How many rows PostgreSQL reads for each list and search. */
async function readings(store: Store, { account_id, workspace_id }: Whose) {
  // As PostgreSQL does by itself within a minute.
  await store.db.executeQuery(CompiledQuery.raw('analyze'));
  const read: Record<string, number> = {};
  const authority = authorityOver(workspace_id);
  const accounts = [account_id];
  const on = (db: Kysely<Database>) => ({ db, dialect: 'postgres' as const });
  read['messages'] = await rowsRead(store, (db) => listConversations(db, authority, { status: 'active' }, FIRST_PAGE));
  const waiting = { accounts, since: -1, from: NEWEST, limit: 50 };
  read['to answer'] = await rowsRead(store, (db) => listUnanswered(on(db), authority, 'conversation', waiting));
  for (const q of Object.keys(SEARCHED)) {
    const search = { wanted: wantedOf(q)!, kinds: ['messages', 'comments'], accounts } as const;
    read[q] = await rowsRead(store, (db) => findWords(on(db), authority, search, FIRST_PAGE));
  }
  return read;
}

const spread = (times: readonly number[]): string => {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.ceil(sorted.length * share) - 1]!);
  return `median ${at(0.5)} ms, 95 % ${at(0.95)} ms, most ${at(1)} ms`;
};

describe.skipIf(missing !== '')(`an inbox of ${THREADS * IN_EACH} messages${missing}`, () => {
  for (const database of DATABASES)
    it.skipIf(database.missing !== undefined)(
      `is drawn, searched and walked through on ${database.name}`,
      async ({ onTestFinished }) => {
        const settings = await database.open();
        const folder = makeFolder();
        const server = await serve(folder, settings);
        onTestFinished(() => server.stop());
        const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
        onTestFinished(() => browser.close());
        const page = await browser.newPage();
        await page.goto(server.setUpLink());
        await fillSetUp(page);
        await press(page, 'Become the owner');
        const ask = (route: string) => call({ url: server.root }, server.key(), route);
        const [account] = (await ask('GET /v1/accounts')).data as { id: string }[];
        const url = settings['DATABASE_URL'];
        const store = await openStore(url === undefined ? { file: join(folder, 'rostra.db') } : { url });
        onTestFinished(() => store.close());
        const { id: workspace_id } = await store.db.selectFrom('workspaces').select('id').executeTakeFirstOrThrow();
        await fill(store, { account_id: account!.id, workspace_id });

        const inbox = `${server.root}/dashboard/inbox`;
        const newest = `Person ${THREADS - 1}`;
        const views: number[][] = [[], [], []];
        for (let n = 0; n < 5; n += 1) {
          views[0]!.push(await drawn(page, inbox, newest));
          views[1]!.push(await drawn(page, `${inbox}?view=messages`, newest));
          views[2]!.push(await drawn(page, `${inbox}?q=k2500`, 'Do you have bread of kind k2500?'));
        }
        const searches: number[] = [];
        for (const [q, count] of Object.entries(SEARCHED)) {
          const begun = performance.now();
          const found = (await ask(`GET /v1/inbox/search?q=${encodeURIComponent(q)}`)).data as { id: string }[];
          searches.push(performance.now() - begun);
          expect([q, found.length]).toEqual([q, count]);
        }
        if (url !== undefined) {
          const read = await readings(store, { account_id: account!.id, workspace_id });
          expect(Object.entries(read).filter(([, rows]) => rows > MOST_READ)).toEqual([]);
        }

        const requests: URL[] = [];
        page.on('request', (request) => requests.push(new URL(request.url())));
        const listings = () => requests.filter(({ pathname }) => pathname.endsWith('/inbox/conversations'));
        await drawn(page, `${inbox}?view=messages`, newest);
        expect([listings(), requests.length <= MOST_REQUESTS]).toEqual([[], true]);
        await page.bringToFront();
        const steps = await walk(page);
        expect(steps.map(({ shows }) => shows)).toEqual(
          Array.from({ length: STEPS }, (_, n) => `Person ${THREADS - 1 - n}`),
        );
        // Fifty at once, the last of them ahead.
        expect(listings().filter(({ searchParams }) => searchParams.has('cursor')).length).toBeLessThanOrEqual(5);
        const [waits, messages, search] = views.map(spread);
        console.log(`${database.name}: what waits drawn ${waits}; messages drawn ${messages}; found drawn ${search}`);
        console.log(`${database.name}: search ${spread(searches)}; J ${spread(steps.map(({ took }) => took))}`);
      },
      TIMEOUT_MS,
    );
});
