import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { connectBluesky, openProcesses, type Json } from '../../harness/processes.ts';
import { alertsOf, scrape, type Scrape } from '../../harness/operating/prometheus.ts';
import { fill, mountSmallDisk } from '../../harness/operating/small-disk.ts';
import { freePort } from '../../harness/sockets.ts';
import { pathOf } from './programs.mjs';

const PROMTOOL = pathOf('promtool');
/** What an operator is told within. */
const MINUTE = { timeout: 60_000, interval: 500 };

const valueOf = (rows: Scrape, row: string) => Number(rows.get(row) ?? 0);

it('a dead receiver, a throttling platform, a revoked account and a full disk show within a minute', async () => {
  const processes = await openProcesses();
  onTestFinished(processes.close);
  const seat = processes.seat('storm', { LOG_LEVEL: 'warn' });
  const hasDisk = mountSmallDisk(seat.folder);
  // What the seat keeps there lies below the disk that is mounted now.
  seat.pass(0);
  await seat.start();
  const warned = () =>
    seat
      .printed()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const publish = (account: string, text: string) =>
    seat.rest('POST', '/v1/posts', { text, account_ids: [account], publish_now: true });

  const people = ((await processes.control('people')) as Json[]).filter(({ network }) => network === 'bluesky');
  const [first, second] = people.map(({ id }) => id as string) as [string, string];
  const alice = await connectBluesky(processes, seat, first);
  const bob = await connectBluesky(processes, seat, second);
  const dead = `https://localhost:${await freePort()}/`;
  const hook = await seat.rest('POST', '/v1/webhooks', { url: dead, events: ['post.failed'] });
  expect(hook.status).toBe(201);
  const before = await scrape(seat.root());
  const quiet = PROMTOOL === undefined ? [] : alertsOf(PROMTOOL, before, before);
  expect(quiet.filter((alert) => alert !== 'RostraDiskNearlyFull')).toEqual([]);

  await processes.control('faults', { network: 'bluesky', person: first, kind: 'throttled', times: 1000 });
  await processes.control('faults', { network: 'bluesky', person: second, kind: 'revoked' });
  // This request is answered late, as the platform goes on throttling.
  const throttled = publish(alice, 'Throttled');
  await publish(bob, 'Revoked');

  const rows = {
    'rostra_webhook_endpoints{state="failing"}': 'a webhook endpoint is failing',
    'rostra_platform_calls_total{platform="bluesky",outcome="throttled"}': 'the platform throttles',
    'rostra_accounts{platform="bluesky",state="reconnect_required"}': 'an account must be connected again',
    'rostra_post_targets_total{platform="bluesky",outcome="failed"}': 'a post failed',
  };
  for (const [row, line] of Object.entries(rows)) {
    await expect.poll(async () => valueOf(await scrape(seat.root()), row), MINUTE).toBeGreaterThan(0);
    await expect.poll(() => warned().map(({ msg }) => msg), MINUTE).toContain(line);
  }
  const during = await scrape(seat.root());
  if (PROMTOOL !== undefined)
    expect(alertsOf(PROMTOOL, before, during)).toEqual(
      expect.arrayContaining([
        'RostraReceiverFailing',
        'RostraPlatformThrottles',
        'RostraAccountDisconnected',
        'RostraPostFailed',
      ]),
    );
  await throttled;

  if (!hasDisk) return;
  fill(join(seat.folder, 'ballast'));
  await expect
    .poll(async () => {
      await seat.rest('POST', '/v1/posts', { text: 'x'.repeat(60_000) });
      return valueOf(await scrape(seat.root()), 'rostra_ready');
    }, MINUTE)
    .toBe(0);
  await expect
    .poll(() => warned().map(({ msg }) => String(msg)), MINUTE)
    .toContainEqual(expect.stringMatching(/^the store is unavailable/));
  if (PROMTOOL !== undefined)
    expect(alertsOf(PROMTOOL, before, await scrape(seat.root()))).toEqual(
      expect.arrayContaining(['RostraNotReady', 'RostraDiskNearlyFull']),
    );
});
