import { describe, expect } from 'vitest';
import type { z } from 'zod';
import { inputOf } from '#call/input.ts';
import type { AnyTool } from '#call/tool.ts';
import { unwrapped } from '#serve/unwrap.ts';
import { listTools } from '#serve/mcp/catalogue.ts';
import { toolsets } from '#tools/index.ts';
import { furnish, type Things } from '../../harness/calls/furnished.ts';
import { it, type World } from '../../harness/world.ts';

/**
 * An assistant that misspells one argument in each call, derived from the declarations: every argument of every tool at
 * every depth, in each of the ways models slip. The other arguments are right, and of things that exist, so that a call
 * that was let through would do something.
 */
type Input = Record<string, unknown>;
/** Where an argument is: the names of those it stands in, and its own. */
type Place = readonly string[];

const TOOLS: readonly AnyTool[] = listTools(toolsets).map(({ tool }) => tool);

const swapped = (name: string) => {
  const at = Array.from(name).findIndex((letter, index) => index > 0 && letter !== (name[index + 1] ?? letter));
  return at < 1 ? name : name.slice(0, at) + name[at + 1]! + name[at]! + name.slice(at + 2);
};

/** The ways in which models misspell a name. */
const SLIPS: Readonly<Record<string, (name: string) => string>> = {
  'two letters swapped': swapped,
  'a letter left out': (name) => name.slice(0, -2) + name.slice(-1),
  'camel case': (name) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  'capital letters': (name) => name.toUpperCase(),
  'singular or plural': (name) => (name.endsWith('s') ? name.slice(0, -1) : `${name}s`),
};

type Shape = Readonly<Record<string, z.ZodType>>;

function shapeOf(schema: z.core.$ZodType): Shape | undefined {
  const { def } = unwrapped(schema)._zod;
  if (def.type === 'array') return shapeOf((def as z.core.$ZodArrayDef).element);
  if (def.type !== 'object' || (def as z.core.$ZodObjectDef).catchall !== undefined) return undefined;
  return (def as z.core.$ZodObjectDef).shape as Shape;
}

function placesOf(shape: Shape): readonly Place[] {
  return Object.entries(shape).flatMap(([name, field]) => {
    const inner = shapeOf(field);
    return [[name], ...(inner === undefined ? [] : placesOf(inner).map((place) => [name, ...place]))];
  });
}

const isNeeded = (field: z.ZodType) => !field.safeParse(undefined).success;

/** A value that the schema takes. */
function valueOf(name: string, field: z.ZodType, things: Things): unknown {
  const schema = unwrapped(field) as z.ZodType;
  const { def } = schema._zod;
  const inner = shapeOf(field);
  if (Object.hasOwn(things, name)) return things[name];
  if (inner !== undefined) {
    const value = inputFor(inner, things, []);
    return def.type === 'array' ? [value] : value;
  }
  if (def.type === 'enum') return Object.values((def as z.core.$ZodEnumDef).entries)[0];
  if (def.type === 'array') return [valueOf('', (def as z.core.$ZodArrayDef).element as z.ZodType, things)];
  const known = [
    true,
    false,
    1,
    'any',
    'https://example.org/',
    {},
    '2026-01-16T09:00:00Z',
    '2026-01-16',
    'Africa/Lagos',
  ];
  const value = known.find((value) => field.safeParse(value).success);
  if (value === undefined) throw new Error(`no value for ${name}`);
  return value;
}

/** What is needed, and what is at a place. */
function inputFor(shape: Shape, things: Things, [here, ...below]: Place): Input {
  const input: Input = {};
  for (const [name, field] of Object.entries(shape)) {
    if (name === here && below.length > 0) {
      const value = inputFor(shapeOf(field)!, things, below);
      input[name] = unwrapped(field)._zod.def.type === 'array' ? [value] : value;
    } else if (name === here || isNeeded(field)) {
      input[name] = valueOf(name, field, things);
    }
  }
  return input;
}

