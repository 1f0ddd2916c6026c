import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { isHoldable, isForPeople, type AnyTool } from '#call/tool.ts';
import { exampleOf, shapeOf } from '../../harness/calls/inputs.ts';
import { furnish } from '../../harness/calls/furnished.ts';
import { leashedKey } from '../../harness/calls/leash.ts';
import { callThrough, TOOLS } from '../../harness/calls/operations.ts';
import { makeWorld, type World } from '../../harness/world.ts';

const HOLDABLE = TOOLS.filter((tool) => isHoldable(tool) && !isForPeople(tool));
/** Those that furnished things do not have: a refusal of theirs is looked at, and their effect where they are tested. */
const ELSEWHERE = new Set([
  'add_location_media',
  'delete_review_reply',
  'private_reply_to_comment',
  'reply_to_mention',
  'reply_to_review',
  'retry_post',
  'send_whatsapp_template',
  'update_review_reply',
]);

/** Each operation that can wait for approval, asked for with what is there. */
function asks(things: Readonly<Record<string, unknown>>, draft: string): Readonly<Record<string, object>> {
  const { account_id, post_id, comment_id, conversation_id, media_id, scheduled_at, csv } = things;
  const comment = { post_id, comment_id, account_id };
  return {
    create_post: { text: 'Now', account_ids: [account_id], publish_now: true },
    update_post: { post_id: draft, scheduled_at },
    publish_post: { post_id: draft },
    reschedule_posts: { posts: [{ post_id: draft, scheduled_at }] },
    import_posts: { csv },
    unpublish_post: { post_id },
    delete_post: { post_id },
    delete_media: { media_id },
    delete_comment: comment,
    hide_comment: comment,
    unhide_comment: comment,
    like_comment: comment,
    unlike_comment: comment,
    reply_to_comment: { ...comment, text: 'Yes' },
    send_dm: { conversation_id, text: 'Yes' },
  };
}

/** Tables that holding a call writes to. */
const WRITTEN = /^(actions|audit|connection\w*|events|deliveries|jobs|log|logs|usage\w*|keys|idempotency|schema_\w+)$/;

/** All that is stored besides, table by table. */
async function storedIn({ product: { store } }: World): Promise<ReadonlyMap<string, string>> {
  const names = sql<{ name: string }>`select name from sqlite_master where type = 'table' and name not like 'sqlite%'`;
  const { rows } = await names.execute(store.db);
  const tables = rows.map(({ name }) => name).filter((name) => !WRITTEN.test(name) && !name.includes('_index'));
  const read = async (name: string) =>
    JSON.stringify((await sql`select * from ${sql.table(name)}`.execute(store.db)).rows);
  return new Map(await Promise.all(tables.map(async (name) => [name, await read(name)] as const)));
}

/** An input of an operation in which nothing that is named is there. */
const strange = (tool: AnyTool) => {
  const known = new Map<string, unknown>([
    ['source_type', 'media_id'],
    ['publish_now', true],
    ['dry_run', false],
    ['to', '4915112345678'],
    ['if_updated_at', undefined],
  ]);
  const { properties = {}, required = [] } = shapeOf(tool, 'rest');
  const named = Object.entries(properties).filter(
    ([name]) => required.includes(name) || ['account_ids', 'publish_now', 'text', 'mention_id'].includes(name),
  );
  return Object.fromEntries(named.map(([name, shape]) => [name, exampleOf(shape, known, name)]));
};

describe('a call that has to wait for a person', () => {
  it('is every one that can, or is tested elsewhere', () => {
    const names = [...Object.keys(asks({}, '')), ...ELSEWHERE];
    expect(names.toSorted()).toEqual(HOLDABLE.map(({ name }) => name).toSorted());
  });

  it('changes nothing until then, here or on a platform', async () => {
    const world = await makeWorld();
    const things = await furnish(world);
    const draft = { text: 'Later', account_ids: [things['account_id']] };
    const { id } = (await world.rest('POST /v1/posts', draft)).body;
    const key = await leashedKey(world, 'ask');
    await world.settle();
    const requests = () => world.product.sandbox!.requests().length;
    const before = { stored: await storedIn(world), requests: requests() };
    expect(before.stored.size).toBeGreaterThan(20);
    for (const [name, input] of Object.entries(asks(things, id))) {
      const { status, body } = await callThrough(world, 'rest', name, { ...input }, { key });
      expect([name, status, body.status]).toEqual([name, 202, 'held']);
      await world.settle();
      const { body: left } = await world.rest('GET /v1/media');
      expect([name, left.count, requests()]).toEqual([name, 1, before.requests]);
    }
    expect(await storedIn(world)).toEqual(before.stored);
  });

  it.for(HOLDABLE.filter(({ name }) => !['import_posts', 'reschedule_posts'].includes(name)))(
    'is refused at once where what it names is not there ($name)',
    async (tool) => {
      const world = await makeWorld();
      const key = await leashedKey(world, 'ask');
      const { status = 0, code } = await callThrough(world, 'rest', tool.name, strange(tool), { key });
      expect([status >= 400 && status < 500, code]).toEqual([true, expect.any(String)]);
      expect(['validation.field_unknown', 'validation.field_required']).not.toContain(code);
      const { data } = (await world.rest('GET /v1/actions', undefined, { key })).body;
      expect(data).toEqual([]);
    },
  );
});
