import { HOUR, SECOND } from '#kernel/clock.ts';
import { expect, it } from 'vitest';
import type { Platform } from '#platforms/platform.ts';
import { byToken } from '../../harness/platforms/fake.ts';
import { makePostNetwork, publishingPlatform } from '../../harness/platforms/publishing.ts';
import { makeWorld } from '../../harness/world.ts';
import { publish } from '../../harness/worlds/post-stage.ts';

/** More accounts than are measured at once. */
const ACCOUNTS = 220;

it('measures the posts of many accounts one after the other, without long waits in between', async () => {
  const asked = new Set<string>();
  const { posts, ...rest } = publishingPlatform(makePostNetwork(), 'linkedin', { offline: true });
  const platform: Platform = {
    ...rest,
    connect: byToken,
    posts: {
      ...posts!,
      metrics: async (_call, measured) => {
        for (const { id } of measured) asked.add(id);
        return new Map();
      },
    },
  };
  const world = await makeWorld({ surroundings: { platforms: new Map([['linkedin', platform]]) } });
  for (let n = 0; n < ACCOUNTS; n += 1) {
    const connected = await world.rest('POST /v1/accounts/connect', {
      platform: 'linkedin',
      metadata: { token: `t${n}` },
    });
    await publish(world, { id: connected.body.account_id }, `Post ${n}`);
  }
  await world.pass(2 * HOUR);
  await world.pass(10 * SECOND);
  expect(asked.size).toBe(ACCOUNTS);
});
