import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFolder } from '../harness/folders.ts';
import { listen, stop } from '../harness/sockets.ts';
import { residentMb } from './crash/videos.ts';
import { connectBluesky, openProcesses, until, type Json, type Processes, type Seat } from '../harness/processes.ts';

const POSTS = 10_000;
const KILLS = 6;

let world: Processes;
let many: Awaited<ReturnType<typeof openMany>>;
let seat: Seat;
let account: string;
beforeAll(async () => {
  world = await openProcesses();
  many = await openMany(world.twins);
  seat = world.seat('server', { SANDBOX_URL: many.url });
  await seat.start();
  const [person] = await world.control('people?network=bluesky');
  account = await connectBluesky(world, seat, person.id);
  const post = { text: 'The first one', account_ids: [account], publish_now: true };
  expect((await seat.rest('POST', '/v1/posts', post)).body.status).toBe('published');
});
afterAll(async () => {
  many?.close();
  await world?.close();
});

/**
 * Passes everything on to the simulators, and has the one post of a person be many: 10,000 would take them minutes to
 * publish.
 */
async function openMany(twins: string): Promise<Readonly<{ url: string; close(): void }>> {
  const server = createServer((req, res) => {
    void (async () => {
      const body = await buffer(req);
      const { host: _host, connection: _connection, ...headers } = req.headers as Record<string, string>;
      const init = body.byteLength > 0 ? { method: req.method!, headers, body } : { method: req.method!, headers };
      const path = req.url!.replace(/^\/sandbox/, '').replace(/&cursor=\d+/, '');
      const answer = await fetch(twins + path, { ...init, redirect: 'manual' });
      // What the simulators say about themselves leads back here.
      const said = (await answer.text()).replaceAll(twins, url);
      const sent = req.url!.includes('getAuthorFeed') ? manyOf(said, new URL(req.url!, url).searchParams) : said;
      res.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' }).end(sent);
    })();
  });
  const url = `http://127.0.0.1:${await listen(server)}/sandbox`;
  return { url, close: () => void stop(server) };
}

/** How many posts the person has. */
let posts = POSTS;

/** A page of the feed of somebody who published the same post again and again, an hour apart. */
function manyOf(said: string, query: URLSearchParams): string {
  const [one] = JSON.parse(said).feed;
  if (one === undefined) return said;
  const from = Number(query.get('cursor') ?? 0);
  const to = Math.min(posts, from + Number(query.get('limit') ?? 50));
  const feed = Array.from({ length: to - from }, (_, at) => {
    const n = from + at;
    const createdAt = new Date(Date.parse(one.post.record.createdAt) - n * 3_600_000).toISOString();
    const record = { ...one.post.record, text: `Post ${n} of many, to be counted`, createdAt };
    return { post: { ...one.post, uri: `${one.post.uri}${n}`, record, indexedAt: createdAt, likeCount: n % 7 } };
  });
  return JSON.stringify({ feed, ...(to < posts && { cursor: String(to) }) });
}

async function start(): Promise<string> {
  const { status, body } = await seat.rest('POST', `/v1/accounts/${account}/export`);
  if (status !== 202) throw new Error(JSON.stringify(body));
  return body.id;
}

/** The export, once it has come to its end. */
const finished = (id: string, look: () => void = () => {}): Promise<Json> =>
  until(async () => {
    look();
    const { body } = await seat.rest('GET', `/v1/exports/${id}`);
    return body.status === 'completed' || body.status === 'failed' ? body : undefined;
  }, 100);

async function fileOf(url: string): Promise<Uint8Array> {
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  return new Uint8Array(await answer.arrayBuffer());
}

const office = ['soffice', 'libreoffice'].find((name) => spawnSync(name, ['--version']).status === 0);

describe(`an export of ${POSTS} posts`, () => {
  let done: Json;

  it('takes less than 60 MB more resident memory than one of 500', async () => {
    let most = 0;
    const looking = setInterval(() => (most = Math.max(most, residentMb(seat.pid()))), 50);
    const whole = async (count: number) => {
      posts = count;
      done = await finished(await start());
      expect(done).toMatchObject({ status: 'completed', total_videos: count, warnings: [] });
      const [sheet, report] = await Promise.all([fileOf(done.result.excel_url), fileOf(done.result.report_url)]);
      expect(Buffer.from(report).toString()).toContain(count.toLocaleString('en'));
      return sheet.byteLength;
    };
    for (let n = 0; n < 4; n += 1) await whole(POSTS / 20);
    const before = most;
    expect(await whole(POSTS)).toBeGreaterThan(100_000);
    clearInterval(looking);
    process.stdout.write(`${POSTS} posts: ${before.toFixed(0)} MB resident before, ${most.toFixed(0)} MB at most\n`);
    expect(most - before).toBeLessThan(60);
  });

  it('is whole after the server was killed again and again', async () => {
    const id = await start();
    for (let n = 1; n <= KILLS; n += 1) {
      await until(async () => {
        const { body } = await seat.rest('GET', `/v1/exports/${id}`);
        return body.total_videos >= n * 1000 || body.status === 'completed' || undefined;
      });
      await seat.kill();
      // What the killed process had claimed is free again when its lease has ended.
      seat.pass(6 * 60_000);
      await seat.start();
    }
    expect(await finished(id)).toMatchObject({ status: 'completed', total_videos: POSTS });
    const ids = new Set<string>();
    for (let cursor = ''; ;) {
      const { body } = await seat.rest('GET', `/v1/exports/${id}/videos?limit=100&cursor=${cursor}`);
      for (const { platform_video_id } of body.videos) ids.add(platform_video_id);
      cursor = body.next_cursor;
      if (cursor === '') break;
    }
    expect(ids.size).toBe(POSTS);
  });

  it.skipIf(office === undefined)(
    'is a spreadsheet that LibreOffice reads [skipped where it is not installed]',
    async () => {
      const folder = makeFolder();
      const file = join(folder, 'posts.xlsx');
      writeFileSync(file, await fileOf((await seat.rest('GET', `/v1/exports/${done.id}`)).body.result.excel_url));
      const own = [`-env:UserInstallation=file://${folder}/profile`, '--headless', '--outdir', folder];
      const convert = (to: string) => execFileSync(office!, [...own, '--convert-to', to, file]);
      convert('csv');
      const rows = readFileSync(join(folder, 'posts.csv'), 'utf8').trim().split('\n');
      expect(rows).toHaveLength(POSTS + 1);
      expect(rows[1]).toContain('Post 0 of many');
      convert('pdf');
      expect(readFileSync(join(folder, 'posts.pdf'), 'latin1')).toMatch(/^%PDF-/);
    },
  );
});