/** The input with the name at a place misspelt. */
function misspelt(input: Input, [here, ...below]: Place, wrong: string): Input {
  if (below.length === 0)
    return Object.fromEntries(Object.entries(input).map(([name, value]) => [name === here ? wrong : name, value]));
  const inner = input[here!];
  const value = Array.isArray(inner)
    ? [misspelt(inner[0] as Input, below, wrong)]
    : misspelt(inner as Input, below, wrong);
  return { ...input, [here!]: value };
}

/** Everything the server holds, but for when its keys were last used. */
async function holdings({ product, root }: World): Promise<unknown> {
  const { db } = product.store;
  const { tables } = await db.introspection.getTables().then((list) => ({ tables: list.map(({ name }) => name) }));
  const rows = await Promise.all(
    tables.map((name) =>
      db
        .selectFrom(name as 'users')
        .selectAll()
        .execute(),
    ),
  );
  const held = JSON.stringify(Object.fromEntries(tables.map((name, index) => [name, rows[index]])));
  return held.replaceAll(/"last_used_at":(?:\d+|null)/g, '').replaceAll(root, '');
}

describe('an assistant that misspells one argument', () => {
  const cases = TOOLS.flatMap((tool) => {
    const shape = inputOf(tool, 'mcp').shape as Shape;
    return placesOf(shape).map((place) => ({ tool, shape, place }));
  });

  it('has every tool with arguments to misspell', () => {
    const without = TOOLS.filter((tool) => !cases.some((one) => one.tool === tool)).map(({ name }) => name);
    expect(without.toSorted()).toEqual([
      'delete_twitter_credentials',
      'get_leash',
      'get_me',
      'get_storage_usage',
      'get_usage',
      'list_plans',
    ]);
    expect(cases.length).toBeGreaterThan(300);
  });

  it.for(Object.entries(SLIPS))('%s: nothing is done, and the right name is given', async ([, slip], { world }) => {
    const things = await furnish(world);
    const reached = world.product.sandbox!.requests().length;
    const before = await holdings(world);
    const wrong: unknown[] = [];
    for (const { tool, shape, place } of cases) {
      const right = place.at(-1)!;
      const typed = slip(right);
      const beside = place.slice(0, -1).reduce<Shape>((at, name) => shapeOf(at[name]!)!, shape);
      if (Object.hasOwn(beside, typed)) continue;
      const input = misspelt(inputFor(shape, things, place), place, typed);
      const { isError, body } = await world.mcp(tool.name, input);
      const { code, message = '' } = isError ? body.error : {};
      // Very short names are near to too much, so all names are told there.
      const told = right.length < 3 ? /; (?:did you mean|\S+ takes) / : /; did you mean /;
      const isTold =
        told.test(message) && new RegExp(`\\b${right}\\b`).test(message.slice(message.indexOf(typed) + typed.length));
      if (code !== 'validation.field_invalid' || !message.startsWith('Nothing was done: unknown argument') || !isTold)
        wrong.push({ tool: tool.name, input, code, message });
    }
    expect(wrong).toEqual([]);
    await world.settle();
    expect(world.product.sandbox!.requests().length).toBe(reached);
    expect(await holdings(world)).toBe(before);
  });

  it('would have done something with each name spelt right', async ({ world }) => {
    const things = await furnish(world);
    const reach = async (name: string, input: Input) => {
      const requests = world.product.sandbox!.requests().length;
      const { isError, body } = await world.mcp(name, input);
      expect([name, isError, body.error]).toEqual([name, false, undefined]);
      await world.settle();
      return world.product.sandbox!.requests().length - requests;
    };
    const { account_id, post_id, comment_id, conversation_id } = things;
    expect(await reach('reply_to_comment', { post_id, comment_id, text: 'Yes' })).toBeGreaterThan(0);
    expect(await reach('send_dm', { conversation_id, text: 'Yes' })).toBeGreaterThan(0);
    const targets = [{ account_id, text: 'Other' }];
    expect(await reach('create_post', { text: 'Base', targets, publish_now: true })).toBeGreaterThan(0);
    expect(await reach('unpublish_post', { post_id, account_id })).toBeGreaterThan(0);
    expect(await reach('delete_post', { post_id, platform: 'bluesky' })).toBeGreaterThan(0);
  });
});
