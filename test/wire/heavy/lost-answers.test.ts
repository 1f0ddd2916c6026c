import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { platforms } from '#platforms/index.ts';
import { requestOf, toolOf } from '../../harness/calls/operations.ts';
import { makeBusiness } from '../../harness/platforms/business.ts';
import { tablesOf } from '../../harness/stores/images.ts';
import { lossy } from '../../harness/stores/lossy.ts';
import { describeStores, type Stores } from '../../harness/stores/stores.ts';
import type { Answer } from '../../harness/world.ts';
import { consentPlatform, profileOf, type Script } from '../../harness/worlds/consent.ts';
import { makeStage } from '../../harness/worlds/social.ts';
import { ASKS, prepare, type Scene } from '../../journeys/repeats/asks.ts';

/** How long after the first request each repeat comes. */
const REPEATS_MS = [1_000, 90_000, 600_000];

/** A server that loses every answer, with something to ask of every operation. */
async function openLossy(stores: Stores) {
  const { surroundings, heal } = lossy(await stores.open());
  const script: Script = { profiles: [], finished: [], revoked: [] };
  const stage = await makeStage(surroundings, (net) => [
    platforms.get('bluesky')!,
    consentPlatform('youtube', script),
    makeBusiness(net).platform,
  ]);
  return { scene: await prepare(stage, script, profileOf), heal };
}

/** Everything that there is: rows by table, what was charged, and what people see. */
async function everything({ world, net }: Scene): Promise<object> {
  await world.settle();
  const { store, sandbox } = world.product;
  const rows: Record<string, unknown> = {};
  for (const name of await tablesOf()) {
    const found = await sql<{ n: number }>`select count(*) as n from ${sql.table(name)}`.execute(store.db);
    rows[name] = found.rows[0]!.n;
  }
  // Every repeat has a row of its own in the audit: as one, or as another run of what is the same however often it runs.
  const done = await store.db.selectFrom('audit').select('tool').where('verdict', '!=', 'repeat').execute();
  rows['audit'] = done.filter(({ tool }) => toolOf(tool).resume !== undefined).length;
  const [alice] = sandbox!.people();
  const posts = sandbox!.posts('bluesky', alice!.handle).map(({ text, versions }) => [text, versions.length]);
  const { body: usage } = await world.rest('GET /v1/usage');
  return { rows, usage, seen: net.seen, posts };
}

describeStores('the answer of every POST that was lost', (stores) => {
  it('is answered to every repeat, soon or late, and nothing happens twice', async () => {
    const { scene, heal } = await openLossy(stores);
    const { world, dashboard } = scene;
    const asked: { name: string; send: () => Promise<Answer>; first: Answer }[] = [];
    for (const [name, ways] of Object.entries(ASKS)) {
      for (const [way, prepareAsk] of ways.entries()) {
        const ask = await prepareAsk(scene);
        const send = () => {
          const { route, body } = requestOf(toolOf(name), ask.input);
          const headers = { 'Idempotency-Key': `${name}-${way}` };
          return world.rest(route, body, { headers, ...(ask.dashboard && { key: dashboard }) });
        };
        const first = await send();
        expect([name, first.status < 300, first.body.error ?? undefined]).toEqual([name, true, undefined]);
        asked.push({ name, send, first });
      }
    }
    await world.settle();
    const before = await everything(scene);
    const began = world.clock.now();
    for (const later of REPEATS_MS) {
      await world.pass(began + later - world.clock.now());
      for (const { name, send, first } of asked) {
        const again = await send();
        expect([name, later, again.status, again.body]).toEqual([name, later, first.status, first.body]);
        const settled = toolOf(name).resume === undefined ? null : 'true';
        expect([name, again.headers.get('idempotency-replayed')]).toEqual([name, settled]);
      }
    }
    heal();
    for (const { name, send, first } of asked) {
      await send();
      const kept = await send();
      expect([name, kept.body, kept.headers.get('idempotency-replayed')]).toEqual([name, first.body, 'true']);
    }
    expect(await everything(scene)).toEqual(before);
  });
});
