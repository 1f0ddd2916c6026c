/** Protocol constants, and functions that write messages as text. */

/** Revisions with `initialize`, newest first. The first is the fallback. */
export const LEGACY_VERSIONS = Object.freeze(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const);
/** Revisions in which requests are independent of each other. */
export const MODERN_VERSIONS = Object.freeze(['2026-07-28'] as const);

const LEGACY: ReadonlySet<unknown> = new Set(LEGACY_VERSIONS);
const MODERN: ReadonlySet<unknown> = new Set(MODERN_VERSIONS);

export const isLegacyVersion = (version: unknown): boolean => LEGACY.has(version);
export const isModernVersion = (version: unknown): boolean => MODERN.has(version);

export type Era = 'legacy' | 'modern';
export type RpcId = string | number;
export type Params = Readonly<Record<string, unknown>>;

export const META = Object.freeze({
  version: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  error: 'dev.rostra/error',
  toolsets: 'dev.rostra/toolsets',
  links: 'dev.rostra/links',
});

export const RPC = Object.freeze({
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** A missing resource, in revisions before 2026-07-28. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
});

/** A result: the text inside the braces of its object, and fields that only the modern era has. */
export type Answer = Readonly<{
  inner: string;
  /** Text inside the braces of `_meta`. */
  meta?: string;
  /** Set if clients may cache the result. */
  ttlMs?: number;
  resultType?: string;
}>;

/** A protocol error. `status` is its HTTP status in the modern era; the default is 200. */
export type Refusal = Readonly<{ code: number; message: string; data?: object; status?: number }>;

export const isRefusal = (outcome: Answer | Refusal): outcome is Refusal => 'code' in outcome;

export const refuse = (code: number, message: string, data?: object): Refusal => ({
  code,
  message,
  ...(data && { data }),
});

export function answerOf(result: object, ttlMs?: number): Answer {
  const { resultType, _meta, ...rest } = result as { resultType?: string; _meta?: object };
  return {
    inner: inside(rest),
    ...(_meta && { meta: inside(_meta) }),
    ...(ttlMs !== undefined && { ttlMs }),
    ...(resultType !== undefined && { resultType }),
  };
}

export const inside = (value: object): string => JSON.stringify(value).slice(1, -1);

/** A result object as text. `serverInfo` is the `_meta` member that modern results have. */
export function resultText(answer: Answer, era: Era, serverInfo: string): string {
  const { inner, meta } = answer;
  if (era === 'legacy') {
    if (meta === undefined) return `{${inner}}`;
    return inner === '' ? `{"_meta":{${meta}}}` : `{${inner},"_meta":{${meta}}}`;
  }
  const cache = answer.ttlMs === undefined ? '' : `,"ttlMs":${answer.ttlMs},"cacheScope":"private"`;
  return (
    `{"resultType":"${answer.resultType ?? 'complete'}"${inner === '' ? '' : ','}${inner}${cache},` +
    `"_meta":{${serverInfo}${meta === undefined ? '' : `,${meta}`}}}`
  );
}

/** The response that carries a result from `resultText`. */
export const responseText = (id: RpcId, result: string): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;

/** The error response. Its id is null if the request had no usable one. */
export const refusalText = (id: RpcId | undefined, { code, message, data }: Refusal): string =>
  JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: { code, message, ...(data && { data }) } });

/** A parsed JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function present(record: Params): Params {
  if (!Object.values(record).includes(null)) return record;
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}

/** Removes nulls from the envelope, where they mean that a field is absent. */
export function withoutNulls(message: Params): Params {
  const { params } = message;
  if (params === null) return { ...message, params: {} };
  if (!isRecord(params)) return message;
  const given = present(params);
  const { _meta: meta } = given;
  const content = isRecord(meta) ? present(meta) : meta;
  return given === params && content === meta
    ? message
    : { ...message, params: content === meta ? given : { ...given, _meta: content } };
}
