import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AnyTool } from '../../src/call/tool.ts';
import { makeWorld, type World } from '../harness/world.ts';
import { png } from '../engine/media-samples.ts';
import { call, DOORS, TOOLS as ALL, type Reply } from './front-door.ts';

/** Operations of the dashboard take no key; the tests of their toolsets hold them to the same law. */
const TOOLS = ALL.filter(({ access }) => !('dashboard' in access));

/**
 * The law of reach: whatever id of somebody else's thing a caller sends, in whichever field of whichever operation, the
 * answer is that there is no such thing. Operations and fields are taken from the declarations; a field of ids that
 * this table does not know fails the test.
 */
const KINDS: Readonly<Record<string, keyof Things | 'platform'>> = {
  account_id: 'account',
  account_ids: 'account',
  brand_id: 'brand',
  brand_ids: 'brand',
  delivery_id: 'delivery',
  key_id: 'key',
  media_id: 'media',
  media_ids: 'media',
  post_id: 'post',
  webhook_id: 'webhook',
  // Known to the platform alone: no row of ours has them where no account has pages.
  board_id: 'platform',
  page_id: 'platform',
};

/** What every required field that holds no id is filled with, and some that make a call do more. */
const FILLING: Readonly<Record<string, unknown>> = {
  event_type: 'test',
  hidden: true,
  is_active: true,
  name: 'taken over',
  payload: {},
  platform: 'bluesky',
  since: '2026-01-15T08:00:00Z',
  source_type: 'media_id',
  text: 'taken over',
};

/** Workspaces share these among their brands (catalogues §4.3). */
const SHARED: ReadonlySet<string> = new Set(['media']);

type Things = Readonly<{
  account: string;
  brand: string;
  delivery: string;
  key: string;
  media: string;
  post: string;
  published: string;
  webhook: string;
}>;
type Stranger = Readonly<{ key: string; own: Things; within: boolean }>;
type Schema = Readonly<{ properties?: Record<string, Schema>; items?: Schema; required?: string[]; type?: string }>;
/** Where an id is in an input, such as `targets`, `account_id`. */
type Spot = readonly string[];

const MARK = 'Owner-only';

async function things(world: World, key: string, person: number, brand: string): Promise<Things> {
  const rest = async (route: `${string} /${string}`, body?: unknown) => {
    const answer = await world.rest(route, body, { key });
    expect([route, answer.status < 300]).toEqual([route, true]);
    return answer.body;
  };
  const { handle, credentials } = world.product.sandbox!.people()[person]!;
  const metadata = { identifier: handle, app_password: credentials['app_password'] };
  const account = (await rest('POST /v1/accounts/connect', { platform: 'bluesky', brand_id: brand, metadata }))
    .account_id;
  const form = new FormData();
  form.set('file', new Blob([png()]), `${MARK}.png`);
  const media = (await rest('POST /v1/media/upload', form)).media_id;
  const post = (await rest('POST /v1/posts', { text: `${MARK} draft`, account_ids: [account], media_ids: [media] })).id;
  const published = (await rest('POST /v1/posts', { text: `${MARK} news`, account_ids: [account], publish_now: true }))
    .id;
  return { account, brand, media, post, published, delivery: 'dlv_none', key: 'key_none', webhook: 'whk_none' };
}

/** What only an unrestricted key can have. */
async function admin(world: World, key: string): Promise<Pick<Things, 'delivery' | 'key' | 'webhook'>> {
  const url = `https://localhost:1/${MARK}`;
  const hook = (await world.rest('POST /v1/webhooks', { url, events: ['dm.sent'] }, { key })).body.id;
  const test = await world.rest(
    `POST /v1/webhooks/${hook}/test`,
    { event_type: 'test', payload: { secret: MARK } },
    { key },
  );
  const made = await world.rest('POST /v1/keys', { name: MARK }, { key });
  return { webhook: hook, delivery: test.body.delivery_id, key: made.body.id };
}

async function newBrand(world: World, key: string, name: string): Promise<string> {
  return (await world.rest('POST /v1/brands', { name }, { key })).body.id;
}

async function makeScene() {
  const world = await makeWorld();
  const owned = {
    ...(await things(world, world.key, 0, await newBrand(world, world.key, MARK))),
    ...(await admin(world, world.key)),
  };
  const other = await world.stranger();
  const elsewhere: Stranger = {
    key: other.key,
    own: {
      ...(await things(world, other.key, 1, await newBrand(world, other.key, 'Elsewhere'))),
      ...(await admin(world, other.key)),
    },
    within: false,
  };
  const brand = await newBrand(world, world.key, 'Next door');
  const key = await world.newKey({ brand_ids: [brand] });
  const nextDoor: Stranger = { key, own: await things(world, key, 2, brand), within: true };
  return { world, owned, strangers: { elsewhere, nextDoor } };
}

