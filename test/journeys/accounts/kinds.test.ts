import { describe, expect, it } from 'vitest';
import { kindsOf } from '#platforms/lookup.ts';
import { withKinds } from '#platforms/shared/kinds.ts';
import { supportedBy, supportOf } from '#platforms/support.ts';
import { byToken } from '../../harness/platforms/fake.ts';
import { makePostNetwork, publishingPlatform } from '../../harness/platforms/publishing.ts';
import { makeWorld, type World } from '../../harness/world.ts';

const SLUG = 'pinterest';

/** A platform with two kinds of account: the second one takes longer texts, has limits, and keeps no metrics. */
function twoKinds() {
  const net = makePostNetwork();
  const first = publishingPlatform(net, SLUG, { offline: true });
  const { metrics: _without, ...posts } = first.posts!;
  const rules = { ...posts.rules, text: { max_length: 200, counting_mode: 'graphemes' } } as const;
  const platform = withKinds(
    { ...first, connect: byToken },
    { business: { posts: { ...posts, rules }, limits: async () => ({ posts_remaining: 7 }) } },
  );
  return { net, platform };
}

async function kindsWorld() {
  const { net, platform } = twoKinds();
  const world = await makeWorld({ surroundings: { platforms: new Map([[SLUG, platform]]) } });
  return { world, net, first: await connect(world, 'one'), second: await connect(world, 'two', 'business') };
}

async function connect(world: World, token: string, kind?: string): Promise<string> {
  const { status, body } = await world.rest('POST /v1/accounts/connect', { platform: SLUG, metadata: { token, kind } });
  expect([status, body]).toMatchObject([201, {}]);
  return body.account_id;
}

const LONG = 'x'.repeat(150);

describe('accounts of several kinds under one platform', () => {
  it('have the members of their kind, and those of the first one where it has none of its own', async () => {
    const { world, first, second } = await kindsWorld();
    expect((await world.rest(`GET /v1/accounts/${second}/limits`)).body).toMatchObject({ posts_remaining: 7 });
    expect((await world.rest(`GET /v1/accounts/${first}/limits`)).status).toBe(501);
    const accounts = (await world.rest('GET /v1/accounts')).body.data as { platform: string }[];
    expect(accounts.map(({ platform }) => platform)).toEqual([SLUG, SLUG]);
  });

  it('publish by the rules of their kind', async () => {
    const { world, net, first, second } = await kindsWorld();
    const post = (account: string) =>
      world.rest('POST /v1/posts', { text: LONG, targets: [{ account_id: account }], publish_now: true });
    expect((await post(first)).body.error).toMatchObject({ code: 'validation.field_invalid' });
    expect(await post(second)).toMatchObject({ status: 201, body: { status: 'published' } });
    expect(net.texts()).toEqual([LONG]);
  });

  it('keep no metrics where their kind has none, and are taken down by their own', async () => {
    const { world, net, first, second } = await kindsWorld();
    const { body: post } = await world.rest('POST /v1/posts', {
      text: 'Both.',
      targets: [{ account_id: first }, { account_id: second }],
      publish_now: true,
    });
    const { body } = await world.rest(`GET /v1/posts/${post.id}/metrics`);
    const byAccount = new Map(
      body.data.targets.map((one: { account_id: string; error_code: unknown }) => [one.account_id, one.error_code]),
    );
    expect(byAccount).toEqual(
      new Map([
        [first, null],
        [second, 'resource.not_supported'],
      ]),
    );
    expect((await world.rest(`POST /v1/posts/${post.id}/unpublish`)).status).toBe(200);
    expect(net.texts()).toEqual([]);
  });

  it('are checked by the first kind as long as the account is not known', async () => {
    const { world, second } = await kindsWorld();
    const check = async (ask: object) =>
      (await world.rest('POST /v1/posts/validate', { text: LONG, ...ask })).body.valid as boolean;
    expect(await check({ platforms: [SLUG] })).toBe(false);
    expect(await check({ account_ids: [second] })).toBe(true);
  });

  it('are listed in the constraints of their platform', async () => {
    const { world } = await kindsWorld();
    const { data } = (await world.rest(`GET /v1/posts/validate?platform=${SLUG}`)).body;
    expect([data[SLUG].text.max_length, data[SLUG].kinds.business.text.max_length]).toEqual([100, 200]);
  });

  it('are told to assistants by what they have of their own', async () => {
    const { world, first, second } = await kindsWorld();
    const ask = { platforms: [SLUG], account_ids: [first, second] };
    const { data, accounts } = (await world.mcp('get_constraints', ask)).body;
    const text = { max_length: 200, photo_max_length: 200, video_max_length: 200 };
    expect(data[SLUG]).toMatchObject({ text: { max_length: 100 } });
    expect(data[SLUG].kinds).toEqual({ business: { text } });
    expect(accounts).toEqual({ [first]: { platform: SLUG }, [second]: { platform: SLUG, kind: 'business' } });
  });

  it('change their kind when the login that comes back is of another one', async () => {
    const { world, first } = await kindsWorld();
    await connect(world, 'one', 'business');
    expect((await world.rest(`GET /v1/accounts/${first}/limits`)).status).toBe(200);
  });

  it('of a kind that this version does not know answer 501', async () => {
    const { world } = await kindsWorld();
    const odd = await connect(world, 'odd', 'unheard');
    const { body } = await world.rest(`GET /v1/accounts/${odd}/limits`);
    expect(body.error).toMatchObject({ code: 'resource.not_supported' });
  });
});

it('knows the support of each kind', () => {
  const { platform } = twoKinds();
  const support = new Map(kindsOf(platform).map(([name, kind]) => [name, supportOf(kind)]));
  expect([...support.keys()]).toEqual([SLUG, `${SLUG}:business`]);
  expect(support.get(SLUG)).toMatchObject({ 'post metrics': true, 'remaining limits': false });
  expect(support.get(`${SLUG}:business`)).toMatchObject({ 'post metrics': false, 'remaining limits': true });
  expect(supportedBy([platform])).toContain('remaining limits');
});
