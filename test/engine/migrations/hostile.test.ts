import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { zernio } from '#engine/migrations/providers/zernio.ts';
import { readSource } from '#engine/migrations/read.ts';
import { serveTest } from '../../harness/sockets.ts';
import { outbound } from '../../harness/worlds/outbound.ts';
import { endlessAnswer, endlessRequest, pour } from './bodies.ts';
import { account, KEY, migrationWorld, send, startedWorld } from './world.ts';

const MIB = 1024 * 1024;

type Play = NonNullable<Awaited<ReturnType<typeof migrationWorld>>['plays']['instead']>;

const json =
  (text: string): Play =>
  (_req, res) =>
    void res.setHeader('content-type', 'application/json').end(text);
const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const odd = (more: object) => JSON.stringify({ accounts: [{ ...account('bluesky'), ...more }] });

/** Every way of a provider to answer that is none. */
const HOSTILE: Readonly<Record<string, Play>> = {
  'a page of HTML': (_req, res) => void res.setHeader('content-type', 'text/html').end('<!doctype html><h1>Down</h1>'),
  'nothing at all': (_req, res) => void res.end(),
  'a list of something else': json('{"accounts":"many"}'),
  'no object': json('null'),
  'an account without an id': json(odd({ _id: '' })),
  'an account whose platform is a number': json(odd({ platform: 7 })),
  'deep nesting': json(`{"accounts":${deep(10_000)}}`),
  'half a JSON': json('{"accounts":['),
  'a body that is too large': (_req, res) => pour(res.setHeader('content-type', 'application/json')),
  'a length that is too large': (_req, res) => void res.writeHead(200, { 'content-length': '99999999999' }).write('{'),
  'a lost connection': (req) => void req.socket.destroy(),
  'a lost connection in the body': (req, res) => {
    res.writeHead(200, { 'content-length': '100' }).write('{"accounts":');
    setImmediate(() => req.socket.destroy());
  },
  'no HTTP': (req) => void req.socket.end('SSH-2.0-OpenSSH_9.9\r\n\r\n'),
  'headers without an end': (req) => void req.socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}`),
  'a payment to be made': (_req, res) => void res.writeHead(402).end('{}'),
  'a status that nobody knows': (_req, res) => void res.writeHead(299).end('{}'),
};

/** A server that nobody may reach. */
async function openInside() {
  const reached: string[] = [];
  const origin = await serveTest(
    createServer((req, res) => {
      reached.push(req.url!);
      res.end('{"accounts":[],"profiles":[]}');
    }),
  );
  return { origin, reached };
}

describe('a hostile provider', () => {
  it.each(Object.entries(HOSTILE))('that answers with %s is unavailable', async (_, play) => {
    const { plays, start } = await migrationWorld();
    plays.instead = play;
    const { status, body } = await start();
    expect([status, body.assessment, body.assessment_error]).toEqual([201, null, 'migration.source_unavailable']);
  });

  it('leads nobody elsewhere', async () => {
    const { world, plays, start } = await migrationWorld();
    const { origin, reached } = await openInside();
    for (const status of [301, 302, 303, 307, 308]) {
      plays.instead = (_req, res) => void res.writeHead(status, { location: `${origin}/v1/accounts` }).end();
      expect((await start()).body.assessment_error).toBe('migration.source_unavailable');
      const answer = await send(world, '/v1/posts', { method: status === 307 ? 'POST' : 'GET' });
      expect([answer.status, answer.headers.get('location')]).toEqual([status, `${origin}/v1/accounts`]);
    }
    expect(reached).toEqual([]);
  });

  it('whose name leads to a private address is not called', async () => {
    const { origin, reached } = await openInside();
    const { port } = new URL(origin);
    const client = outbound({ 'zernio.test': ['127.0.0.1'] });
    for (const host of ['zernio.test', '127.0.0.1', 'localhost'])
      expect(await readSource(client, zernio, { base: `http://${host}:${port}/api`, key: KEY })).toBe(
        'migration.source_unavailable',
      );
    expect(reached).toEqual([]);
  });

  it('that has pages without an end is asked for some of them', async () => {
    const { plays, start, asked } = await migrationWorld();
    let page = 0;
    plays.instead = (_req, res) => {
      page += 1;
      res.end(JSON.stringify({ accounts: [account('bluesky', 'pro-1', { _id: `a${page}` })] }));
    };
    expect((await start()).body.assessment_error).toBe('migration.source_unavailable');
    expect([page, asked]).toEqual([50, []]);
  });

  it('that says the same page again and again is asked twice', async () => {
    const { plays, start } = await migrationWorld();
    let asked = 0;
    const one = account('bluesky');
    plays.instead = (_req, res) => {
      asked += 1;
      res.end(JSON.stringify({ accounts: [one], profiles: [{ _id: 'pro-1', name: 'N'.repeat(9_000) }] }));
    };
    const { assessment } = (await start()).body;
    expect([asked, assessment.servable_accounts, assessment.profiles[0].name.length]).toEqual([4, 1, 200]);
  });

  it('writes nothing odd into what we keep', async () => {
    const { plays, start } = await migrationWorld();
    plays.accounts = [
      account('__proto__', 'constructor', { username: '\0\ud800', profileUrl: {}, metadata: [] }),
      account('x\0y'.repeat(99), 'toString', { _id: 'a' }),
    ];
    const { status, body } = await start();
    expect([status, body.assessment.stays_with_provider.map(({ platform }: { platform: string }) => platform)]).toEqual(
      [201, ['__proto__', 'xy'.repeat(25)]],
    );
  });
});

