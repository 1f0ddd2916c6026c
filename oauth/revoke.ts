import { findClient } from '#db/access/oauth-clients.ts';
import { grantOfRefreshToken, revokeGrant } from '#db/access/oauth.ts';
import type { Store } from '#db/store/store.ts';
import type { Clock } from '#kernel/clock.ts';
import { isClientId, recordId } from './record-ids.ts';
import { ACCESS_MS } from './constants.ts';
import { clientOf, isSecretOf, readFields, readText, type Fields } from './request.ts';
import type { RequestContext } from '#kernel/route.ts';

export type RevokeDeps = Readonly<{ store: Store; clock: Clock }>;

/** The revocation endpoint (RFC 7009): ends a refresh token's grant, and always answers 200. */
export function makeRevoke({ store, clock }: RevokeDeps) {
  return async function revoke(ctx: RequestContext): Promise<void> {
    const text = await readText(ctx.req);
    const fields = readFields(text, ctx.get('Content-Type'), ['token', 'client_id', 'client_secret'], 'token');
    await end(fields, ctx.headers.authorization);
    ctx.status = 200;
    ctx.set('Cache-Control', 'no-store');
    ctx.body = '';
  };

  async function end(fields: Fields, authorization: string | undefined): Promise<void> {
    const { id, secret } = clientOf(fields, authorization);
    const token = fields.get('token');
    if (token === undefined || id === undefined || fields.wrong || !isClientId(id)) return;
    if (secret !== undefined && !isSecretOf(await findClient(store.db, id), secret)) return;
    const now = clock.now();
    const key = { id: recordId('RefreshToken', token), clientId: id, now };
    await store.write(async (tx) => {
      const grantId = await grantOfRefreshToken(tx.db, key);
      if (grantId !== undefined) await revokeGrant(tx.db, { grantId, now, until: now + ACCESS_MS });
    });
  }
}
