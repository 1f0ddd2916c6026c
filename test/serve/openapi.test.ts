import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, toolset } from '#call/tool.ts';
import { openApiOf } from '#serve/openapi.ts';
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
    expect(responses[404].description).toContain('`post.not_found`');
    expect(responses[401].description).toContain('`auth.invalid_key`');
    expect(responses[403].description).toContain('`auth.insufficient_scope`');
    expect(responses[403].description).toContain('`platform.bluesky.dm_scope_missing`');
    expect(responses[409].description).toContain('`platform.<platform>.duplicate`');
    expect(responses[502].description).toContain('`platform.<platform>.api_error`');
    expect(document.paths['/notes'].post.responses[402].description).toContain('`billing.past_due`');
    expect(document.paths['/rules'].get.responses[403].description).toContain('`auth.dashboard_only`');
  });

  it('points only at what it holds', () => {
    const targets: string[] = [];
    JSON.stringify(document, (key, value) => {
      if (key === '$ref') targets.push(value);
      return value;
    });
    expect(targets.length).toBeGreaterThan(1);
    for (const target of targets) {
      const found = target
        .slice(2)
        .split('/')
        .reduce((node, step) => node?.[step], document);
      expect([target, typeof found]).toEqual([target, 'object']);
    }
    expect(JSON.stringify(document)).not.toContain('$defs');
    expect(document.components.schemas.Note.properties.results.description).toBe('Another name of targets.');
  });

  it('is served as it is, to anybody', async () => {
    const world = await openWorld({ toolsets: sets });
    const { status, body, headers } = await world.send('/openapi.json', { anonymous: true });
    expect([status, headers['access-control-allow-origin']]).toEqual([200, '*']);
    expect(body).toEqual(document);
  });
});
