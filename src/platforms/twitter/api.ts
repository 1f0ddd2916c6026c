import * as z from 'zod';
import type { AccountCall, UnauthenticatedCall } from '../call.ts';
import type { OAuthClient } from '../connect.ts';
import type { PlatformSetting } from '#kernel/config/names.ts';
import { matching } from '#kernel/config/values.ts';
import type { Quotas } from '../app/quotas.ts';
import { basicHeader } from '../shared/oauth.ts';
import { type RestRequest, makeRest } from '../shared/rest.ts';
import { sessionParser } from '../shared/session.ts';
import { errorOf } from './errors.ts';

/** An id: a long number, given as a text. */
export const Id = z.string().regex(/^\d{1,30}$/);

const IDS_BEGIN = 1_288_834_974_657;
/** The creation time contained in an id. */
export const timeIn = (id: string): number => IDS_BEGIN + Number(BigInt(id) >> 22n);

export const sessionOf = sessionParser(
  z.object({ access_token: z.string().min(1), refresh_token: z.string().min(1), user_id: Id, username: z.string() }),
);

const MOST_READS = 10_000;

/** The monthly budget for reads by polls, because X bills each read. */
export const READS: PlatformSetting = {
  name: 'TWITTER_MONTHLY_READS',
  meaning: 'How many posts and messages polls may read in a month with one app on X, which bills them.',
  otherwise: String(MOST_READS),
  parse: matching(/^\d{1,9}$/, 'must be a whole number without separators'),
};

export const quotas = Object.freeze({
  reads: { every: 'month', per: 'app', limit: MOST_READS, setting: READS.name },
} as const satisfies Quotas);

export const monthlyReads = ({ settings }: UnauthenticatedCall): number => Number(settings[READS.name] ?? MOST_READS);

/** A request; what it creates (`makes`) determines what a refusal means. */
type XRequest = RestRequest & Readonly<{ makes?: 'post' | 'message' }>;

const rest = makeRest<UnauthenticatedCall & Readonly<{ token?: string }>, XRequest>({
  base: ({ hosts }) => hosts['api']!,
  headers: ({ token }) => (token === undefined ? undefined : { authorization: `Bearer ${token}` }),
  errorOf: (answer, { now }, { makes }) => errorOf(answer, now(), makes),
});

export const requestWith = rest.request;

export function request<T extends z.ZodType>(call: AccountCall, options: XRequest, schema: T): Promise<z.output<T>> {
  return requestWith({ ...call, token: sessionOf(call.session).access_token }, options, schema);
}

/** The app's own token, requested with its consumer key and secret; undefined if those are not stored. */
export async function appToken(call: UnauthenticatedCall, client: OAuthClient): Promise<string | undefined> {
  const { consumer_key: key, consumer_secret: secret } = client.secrets ?? {};
  if (key === undefined || secret === undefined) return undefined;
  const options = { method: 'POST', path: '/oauth2/token', form: { grant_type: 'client_credentials' } } as const;
  const Token = z.object({ access_token: z.string() });
  return (await requestWith(call, { ...options, headers: basicHeader(key, secret) }, Token)).access_token;
}
