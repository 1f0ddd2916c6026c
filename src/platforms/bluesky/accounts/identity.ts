import * as z from 'zod';
import type { UnauthenticatedCall } from '../../call.ts';
import { xrpc } from '../api.ts';
import { Did } from './session.ts';
import { jsonIn, send, trySend } from '../../shared/rest.ts';
import { unclear, isRefused } from '../../shared/errors.ts';

const HANDLE = /^(?=.{3,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const DOCUMENT_BYTES = 64 * 1024;

const Resolved = z.object({ did: Did });
const Document = z.object({
  id: Did,
  service: z.array(z.object({ id: z.string(), type: z.string(), serviceEndpoint: z.unknown() })).max(100),
});

export function isHandle(text: string): boolean {
  return HANDLE.test(text);
}

/** Resolves a handle through a server; undefined if that server does not know it. */
export async function resolveHandle(
  call: UnauthenticatedCall,
  server: string,
  handle: string,
): Promise<string | undefined> {
  try {
    const request = { method: 'com.atproto.identity.resolveHandle', query: { handle } };
    return (await xrpc(call, server, request, Resolved)).did;
  } catch (error) {
    if (isRefused(error)) return undefined;
    throw error;
  }
}

/** Resolves a handle through its own host; undefined if the host does not respond. */
export async function fetchHandleDid(call: UnauthenticatedCall, handle: string): Promise<string | undefined> {
  const answer = await trySend(call, {
    method: 'GET',
    url: `https://${handle}/.well-known/atproto-did`,
    given: true,
    template: '/.well-known/atproto-did',
    maxBytes: 4096,
    deadlineMs: 5000,
    redirects: 3,
  });
  if (answer?.status !== 200) return undefined;
  const did = Did.safeParse(Buffer.from(answer.body).toString('utf8').trim());
  return did.success ? did.data : undefined;
}

/** The PDS of a DID as stated by the PLC directory or, for a did:web, by its host. */
export async function findPds(call: UnauthenticatedCall, did: string): Promise<string | undefined> {
  const web = /^did:web:([A-Za-z0-9.-]+)$/.exec(did)?.[1];
  if (!web && !did.startsWith('did:plc:')) return undefined;
  const answer = await send(call, {
    method: 'GET',
    url: web ? `https://${web}/.well-known/did.json` : `${call.hosts['plc']!}/${did}`,
    headers: { accept: 'application/did+ld+json, application/json' },
    given: web !== undefined,
    template: web ? '/.well-known/did.json' : '/{did}',
    maxBytes: DOCUMENT_BYTES,
    deadlineMs: 10_000,
  });
  if (answer.status >= 500) {
    throw unclear('The directory of Bluesky accounts does not answer.', { status: answer.status });
  }
  return answer.status === 200 ? pdsIn(jsonIn(answer.body), did) : undefined;
}

export function pdsIn(document: unknown, did: string): string | undefined {
  const parsed = Document.safeParse(document);
  if (!parsed.success || parsed.data.id !== did) return undefined;
  const service = parsed.data.service.find(
    ({ id, type }) => (id === '#atproto_pds' || id === `${did}#atproto_pds`) && type === 'AtprotoPersonalDataServer',
  );
  return typeof service?.serviceEndpoint === 'string' ? service.serviceEndpoint : undefined;
}

/** Normalizes a server URL to one without a trailing slash; undefined unless https, or http on localhost. */
export function serverAddress(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text.includes('://') ? text : `https://${text}`);
  if (!url || url.username || url.password || url.search || url.hash) return undefined;
  const local = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local)) return undefined;
  return url.origin + url.pathname.replace(/(?<!\/)\/+$/, '');
}
