import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { AnyTool } from '#call/tool.ts';
import { record } from '#engine/inbox/record/record.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import { platforms } from '#platforms/index.ts';
import type { InboundEvent } from '#platforms/inbound.ts';
import type { Platform } from '#platforms/platform.ts';
import { toolsets } from '#tools/index.ts';
import { forFile } from '../harness/fixtures.ts';
import { aTemplate, makeBusiness, type Business } from '../harness/platforms/business.ts';
import { aComment, aMention, aReview, makeSocial, socialPlatforms, type Social } from '../harness/platforms/social.ts';
import { makeWorld, type Json, type World } from '../harness/world.ts';
import { png } from '../harness/media-samples.ts';
import { consentPlatform, profileOf, type Script } from '../harness/worlds/consent.ts';
import { credentialsOf } from '../harness/platforms/bluesky-people.ts';
import { call, callThrough, DOORS, newBrand, type Reply, TOOLS as ALL } from '../harness/calls/operations.ts';
import { aMessage } from '../harness/worlds/social.ts';

/** Operations of the dashboard take no key, and streams do not end; their own tests hold them to the same law. */
const TOOLS = ALL.filter(({ access, stream }) => !('dashboard' in access) && stream === undefined);

/**
 * The law of access: whatever id of somebody else's thing a caller sends, in whichever field of whichever operation, the
 * answer is that there is no such thing. Operations and fields are taken from the declarations; a field of ids that
 * this table does not know fails the test.
 */
const KINDS: Readonly<Record<string, keyof Things | 'platform'>> = {
  account_id: 'account',
  account_ids: 'account',
  action_id: 'action',
  brand_id: 'brand',
  brand_ids: 'brand',
  comment_id: 'comment',
  connection_id: 'connection',
  conversation_id: 'conversation',
  delivery_id: 'delivery',
  export_id: 'export',
  invite_id: 'invite',
  key_id: 'key',
  media_id: 'media',
  media_ids: 'media',
  mention_id: 'mention',
  page_id: 'page',
  phone_number_id: 'number',
  post_id: 'post',
  reply_to_message_id: 'message',
  resource_id: 'post',
  review_id: 'review',
  template_id: 'template',
  webhook_id: 'webhook',
  // Known to the platform alone.
  board_id: 'platform',
  client_id: 'platform',
  id: 'platform',
  platform_account_id: 'platform',
  session_id: 'platform',
};

/** What every required field that holds no id is filled with, and some that make a call do more. */
const FILLING: Readonly<Record<string, unknown>> = {
  category: 'UTILITY',
  code: '123456',
  components: [],
  event_type: 'test',
  hidden: true,
  is_active: true,
  language: 'en_US',
  name: 'taken over',
  payload: {},
  pin: '424242',
  platform: 'bluesky',
  since: '2026-01-15T08:00:00Z',
  source_type: 'media_id',
  template_name: 'taken_over',
  text: 'taken over',
  to: '4915112345678',
};

/** What is filled in only where an operation cannot do without. */
const NEEDED: Readonly<Record<string, unknown>> = {
  times: [{ day: 'mon', time: '09:00' }],
  client_secret: 'taken over',
  etag: 'taken over',
  expires_in_days: 7,
  media: [{ type: 'image', source: 'https://bakery.example/oven.jpg', source_type: 'url' }],
  scheduled_at: '2026-02-01T10:00:00Z',
  type: 'image',
};

/** Workspaces share these among their brands. */
const SHARED: ReadonlySet<string> = new Set(['media']);

/** Ids of one thing of each kind. */
type Things = Awaited<ReturnType<typeof things>>;
type Stranger = Readonly<{ key: string; own: Things; within: boolean }>;
type Schema = Readonly<{
  properties?: Record<string, Schema>;
  items?: Schema;
  required?: string[];
  type?: string;
  enum?: unknown[];
}>;
/** Where an id is in an input, such as `targets`, `account_id`. */
type Spot = readonly string[];

const MARK = 'Owner-only';
/** What a login offers by this id, whoever's it is. */
const PROFILE = '1';

