import { expect } from 'vitest';
import { CANARY, SEALED, sealContext, sealedTable, type SealedName } from '#db/schema/sealed.ts';
import { readSetting } from '#db/store/settings.ts';
import { forgetSealed } from '#db/upkeep/forget.ts';
import { makeSealer } from '#kernel/seal.ts';
import { it } from '../harness/world.ts';

const other = makeSealer(['22'.repeat(32)]);

it('after the master key was lost, everything but secrets stays, and another key opens all there is', async ({
  world,
  account,
}) => {
  const { db } = world.product.store;
  const { id: endpoint } = await world.receive(['post.published']);
  const post = { text: 'Hello', account_ids: [account.id], publish_now: true };
  const { body: published } = await world.rest('POST /v1/posts', post);
  await world.rest('POST /v1/accounts/connect', { platform: 'facebook' });
  await world.rest('POST /v1/posts', { text: 'A draft' }, { headers: { 'Idempotency-Key': 'once' } });
  await world.settle();
  await fetch(`${world.root}/.well-known/jwks.json`);
  // A thread has more steps than are looked at in one go.
  const [target] = await db.selectFrom('targets').select('id').execute();
  const kept = { target_id: target!.id, kind: 'invisible', state: 'kept', progress: 'sealed by the lost key' } as const;
  const rest = { result: null, sealed_result: null, sent_at: 0, done_at: null };
  const steps = Array.from({ length: 450 }, (_, n) => ({ ...kept, ...rest, name: `step ${n}` }));
  await world.product.store.write((tx) => tx.db.insertInto('steps').values(steps).execute());

  const forgotten = await forgetSealed(world.product.store, { sealer: other, now: world.clock.now() });
  expect(Object.fromEntries(forgotten)).toMatchObject({ accounts: 1, endpoints: 1, connects: 1, steps: 1 });
  expect(await forgetSealed(world.product.store, { sealer: other, now: world.clock.now() })).toEqual(new Map());

  for (const name of Object.keys(SEALED) as SealedName[]) {
    const { column, key } = SEALED[name];
    const rows = await db
      .selectFrom(sealedTable(name))
      .select([`${key} as id`, `${column} as sealed`])
      .where(column as never, 'is not', null)
      .$castTo<{ id: string; sealed: string }>()
      .execute();
    for (const { id, sealed } of rows) expect(() => other.open(sealed, sealContext(name, id))).not.toThrow();
  }
  expect(other.open((await readSetting(db, CANARY.name))!, CANARY.context)).toBe(CANARY.name);

  const accounts = (await world.rest('GET /v1/accounts')).body.data;
  expect(accounts).toMatchObject([
    { id: account.id, status: 'reconnect_required', reconnect_reason: expect.stringContaining('master key') },
  ]);
  expect((await world.rest(`GET /v1/webhooks/${endpoint}`)).body).toMatchObject({ is_active: false });
  expect((await world.rest(`GET /v1/posts/${published.id}`)).body).toMatchObject({
    text: 'Hello',
    status: 'published',
  });
});
