import { z } from 'zod';
import { fail } from '#kernel/errors.ts';
import type { OAuthClient } from '#platforms/connect.ts';
import { named, time } from '../fields.ts';

/** The platform of these operations. */
export const TWITTER = 'twitter';

export const TwitterCredential = named('TwitterCredential', {
  id: z.string(),
  brand_id: z.string().nullable(),
  client_id_hint: z.string(),
  created_at: time,
  updated_at: time,
});

/** One half of a key pair, as copied from X's developer portal. */
const part = (what: string) =>
  z
    .string()
    .trim()
    .min(1)
    .max(512)
    .regex(/^[\x21-\x7e]*$/, 'must be copied as X shows it: no spaces, no special characters')
    .describe(what);

const pair = {
  client_id: part('Client ID (OAuth 2.0) of your app on X.'),
  client_secret: part('Client secret (OAuth 2.0) of your app on X.'),
};

export const credentialFields = {
  ...pair,
  consumer_key: part('API key of the same app: with its secret, X pushes; without, it is polled.').optional(),
  consumer_secret: part('API key secret of the same app.').optional(),
};

/** The credentials to test; without them, the stored ones are tested. */
export const testedFields = { client_id: pair.client_id.optional(), client_secret: pair.client_secret.optional() };

type Given = Readonly<Partial<Record<keyof typeof credentialFields, string | undefined>>>;

/** Two fields that need each other; undefined if both are missing. */
function together<Name extends keyof Given>(given: Given, names: readonly [Name, Name]) {
  const missing = names.filter((name) => given[name] === undefined);
  if (missing.length === 2) return undefined;
  const [field] = missing;
  if (field !== undefined) {
    fail('validation.field_required', { message: `${names.join(' and ')} must be sent together.`, meta: { field } });
  }
  return { [names[0]]: given[names[0]], [names[1]]: given[names[1]] } as Readonly<Record<Name, string>>;
}

export function appIn(given: Given): OAuthClient | undefined {
  const named = together(given, ['client_id', 'client_secret']);
  const secrets = together(given, ['consumer_key', 'consumer_secret']);
  return named && { clientId: named.client_id, clientSecret: named.client_secret, ...(secrets && { secrets }) };
}
