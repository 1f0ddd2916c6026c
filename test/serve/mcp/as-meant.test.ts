import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toolset, type AnyTool } from '#call/tool.ts';
import { listTools } from '#serve/mcp/catalogue.ts';
import { toolsets as declared } from '#tools/index.ts';
import { echoOf, SAMPLES } from '../../harness/calls/echo.ts';
import { exampleOf, kindOf, placesOf, shapeOf, valueAt, withValue, type Shape } from '../../harness/calls/inputs.ts';
import { callThrough, DOORS } from '../../harness/calls/operations.ts';
import { toy } from '../../harness/toys.ts';
import { it as inWorld } from '../../harness/world.ts';

const hear = echoOf(declared);

const TOOLS: readonly AnyTool[] = listTools(declared).map(({ tool }) => tool);

const CASES = TOOLS.map((tool) => {
  const shape = shapeOf(tool, 'mcp');
  return { name: tool.name, input: exampleOf(shape, SAMPLES), places: placesOf(shape) };
});

/** What a model may write that means a value: it as JSON text, and the item of a list of one. */
function waysOf(shape: Shape, value: unknown): readonly unknown[] {
  const kind = kindOf(shape);
  if (kind === undefined || kind === 'string') return [];
  const text = JSON.stringify(value);
  if (kind !== 'array') return [text];
  const [item] = value as readonly unknown[];
  return [text, item, ...(typeof item === 'object' ? [JSON.stringify(item)] : [])];
}

describe('an argument that a model writes in another form', () => {
  it('is what it means, in every tool and at every depth', async () => {
    let tried = 0;
    for (const { name, input, places } of CASES) {
      const straight = await hear(name, input);
      expect([name, straight]).not.toHaveProperty('1.refused');
      for (const { path, shape } of places) {
        for (const way of waysOf(shape, valueAt(input, path))) {
          tried += 1;
          const given = withValue(input, path, way);
          expect([name, path, way, await hear(name, given)]).toEqual([name, path, way, straight]);
        }
      }
    }
    expect(tried).toBeGreaterThan(200);
  });

  it('is JSON text wherever the list of tools shows it as such', async () => {
    const shown = CASES.flatMap(({ name, input, places }) =>
      places.filter(({ shape }) => shape.shown_as?.type === 'string').map(({ path }) => ({ name, input, path })),
    );
    expect(shown.length).toBeGreaterThan(8);
    for (const { name, input, path } of shown) {
      const given = withValue(input, path, JSON.stringify(valueAt(input, path)));
      expect([name, path, await hear(name, given)]).toEqual([name, path, await hear(name, input)]);
      const broken = await hear(name, withValue(input, path, '[{'));
      expect([name, broken]).toEqual([name, { refused: expect.stringContaining('is not valid JSON') }]);
    }
  });

  it('stays text where a text is taken', async () => {
    let tried = 0;
    for (const { name, input, places } of CASES) {
      for (const { path, shape } of places) {
        if (kindOf(shape) !== 'string' || shape.enum !== undefined || shape.format !== undefined) continue;
        for (const text of ['5', 'true', '[1]']) {
          const heard = await hear(name, withValue(input, path, text));
          if (Object.hasOwn(heard as object, 'refused')) continue;
          tried += 1;
          expect([name, path, valueAt(heard, path)]).toEqual([name, path, text]);
        }
      }
    }
    expect(tried).toBeGreaterThan(500);
  });

  it.each([
    ['list_posts', 'limit', '5 posts'],
    ['list_posts', 'limit', '0x10'],
    ['list_posts', 'limit', ''],
    ['list_posts', 'hidden', 'yes'],
    ['list_posts', 'hidden', '1'],
    ['list_posts', 'hidden', 1],
    ['list_posts', 'status', 'draft,failed'],
    ['list_posts', 'status', ''],
    ['list_posts', 'status', 'Draft'],
    ['list_posts', 'account_ids', 'acc_1,acc_2'],
    ['list_posts', 'account_ids', 'acc_1 acc_2'],
    ['list_posts', 'account_ids', '["acc_1"'],
    ['list_posts', 'account_ids', '[1]'],
    ['list_posts', 'account_ids', '{"id":"acc_1"}'],
    ['list_posts', 'account_ids', 1],
    ['get_post', 'post_id', 5],
    ['create_post', 'text', true],
    ['create_post', 'targets', 'acc_1'],
    ['create_post', 'media', '{"source":'],
  ])('is refused as it came where it is not clear: %s %s %j', async (name, field, value) => {
    expect(await hear(name, { [field]: value })).toEqual({ refused: expect.stringMatching(`^${field}`) });
  });

  it('is read in a union by the only kind that it can be, and stays where one takes a text', async () => {
    const either = toy(
      'echo',
      'PUT /echo',
      {
        text_or_count: z.union([z.string(), z.number()]).optional(),
        count_or_many: z.union([z.number(), z.array(z.string())]).optional(),
        flag_or_word: z.union([z.boolean(), z.enum(['true', 'auto'])]).optional(),
        texts: z.record(z.string(), z.union([z.string(), z.boolean()])).optional(),
      },
      async () => ({}),
    );
    const ask = echoOf([toolset('toys', 'Toys', 'Toys.', [either])]);
    const same = { text_or_count: '5', flag_or_word: 'true', texts: { a: 'true', b: '[1]' } };
    expect(await ask('echo', same)).toEqual(same);
    expect(await ask('echo', { count_or_many: '5', flag_or_word: 'false' })).toMatchObject({
      refused: expect.stringMatching(/^count_or_many/),
    });
    expect(await ask('echo', { count_or_many: '["a"]', flag_or_word: 'false' })).toEqual({
      count_or_many: ['a'],
      flag_or_word: false,
    });
  });
});

describe('a request of REST', () => {
  inWorld('is taken as it stands', async ({ shared: world }) => {
    for (const [field, value] of [
      ['publish_now', 'true'],
      ['account_ids', '["acc_1"]'],
      ['account_ids', 'acc_1'],
      ['platform_data', '{}'],
    ] as const) {
      const { code, meta } = await callThrough(world, 'rest', 'create_post', { text: 'a', [field]: value });
      expect([field, code, meta.field]).toEqual([field, 'validation.field_invalid', field]);
    }
  });
});

inWorld.for(DOORS)('a time without seconds is a time through %s', async (via, { world, account }) => {
  for (const [index, scheduled_at] of ['2026-12-31T10:00Z', '2026-12-31 12:00+02:00', '2026-12-31t10:00z'].entries()) {
    const input = { text: `post ${index}`, account_ids: [account.id], scheduled_at };
    const { body } = await callThrough(world, via, 'create_post', input);
    expect(body.scheduled_at).toBe('2026-12-31T10:00:00.000Z');
  }
});

inWorld('a template of WhatsApp may come as JSON text', async ({ shared: world }) => {
  const components = JSON.stringify([{ type: 'BODY', text: 'Hello' }]);
  const template = { name: 'hello', category: 'UTILITY', language: 'en_US', components };
  const { body } = await callThrough(world, 'mcp', 'validate_whatsapp_template', template);
  expect(body).toMatchObject({ valid: true, errors: [] });
});
