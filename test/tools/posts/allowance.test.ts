import { HOUR, DAY } from '#kernel/clock.ts';
import { describe, expect } from 'vitest';
import { it, makeWorld, type World } from '../../harness/world.ts';
import { upset } from '../../harness/platforms/bluesky-people.ts';
import { onFreePlan } from '../../harness/calls/operations.ts';
import { postNow, publish as publishOn } from '../../harness/calls/rest.ts';
import { from, make, publish, reconnect } from '../../harness/worlds/post-stage.ts';

/** The headers of metered operations: docs/contract/plans.md#headers. */
const HEADERS = [
  'x-posts-limit',
  'x-posts-remaining',
  'x-interactions-limit',
  'x-interactions-remaining',
  'x-storage-used',
  'x-storage-limit',
] as const;

const headersOf = ({ headers }: { headers: Headers }) => HEADERS.map((name) => headers.get(name));
const withLeft = (posts: number) => ['10', String(posts), '50', '50', '0', '104857600'];
const NONE = HEADERS.map(() => null);

async function onFree() {
  const world = await makeWorld();
  await onFreePlan(world);
  return { world, account: await world.connect(0, world.brandId) };
}

/** Uses the whole allowance up, but for so many. */
async function useUp(world: World, account: { id: string }, left = 0): Promise<void> {
  for (let n = 10; n > left; n -= 1)
    await make(world, { text: `Post ${n}`, account_ids: [account.id], scheduled_at: from(world, HOUR) });
}

describe('the allowance of the Free plan', () => {
  it('is reported by create_post, drafts being free', async () => {
    const { world, account } = await onFree();
    const input = { text: 'a', account_ids: [account.id] };
    expect(headersOf(await world.rest('POST /v1/posts', input))).toEqual(withLeft(10));
    expect(headersOf(await world.rest('POST /v1/posts', { ...input, publish_now: true }))).toEqual(withLeft(9));
    const scheduled = { text: 'b', account_ids: [account.id], scheduled_at: from(world, HOUR) };
    expect(headersOf(await world.rest('POST /v1/posts', scheduled))).toEqual(withLeft(8));
  });

  it('is reported by update_post, publish_post and retry_post', async () => {
    const { world, account } = await onFree();
    const draft = async (text: string) => (await make(world, { text, account_ids: [account.id] })).id as string;
    const [one, two] = [await draft('One'), await draft('Two')];
    const scheduled_at = from(world, HOUR);
    expect(headersOf(await world.rest(`PATCH /v1/posts/${one}`, { text: 'Eins' }))).toEqual(withLeft(10));
    expect(headersOf(await world.rest(`PATCH /v1/posts/${one}`, { scheduled_at }))).toEqual(withLeft(9));
    expect(headersOf(await world.rest(`PATCH /v1/posts/${one}`, { scheduled_at: null }))).toEqual(withLeft(10));
    expect(headersOf(await world.rest(`POST /v1/posts/${one}/publish`))).toEqual(withLeft(9));
    upset(world, 'revoked');
    const failed = await world.rest(`POST /v1/posts/${two}/publish`);
    expect([failed.status, headersOf(failed)]).toEqual([422, withLeft(8)]);
    await reconnect(world, account);
    const retried = await world.rest(`POST /v1/posts/${two}/retry`);
    expect([retried.status, headersOf(retried)]).toEqual([200, withLeft(7)]);
  });

  it('is answered with refusals that come after the input was read, and by metered operations alone', async () => {
    const { world, account } = await onFree();
    const { id } = await publish(world, account, 'a');
    for (const [call, body, status] of [
      ['POST /v1/posts', { text: 'a', account_ids: ['acc_none'] }, 404],
      [`POST /v1/posts/${id}/publish`, undefined, 409],
      [`POST /v1/posts/${id}/retry`, undefined, 409],
      [`PATCH /v1/posts/${id}`, { text: 'b' }, 409],
    ] as const) {
      const answer = await world.rest(call, body);
      expect([call, answer.status, headersOf(answer)]).toEqual([call, status, withLeft(9)]);
    }
    for (const call of [`GET /v1/posts/${id}`, 'GET /v1/posts', `DELETE /v1/posts/${id}`] as const)
      expect([call, headersOf(await world.rest(call))]).toEqual([call, NONE]);
  });

  it('is no matter on a paid plan', async ({ world, account }) => {
    const publishing = (text: string) => publishOn(world, account.id, { text });
    expect(headersOf(await publishing('a'))).toEqual(NONE);
    await useUp(world, account);
    expect((await publishing('b')).status).toBe(201);
  });

  it('that is used up refuses all that costs, through both doors, and says until when', async () => {
    const { world, account } = await onFree();
    const scheduled_at = from(world, HOUR);
    const draft = await make(world, { text: 'Draft', account_ids: [account.id] });
    upset(world, 'revoked');
    const failed = await publish(world, account, 'Failed');
    await reconnect(world, account);
    await useUp(world, account, 1);
    world.clock.move(1000);
    const fresh = { text: 'New', account_ids: [account.id] };
    const costs: readonly (readonly [name: string, `${string} /${string}`, Record<string, unknown>])[] = [
      ['create_post', 'POST /v1/posts', { ...fresh, publish_now: true }],
      ['create_post', 'POST /v1/posts', { ...fresh, scheduled_at }],
      ['update_post', `PATCH /v1/posts/${draft.id}`, { scheduled_at }],
      ['publish_post', `POST /v1/posts/${draft.id}/publish`, {}],
      ['retry_post', `POST /v1/posts/${failed.id}/retry`, {}],
    ];
    for (const [name, route, body] of costs) {
      const { status, headers, body: told } = await world.rest(route, body);
      const meta = expect.objectContaining({ plan: 'free', max: 10 });
      const error = { code: 'validation.post_limit_exhausted', message: expect.any(String), meta };
      expect([route, status, told.error]).toEqual([route, 429, error]);
      expect(headers.get('retry-after')).toEqual(String((30 * DAY) / 1000 - 1));
      expect(headersOf({ headers })).toEqual(withLeft(0));
      const post_id = name === 'retry_post' ? failed.id : draft.id;
      const input = name === 'create_post' ? body : { post_id, ...body };
      const { isError, body: assistant } = await world.mcp(name, input);
      expect([isError, assistant.error.code]).toEqual([true, 'validation.post_limit_exhausted']);
    }
    expect((await world.rest('POST /v1/posts', fresh)).status).toBe(201);
    expect((await postNow(world, draft.id)).status).toBe('draft');
    expect(await postNow(world, failed.id)).toMatchObject({ status: 'failed', retry_count: 0 });
  });
});