async function things({ world, net, business, consent }: Scene, key: string, person: number, brand: string) {
  const rest = async (route: `${string} /${string}`, body?: unknown) => {
    const answer = await world.rest(route, body, { key });
    expect([route, answer.status < 300]).toEqual([route, true]);
    return answer.body;
  };
  const connect = async (platform: string, metadata: object = { token: `person-${person}` }) => {
    const ask = { platform, brand_id: brand, metadata };
    return (await rest('POST /v1/accounts/connect', ask)).account_id as string;
  };
  const account = await connect('bluesky', credentialsOf(world, person));
  const form = new FormData();
  form.set('file', new Blob([png()]), `${MARK}.png`);
  const media: string = (await rest('POST /v1/media/upload', form)).media_id;
  const make = async (input: object): Promise<string> =>
    (await rest('POST /v1/posts', { account_ids: [account], ...input })).id;
  const post = await make({ text: `${MARK} draft`, media_ids: [media] });
  const published = await make({ text: `${MARK} news`, publish_now: true });
  // One of two profiles is still to be chosen.
  consent.profiles = [PROFILE, '2'].map((id) => {
    const { profile, ...rest } = profileOf(id);
    return { ...rest, profile: { ...profile, name: MARK } };
  });
  const open = { platform: 'youtube', code: 'none', brand_id: brand };
  const connection: string = (await rest('POST /v1/oauth/exchange', open)).connection_id;
  const none = {
    action: 'act_none',
    delivery: 'dlv_none',
    export: 'exp_none',
    invite: 'inv_none',
    key: 'key_none',
    webhook: 'whk_none',
  };
  // Accounts that people wrote to, and one with pages.
  const [talkative, reviewed, paged] = [await connect('twitter'), await connect('google'), await connect('facebook')];
  const page: string = (await rest(`GET /v1/accounts/${paged}/pages`)).data[0].id;
  // A phone number, and a template of its.
  const owner = `90${person}`;
  const number = await connect('whatsapp', { token: owner });
  const template = `70${person}`;
  business.templates.set(template, aTemplate(template, { name: MARK, owner }));
  const inbox = await talk({ world, net }, key, person, { talkative, reviewed });
  const accounts = { account, talkative, reviewed, paged, number };
  return { ...none, ...accounts, ...inbox, brand, connection, media, page, post, published, template };
}

type Scene = Readonly<{ world: World; net: Social; business: Business; consent: Script }>;

/** One thing of each kind that people write, with our ids of them. */
async function talk(
  { world, net }: Pick<Scene, 'world' | 'net'>,
  key: string,
  person: number,
  { talkative, reviewed }: Readonly<{ talkative: string; reviewed: string }>,
) {
  const now = world.clock.now();
  const post = `post-${person}`;
  const comment = aComment(post, { platform_id: `comment-${person}`, text: MARK });
  net.comments.set(post, [comment]);
  net.reviews.set(`person-${person}`, [aReview(now, { platform_id: `review-${person}`, text: MARK })]);
  const conversation = { platform_id: `thread-${person}`, participant: { id: 'fan', name: 'Fan' } };
  const mention = aMention({ platform_id: `mention-${person}`, text: MARK });
  const message = aMessage(`message-${person}`, now, { text: MARK });
  const facts: readonly InboundEvent[] = [
    { kind: 'comment', comment },
    { kind: 'mention', mention },
    { kind: 'message', conversation, message },
  ];
  await world.product.store.write((tx) => record(tx, { id: talkative }, facts, { silent: false, now }));
  const read = async (path: string) =>
    (await world.rest(`GET /v1${path}`, undefined, { key })).body.data[0].id as string;
  const thread = await read('/inbox/conversations');
  const discussed = await read('/inbox/comments?platform=twitter');
  return {
    discussed,
    conversation: thread,
    comment: await read(`/inbox/comments/${discussed}`),
    message: await read(`/inbox/conversations/${thread}/messages`),
    mention: `mnt_${Buffer.from(`twitter:mention-${person}`).toString('base64url')}`,
    review: await read(`/inbox/reviews?account_id=${reviewed}`),
  };
}

/** What only an unrestricted key can have. */
async function admin(world: World, key: string): Promise<Partial<Things>> {
  const ask = async (name: string, input: object = {}) => (await call(world, name, { ...input }, { key })).body;
  const { id: webhook_id } = await ask('create_webhook', { url: `https://localhost:1/${MARK}`, events: ['dm.sent'] });
  const test = await ask('test_webhook', { webhook_id, event_type: 'test', payload: { secret: MARK } });
  const made = await ask('create_key', { name: MARK });
  const brand_id = (await ask('list_brands')).data.at(-1).id;
  const invite = await ask('create_invite', { brand_id, platform: 'bluesky', expires_in_days: 7 });
  const [account] = (await ask('list_accounts', { platform: 'bluesky' })).data;
  const report = await ask('create_export', { account_id: account.id });
  return { webhook: webhook_id, delivery: test.delivery_id, export: report.id, invite: invite.id, key: made.id };
}

