import { inputOf } from '#call/input.ts';
import { isHoldable, type AnyTool, type Toolset } from '#call/tool.ts';
import { refusalsOf } from './refusals.ts';
import { jsonSchema, type JsonSchema } from './schema.ts';

type Schemas = Record<string, JsonSchema>;

const COMPONENT = '#/components/schemas/';
const JSON_BODY = 'application/json';
const STREAM_BODY = 'text/event-stream';
const HEADERS = {
  'X-Request-ID': {
    description: "The caller's own X-Request-ID if it was usable, else a fresh one.",
    schema: { type: 'string' },
  },
};
const REPLAYED = {
  'Idempotency-Replayed': {
    description: '`true` where an earlier request with the same Idempotency-Key was answered so.',
    schema: { type: 'string', enum: ['true'] },
  },
};
const ERROR_HEADERS = {
  409: { 'Retry-After': { description: 'Seconds to wait, where waiting helps.', schema: { type: 'integer' } } },
  429: { 'Retry-After': { description: 'Seconds to wait, where that is known.', schema: { type: 'integer' } } },
  401: { 'WWW-Authenticate': { description: 'Where tokens come from.', schema: { type: 'string' } } },
} as Readonly<Record<number, object>>;

/** The OpenAPI 3.1 document of all operations, the same for every server as its URL is relative. */
export function openApiOf(toolsets: readonly Toolset[]): object {
  const schemas: Schemas = { Error: errorSchema() };
  const paths: Record<string, Record<string, object>> = {};
  for (const { id, tools } of toolsets) {
    for (const tool of tools) {
      const { method, path } = tool.http;
      (paths[path] ??= {})[method.toLowerCase()] = operationOf(tool, id, schemas);
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
      schemas,
    },
  };
}

function operationOf(tool: AnyTool, toolset: string, schemas: Schemas): object {
  const { method, path, status = 200, also = [] } = tool.http;
  const input = hoist(jsonSchema(inputOf(tool, 'rest'), 'input'), tool.name, schemas);
  const properties = (input['properties'] ?? {}) as Record<string, JsonSchema>;
  const required = new Set((input['required'] ?? []) as string[]);
  const inPath = new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!));
  const rest = Object.keys(properties).filter((name) => !inPath.has(name));
  const inQuery = method === 'GET' || method === 'DELETE';

  const parameter = (name: string, location: 'path' | 'query') =>
    parameterOf(name, properties[name]!, location, required);
  const parameters = [
    ...[...inPath].map((name) => parameter(name, 'path')),
    ...(inQuery ? rest.map((name) => parameter(name, 'query')) : []),
    ...(tool.stream ? [resumptionOf(tool.stream.resume)] : []),
    ...(method === 'POST' ? [repetitionOf(tool)] : []),
  ];
  const success = {
    description: descriptionOf(tool),
    headers: headersOf(tool),
    content: contentOf(tool, schemas),
  };
  return {
    operationId: tool.name,
    summary: tool.summary,
    tags: [toolset],
    ...accessOf(tool),
    ...(parameters.length > 0 && { parameters }),
    ...(!inQuery && rest.length > 0 && { requestBody: bodyOf(tool, rest, properties, required) }),
    responses: {
      ...Object.fromEntries([status, ...also].map((one) => [one, success])),
      ...(isHoldable(tool) && { 202: { description: 'It waits for a person: `held` says where it is decided.' } }),
      ...refusalResponses(tool),
    },
  };
}

function contentOf({ name, output, stream, file }: AnyTool, schemas: Schemas): object {
  if (file) return { [file.type]: { schema: { type: 'string' } } };
  return { [stream ? STREAM_BODY : JSON_BODY]: { schema: hoist(jsonSchema(output, 'output'), name, schemas) } };
}

function descriptionOf({ effect, stream }: AnyTool): string {
  if (stream) return 'Server-Sent Events: the `data` of each is one record as described here, its `id` the id of that.';
  return effect === 'read' ? 'What was asked for.' : 'Done.';
}

