import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { parse } from 'yaml';
import { inputOf } from '#call/input.ts';
import { EVENTS } from '#kernel/events.ts';
import { ERRORS, PLATFORM_REASONS } from '#kernel/errors.ts';
import { PLATFORMS } from '#kernel/platforms.ts';
import { listTools } from '#serve/mcp/catalogue.ts';
import { makeResourceCatalogue } from '#serve/mcp/resources.ts';
import { jsonSchema } from '#serve/schema.ts';
import { toolsets } from '#tools/index.ts';
import { ROOT } from '../../architecture/source.ts';
import { aCaller } from '../../harness/toys.ts';
import { it, type Json, type World } from '../../harness/world.ts';
import { modern } from '../../harness/worlds/mcp.ts';

const MAIN = 'skill://rostra/SKILL.md';
const REFERENCES = ['errors', 'inbox', 'publishing', 'whatsapp'].map((name) => `skill://rostra/references/${name}.md`);

async function ask(world: World, method: string, params: Record<string, unknown> = {}): Promise<Json> {
  const { headers, body } = modern(method, params);
  const sent = { Authorization: `Bearer ${world.key}`, 'Content-Type': 'application/json' };
  const answer = await fetch(`${world.root}/mcp`, {
    method: 'POST',
    headers: { ...(headers as Record<string, string>), ...sent },
    body: JSON.stringify(body),
  });
  const { error, result } = (await answer.json()) as Json;
  return error ?? result;
}

const onDisk = (uri: string) => readFileSync(join(ROOT, 'skills', uri.slice('skill://'.length)), 'utf8');

describe('the files of a skill', () => {
  it('are named by their addresses, whatever the skill is called', () => {
    const files = ['SKILL.md', 'references/errors.md'].map((file) => ({
      uri: `skill://skill/${file}`,
      title: file,
    }));
    const frontmatter = { name: 'skill', description: 'Publish.' };
    const { listed } = makeResourceCatalogue([], new Map(), [{ uri: files[0]!.uri, frontmatter, files } as never]);
    expect(JSON.parse(`{${listed(aCaller)}}`).resources.map((one: Json) => one.name)).toEqual([
      'skill',
      'skill/references/errors.md',
    ]);
  });
});

describe('the skill', () => {
  it('is listed with its files and their digests, and is found by its address', async ({ shared: world }) => {
    expect((await ask(world, 'server/discover')).capabilities.extensions).toEqual({
      'io.modelcontextprotocol/skills': {},
    });
    const { skills, ttlMs, cacheScope } = await ask(world, 'skills/list');
    expect([ttlMs > 0, cacheScope]).toEqual([true, 'private']);
    const [, head] = onDisk(MAIN).split('---\n');
    const frontmatter = parse(head!);
    expect(frontmatter.name).toBe('rostra');
    expect(frontmatter.description.length).toBeLessThanOrEqual(1024);
    const resources = [MAIN, ...REFERENCES].map((uri) => {
      const digest = createHash('sha256').update(onDisk(uri)).digest('hex');
      return { uri, digest: `sha256:${digest}`, size: Buffer.byteLength(onDisk(uri)) };
    });
    expect(skills).toEqual([{ uri: MAIN, frontmatter, resources }]);
    expect(await ask(world, 'skills/get', { uri: MAIN })).toMatchObject({
      skill: skills[0],
      ttlMs: expect.any(Number),
    });
    for (const uri of [REFERENCES[0], 'skill://other/SKILL.md', undefined])
      expect([uri, (await ask(world, 'skills/get', { uri })).code]).toEqual([uri, -32602]);
  });

  it('is read as a resource, and at its address without a key', async ({ shared: world }) => {
    const { resources } = await ask(world, 'resources/list');
    const listed = (resources as Json[]).filter(({ uri }) => uri.startsWith('skill://'));
    expect(listed.map(({ uri }) => uri)).toEqual([MAIN, ...REFERENCES]);
    expect(listed[0]).toMatchObject({
      name: 'rostra',
      title: 'Rostra',
      description: expect.stringMatching(/^Publish/),
    });
    for (const { uri, mimeType } of listed) {
      const { contents } = await ask(world, 'resources/read', { uri });
      expect(contents).toEqual([{ uri, mimeType, text: onDisk(uri) }]);
      const response = await fetch(uri.replace('skill://', `${world.root}/skills/`));
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
      expect(await response.text()).toBe(onDisk(uri));
    }
    expect((await fetch(`${world.root}/skills/rostra/../../package.json`)).status).toBe(404);
  });
});

