import { describe, expect } from 'vitest';
import type { z } from 'zod';
import type { AnyTool } from '#call/tool.ts';
import { listTools } from '#serve/mcp/catalogue.ts';
import { untrustedIn } from '#serve/mcp/answers/untrusted.ts';
import { isRecord, jsonSchema, type JsonSchema } from '#serve/schema.ts';
import { toolsets } from '#tools/index.ts';
import { furnish, type Things } from '../../harness/calls/furnished.ts';
import { exampleOf, shapeOf } from '../../harness/calls/inputs.ts';
import { requestOf } from '../../harness/calls/operations.ts';
import { list } from '../../harness/calls/rest.ts';
import { facebookOf } from '../../harness/platforms/facebook.ts';
import { it, type Json } from '../../harness/world.ts';

const READS = listTools(toolsets).filter(({ tool }) => tool.effect === 'read');
const INBOX: ReadonlySet<string> = new Set(['comments', 'conversations', 'inbox', 'mentions', 'reviews']);

/** Where an answer has text that a person could have written, and no id, address or word of ours. */
function* textsOf(schema: JsonSchema, at = ''): Generator<string> {
  const { items, properties, additionalProperties: others, anyOf, type, format } = schema;
  const isText =
    [type].flat().includes('string') &&
    format === undefined &&
    schema['enum'] === undefined &&
    schema['const'] === undefined;
  if (isText || (isRecord(others) && Object.keys(others).length === 0)) yield at;
  if (isRecord(items)) yield* textsOf(items, `${at}[]`);
  for (const branch of (anyOf ?? []) as JsonSchema[]) yield* textsOf(branch, at);
  for (const [name, field] of Object.entries((properties ?? {}) as Record<string, JsonSchema>)) {
    yield* textsOf(field, at === '' ? name : `${at}.${name}`);
  }
}

/** Fields of the inbox that hold no words of people outside. */
const OURS =
  /(?:^|[._])(?:id|url|cursor|link|permalink|thumbnail|picture|type|tool|code|state|blocked)$|^warnings|reply\.text$|failed_accounts|answer\.arguments/;

/** The places of an answer whose text has a mark, as paths without indexes. */
function marked(value: unknown, mark: string, at = ''): readonly string[] {
  if (typeof value === 'string') return value.includes(mark) ? [at] : [];
  if (Array.isArray(value)) return value.flatMap((item) => marked(item, mark, `${at}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => marked(inner, mark, at === '' ? name : `${at}.${name}`));
}

/** An input with nothing but what an operation needs, on the account that is known. */
function neededBy(tool: AnyTool, known: Things): Things {
  const shape = shapeOf(tool, 'rest');
  const all = Object.entries(exampleOf(shape, new Map(Object.entries(known))) as Things);
  const needed = (shape as JsonSchema)['required'] as readonly string[] | undefined;
  return Object.fromEntries(all.filter(([name]) => name === 'account_id' || needed?.includes(name)));
}

const isWithin = (path: string, declared: readonly string[]) =>
  declared.some((one) => path === one || path.startsWith(`${one}.`) || path.startsWith(`${one}[`));

describe('words of people outside', () => {
  it('are declared wherever the inbox answers them', () => {
    const reads = READS.filter(({ toolset }) => INBOX.has(toolset));
    expect(reads.length).toBeGreaterThan(9);
    for (const { tool } of reads) {
      const declared = untrustedIn(tool);
      expect([tool.name, declared.length > 0]).toEqual([tool.name, true]);
      const texts = [...textsOf(jsonSchema(tool.output as z.ZodObject, 'output'))];
      expect([tool.name, texts.filter((path) => !isWithin(path, declared) && !OURS.test(path))]).toEqual([
        tool.name,
        [],
      ]);
    }
  });

  it('are declared by every read that has them, and reach assistants without what is hidden in them', async ({
    world,
  }) => {
    const hidden = '\u{E0041}\u{E0042}';
    const mark = `Rye${hidden}\u202E\u200B?`;
    const known = await furnish(world);
    const facebook = facebookOf(world);
    const [page] = await list(world, `/v1/accounts/${known['account_id'] as string}/pages`);
    const { targets } = (await world.rest(`GET /v1/posts/${known['post_id'] as string}`)).body;
    const on = targets.find(({ platform }: Json) => platform === 'facebook').platform_post_id;
    await facebook.act('message', { person: 'mia.sandbox.test', page: page!.platform_page_id, text: mark });
    await facebook.act('comment', { person: 'fred.sandbox.test', on, message: mark });
    await world.settle();
    const having: string[] = [];
    for (const { tool } of READS) {
      const input = neededBy(tool, known);
      const { route, body } = requestOf(tool, { ...input });
      const answer = await world.rest(route, body);
      const places = marked(answer.body, hidden);
      if (places.length === 0) continue;
      having.push(tool.name);
      const declared = untrustedIn(tool);
      expect([tool.name, places.filter((path) => !isWithin(path, declared))]).toEqual([tool.name, []]);
      for (const more of tool.brief === undefined ? [{}] : [{}, { detail: 'full' }]) {
        const { body: told } = await world.mcp(tool.name, { ...input, ...more });
        expect([tool.name, marked(told, hidden), marked(told, '\u202E')]).toEqual([tool.name, [], []]);
        expect(JSON.stringify(told)).toContain('Rye?');
      }
    }
    expect(having).toEqual(
      expect.arrayContaining(['list_messages', 'get_conversation', 'list_post_comments', 'list_unanswered']),
    );
    const uri = `social://conversations/${known['conversation_id'] as string}`;
    const { body } = await world.rest('POST /mcp', {
      jsonrpc: '2.0',
      id: 1,
      method: 'resources/read',
      params: { uri },
    });
    expect([body.result.contents[0].text, marked(body, hidden)]).toEqual([expect.stringContaining('Rye?'), []]);
  });
});
