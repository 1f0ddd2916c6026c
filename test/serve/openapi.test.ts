import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, toolset } from '#call/tool.ts';
import { openApiOf } from '#serve/openapi/index.ts';
import { toolsets } from '#tools/index.ts';
import { openWorld, toySets, toys } from '../harness/worlds/http.ts';

const Note: z.ZodObject = z
  .looseObject({
    id: z.string(),
    results: z.array(z.string()).meta({ alias_of: 'targets' }),
    get replies() {
      return z.array(Note);
    },
  })
  .meta({ id: 'Note' });

const record = defineTool({
  name: 'get_record',
  summary: 'Get a record.',
  http: { method: 'GET', path: '/records/{record_id}', also: [207] },
  effect: 'read',
  access: { scope: 'posts:read' },
  pastDue: 'exempt',
  input: z.object({
    record_id: z.string().max(9).describe('Id.'),
    ids: z.array(z.string()).optional().describe('Ids.'),
  }),
  output: Note,
  errors: ['post.not_found', 'platform.*', 'platform.bluesky.dm_scope_missing', 'platform.*.duplicate'],
  run: async () => ({ id: 'x', results: [], replies: [] }),
});

const sets = [...toySets, toolset('records', 'Records', 'Kept things.', [record])];
const document = openApiOf(sets) as any;

/** What a reference of the document points at. */
const at = (reference: string): any =>
  reference
    .slice(2)
    .split('/')
    .reduce((node, step) => node?.[step], document);

describe('the OpenAPI document', () => {
  it('names every operation once, with its toolset', () => {
    const operations = Object.values(document.paths).flatMap((path) =>
      Object.values(path as Record<string, { operationId: string }>),
    );
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
      [...toys, record].map(({ name }) => name).sort(),
    );
    expect(document.info.version).toBe('1.0');
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.paths['/notes'].get.tags).toEqual(['notes']);
    expect(document.security).toEqual([{ bearer: [] }]);
  });

  it('puts inputs where they are sent', () => {
    const names = (operation: any, place: string) =>
      (operation.parameters ?? []).filter((one: any) => one.in === place).map((one: any) => one.name);
    const { get } = document.paths['/records/{record_id}'];
    expect([names(get, 'path'), names(get, 'query'), get.requestBody]).toEqual([['record_id'], ['ids'], undefined]);
    expect(get.parameters[1]).toMatchObject({ style: 'form', explode: false, description: 'Ids.' });
    const { patch } = document.paths['/notes/{note_id}'];
    expect(names(patch, 'query')).toEqual([]);
    expect(Object.keys(patch.requestBody.content['application/json'].schema.properties)).toEqual(['text']);
    const { post } = document.paths['/notes/upload'];
    expect(post.requestBody.required).toBe(true);
    expect(Object.keys(post.requestBody.content)).toEqual(['multipart/form-data']);
    expect(Object.keys(document.paths['/notes'].post.responses)).toContain('201');
  });

  it('lists the declared errors and those that follow from the declaration', () => {
    const { responses } = document.paths['/records/{record_id}'].get;
    expect(Object.keys(responses).join(' ')).toBe('200 207 400 401 403 404 409 429 500 502 503');
    expect(responses[207]).toEqual(responses[200]);
    const textOf = ({ $ref, description = at($ref).description }: any) => description as string;
    expect(textOf(responses[404])).toContain('`post.not_found`');
    expect(textOf(responses[401])).toContain('`auth.invalid_key`');
    expect(textOf(responses[403])).toContain('`auth.insufficient_scope`');
    expect(textOf(responses[403])).toContain('`platform.bluesky.dm_scope_missing`');
    expect(textOf(responses[409])).toContain('`platform.<platform>.duplicate`');
    expect(textOf(responses[502])).toContain('`platform.<platform>.api_error`');
    expect(textOf(document.paths['/notes'].post.responses[402])).toContain('`billing.past_due`');
    expect(textOf(document.paths['/rules'].get.responses[403])).toContain('`auth.dashboard_only`');
    expect(at(responses[401].$ref).content['application/json'].schema).toEqual({ $ref: '#/components/schemas/Error' });
  });

  it('points only at what it holds', () => {
    const targets: string[] = [];
    JSON.stringify(document, (key, value) => {
      if (key === '$ref') targets.push(value);
      return value;
    });
    expect(targets.length).toBeGreaterThan(1);
    for (const target of targets) expect([target, typeof at(target)]).toEqual([target, 'object']);
    expect(JSON.stringify(document)).not.toContain('$defs');
    expect(document.components.schemas.Note.properties.results.description).toBe('Another name of targets.');
  });

  it('writes each record of the product once, by its name', () => {
    const product = openApiOf(toolsets) as any;
    const { Post, Comment, MediaInput } = product.components.schemas;
    expect(Object.keys(Post.properties)).toContain('targets');
    expect(Post.properties.targets.items).toEqual({ $ref: '#/components/schemas/Target' });
    const created = product.paths['/posts'].post.responses[201].content['application/json'].schema;
    expect(created).toEqual({ $ref: '#/components/schemas/Post' });
    expect([Comment.type, MediaInput.type]).toEqual(['object', 'object']);
    const marks = JSON.stringify(product).match(/"(?:component|alias_of|minor|inherits|shown_as)":/g);
    expect(marks).toBeNull();
    expect(JSON.stringify(product).length).toBeLessThan(450_000);
  });

  it('refuses two records of one name', () => {
    const first = z.looseObject({ a: z.string() }).meta({ component: 'Twice' });
    const second = z.looseObject({ b: z.string() }).meta({ component: 'Twice' });
    const output = z.looseObject({ first, second });
    const twice = toolset('twice', 'Twice', 'Two.', [
      defineTool({ ...record, name: 'get_twice', output, run: async () => ({}) }),
    ]);
    expect(() => openApiOf([twice])).toThrow('get_twice: there are two schemas Twice');
  });

  it('is served as it is, to anybody', async () => {
    const world = await openWorld({ toolsets: sets });
    const { status, body, headers } = await world.send('/openapi.json', { anonymous: true });
    expect([status, headers['access-control-allow-origin']]).toEqual([200, '*']);
    expect(body).toEqual(document);
  });
});