describe('/llms.txt', () => {
  it('leads to addresses that are there', async ({ shared: world }) => {
    const text = await (await fetch(`${world.root}/llms.txt`)).text();
    expect(text).toMatch(/^# Rostra\n\n> .+\n\n[^#]+\n\n## /);
    const addresses = [...text.matchAll(/^- \[[^\]]+\]\((\S+)\): \S/gm)].map(([, address]) => address!);
    expect(addresses.length).toBe(text.match(/^- /gm)!.length);
    for (const uri of [MAIN, ...REFERENCES])
      expect(addresses).toContain(uri.replace('skill://', `${world.root}/skills/`));
    for (const address of addresses) {
      const { status } = await fetch(address);
      // Where a key is wanted, or there is only something below.
      const expected = address.includes('/mcp') && !address.includes('.well-known') ? 401 : 200;
      expect([address, status]).toEqual([address, address.endsWith('/v1') ? 404 : expected]);
    }
  });
});

type Schema = Readonly<{ properties?: Record<string, Schema>; items?: Schema; enum?: unknown[]; anyOf?: Schema[] }>;

/** The names of fields of a schema at any depth, and the values they may have. */
function wordsOf(schema: Schema | boolean): readonly string[] {
  if (typeof schema === 'boolean') return [];
  const { properties = {}, items, enum: values = [], anyOf = [] } = schema;
  const others = (schema as { additionalProperties?: Schema }).additionalProperties;
  const inner = [...Object.values(properties), ...(items ? [items] : []), ...anyOf, ...(others ? [others] : [])];
  return [
    ...Object.keys(properties),
    ...values.filter((value) => typeof value === 'string'),
    ...inner.flatMap(wordsOf),
  ];
}

const tools = listTools(toolsets).map(({ tool }) => tool);
const known = new Set([
  ...tools.map(({ name }) => name),
  ...tools.flatMap((tool) => wordsOf(jsonSchema(inputOf(tool, 'mcp'), 'input'))),
  ...tools.flatMap(({ output }) => wordsOf(jsonSchema(output, 'output'))),
  ...PLATFORMS,
  ...Object.keys(ERRORS),
  ...Object.keys(EVENTS),
  ...Object.keys(PLATFORM_REASONS).map((reason) => `platform.<platform>.${reason}`),
  // Of the meta of a refusal, of links of pages, and of what WhatsApp answers.
  'retry_after',
  'required_scope',
  'has_more',
  'code',
  'meta',
  'request_id',
  'true',
  'APPROVED',
]);

/** What is named in a text and is not there. */
const unknownIn = (text: string): readonly string[] => {
  const quoted = [...text.matchAll(/`([^`]+)`/g)]
    .map(([, code]) => code!)
    .filter((code) => !/^(?:\/|Authorization: |file:|\[\{)/.test(code));
  const inJson = quoted.flatMap((code) => code.split(/: |[[\]"]+/)).filter((word) => word !== '');
  const words = [...text.matchAll(/(?<![.\w])[a-z]+(?:_[a-z]+)+\b/g)].map(([word]) => word);
  return [...inJson, ...words].filter((word) => !known.has(word));
};

describe('the files of the skill', () => {
  const files = [MAIN, ...REFERENCES].map((uri) => [uri, onDisk(uri)] as const);

  it.for(files)('%s names tools, fields, values, errors and events that there are', ([, text]) => {
    expect(unknownIn(text)).toEqual([]);
    expect(unknownIn('`no_tool` and `status: nowhere`, no_field')).toEqual([
      'no_tool',
      'nowhere',
      'no_tool',
      'no_field',
    ]);
  });

  it.for(files)('%s is short, and its links lead to files of the skill', ([uri, text]) => {
    expect(text.length).toBeLessThan(6_000);
    for (const [, target] of text.matchAll(/\]\(([^)#]+)/g)) expect(REFERENCES).toContain(`skill://rostra/${target}`);
    if (uri === MAIN)
      for (const other of REFERENCES) expect(text).toContain(`(${other.slice('skill://rostra/'.length)}`);
  });
});