function schemaOf(tool: AnyTool): Schema {
  return z.toJSONSchema(tool.input as z.ZodObject, { io: 'input', unrepresentable: 'any' }) as Schema;
}

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

type Choose = (field: string, named: boolean) => string | undefined;

/** The smallest input that has a value at the spot: required fields and fillings beside it, arrays of one. */
function inputAt(schema: Schema, spot: Spot, choose: Choose): Record<string, unknown> {
  const { properties = {}, required = [] } = solid(schema);
  const [here, ...below] = spot;
  const input: Record<string, unknown> = {};
  for (const [field, inner] of Object.entries(properties)) {
    const { type, items } = solid(inner);
    if (field === here && below.length > 0) {
      const value = inputAt(items ? solid(items) : inner, below, choose);
      input[field] = items ? [value] : value;
    } else if (kindOf(field) !== undefined && (field === here || required.includes(field))) {
      const id = choose(field, field === here);
      input[field] = type === 'array' ? [id] : id;
    } else if (field in FILLING) {
      input[field] = FILLING[field];
    } else if (required.includes(field)) {
      throw new Error(`nothing to fill ${field} with`);
    }
  }
  return input;
}

/** Nothing is there: an ordinary refusal, or a list of nothing. */
function isNothing({ ok, code, body }: Reply): boolean {
  if (ok) return Array.isArray(body.data) ? body.data.length === 0 : body.valid === false;
  const refusals = /(?:\.not_found|\.field_invalid|\.field_required|\.brand_invalid|\.insufficient_scope)$/;
  return refusals.test(code ?? '');
}

/** All that the owner has, as the owner sees it. */
async function holdings(world: World): Promise<unknown> {
  const lists = TOOLS.filter(
    ({ http, effect }) => effect === 'read' && http.method === 'GET' && !http.path.includes('{'),
  );
  return Promise.all(lists.map(async ({ http }) => (await world.rest(`GET /v1${http.path}`)).body));
}

const places = TOOLS.flatMap((tool) => spotsOf(schemaOf(tool)).map((spot) => ({ tool, spot })));

describe('ids of others', () => {
  it('are of kinds this test knows', () => {
    const unknown = places.filter(({ spot }) => kindOf(spot.at(-1)!) === undefined);
    expect(unknown.map(({ tool, spot }) => `${tool.name}.${spot.join('.')}`)).toEqual([]);
    const used = new Set<string | undefined>(places.map(({ spot }) => kindOf(spot.at(-1)!)));
    expect(used).toEqual(new Set<string | undefined>(Object.values(KINDS)));
  });

  it('open everything to their owner', async () => {
    const { world, owned } = await makeScene();
    for (const name of ['get_post', 'get_post_metrics'] as const) {
      expect((await call(world, 'rest', name, { post_id: owned.published })).ok).toBe(true);
    }
    const delivery = { webhook_id: owned.webhook, delivery_id: owned.delivery };
    expect((await call(world, 'rest', 'get_webhook_delivery', delivery)).body.payload).toEqual({ secret: MARK });
    expect(JSON.stringify(await holdings(world)).match(new RegExp(MARK, 'g'))!.length).toBeGreaterThan(4);
  });

  describe.each(DOORS)('through %s', (via) => {
    it.each(['elsewhere', 'nextDoor'] as const)('are nothing to a caller %s', async (who) => {
      const { world, owned, strangers } = await makeScene();
      const stranger = strangers[who];
      const before = await holdings(world);
      const wrong: unknown[] = [];
      for (const { tool, spot } of places) {
        const kind = kindOf(spot.at(-1)!)!;
        if (kind === 'platform' || (stranger.within && SHARED.has(kind))) continue;
        for (const input of inputsAt(tool, spot, owned, stranger)) {
          const reply = await call(world, via, tool.name, input, { key: stranger.key });
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
    const kind = kindOf(field)!;
    if (kind === 'platform') return 'none';
    return kind === 'post' && tool.name === 'unpublish_post' ? set.published : set[kind];
  };
  const schema = schemaOf(tool);
  const mixed = inputAt(schema, spot, (field, named) => from(named ? owned : own, field));
  const foreign = inputAt(schema, spot, (field) => from(owned, field));
  return JSON.stringify(mixed) === JSON.stringify(foreign) ? [mixed] : [mixed, foreign];
}
