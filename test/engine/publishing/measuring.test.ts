import { HOUR, SECOND } from '#kernel/clock.ts';
import { expect, it } from 'vitest';
import { makeOfflineWorld, publish } from '../../harness/worlds/post-stage.ts';

/** More accounts than are measured at once. */
const ACCOUNTS = 220;

it('measures the posts of many accounts one after the other, without long waits in between', async () => {
  const asked = new Set<string>();
  const { world, connect } = await makeOfflineWorld(async (_call, measured) => {
    for (const { id } of measured) asked.add(id);
    return new Map();
  });
  for (let n = 0; n < ACCOUNTS; n += 1) await publish(world, await connect(`t${n}`), `Post ${n}`);
  await world.pass(2 * HOUR);
  await world.pass(10 * SECOND);
  expect(asked.size).toBe(ACCOUNTS);
});
