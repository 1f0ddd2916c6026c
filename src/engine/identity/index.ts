import { decodeJwt, type JWTPayload } from 'jose';
import { tokenUserByEmail } from '#db/access/oauth.ts';
import type { Store } from '#db/store/store.ts';
import type { Caller } from '#call/caller.ts';
import { authorityOf, workspaceOf } from '#kernel/authority.ts';
import { emailOf } from '#kernel/text/email.ts';
import { fail } from '#kernel/errors.ts';
import { newId } from '#kernel/ids.ts';
import { makeJwtVerifier, type KeySetDeps } from '#kernel/net/jwks.ts';
import { asSeen } from '#kernel/text/blank.ts';

/** Accepted types of JWT; others, such as logout tokens, may have the same issuer and audience. */
const TYPES = /^(?:application\/)?(?:jwt|at\+jwt)$/i;
const DEADLINE_MS = 3000;
/** Tokens of other issuers are longer than ours. */
const LONGEST = 8192;
const LONGEST_NAME = 100;

type Person = Readonly<{ id: string; email: string; name: string }>;

type IdentityDeps = Omit<KeySetDeps, 'deadlineMs' | 'owner' | 'given'> &
  Readonly<{
    store: Store;
    issuer: string;
    audience: string;
    deadlineMs?: number | undefined;
  }>;

/** Verifies dashboard tokens of an external identity provider; the user is looked up by email each time. */
export function makeIdentity({ store, issuer, audience, deadlineMs = DEADLINE_MS, ...rest }: IdentityDeps) {
  const { clock } = rest;
  const verify = makeJwtVerifier({ ...rest, given: true, deadlineMs, owner: 'the identity host' });
  const find = store.prepared(tokenUserByEmail);

  async function personOf(token: string): Promise<Person> {
    const { payload, protectedHeader } = (await verify(token, { issuer, audience })) ?? fail('auth.invalid_token');
    if (protectedHeader.typ !== undefined && !TYPES.test(protectedHeader.typ)) fail('auth.invalid_token');
    return personIn(payload);
  }

  return Object.freeze({
    /** Whether a token claims to be from the identity provider; does not verify it. */
    issued(token: string): boolean {
      if (token.length > LONGEST) return false;
      try {
        return decodeJwt(token).iss === issuer;
      } catch {
        return false;
      }
    },

    /** The user with the token's email address. */
    async verifyToken(token: string): Promise<Caller> {
      const { id, email } = await personOf(token);
      const row = (await find({ email })) ?? fail('auth.not_provisioned');
      const workspace = workspaceOf(row);
      const authority = authorityOf(row, { dashboard: true });
      return { kind: 'dashboard', id, name: row.name, userId: row.id, workspace, authority };
    },

    /** The person named in a token, with the id that their user has or would get. */
    async readDashboardToken(token: string) {
      const { email, name } = await personOf(token);
      return { userId: newId('usr', clock.now()), email, name, vouched: true } as const;
    },
  });
}

/** With an unverified address, anyone could sign in as its owner. */
function personIn(payload: JWTPayload): Person {
  const text = (name: string) => (typeof payload[name] === 'string' ? payload[name] : '');
  const verified = payload['email_verified'];
  const email = emailOf(text('email'));
  if (email === undefined || ![undefined, true, 'true'].includes(verified as boolean | undefined)) {
    fail('auth.invalid_token', { message: 'This token has no verified e-mail address.' });
  }
  const name = asSeen(text('name'))
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_NAME)
    .toWellFormed();
  return Object.freeze({ id: text('jti') || text('sub'), email, name });
}
