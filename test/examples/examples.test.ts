import { writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import examples from '#serve/openapi/examples.json' with { type: 'json' };
import { openApiOf, type Example, type Examples } from '#serve/openapi/index.ts';
import { toolsets } from '#tools/index.ts';
import { forFile } from '../harness/fixtures.ts';
import { TOOLS } from '../harness/calls/operations.ts';
import type { Json } from '../harness/world.ts';
import { openPlay } from './play.ts';
import { outline, printed, steady } from './printed.ts';
import { STEPS } from './steps.ts';

const isWriting = process.env['EXAMPLES'] === 'write';
const FILE = new URL('../../src/serve/openapi/examples.json', import.meta.url);
/** Calls every operation once. */
async function record(atEnd: (end: () => Promise<void>) => void): Promise<Examples> {
  const play = await openPlay(atEnd);
  const found: Record<string, Example> = {};
  for (const step of STEPS) {
    if ('happens' in step) {
      await step.happens(play);
      continue;
    }
    const input = (await step.input?.(play)) ?? {};
    const { status, body } = await play.call(step.operation, input, step.as ?? 'key');
    if (status >= 400) throw new Error(`${step.operation}: ${JSON.stringify(body)}`);
    const { root } = play.stage.world;
    found[step.operation] = {
      input: printed(input, root) as Example['input'],
      status,
      answer: printed(body, root),
    };
  }
  return found;
}

const it = test.extend(
  'recorded',
  { scope: 'file' },
  forFile(async (atEnd) => {
    const found = await record(atEnd);
    if (!isWriting) return { found, kept: examples };
    const kept = steady(found, examples) as Examples;
    await writeFile(FILE, `${JSON.stringify(kept, undefined, 2)}\n`);
    return { found, kept };
  }),
);

const document = openApiOf(toolsets, examples) as Json;
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(document, 'openapi');

/** Where the schema of an answer is in the document. */
const schemaOf = (name: string): string => {
  const { http } = TOOLS.find((tool) => tool.name === name)!;
  const steps = ['paths', http.path, http.method.toLowerCase(), 'responses', String(http.status ?? 200), 'content'];
  return referenceTo([...steps, mediaTypeOf(name), 'schema']);
};

const mediaTypeOf = (name: string): string => {
  const { stream, file } = TOOLS.find((tool) => tool.name === name)!;
  return file?.type ?? (stream ? 'text/event-stream' : 'application/json');
};

const referenceTo = (steps: readonly string[]): string =>
  `openapi#/${steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;

/** What is wrong with a value by a schema of the document, and the fields that the schema does not name. */
function faultsOf(name: string, value: unknown, reference: string): readonly string[] {
  const validate = ajv.getSchema(reference)!;
  const isValid = validate(value);
  return [
    ...(isValid ? [] : [`${name}: ${ajv.errorsText(validate.errors)}`]),
    ...undeclared(value, at(reference)).map((path) => `${name} does not declare ${path}`),
  ];
}

function at(reference: string): Json {
  return reference
    .replace(/^.*#\//, '')
    .split('/')
    .reduce((node, step) => node[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')], document);
}

/** The fields of a value that its schema does not name. */
function undeclared(value: unknown, schema: Json, path = ''): readonly string[] {
  if (schema.$ref !== undefined) return undeclared(value, at(schema.$ref), path);
  if (schema.anyOf !== undefined) {
    const branches = (schema.anyOf as Json[]).filter(({ type }) => value === null || type !== 'null');
    const each = branches.map((one) => undeclared(value, one, path));
    return each.toSorted((a, b) => a.length - b.length)[0]!;
  }
  if (Array.isArray(value)) return value.flatMap((item) => undeclared(item, schema.items ?? {}, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [];
  const { properties, additionalProperties } = schema;
  // An object that is open by design: options, metadata, what a platform counts.
  if (properties === undefined && additionalProperties === undefined) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const known = properties?.[name] ?? additionalProperties;
    return known === undefined ? [`${path}.${name}`] : undeclared(inner, known, `${path}.${name}`);
  });
}

describe('the examples of the OpenAPI document', () => {
  it('are what the operations answer', ({ recorded }) => {
    expect(outline(recorded.found), 'EXAMPLES=write npm test -- test/examples').toEqual(outline(recorded.kept));
  });

  it('are one for each operation', ({ recorded }) => {
    const names = TOOLS.map(({ name }) => name).toSorted();
    expect(Object.keys(recorded.kept).toSorted()).toEqual(names);
    const { paths } = openApiOf(toolsets, recorded.kept) as Json;
    const shown = Object.values<Json>(paths)
      .flatMap((methods) => Object.values<Json>(methods))
      .filter(({ operationId, responses }) => {
        const { status, answer } = (recorded.kept as Examples)[operationId as string]!;
        return isDeepStrictEqual(responses[status].content[mediaTypeOf(operationId)].example, answer);
      });
    expect(shown.map(({ operationId }) => String(operationId)).toSorted()).toEqual(names);
  });

  it('fit the schemas, and have no field that these do not name', ({ recorded }) => {
    const faults = Object.entries(recorded.kept).flatMap(([name, { answer }]) =>
      faultsOf(name, answer, schemaOf(name)),
    );
    expect(faults).toEqual([]);
  });

  it('are CSV and Server-Sent Events where the answer is not JSON', ({ recorded }) => {
    const csv = String(recorded.kept['get_import_template'].answer);
    expect(csv).toMatch(/^text,title,.+\r\n(?:.+\r\n)+$/);
    const stream = String(recorded.kept['stream_events'].answer);
    const [, id, data] = /^retry: 3000\n\nid: (\S+)\ndata: (.+)\n\n$/.exec(stream)!;
    const entry = JSON.parse(data!);
    expect(entry.id).toBe(id);
    expect(faultsOf('stream_events', entry, `${schemaOf('stream_events')}/contentSchema`)).toEqual([]);
  });
});
