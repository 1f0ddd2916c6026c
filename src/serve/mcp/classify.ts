import type { IncomingHttpHeaders } from 'node:http';
import { tableOf } from '#kernel/text/table.ts';
import {
  isLegacyVersion,
  isModernVersion,
  isRecord,
  LEGACY_VERSIONS,
  META,
  MODERN_VERSIONS,
  refuse,
  RPC,
  withoutNulls,
  type Era,
  type Params,
  type Refusal,
  type RpcId,
} from './json-rpc.ts';

export type Classified =
  | Readonly<{ kind: 'request'; era: Era; id: RpcId; method: string; params: Params }>
  | Readonly<{ kind: 'notification' }>
  | Readonly<{ kind: 'response'; message: Params }>
  | Readonly<{ kind: 'refused'; id?: RpcId | undefined; refusal: Refusal }>;

/** The parameter that `Mcp-Name` repeats, by method. */
const NAMED: ReadonlyMap<string, string> = tableOf({
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
});

const refused = (refusal: Refusal, id?: RpcId): Classified => ({ kind: 'refused', id, refusal });

/** Determines a message's era and checks it: a revision in `_meta` makes it modern, otherwise it is legacy. */
export function classify(message: unknown, headers: IncomingHttpHeaders): Classified {
  if (Array.isArray(message)) return refused(refuse(RPC.invalidRequest, 'Send one message at a time, not a batch.'));
  if (!isRecord(message) || message['jsonrpc'] !== '2.0')
    return refused(refuse(RPC.invalidRequest, 'This is not a JSON-RPC 2.0 message.'));
  const { id, method, params = {} } = withoutNulls(message);
  if (method === undefined && ('result' in message || 'error' in message)) return { kind: 'response', message };
  if (typeof method !== 'string' || !isRecord(params))
    return refused(refuse(RPC.invalidRequest, 'A message needs a method, and its params must be an object.'));
  if (!('id' in message)) return classifyNotification(method, params, headers);
  // A larger integer loses digits when parsed, so the response would carry a different id.
  if (typeof id !== 'string' && !Number.isSafeInteger(id))
    return refused(
      refuse(RPC.invalidRequest, 'The id of a request must be a string, or an integer of at most 2^53 - 1.'),
    );
  return classifyRequest({ id: id as RpcId, method, params }, headers);
}

type Request = Readonly<{ id: RpcId; method: string; params: Params }>;

function classifyRequest(request: Request, headers: IncomingHttpHeaders): Classified {
  const { id, method, params } = request;
  const stated = one(headers['mcp-protocol-version']);
  const meta = isRecord(params['_meta']) ? params['_meta'] : {};
  const claim = meta[META.version];
  if (claim === undefined || (method === 'initialize' && !isModernVersion(claim))) {
    const refusal = refuseLegacy(method, stated);
    return refusal ? refused(refusal, id) : { kind: 'request', era: 'legacy', ...request };
  }
  const refusal =
    refuseEnvelope(meta) ??
    refuseMismatch('MCP-Protocol-Version', stated, claim as string) ??
    (isModernVersion(claim) ? undefined : unsupported(claim as string, MODERN_VERSIONS)) ??
    refuseMismatch('Mcp-Method', one(headers['mcp-method']), method) ??
    refuseName(method, params, one(headers['mcp-name']));
  return refusal ? refused(refusal, id) : { kind: 'request', era: 'modern', ...request };
}

function refuseLegacy(method: string, stated: string | undefined): Refusal | undefined {
  if (stated === undefined || isLegacyVersion(stated)) return undefined;
  if (!isModernVersion(stated)) {
    // The version header means nothing before a version is agreed.
    return method === 'initialize' ? undefined : unsupported(stated, [...MODERN_VERSIONS, ...LEGACY_VERSIONS]);
  }
  if (method === 'initialize') return mismatch('MCP-Protocol-Version', `${stated} has no initialize.`);
  return refuse(
    RPC.invalidParams,
    `Requests of ${stated} carry ${META.version} and ${META.clientCapabilities} in _meta.`,
  );
}

/** The client's name is optional; its capabilities are not. */
function refuseEnvelope(meta: Params): Refusal | undefined {
  if (typeof meta[META.version] !== 'string') return refuse(RPC.invalidParams, `_meta has no usable ${META.version}.`);
  if (!isRecord(meta[META.clientCapabilities])) {
    return refuse(RPC.invalidParams, `_meta has no usable ${META.clientCapabilities}.`);
  }
  if (META.clientInfo in meta && !isRecord(meta[META.clientInfo])) {
    return refuse(RPC.invalidParams, `${META.clientInfo} in _meta must be an object.`);
  }
  return undefined;
}

function refuseName(method: string, params: Params, stated: string | undefined): Refusal | undefined {
  const field = NAMED.get(method);
  const named = field === undefined ? undefined : params[field];
  if (typeof named !== 'string') return undefined;
  const decoded = stated === undefined ? undefined : decodeHeader(stated);
  if (stated !== undefined && decoded === undefined) return mismatch('Mcp-Name', 'its base64 is broken.');
  return refuseMismatch('Mcp-Name', decoded, named);
}

/** Decodes non-ASCII values, which come as `=?base64?…?=`; undefined if malformed. */
function decodeHeader(value: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (encoded === undefined) return value;
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.toString('base64') === encoded ? bytes.toString('utf8') : undefined;
}

function refuseMismatch(header: string, stated: string | undefined, body: string): Refusal | undefined {
  if (stated === undefined) return mismatch(header, `it is missing; the body says ${body}.`);
  return stated === body ? undefined : mismatch(header, `it says ${stated}, the body says ${body}.`);
}

const mismatch = (header: string, why: string): Refusal =>
  refuse(RPC.headerMismatch, `The header ${header} must repeat the body: ${why}`);

const unsupported = (requested: string, supported: readonly string[]): Refusal =>
  refuse(RPC.unsupportedVersion, `Protocol version ${requested} is not supported.`, { supported, requested });

/** No notification changes anything here, so each is only checked. */
function classifyNotification(method: string, params: Params, headers: IncomingHttpHeaders): Classified {
  const stated = one(headers['mcp-protocol-version']);
  const claim = isRecord(params['_meta']) ? params['_meta'][META.version] : undefined;
  const modern = isModernVersion(claim ?? stated);
  if (claim !== undefined && stated !== undefined && claim !== stated) {
    return refused(mismatch('MCP-Protocol-Version', `it says ${stated}, the body says another.`));
  }
  const named = one(headers['mcp-method']);
  if (modern && named !== undefined && named !== method) return refused(refuseMismatch('Mcp-Method', named, method)!);
  return { kind: 'notification' };
}

const one = (value: string | string[] | undefined): string | undefined =>
  value === undefined ? undefined : String(value).trim();