/** A scene for all tests, as none of them changes anything in it; it ends when `atEnd` says. */
async function makeScene(atEnd: (end: () => Promise<void>) => void) {
  const net = makeSocial();
  const consent: Script = { profiles: [], finished: [], revoked: [] };
  const business = makeBusiness(net);
  const played = socialPlatforms(net);
  const everywhere = new Map<PlatformSlug, Platform>([
    ...platforms,
    ...played,
    // Its drafts are of one page.
    ['facebook', { ...played.get('facebook')!, posts: platforms.get('facebook')!.posts! }],
    ['youtube', consentPlatform('youtube', consent)],
    ['whatsapp', business.platform],
  ]);
  const world = await makeWorld({ surroundings: { platforms: everywhere } }, atEnd);
  const scene = { world, net, business, consent };
  const owner = async (key: string, person: number, brand: string): Promise<Things> => ({
    ...(await things(scene, key, person, await newBrand(world, brand, key))),
    ...(await admin(world, key)),
  });
  const owned = await owner(world.key, 0, MARK);
  const other = await world.stranger();
  const elsewhere: Stranger = { key: other.key, own: await owner(other.key, 1, 'Elsewhere'), within: false };
  const brand = await newBrand(world, 'Next door');
  const key = await world.newKey({ brand_ids: [brand] });
  const nextDoor: Stranger = { key, own: await things(scene, key, 2, brand), within: true };
  return { world, owned, strangers: { elsewhere, nextDoor } };
}

const SCHEMAS = new Map(
  TOOLS.map((tool) => [
    tool,
    z.toJSONSchema(tool.input as z.ZodObject, { io: 'input', unrepresentable: 'any' }) as Schema,
  ]),
);

/** Unwraps what may also be null. */
function solid(schema: Schema & { anyOf?: Schema[] }): Schema {
  return schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
}

/** Every place of an input that takes ids, at any depth. */
function spotsOf(schema: Schema): Spot[] {
  return Object.entries(solid(schema).properties ?? {}).flatMap(([field, inner]) => {
    const own = /(?:^|_)ids?$/.test(field) || field === 'source' ? [[field]] : [];
    const { items, properties } = solid(inner);
    const deeper = properties ? spotsOf(inner) : items ? spotsOf(items) : [];
    return [...own, ...deeper.map((spot) => [field, ...spot])];
  });
}

const kindOf = (field: string) => (field === 'source' ? 'media' : KINDS[field]);

/** The kind of an id in one operation: a mention stands in a post of others, which the platform calls its media. */
const kindIn = ({ name }: AnyTool, field: string) =>
  name === 'reply_to_mention' && field === 'media_id' ? 'platform' : kindOf(field);

const SETS = new Map(toolsets.flatMap(({ id, tools }) => tools.map(({ name }) => [name, id])));

/** Which thing of a kind an operation is about; a page is one of an account that has some. */
function thingIn(tool: AnyTool, kind: keyof Things, spot: Spot): keyof Things {
  const set = SETS.get(tool.name)!;
  if (kind === 'account' && kindOf(spot.at(-1)!) === 'page') return 'paged';
  const inbox = ['conversations', 'comments', 'mentions'].includes(set);
  if (kind === 'account' && set === 'whatsapp') return 'number';
  if (kind === 'account') return inbox ? 'talkative' : ['reviews', 'google'].includes(set) ? 'reviewed' : kind;
  if (kind !== 'post') return kind;
  return inbox ? 'discussed' : tool.name === 'unpublish_post' ? 'published' : kind;
}

type Choose = (field: string, named: boolean) => string | undefined;

/** The smallest input that has a value at the spot: required fields and fillings beside it, arrays of one. */
function inputAt(schema: Schema, spot: Spot, choose: Choose): Record<string, unknown> {
  const { properties = {}, required = [] } = solid(schema);
  const [here, ...below] = spot;
  const input: Record<string, unknown> = {};
  for (const [field, inner] of Object.entries(properties)) {
    const { type, items, enum: words } = solid(inner);
    if (field === here && below.length > 0) {
      const value = inputAt(items ? solid(items) : inner, below, choose);
      input[field] = items ? [value] : value;
    } else if (kindOf(field) !== undefined && (field === here || required.includes(field))) {
      const id = choose(field, field === here);
      input[field] = type === 'array' ? [id] : id;
    } else if (field in FILLING && (words === undefined || words.includes(FILLING[field]))) {
      input[field] = FILLING[field];
    } else if (required.includes(field)) {
      if (!(field in NEEDED)) throw new Error(`nothing to fill ${field} with`);
      input[field] = NEEDED[field];
    }
  }
  return input;
}

