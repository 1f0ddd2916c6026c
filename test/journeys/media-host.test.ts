import { createServer } from 'node:http';
import { expect } from 'vitest';
import { png } from '../harness/media-samples.ts';
import { postNow, publish } from '../harness/calls/rest.ts';
import { it, type World } from '../harness/world.ts';
import { serveTest } from '../harness/sockets.ts';

type Turn = Readonly<{ status: number; headers?: Readonly<Record<string, string>> }>;

/** A host that answers like this, one time after the other, and then with a picture. */
async function startHost(turns: readonly Turn[]) {
  const left = [...turns];
  let asked = 0;
  const server = createServer((_, res) => {
    asked += 1;
    const turn = left.shift();
    if (turn) res.writeHead(turn.status, turn.headers).end('not now');
    else res.writeHead(200, { 'Content-Type': 'image/png' }).end(png());
  });
  return { url: `${await serveTest(server)}/picture.png`, asked: () => asked };
}

async function show(world: World, account: { id: string }, url: string, text = 'Look') {
  const media = [{ source: url, source_type: 'url' }];
  const { body } = await publish(world, account.id, { text, media });
  return { id: body.id as string, status: body.status as string };
}

const statusOf = async (world: World, id: string) => (await postNow(world, id)).status as string;

it('publishes a picture whose host was out of order for a moment', async ({ world, account }) => {
  const host = await startHost([{ status: 503 }, { status: 500 }]);
  const { id, status } = await show(world, account, host.url);
  // Asked again at once, then after five seconds.
  expect([status, host.asked()]).toEqual(['publishing', 2]);
  await world.pass(5_000);
  expect([await statusOf(world, id), host.asked()]).toEqual(['published', 3]);
});

it.for([
  ['429 without a word', { status: 429 }, 60_000],
  ['429', { status: 429, headers: { 'Retry-After': '20' } }, 20_000],
  ['503', { status: 503, headers: { 'Retry-After': '20' } }, 20_000],
] as const)('waits as long as the host of a picture asks for with %s', async ([, turn, ms], { world, account }) => {
  const host = await startHost([turn]);
  const { id, status } = await show(world, account, host.url);
  await world.pass(ms - 1);
  expect([status, await statusOf(world, id), host.asked()]).toEqual(['publishing', 'publishing', 1]);
  await world.pass(1);
  expect([await statusOf(world, id), host.asked()]).toEqual(['published', 2]);
});

it('gives up a picture that is not there at once, and one whose host never recovers in the end', async ({ world }) => {
  const account = await world.connect();
  const gone = await startHost([{ status: 404 }]);
  const first = await show(world, account, gone.url);
  expect([first.status, gone.asked()]).toEqual(['failed', 1]);

  const broken = await startHost(Array.from({ length: 20 }, () => ({ status: 500 })));
  const { id } = await show(world, account, broken.url, 'Look again');
  for (const wait of [5_000, 30_000, 120_000, 600_000]) await world.pass(wait);
  const error = { code: 'publishing.delivery.interrupted', message: expect.stringContaining('status 500') };
  expect(await postNow(world, id)).toMatchObject({ status: 'failed', results: [{ error }] });
});
