import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { isHoldable, isForPeople, type AnyTool } from '#call/tool.ts';
import { exampleOf, shapeOf } from '../../harness/calls/inputs.ts';
import { furnish, type Things } from '../../harness/calls/furnished.ts';
import { leashedKey } from '../../harness/calls/leash.ts';
import { callThrough, TOOLS } from '../../harness/calls/operations.ts';
import { list } from '../../harness/calls/rest.ts';
import { png } from '../../harness/media-samples.ts';
import { upset } from '../../harness/platforms/bluesky-people.ts';
import { facebookOf } from '../../harness/platforms/facebook.ts';
import { makeWorld, type Json, type World } from '../../harness/world.ts';
import { publish, reconnect } from '../../harness/worlds/post-stage.ts';
import { picture } from '../../platforms/conformance/files.ts';
import { placeIn } from '../../platforms/conformance/place.ts';
import { googleSubject } from '../../platforms/conformance/subjects/google.ts';
import { whatsappSubject } from '../../platforms/conformance/subjects/whatsapp.ts';

const HOLDABLE = TOOLS.filter((tool) => isHoldable(tool) && !isForPeople(tool));

/** One of everything, and of what only some platforms have: a place with reviews, a number, a mention. */
async function furnishAll(world: World): Promise<Things> {
  const things = await furnish(world);
  const account_id = things['account_id'] as string;
  const bakery = await world.connect(1);
  const draft = { text: 'Later', account_ids: [account_id] };
  const { id: draft_id } = (await world.rest('POST /v1/posts', draft)).body;
  upset(world, 'revoked', {}, 1);
  const { id: failed_id } = await publish(world, bakery, 'Never');
  await reconnect(world, bakery, 1);
  const door = placeIn(world);
  const [page] = await list(world, `/v1/accounts/${account_id}/pages`);
  const mention = { person: 'fred.sandbox.test', page: page!.platform_page_id, message: 'I was there' };
  await facebookOf(world).act('mention', mention);
  const { account: place_id } = await googleSubject.connect(door, 0);
  for (const text of ['Good bread', 'Fine rolls'])
    await googleSubject.people.review!({ ...door, account: place_id }, text);
  const { account: number_id } = await whatsappSubject.connect(door, 0);
  await door.hear();
  const reviews = await list(world, `/v1/inbox/reviews?account_id=${place_id}`);
  const [review_id, answered_id] = reviews.map(({ id }) => id as string);
  await door.rest(`POST /v1/inbox/reviews/${answered_id}/reply`, { text: 'Thanks' });
  const [{ id: mention_id }] = (await list(world, `/v1/accounts/${account_id}/mentions`)) as [Json];
  const photo_id = await picture(door, png(400, 300, 20_000));
  return { ...things, draft_id, failed_id, mention_id, place_id, number_id, review_id, answered_id, photo_id };
}

/** Each operation that can wait for approval, asked for with what is there. */
function asks(things: Things): Readonly<Record<string, object>> {
  const { account_id, post_id, comment_id, conversation_id, media_id, scheduled_at, csv } = things;
  const { draft_id: draft, failed_id, mention_id, place_id, number_id, review_id, answered_id, photo_id } = things;
  const comment = { post_id, comment_id, account_id };
  const text = 'Yes';
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
    reply_to_comment: { ...comment, text },
    private_reply_to_comment: { ...comment, text },
    send_dm: { conversation_id, text },
    reply_to_mention: { account_id, mention_id, text },
    reply_to_review: { review_id, text },
    update_review_reply: { review_id: answered_id, text },
    delete_review_reply: { review_id: answered_id, account_id: place_id },
    retry_post: { post_id: failed_id },
    add_location_media: {
      account_id: place_id,
      media: [{ type: 'image', source: photo_id, source_type: 'media_id' }],
    },
    send_whatsapp_template: { account_id: number_id, to: '12025550171', template_name: 'hello', language: 'en_US' },
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
  it('is every one that can', () => {
    expect(Object.keys(asks({})).toSorted()).toEqual(HOLDABLE.map(({ name }) => name).toSorted());
  });

  it('changes nothing until then, here or on a platform', async () => {
    const world = await makeWorld();
    const things = await furnishAll(world);
    const key = await leashedKey(world, 'ask');
    await world.settle();
    const requests = () => world.product.sandbox!.requests().length;
    const files = async () => (await world.rest('GET /v1/media')).body.count as number;
    const before = { stored: await storedIn(world), requests: requests(), files: await files() };
    expect(before.stored.size).toBeGreaterThan(20);
    for (const [name, input] of Object.entries(asks(things))) {
      const { status, body } = await callThrough(world, 'rest', name, { ...input }, { key });
      expect([name, status, body.status]).toEqual([name, 202, 'held']);
      await world.settle();
      expect([name, await files(), requests()]).toEqual([name, before.files, before.requests]);
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
