import { STATUS_CODES } from 'node:http';
import { inputOf } from '#call/input.ts';
import { isHoldable, takesQuery, type AnyTool, type Toolset } from '#call/tool.ts';
import { REFERENCE } from '../http/areas.ts';
import { refusalsOf } from '../refusals.ts';
import { jsonSchema, type JsonSchema } from '../schema.ts';
import { hoist, refTo, type Components } from './components.ts';

/** A call of an operation and the response to it. */
export type Example = Readonly<{ input: Readonly<Record<string, unknown>>; status: number; answer: unknown }>;
/** Examples by the names of operations. */
export type Examples = Readonly<Record<string, Example>>;

const JSON_BODY = 'application/json';
const STREAM_BODY = 'text/event-stream';
const REQUEST_ID = 'X-Request-ID';
const REPLAYED = 'Idempotency-Replayed';
const RETRY_AFTER = 'Retry-After';
const AUTHENTICATE = 'WWW-Authenticate';
const HEADERS = {
  [REQUEST_ID]: {
    description: "The caller's own X-Request-ID if it was usable, else a fresh one.",
    schema: { type: 'string' },
  },
  [REPLAYED]: {
    description: '`true` where an earlier request with the same Idempotency-Key was answered so.',
    schema: { type: 'string', enum: ['true'] },
  },
  [RETRY_AFTER]: { description: 'Seconds to wait, where that is known.', schema: { type: 'integer' } },
  [AUTHENTICATE]: { description: 'Where tokens come from.', schema: { type: 'string' } },
};
type Header = keyof typeof HEADERS;

/** Additional headers of refusals, by status. */
const REFUSAL_HEADERS: ReadonlyMap<number, Header> = new Map([
  [401, AUTHENTICATE],
  [409, RETRY_AFTER],
  [429, RETRY_AFTER],
  [503, RETRY_AFTER],
]);

function refusalsByStatus(tool: AnyTool): readonly (readonly [status: number, text: string])[] {
  const byStatus = Map.groupBy(refusalsOf(tool), ({ status }) => status);
  return [...byStatus].map(([status, refusals]) => [status, refusals.map(({ code }) => `\`${code}\``).join(', ')]);
}

const nameOfStatus = (status: number): string => STATUS_CODES[status]!.replaceAll(' ', '');

/** One response per refusal status, with the description that most operations share. */
function refusalComponents(tools: readonly AnyTool[]): Components['responses'] {
  const byStatus = Map.groupBy(tools.flatMap(refusalsByStatus), ([status]) => status);
  return Object.fromEntries(
    [...byStatus].map(([status, all]) => {
      const texts = Map.groupBy(all, ([, text]) => text);
      const [description] = [...texts].reduce((most, one) => (one[1].length > most[1].length ? one : most));
      const more = REFUSAL_HEADERS.get(status);
      const headers = headersOf(more === undefined ? [REQUEST_ID, REPLAYED] : [REQUEST_ID, REPLAYED, more]);
      const content = { [JSON_BODY]: { schema: refTo('schemas', 'Error') } };
      return [nameOfStatus(status), { description, headers, content }];
    }),
  );
}

/** The OpenAPI 3.1 document of all operations. Its URL is relative, so it is the same for every server. */
export function openApiOf(toolsets: readonly Toolset[], examples: Examples = {}): object {
  const components: Components = {
    schemas: { Error: errorSchema() },
    responses: refusalComponents(toolsets.flatMap(({ tools }) => tools)),
    parameters: {},
    headers: HEADERS,
  };
  const paths: Record<string, Record<string, object>> = {};
  for (const { id, tools } of toolsets) {
    for (const tool of tools) {
      const { method, path } = tool.http;
      (paths[path] ??= {})[method.toLowerCase()] = operationOf(tool, id, components, examples[tool.name]);
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Rostra',
      version: '1.0',
      description:
        'One API for the inbox, the posts and the webhooks of all connected social accounts. Times are RFC 3339; one without an offset is read in the timezone of the workspace (`PATCH /users/me`, UTC at first).',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/v1', description: 'Relative to the address of this document.' }],
    externalDocs: { url: REFERENCE, description: 'The same as pages, with examples and errors.' },
    security: [{ bearer: [] }],
    tags: toolsets.map(({ id, title, description }) => ({ name: id, description, 'x-displayName': title })),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, an OAuth 2.1 access token or a dashboard token.',
        },
      },
      ...components,
    },
  };
}

function operationOf(tool: AnyTool, toolset: string, components: Components, example?: Example): object {
  const { method, path, status = 200, also = [] } = tool.http;
  const input = hoist(jsonSchema(inputOf(tool, 'rest'), 'input'), tool.name, components);
  const properties = (input['properties'] ?? {}) as Record<string, JsonSchema>;
  const required = new Set((input['required'] ?? []) as string[]);
  const inPath = new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!));
  const rest = Object.keys(properties).filter((name) => !inPath.has(name));
  const inQuery = takesQuery(tool);

  const parameter = (name: string, location: 'path' | 'query') =>
    parameterOf(name, properties[name]!, location, required, example?.input[name]);
  const parameters = [
    ...[...inPath].map((name) => parameter(name, 'path')),
    ...(inQuery ? rest.map((name) => parameter(name, 'query')) : []),
    ...(tool.stream ? [resumptionOf(tool.stream.resume)] : []),
    ...(method === 'POST' ? [repetitionOf(tool, components)] : []),
  ];
  const success = {
    description: descriptionOf(tool),
    headers: headersOf(method === 'POST' ? [REQUEST_ID, REPLAYED] : [REQUEST_ID]),
    content: contentOf(tool, components, example),
  };
  return {
    operationId: tool.name,
    summary: tool.summary,
    tags: [toolset],
    externalDocs: { url: `${REFERENCE}/${tool.name}` },
    ...accessOf(tool),
    ...(parameters.length > 0 && { parameters }),
    ...(!inQuery && rest.length > 0 && { requestBody: bodyOf(tool, rest, properties, required, example) }),
    responses: {
      ...Object.fromEntries([status, ...also].map((one) => [one, success])),
      ...(isHoldable(tool) && { 202: { description: 'It waits for a person: `held` says where it is decided.' } }),
      ...refusalResponses(tool, components),
    },
  };
}

