import { SECOND, MINUTE } from '#kernel/clock.ts';
import { describe, expect } from 'vitest';
import { postNow, publish } from '../../harness/calls/rest.ts';
import { it, type World } from '../../harness/world.ts';
import { OLIVIA, standInOf } from './stand-in.ts';

/** A post with a first comment, while LinkedIn takes so long to know a post that can be commented on. */
async function postIn(world: World, activity_ms: number) {
  const linkedin = standInOf(world, 'linkedin', '/oauth/v2/authorization');
  await linkedin.act('settings', { activity_ms: String(activity_ms) });
  const account = await linkedin.connect(OLIVIA);
  await world.settle();
  const { body } = await publish(world, account, { text: 'Fresh bread', first_comment: 'And rolls' });
  const metadata = async () => (await postNow(world, body.id)).results[0].metadata;
  return { linkedin, metadata };
}

describe('a first comment', () => {
  it('waits for LinkedIn to know the post', async ({ world }) => {
    const { linkedin, metadata } = await postIn(world, 45 * SECOND);
    await world.pass(10 * SECOND);
    expect(await metadata()).toMatchObject({ first_comment_status: 'pending' });
    await world.pass(2 * MINUTE);
    expect(await linkedin.look('comments')).toMatchObject([{ text: 'And rolls' }]);
    expect(await metadata()).toMatchObject({ first_comment_status: 'published' });
  });

  it('fails where LinkedIn does not get to know it', async ({ world }) => {
    const { linkedin, metadata } = await postIn(world, 60 * MINUTE);
    for (let waits = 0; waits < 15; waits += 1) await world.pass(MINUTE);
    expect(await metadata()).toMatchObject({ first_comment_status: 'failed' });
    expect(await linkedin.look('comments')).toEqual([]);
  });
});
