import type { Outbound } from '#kernel/net/request.ts';
import { faultOfName, faultOfRedirectUri } from './client-fields.ts';
import { objectIn } from './request.ts';

const DEADLINE_MS = 2500;
const MAX_BYTES = 5120;
/** Fields passed to the provider; those about grants or keys concern other servers. */
const JUDGED = ['client_id', 'token_endpoint_auth_method', 'client_secret', 'client_secret_expires_at'] as const;

/** Fetches a client's metadata document, guarded against SSRF. */
export async function readClientDocument({ send }: Pick<Outbound, 'send'>, url: string): Promise<Response> {
  const { status, headers, body } = await send({
    method: 'GET',
    url,
    headers: { accept: 'application/json' },
    purpose: 'metadata',
    given: true,
    deadlineMs: DEADLINE_MS,
    maxBytes: MAX_BYTES,
    overflow: 'refuse',
    redirects: 0,
    pathTemplate: '(client metadata)',
  });
  const document = objectIn(Buffer.from(body).toString('utf8'));
  const caching = ['cache-control', 'expires'].flatMap((name) =>
    headers[name] ? [[name, headers[name]] as const] : [],
  );
  // The provider refuses the client when it gets a 404.
  return status === 200 && document !== undefined && isWellNamed(document)
    ? Response.json(heldToOurRules(document), { headers: Object.fromEntries(caching) })
    : new Response(null, { status: 404 });
}

/** Without a name, the consent page shows the host. A name must satisfy the rules of registration. */
function isWellNamed({ client_name }: Readonly<Record<string, unknown>>): boolean {
  return client_name === undefined || faultOfName(client_name) === undefined;
}

function heldToOurRules(document: Readonly<Record<string, unknown>>): object {
  const { client_name, redirect_uris } = document;
  const areUris = Array.isArray(redirect_uris) && redirect_uris.every((uri) => faultOfRedirectUri(uri) === undefined);
  return {
    ...Object.fromEntries(JUDGED.filter((name) => Object.hasOwn(document, name)).map((name) => [name, document[name]])),
    ...(client_name !== undefined && { client_name }),
    redirect_uris: areUris ? (redirect_uris as string[]) : [],
  };
}