function contentOf({ name, output, stream, file }: AnyTool, components: Components, example?: Example): object {
  const shown = example && { example: example.answer };
  if (file) return { [file.type]: { schema: { type: 'string' }, ...shown } };
  const schema = hoist(jsonSchema(output, 'output'), name, components);
  if (!stream) return { [JSON_BODY]: { schema, ...shown } };
  return {
    [STREAM_BODY]: { schema: { type: 'string', contentMediaType: STREAM_BODY, contentSchema: schema }, ...shown },
  };
}

function descriptionOf({ effect, stream }: AnyTool): string {
  if (stream)
    return 'Server-Sent Events. The `data` of each is JSON as `contentSchema` describes it; its `id` is the id of that record.';
  return effect === 'read' ? 'What was asked for.' : 'Done.';
}

function resumptionOf(field: string): object {
  const description = `The \`id\` of the last event that was received; goes before \`${field}\`.`;
  return { name: 'Last-Event-ID', in: 'header', description, schema: { type: 'string' } };
}

function repetitionOf({ unguarded }: AnyTool, { parameters }: Components): object {
  const name = unguarded ? 'IdempotencyKeyUnguarded' : 'IdempotencyKey';
  const exempt = unguarded ? ', unless the server died over it: then it happens again' : '';
  const repeat = `a repeat within 24 hours is answered as the first was${exempt}`;
  parameters[name] = {
    name: 'Idempotency-Key',
    in: 'header',
    description: `Any text of your own, new for each request: ${repeat}.`,
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  };
  return refTo('parameters', name);
}

const headersOf = (names: readonly Header[]): object =>
  Object.fromEntries(names.map((name) => [name, refTo('headers', name)]));

/** Access rules that the bearer scheme cannot express. */
function accessOf({ access }: AnyTool): object {
  if ('scope' in access) return { description: `Needs the scope \`${access.scope}\`.`, 'x-scope': access.scope };
  if ('admin' in access) return { description: 'Not for keys limited to scopes or brands.' };
  if ('decide' in access) return { description: 'For dashboard tokens, and for keys that decide.' };
  if (!('dashboard' in access)) return {};
  return access.dashboard === true
    ? { description: 'For dashboard tokens of administrators.' }
    : { description: `For dashboard tokens of people whose role has \`${access.dashboard}\`.` };
}

function parameterOf(
  name: string,
  schema: JsonSchema,
  location: 'path' | 'query',
  required: ReadonlySet<string>,
  example: unknown,
): object {
  const { description, ...rest } = schema;
  return {
    name,
    in: location,
    ...(description !== undefined && { description }),
    ...((location === 'path' || required.has(name)) && { required: true }),
    ...(rest['type'] === 'array' && { style: 'form', explode: false }),
    schema: rest,
    ...(example !== undefined && { example }),
  };
}

function bodyOf(
  { body }: AnyTool,
  names: readonly string[],
  properties: Readonly<Record<string, JsonSchema>>,
  required: ReadonlySet<string>,
  example?: Example,
): object {
  const needed = names.filter((name) => required.has(name));
  const schema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, properties[name]])),
    ...(needed.length > 0 && { required: needed }),
  };
  const type = body === 'multipart' ? 'multipart/form-data' : JSON_BODY;
  const given = names.filter((name) => example?.input[name] !== undefined);
  const sent = given.length > 0 && {
    example: Object.fromEntries(given.map((name) => [name, example!.input[name]])),
  };
  return { required: needed.length > 0 || body === 'multipart', content: { [type]: { schema, ...sent } } };
}

/** The refusals of an operation: references to components, with its own description where it differs. */
function refusalResponses(tool: AnyTool, { responses }: Components): Record<number, object> {
  return Object.fromEntries(
    refusalsByStatus(tool).map(([status, description]) => {
      const name = nameOfStatus(status);
      const isUsual = (responses[name] as Readonly<{ description: string }>).description === description;
      return [status, { ...refTo('responses', name), ...(!isUsual && { description }) }];
    }),
  );
}

function errorSchema(): JsonSchema {
  return {
    type: 'object',
    required: ['error', 'request_id'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: {
          code: { type: 'string', description: 'Stable and dot-namespaced; branch on this.' },
          message: { type: 'string', description: 'For people and logs.' },
          meta: {
            type: 'object',
            description: 'What the refusal is about: field, id, resource, plan, max and others.',
          },
        },
      },
      request_id: { type: 'string', description: 'The same as X-Request-ID; the log knows it.' },
    },
  };
}