describe('requests to a hostile provider', () => {
  it('that gives no answer are answered 503, in the format of this server', async () => {
    const { world, plays } = await startedWorld();
    for (const play of [HOSTILE['a lost connection']!, HOSTILE['no HTTP']!, HOSTILE['headers without an end']!]) {
      plays.instead = play;
      const answer = await send(world, '/v1/posts', { method: 'POST', body: '{}' });
      const { error } = (await answer.json()) as { error: { code: string } };
      expect([answer.status, error.code]).toEqual([503, 'http.503']);
    }
  });

  it('end where the answer breaks off, so that nobody takes it for whole', async () => {
    const started = await startedWorld({ surroundings: { forwardedBytes: MIB } });
    started.plays.instead = HOSTILE['a lost connection in the body'];
    await expect(send(started.world, '/v1/posts').then((answer) => answer.text())).rejects.toThrow();
    await endlessAnswer(started, MIB);
  });

  it('hold no more than a few of its bytes while the client reads nothing, and end with the client', async () => {
    const { world, plays } = await startedWorld();
    let written = 0;
    const ended = Promise.withResolvers<void>();
    plays.instead = (_req, res) => pour(res.once('close', ended.resolve), (bytes) => (written += bytes));
    const leaving = new AbortController();
    await send(world, '/v1/posts', { signal: leaving.signal });
    leaving.abort();
    await ended.promise;
    expect(written).toBeLessThan(50_000_000);
  });

  it('that are too large are refused, and reach it as they came until then', async () =>
    endlessRequest(await startedWorld({ surroundings: { forwardedBytes: MIB } }), MIB));

  it('are not more than 50 of one key at once', async () => {
    const { world, plays, get } = await startedWorld();
    const held: Socket[] = [];
    const full = Promise.withResolvers<void>();
    plays.instead = (req) => {
      held.push(req.socket);
      if (held.length === 50) full.resolve();
    };
    const requests = Array.from({ length: 50 }, () => send(world, '/v1/posts'));
    await full.promise;
    const refused = await send(world, '/v1/posts');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    for (const socket of held) socket.destroy();
    expect(new Set((await Promise.all(requests)).map(({ status }) => status))).toEqual(new Set([503]));
    plays.instead = undefined;
    expect((await send(world, '/v1/posts')).status).toBe(200);
    expect((await get()).forwarded_calls).toBe(51);
  });
});
