import { HOUR } from '#kernel/clock.ts';
import { expect } from 'vitest';
import { facebookOf } from '../../harness/platforms/facebook.ts';
import { it, makeWorld, type Json, type World } from '../../harness/world.ts';
import { call } from '../../harness/calls/operations.ts';
import { from, make, whileWriting } from '../../harness/worlds/post-stage.ts';

const THROTTLED = { method: 'POST page/feed', when: 'before', status: 400, code: 32 };
const WAIT_MS = 60_000;

/** A facebook account that the platform throttles once, and when it is asked again. */
async function throttledWorld() {
  const world = await makeWorld();
  const facebook = facebookOf(world);
  const account = await facebook.connect();
  await facebook.act('order', THROTTLED);
  return { world, account, again: new Date(world.clock.now() + WAIT_MS).toISOString() };
}

const messageOf = async (world: World, post_id: string): Promise<string> => {
  const { body } = await call(world, 'retry_post', { post_id });
  return body.error.message;
};

it('a throttled post says when the next attempt is', async () => {
  const { world, account, again } = await throttledWorld();
  const { body: made } = await call(world, 'create_post', { text: 'Later', account_ids: [account.id] });
  const { body } = await call(world, 'publish_post', { post_id: made.id });
  expect(body.results[0]).toMatchObject({
    status: 'publishing',
    error: {
      code: 'platform.facebook.rate_limit',
      message: expect.stringMatching(new RegExp(`^The platform .* Next attempt at ${again}\\.$`)),
      next_attempt_at: again,
    },
  });
  const read = await call(world, 'get_post', { post_id: made.id });
  expect(read.body.results[0].error).toEqual(body.results[0].error);
  const { components }: Json = await (await fetch(`${world.root}/openapi.json`)).json();
  expect(components.schemas.TargetError.properties).toHaveProperty('next_attempt_at');
  expect(await messageOf(world, made.id)).toBe(
    `1 target is still publishing; next attempt at ${again}. Wait for the outcome: get_post shows it.`,
  );
  await world.pass(WAIT_MS);
  const { body: done } = await call(world, 'get_post', { post_id: made.id });
  expect([done.status, done.results[0].error]).toEqual(['published', null]);
});

it('a retry says what is waiting where there is nothing to retry', async ({ world, account }) => {
  const scheduled_at = from(world, HOUR);
  const draft = await make(world, { text: 'a', account_ids: [] });
  expect(await messageOf(world, draft.id)).toBe('This post is a draft. Publish it with publish_post.');
  const scheduled = await make(world, { text: 'a', account_ids: [account.id], scheduled_at });
  expect(await messageOf(world, scheduled.id)).toBe(
    `This post is scheduled for ${new Date(scheduled_at).toISOString()}. Wait until then, or publish it now with publish_post.`,
  );
  const slow = await make(world, { text: 'b', account_ids: [account.id] });
  const { work } = await whileWriting(world, () => call(world, 'publish_post', { post_id: slow.id }));
  expect(await messageOf(world, slow.id)).toBe(
    '1 target is still publishing. Wait for the outcome: get_post shows it.',
  );
  world.clock.move(20_000);
  await work;
  await world.pass(120_000);
});

it('a post without targets says both ways to name them', async ({ world }) => {
  const refused = await call(world, 'create_post', { text: 'a', publish_now: true });
  expect([refused.code, refused.meta]).toEqual(['validation.field_required', { field: 'targets' }]);
  expect(refused.body.error.message).toMatch(/^targets is required .*targets or account_ids.*list_accounts/);
  const key = await world.newKey({ brand_ids: [world.brandId] });
  const limited = await call(world, 'create_post', { text: 'a' }, { key });
  expect(limited.body.error.message).toMatch(/^targets is required .*targets or account_ids.*list_accounts/);
});
