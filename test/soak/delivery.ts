import { join } from 'node:path';
import { HOUR, systemClock } from '#kernel/clock.ts';
import { openEngine } from '../harness/webhooks/delivery-engine.ts';
import { receiverCertificates } from '../harness/webhooks/receiver.ts';
import { deadUrl, startReceivers, type Receivers } from '../harness/webhooks/receivers.ts';
import { median, range } from '../bench/finding.ts';
import { withFolder } from '../bench/server.ts';

const HEALTHY = 10_000;
const ENDPOINTS = 4;
const BAD = 200;
const SLOW = 50;
const DEADLINE_MS = 500;

const ROUNDS = 3;

type Run = Readonly<{ perSecond: number; lost: number; transactions: number }>;

/**
 * Delivers to healthy endpoints alone, and again while others are dead, slow, broken or resetting; in turn, since the
 * speed of a machine changes. Only what is lost is a failure.
 */
export async function soakDelivery(): Promise<boolean> {
  const ratios: number[] = [];
  let lost = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const alone = await run(false);
    print('healthy endpoints alone', alone);
    const beside = await run(true);
    print('beside the bad ones', beside);
    ratios.push(beside.perSecond / alone.perSecond);
    lost += alone.lost + beside.lost;
  }
  process.stdout.write(`ratio ${median(ratios).toFixed(2)} (${range(ratios)}; aim: at least 0.8)\n`);
  return lost === 0;
}

function print(name: string, { perSecond, lost, transactions }: Run): void {
  const speed = `${perSecond.toFixed(0)}/s in ${transactions} transactions`;
  process.stdout.write(`${HEALTHY} deliveries, ${name}: ${speed}, ${lost} lost\n`);
}

const run = (withBad: boolean) => withFolder((folder) => deliver(folder, withBad));

async function deliver(folder: string, withBad: boolean): Promise<Run> {
  // Another machine in earnest: what bad receivers do must not cost the healthy ones theirs.
  const [receivers, bad] = await Promise.all([startReceivers(), startReceivers()]);
  const healthy = new Set<string>();
  let left = HEALTHY;
  const all = Promise.withResolvers<void>();
  // Everything is made an hour early, so that all of it becomes due at once.
  let aheadMs = 0;
  const now = () => systemClock.now() + aheadMs;
  let transactions = 0;
  const engine = await openEngine({
    worked: () => (transactions += 1),
    place: { file: join(folder, 'rostra.db') },
    clock: { ...systemClock, now: () => now() + HOUR },
    deps: { clock: { ...systemClock, now }, deadlineMs: DEADLINE_MS },
    outbound: { ca: receiverCertificates.ca },
    send: (send) => async (request) => {
      const answer = await send(request);
      if (healthy.has(String(request.url)) && (left -= 1) === 0) all.resolve();
      return answer;
    },
  });
  try {
    for (let index = 0; index < ENDPOINTS; index += 1) {
      const url = `${receivers.url('ok')}?${index}`;
      healthy.add(url);
      await engine.endpoint(url, ['post.published']);
    }
    if (withBad) await addBad(engine, bad);
    await engine.emit(HEALTHY / ENDPOINTS, 'post.published');
    const before = transactions;
    const began = performance.now();
    aheadMs = HOUR;
    engine.delivery.start();
    await all.promise;
    const done = transactions - before;
    const seconds = (performance.now() - began) / 1000;
    const seen = await receivers.seen();
    const arrived = [...healthy].map((url) => seen[new URL(url).pathname + new URL(url).search] ?? 0);
    return {
      perSecond: HEALTHY / seconds,
      transactions: done,
      lost: HEALTHY - arrived.reduce((sum, count) => sum + count),
    };
  } finally {
    await engine.close();
    await Promise.all([receivers.close(), bad.close()]);
  }
}

async function addBad({ endpoint, emit }: Awaited<ReturnType<typeof openEngine>>, receivers: Receivers): Promise<void> {
  await endpoint(await deadUrl(), ['post.failed']);
  await endpoint(receivers.url('flaky'), ['post.failed']);
  await endpoint(receivers.url('reset'), ['post.failed']);
  await endpoint(receivers.url('slow'), ['post.partial']);
  await emit(BAD, 'post.failed');
  await emit(SLOW, 'post.partial');
}
