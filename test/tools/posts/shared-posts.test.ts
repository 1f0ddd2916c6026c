import { HOUR } from '#kernel/clock.ts';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { AnyTool } from '#call/tool.ts';
import { isListed } from '#serve/mcp/catalogue.ts';
import { makeWorld, type World, type Json } from '../../harness/world.ts';
import { call, callThrough, DOORS, expectRefusal, type Reply, TOOLS } from '../../harness/calls/operations.ts';
import { from, make, setFault } from '../../harness/worlds/post-stage.ts';

const it = test.extend('scene', () => makeScene());

const PICTURE = 'https://example.org/only-of-bob.png';
const WORDS = 'Only bob says this';

/** Posts of alice and bob, whose brands differ, in every state, and a key of alice's brand. */
async function makeScene() {
  const world = await makeWorld();
  const [alice, bob] = [await world.connect(0), await world.connect(1)];
  const media = [{ source: PICTURE, source_type: 'url' }];
  const shared = (text: string, input: object, own: object = {}) => {
    const theirs = { account_id: bob.id, text: `${WORDS}: ${text}`, ...own };
    return make(world, { text, targets: [{ account_id: alice.id }, theirs], ...input });
  };
  const published = await shared('Published', { publish_now: true });
  const draft = await shared('Draft', {}, { media });
  const scheduled = await shared('Scheduled', { scheduled_at: from(world, HOUR) });
  setFault(world, 'revoked');
  const partial = await shared('Partial', { publish_now: true });
  await world.connect(0, alice.brand_id);
  const key = await world.newKey({ brand_ids: [alice.brand_id] });
  return { world, key, alice, bob, posts: { published, draft, scheduled, partial } };
}

type Scene = Awaited<ReturnType<typeof makeScene>>;

/** What belongs to bob and to nobody else. */
function secretsOf({ bob, posts }: Scene): readonly string[] {
  const targets = Object.values(posts).flatMap(({ targets: all }: Json) => all as Json[]);
  const own = targets.filter(({ account_id }) => account_id === bob.id);
  const ids = own.flatMap(({ platform_post_id, permalink }) => [platform_post_id, permalink] as (string | null)[]);
  const known = ids.filter((id) => id !== null);
  expect(known.length).toBeGreaterThanOrEqual(4);
  return [bob.id, bob.username, bob.brand_id, PICTURE, WORDS, ...known];
}

/** The smallest input of an operation about a post, with the key's own account where one is named. */
function inputFor(tool: AnyTool, { alice }: Scene, post: Json): Record<string, unknown> {
  const schema = z.toJSONSchema(tool.input as z.ZodObject, { io: 'input', unrepresentable: 'any' }) as Json;
  const own: Record<string, unknown> = {
    post_id: post.id,
    account_id: alice.id,
    account_ids: [alice.id],
    brand_id: alice.brand_id,
    platform: 'bluesky',
    comment_id: post.targets[0].platform_post_id ?? 'none',
    media_id: post.targets[0].platform_post_id ?? 'none',
    text: 'Again',
    hidden: false,
    event_type: 'test',
    payload: {},
    events: ['post.published'],
    url: 'https://example.org/hook',
    category: 'UTILITY',
    language: 'en_US',
    components: [],
  };
  const named = ['post_id', 'account_id', 'platform'].filter((field) => field in schema.properties);
  const wanted = new Set<string>([...(schema.required ?? []), ...named]);
  return Object.fromEntries([...wanted].map((field) => [field, own[field] ?? 'none']));
}

const ORDER = ['read', 'update', 'send', 'create', 'delete'];

/** Every operation a key may call, the ones that take something away last. */
const OPERATIONS = TOOLS.filter(({ access, stream }) => !('dashboard' in access) && stream === undefined).toSorted(
  (one, other) => ORDER.indexOf(one.effect) - ORDER.indexOf(other.effect),
);

describe('a post shared over two brands', () => {
  it('shows a key of one brand nothing of the other, whatever it calls', async ({ scene }) => {
    const { world, key, posts } = scene;
    const secrets = secretsOf(scene);
    const shown = new Set<string>();
    const look = (name: string, input: object, { body }: Pick<Reply, 'body'>) => {
      const text = JSON.stringify(body);
      expect([name, input, secrets.filter((secret) => text.includes(secret))]).toEqual([name, input, []]);
      if (Object.values(posts).some(({ id }: Json) => text.includes(id))) shown.add(name);
    };
    for (const tool of OPERATIONS) {
      const takes = Object.keys((tool.input as z.ZodObject).shape);
      const about = takes.includes('post_id') ? Object.values(posts) : [posts.published];
      for (const post of about) {
        const input = inputFor(tool, scene, post);
        look(tool.name, input, await call(world, tool.name, input, { key }));
        // Without the filters that a list may do without.
        const bare = Object.fromEntries(Object.entries(input).filter(([field]) => field === 'post_id'));
        if (tool.effect !== 'read') continue;
        for (const via of DOORS.filter((door) => door === 'rest' || isListed(tool)))
          look(tool.name, bare, await callThrough(world, via, tool.name, bare, { key }));
      }
    }
    const reads = ['list_posts', 'get_post', 'get_post_metrics', 'list_post_logs'];
    expect(reads.filter((name) => !shown.has(name))).toEqual([]);
  });

  it('shows it the target of its own brand', async ({ scene }) => {
    const { world, key, alice, bob, posts } = scene;
    const ask = async (name: string, input: object) => (await call(world, name, { ...input }, { key })).body;
    const accounts = (post: Json) => post.targets.map(({ account_id }: Json) => account_id);
    for (const { id: post_id } of Object.values(posts))
      expect(accounts(await ask('get_post', { post_id }))).toEqual([alice.id]);
    const listed = (await ask('list_posts', {})).data;
    expect(listed.map(accounts)).toEqual(Object.keys(posts).map(() => [alice.id]));
    const { targets } = (await ask('get_post_metrics', { post_id: posts.published.id })).data;
    expect(targets.map(({ account_id }: Json) => account_id)).toEqual([alice.id]);
    // The key without limits sees all of it.
    const whole = (await call(world, 'get_post', { post_id: posts.published.id })).body;
    expect(accounts(whole)).toEqual([alice.id, bob.id]);
  });

  it('is not found by what its other part is called', async ({ scene: { world, key, bob, posts } }) => {
    const theirs = posts.published.targets.find(({ account_id }: Json) => account_id === bob.id);
    for (const name of ['get_post', 'get_post_metrics'])
      await expectRefusal(call(world, name, { post_id: theirs.platform_post_id }, { key }), 'post.not_found');
  });

  it('asks the platform for the numbers of its own brand alone', async ({ scene: { world, key, posts } }) => {
    // That only bob's part can be measured is none of the key's business.
    const { body } = await call(world, 'get_post_metrics', { post_id: posts.partial.id }, { key });
    expect(body.data.targets).toEqual([]);
  });
});

describe('documents of assistants', () => {
  it('show a shared post without its other part', async ({ scene }) => {
    const { world, key, posts } = scene;
    const text = await readResource(world, key, `social://posts/${posts.published.id}`);
    expect(text).toContain(posts.published.id);
    expect(secretsOf(scene).filter((secret) => text.includes(secret))).toEqual([]);
  });
});

async function readResource({ root }: World, key: string, uri: string): Promise<string> {
  const response = await fetch(`${root}/mcp`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } }),
  });
  return response.text();
}
