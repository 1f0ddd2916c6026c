import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isListed } from '#serve/mcp/catalogue.ts';
import { makeWorld, type World, type Json } from '../harness/world.ts';
import { callMcp, callThrough, DOORS, TOOLS } from '../harness/calls/operations.ts';

type Path = readonly string[];

const LOCAL = '2026-07-01T09:00:00';
/** The same by the clocks of Berlin. */
const INSTANT = '2026-07-01T07:00:00.000Z';

async function inBerlin(): Promise<World & { account: Json }> {
  const world = await makeWorld();
  const { status } = await world.rest('PATCH /v1/users/me', { timezone: 'Europe/Berlin' });
  expect(status).toBe(200);
  return { ...world, account: await world.connect() };
}

const isTime = ({ format }: Json) => format === 'date-time';

/** Where an input takes a time, at any depth. */
function timesIn(schema: Json): Path[] {
  const solid = schema.anyOf?.find(({ type }: Json) => type !== 'null') ?? schema;
  if (isTime(solid)) return [[]];
  const fields = Object.entries(solid.properties ?? {}) as [string, Json][];
  return [
    ...fields.flatMap(([name, inner]) => timesIn(inner).map((path) => [name, ...path])),
    ...(solid.items ? timesIn(solid.items).map((path) => ['0', ...path]) : []),
  ];
}

/** The smallest input with a value at a path; required fields beside it are filled with something. */
function inputAt(schema: Json, [name, ...rest]: Path, value: unknown): unknown {
  const solid = schema.anyOf?.find(({ type }: Json) => type !== 'null') ?? schema;
  if (name === undefined) return value;
  if (solid.items) return [inputAt(solid.items, rest, value)];
  const needed = (solid.required ?? []).map((field: string) => [
    field,
    isTime(solid.properties[field]) ? '2026-01-01T00:00:00Z' : 'none',
  ]);
  return { ...Object.fromEntries(needed), [name]: inputAt(solid.properties[name], rest, value) };
}

const PLACES = TOOLS.filter(isListed).flatMap((tool) => {
  const schema = z.toJSONSchema(tool.input as z.ZodObject, { io: 'input', unrepresentable: 'any' });
  return timesIn(schema).map((path) => ({
    tool,
    path,
    inputOf: (value: string) => inputAt(schema, path, value) as object,
  }));
});

describe('a time without an offset', () => {
  it('is read by REST and refused by MCP wherever a time is taken', async () => {
    const world = await inBerlin();
    expect(PLACES.length).toBeGreaterThan(15);
    for (const { tool, path, inputOf } of PLACES) {
      const field = path.join('.');
      const ask = (via: 'rest' | 'mcp', time: string) => callThrough(world, via, tool.name, { ...inputOf(time) });
      const [read, refused] = [await ask('rest', LOCAL), await ask('mcp', LOCAL)];
      expect(JSON.stringify(read.body), `${tool.name} ${field}`).not.toContain('RFC 3339');
      expect([tool.name, refused.code, refused.meta.field]).toEqual([tool.name, 'validation.field_invalid', field]);
      expect(refused.body.error.message).toContain('2026-01-31T09:00:00+02:00');
    }
  });

  it('is that of the clocks of the workspace, in bodies, targets, filters and rows', async () => {
    const world = await inBerlin();
    const { id } = world.account;
    const make = (input: object) => world.rest('POST /v1/posts', { text: 'a', skip_duplicate_check: true, ...input });
    const whole = await make({ account_ids: [id], scheduled_at: LOCAL });
    expect([whole.status, whole.body.scheduled_at]).toEqual([201, INSTANT]);
    const own = await make({ targets: [{ account_id: id, scheduled_at: '2026-07-01 09:00' }] });
    expect(own.body.targets[0].scheduled_at).toBe(INSTANT);
    const moved = await world.rest(`PATCH /v1/posts/${whole.body.id}`, { scheduled_at: '2026-07-02T09:00:00' });
    expect(moved.body.scheduled_at).toBe('2026-07-02T07:00:00.000Z');
    const listed = async (query: string) =>
      (await world.rest(`GET /v1/posts?${query}`)).body.data.map(({ id: post }: Json) => post);
    expect(await listed('from=2026-07-02T09:00:00&to=2026-07-02T09:00:00')).toEqual([whole.body.id]);
    expect(await listed('from=2026-07-02T09:00:01')).toEqual([]);
    expect(await listed(`to=${encodeURIComponent('2026-07-01 09:00:00')}`)).toEqual([own.body.id]);
    const form = new FormData();
    form.set('file', new Blob([`text,account_ids,scheduled_at\nrow,${id},2026-07-03 09:00:00\n`]), 'posts.csv');
    const rows = await world.rest('POST /v1/posts/import', form);
    expect([rows.body.errors, rows.body.posts[0]?.scheduled_at]).toEqual([[], '2026-07-03T07:00:00.000Z']);
    const row = { csv: `text,account_ids,scheduled_at\nother,${id},${LOCAL}\n` };
    const refused = (await callMcp(world, 'import_posts', row)).body;
    const message = expect.stringContaining('with an offset');
    expect(refused.errors).toMatchObject([{ code: 'validation.field_invalid', message }]);
  });

  it('is in UTC as long as nobody said otherwise, and follows the setting at once', async () => {
    const world = await makeWorld();
    const { id } = await world.connect();
    const at = async (time: string) =>
      (await world.rest('POST /v1/posts', { text: time, account_ids: [id], scheduled_at: time })).body.scheduled_at;
    expect((await world.rest('GET /v1/users/me')).body.timezone).toBe('UTC');
    expect(await at('2026-07-01T09:00:00')).toBe('2026-07-01T09:00:00.000Z');
    await world.rest('PATCH /v1/users/me', { timezone: 'America/New_York' });
    expect(await at('2026-07-01T09:00:01')).toBe('2026-07-01T13:00:01.000Z');
    const { key } = await world.stranger();
    expect((await world.rest('GET /v1/users/me', undefined, { key })).body.timezone).toBe('UTC');
  });

  it.each(['2026-07-01', '2026-02-30T09:00:00', 'tomorrow', '2026-07-01T25:00:00', '2026-07-01T09:00:00 02:00'])(
    '%s is no time at all',
    async (scheduled_at) => {
      const world = await inBerlin();
      for (const via of DOORS) {
        const input = { text: 'a', account_ids: [world.account.id], scheduled_at };
        const { code, meta } = await callThrough(world, via, 'create_post', input);
        expect([via, code, meta.field]).toEqual([via, 'validation.field_invalid', 'scheduled_at']);
      }
    },
  );
});

it.each(DOORS)('lower case, and a space for the T, are RFC 3339 as well through %s', async (via) => {
  const world = await inBerlin();
  for (const [index, scheduled_at] of [
    '2026-07-01t07:00:00z',
    '2026-07-01t09:00:00+02:00',
    '2026-07-01 07:00:00+00:00',
  ].entries()) {
    const input = { text: `post ${index}`, account_ids: [world.account.id], scheduled_at };
    expect((await callThrough(world, via, 'create_post', input)).body.scheduled_at).toBe(INSTANT);
  }
});