function resumptionOf(field: string): object {
  const description = `The \`id\` of the last event that was received; goes before \`${field}\`.`;
  return { name: 'Last-Event-ID', in: 'header', description, schema: { type: 'string' } };
}

function repetitionOf({ unguarded }: AnyTool): object {
  const exempt = unguarded ? ', unless the server died over it: then it happens again' : '';
  const repeat = `a repeat within 24 hours is answered as the first was${exempt}`;
  return {
    name: 'Idempotency-Key',
    in: 'header',
    description: `Any text of your own, new for each request: ${repeat}.`,
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  };
}

function headersOf({ http }: AnyTool): object {
  return http.method === 'POST' ? { ...HEADERS, ...REPLAYED } : HEADERS;
}

/** Access rules that the bearer scheme cannot express. */
function accessOf({ access }: AnyTool): object {
  if ('scope' in access) return { description: `Needs the scope \`${access.scope}\`.`, 'x-scope': access.scope };
  if ('admin' in access) return { description: 'Not for keys limited to scopes or brands.' };
  if ('decide' in access) return { description: 'For dashboard tokens, and for keys that decide.' };
  return 'dashboard' in access ? { description: 'For dashboard tokens only.' } : {};
}

function parameterOf(
  name: string,
  schema: JsonSchema,
  location: 'path' | 'query',
  required: ReadonlySet<string>,
): object {
  const { description, ...rest } = schema;
  return {
    name,
    in: location,
    ...(description !== undefined && { description }),
    ...((location === 'path' || required.has(name)) && { required: true }),
    ...(rest['type'] === 'array' && { style: 'form', explode: false }),
    schema: rest,
  };
}

function bodyOf(
  { body }: AnyTool,
  names: readonly string[],
  properties: Readonly<Record<string, JsonSchema>>,
  required: ReadonlySet<string>,
): object {
  const needed = names.filter((name) => required.has(name));
  const schema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, properties[name]])),
    ...(needed.length > 0 && { required: needed }),
  };
  const type = body === 'multipart' ? 'multipart/form-data' : JSON_BODY;
  return { required: needed.length > 0 || body === 'multipart', content: { [type]: { schema } } };
}

function refusalResponses(tool: AnyTool): Record<number, object> {
  const byStatus = Map.groupBy(refusalsOf(tool), ({ status }) => status);
  return Object.fromEntries(
    [...byStatus].map(([status, refusals]) => [
      status,
      {
        description: refusals.map(({ code, message }) => `- \`${code}\`: ${message}`).join('\n'),
        headers: { ...headersOf(tool), ...ERROR_HEADERS[status] },
        content: { [JSON_BODY]: { schema: { $ref: `${COMPONENT}Error` } } },
      },
    ]),
  );
}

/** Moves a schema's own definitions to the document's components. */
function hoist(schema: JsonSchema, owner: string, schemas: Schemas): JsonSchema {
  const { $defs = {}, ...rest } = schema;
  const nameOf = (name: string) => (name.startsWith('__') ? owner + name : name);
  const moved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moved);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value as JsonSchema).flatMap(([keyword, inner]) => {
        if (keyword === '$ref' && typeof inner === 'string') {
          return [[keyword, inner.replace(/^#\/\$defs\/(.+)$/, (_, name: string) => COMPONENT + nameOf(name))]];
        }
        if (keyword === 'alias_of' && typeof inner === 'string') return [['description', `Another name of ${inner}.`]];
        const isMark = (keyword === 'minor' || keyword === 'inherits') && inner === true;
        return isMark || keyword === 'shown_as' ? [] : [[keyword, moved(inner)]];
      }),
    );
  };
  for (const [name, definition] of Object.entries($defs as Schemas)) {
    schemas[nameOf(name)] = moved(definition) as JsonSchema;
  }
  return moved(rest) as JsonSchema;
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
