import { ServerResponse, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type Provider from 'oidc-provider';

export type ProviderRequest = Readonly<{
  method: 'GET' | 'POST';
  url: string;
  cookie?: string | undefined;
  form?: Readonly<Record<string, string>>;
}>;

export type ProviderResponse = Readonly<{ status: number; headers: OutgoingHttpHeaders; body: unknown }>;

/** A synthetic request and response: the provider never sees a caller's request. */
export function exchangeOf({ issuer }: Provider, { method, url, cookie, form }: ProviderRequest) {
  const text = form && new URLSearchParams(form).toString();
  const req = Object.assign(Readable.from(text === undefined ? [] : [Buffer.from(text)]), {
    method,
    url,
    httpVersionMajor: 1,
    httpVersionMinor: 1,
    headers: {
      host: new URL(issuer).host,
      accept: 'application/json',
      ...(cookie !== undefined && { cookie }),
      ...(text !== undefined && {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': String(Buffer.byteLength(text)),
      }),
    },
    // Behind a proxy the connection is plain; secure cookies follow ROOT_URL.
    socket: { encrypted: issuer.startsWith('https:') },
  }) as unknown as IncomingMessage;
  return { req, res: new ServerResponse(req) };
}

/** Runs the provider's middleware on a synthetic request and returns the unsent answer. */
export async function requestProvider(provider: Provider, request: ProviderRequest): Promise<ProviderResponse> {
  const { req, res } = exchangeOf(provider, request);
  const ctx = provider.createContext(req, res);
  const run = provider.middleware.reduceRight<() => Promise<unknown>>(
    (next, middleware) => async () => middleware(ctx, next),
    async () => {},
  );
  await run();
  return { status: ctx.status, headers: res.getHeaders(), body: ctx.body };
}
