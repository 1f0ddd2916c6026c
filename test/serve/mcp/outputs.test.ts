import { describe, expect } from 'vitest';
import { listTools } from '#serve/mcp/catalogue.ts';
import { CORE } from '#serve/mcp/core.ts';
import type { JsonSchema } from '#serve/schema.ts';
import { toolsets } from '#tools/index.ts';
import { it, type Json, type World } from '../../harness/world.ts';

const entries = listTools(toolsets);
const names = new Set(entries.map(({ tool }) => tool.name));

async function listed(world: World, query: string): Promise<Json> {
  const response = await fetch(`${world.root}/mcp?${query}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${world.key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  });
  return response.json();
}

const namesIn = ({ result }: Json): readonly string[] => result.tools.map(({ name }: Json) => name as string);

/** The places of a schema that say nothing of what stands there, or what no client knows. */
function untyped(schema: JsonSchema, place: string): readonly string[] {
  const { type, anyOf, const: only, properties = {}, items, additionalProperties: others } = schema as Json;
  const ours = ['alias_of', 'minor', 'inherits', 'shown_as', '$ref'].filter((keyword) => keyword in schema);
  return [
    ...ours.map((keyword) => `${place}: ${keyword}`),
    ...(type === undefined && anyOf === undefined && only === undefined ? [place] : []),
    ...([type].flat().includes('null') ? [`${place}: null`] : []),
    ...Object.entries(properties as Record<string, JsonSchema>).flatMap(([name, field]) =>
      untyped(field, `${place}.${name}`),
    ),
    ...(items === undefined ? [] : untyped(items, `${place}[]`)),
    ...(typeof others === 'object' ? untyped(others, `${place}{}`) : []),
    ...((anyOf ?? []) as JsonSchema[]).flatMap((one) => untyped(one, place)),
  ];
}

describe('the schemas of answers', () => {
  it('type all that is known of them, at the top and whole', () => {
    const ofAnyShape = ['get_webhook_delivery.payload', 'retry_webhook_delivery.payload'];
    for (const full of [false, true]) {
      const places = entries.flatMap(({ tool, listed: short, listedInFull }) => {
        const { outputSchema } = JSON.parse(full ? listedInFull : short) as { outputSchema: JsonSchema };
        return untyped(outputSchema, tool.name);
      });
      expect([full, places]).toEqual([full, ofAnyShape]);
    }
  });

  it('are whole where the address asks for that', async ({ world }) => {
    const [short, full] = [
      await listed(world, 'tools=list_posts'),
      await listed(world, 'tools=list_posts&outputs=full'),
    ];
    const shortData = short.result.tools[0].outputSchema.properties.data;
    expect(shortData).toEqual({ type: 'array' });
    const { properties, required } = full.result.tools[0].outputSchema;
    expect(required).toEqual(['data', 'pagination']);
    const [inBrief, whole] = properties.data.items.anyOf;
    expect(inBrief).toMatchObject({
      required: ['id', 'status'],
      properties: { targets: { items: { type: 'string' } } },
    });
    expect(whole.properties.targets.items.properties.error.required).toEqual([
      'code',
      'message',
      'category',
      'caused_by',
    ]);
    expect((await listed(world, 'outputs=some')).error).toMatchObject({
      code: 'validation.field_invalid',
      meta: { field: 'outputs' },
    });
  });
});

describe('the core view', () => {
  it('has 25 tools that there are', async ({ world }) => {
    expect(CORE.filter((name) => !names.has(name))).toEqual([]);
    expect(new Set(CORE).size).toBe(25);
    expect(namesIn(await listed(world, 'view=core')).toSorted()).toEqual(CORE.toSorted());
    expect(namesIn(await listed(world, 'view=all'))).toEqual(namesIn(await listed(world, '')));
  });

  it('takes more tools by name or toolset, and fewer that only read', async ({ world }) => {
    expect(namesIn(await listed(world, 'view=core&tools=list_plans'))).toEqual(
      expect.arrayContaining([...CORE, 'list_plans']),
    );
    expect(namesIn(await listed(world, 'view=core&toolsets=brands'))).toContain('create_brand');
    const reading = namesIn(await listed(world, 'view=core&readonly=1'));
    expect(reading).toContain('list_posts');
    expect(reading).not.toContain('create_post');
  });

  it('is the only one there is', async ({ world }) => {
    const { error } = await listed(world, 'view=compact');
    expect(error).toMatchObject({ code: 'validation.field_invalid', meta: { field: 'view' } });
    expect(error.message).toContain('core');
  });
});