/** Nothing is there: an ordinary refusal, or a list of nothing. */
function isNothing({ ok, code, body }: Reply): boolean {
  if (ok && Array.isArray(body.results)) return body.results.every((one: Json) => one.error?.code === 'post.not_found');
  if (ok) return Array.isArray(body.data) ? body.data.length === 0 : body.valid === false;
  const refusals = /(?:[._]not_found|\.field_invalid|\.field_required|\.brand_invalid|\.insufficient_scope)$/;
  return refusals.test(code ?? '');
}

/** All that the owner has, as the owner sees it. */
async function holdings(world: World): Promise<unknown> {
  const lists = TOOLS.filter(
    ({ http, effect }) => effect === 'read' && http.method === 'GET' && !http.path.includes('{'),
  );
  return Promise.all(
    lists.map(async ({ http }) => {
      const { body } = await world.rest(`GET /v1${http.path}`);
      return body.error?.code ?? body;
    }),
  );
}

const places = TOOLS.flatMap((tool) => spotsOf(SCHEMAS.get(tool)!).map((spot) => ({ tool, spot })));

const it = test.extend('scene', { scope: 'file' }, forFile(makeScene));

describe('ids of others', () => {
  it('are of kinds this test knows', () => {
    const unknown = places.filter(({ spot }) => kindOf(spot.at(-1)!) === undefined);
    expect(unknown.map(({ tool, spot }) => `${tool.name}.${spot.join('.')}`)).toEqual([]);
    const used = new Set<string | undefined>(places.map(({ spot }) => kindOf(spot.at(-1)!)));
    expect(used).toEqual(new Set<string | undefined>(Object.values(KINDS)));
  });

  it('open everything to their owner', async ({ scene: { world, owned } }) => {
    for (const name of ['get_post', 'get_post_metrics'] as const)
      expect((await call(world, name, { post_id: owned.published })).ok).toBe(true);
    const delivery = { webhook_id: owned.webhook, delivery_id: owned.delivery };
    expect((await call(world, 'get_webhook_delivery', delivery)).body.payload).toEqual({ secret: MARK });
    expect(JSON.stringify(await holdings(world)).match(new RegExp(MARK, 'g'))!.length).toBeGreaterThan(4);
  });

  describe.each(DOORS)('through %s', (via) => {
    it.for(['elsewhere', 'nextDoor'] as const)('are nothing to a caller %s', async (who, { scene }) => {
      const { world, owned, strangers } = scene;
      world.clock.move(60_000);
      const stranger = strangers[who];
      const before = await holdings(world);
      const wrong: unknown[] = [];
      for (const { tool, spot } of places) {
        // Nobody decides over MCP, and not everything is a tool.
        if (via === 'mcp' && ('decide' in tool.access || tool.mcp === false)) continue;
        const kind = kindIn(tool, spot.at(-1)!)!;
        if (kind === 'platform' || (stranger.within && SHARED.has(kind))) continue;
        for (const input of inputsAt(tool, spot, owned, stranger)) {
          const reply = await callThrough(world, via, tool.name, input, { key: stranger.key });
          if (!isNothing(reply) || JSON.stringify(reply.body).includes(MARK))
            wrong.push({ tool: tool.name, input, reply });
        }
      }
      expect(wrong).toEqual([]);
      expect(await holdings(world)).toEqual(before);
    });
  });
});

/** The foreign id among things of the caller's own, and among other foreign ones. */
function inputsAt(tool: AnyTool, spot: Spot, owned: Things, { own }: Stranger): readonly Record<string, unknown>[] {
  const from = (set: Things, field: string) => {
    const kind = kindIn(tool, field)!;
    if (kind === 'platform') return field === 'platform_account_id' ? PROFILE : 'none';
    return set[thingIn(tool, kind, spot)];
  };
  const schema = SCHEMAS.get(tool)!;
  const mixed = inputAt(schema, spot, (field, named) => from(named ? owned : own, field));
  const foreign = inputAt(schema, spot, (field) => from(owned, field));
  return JSON.stringify(mixed) === JSON.stringify(foreign) ? [mixed] : [mixed, foreign];
}
