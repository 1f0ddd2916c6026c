import type { Context } from 'koa';
import { GraphError } from '../graph/api/errors.ts';
import { accountThrottled } from '../graph/api/throttle.ts';
import { requireGranted, type Actor } from '../graph/oauth/tokens.ts';
import { makeReader } from '../kit/api/shapes.ts';

const TITLES: Readonly<Record<number, string>> = Object.freeze({
  80007: 'Rate limit issues',
  130429: 'Rate limit hit',
  131008: 'Required parameter is missing',
  131009: 'Parameter value is not valid',
  131026: 'Message undeliverable',
  131031: 'Business Account locked',
  131047: 'Re-engagement message',
  131049: 'This message was not delivered to maintain healthy ecosystem engagement.',
  131050:
    'Unable to deliver the message. This recipient has chosen to stop receiving marketing messages on WhatsApp from your business',
  131051: 'Message type unknown',
  131053: 'Media upload error',
  131056: '(Business Account, Consumer Account) pair rate limit hit',
  131062: 'Business-scoped user ids are not supported for this message',
  132000: 'Number of parameters does not match the expected number of params',
  132001: 'Template name does not exist in the translation',
  132005: 'Translated text too long',
  132012: 'Parameter format does not match format in the created template',
  132015: 'Template is paused',
  132016: 'Template is disabled',
  132018: "There's an issue with the parameters in your template",
  133005: 'Two-step verification PIN mismatch',
  133006: 'Phone number needs to be verified before registering',
  133008: 'Too many two-step verification PIN guesses',
  133010: 'Account not registered',
  133016: 'Account register or deregister rate limit hit',
  136025: 'Verify code error',
});

const LIMITS = new Set([4, 80007, 130429, 131048, 131056]);
const STATUSES: Readonly<Record<number, number>> = { 0: 401, 190: 401, 10: 403, 368: 403, 131031: 403, 132001: 404 };
const HREF = 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/';

const titleOf = (code: number): string => TITLES[code] ?? 'Something went wrong';

export const statusOf = (code: number, areLimits400: boolean): number =>
  LIMITS.has(code) && !areLimits400 ? 429 : (STATUSES[code] ?? 400);

export const refusal = (code: number, details: string): GraphError =>
  new GraphError(code, `(#${code}) ${titleOf(code)}`, { data: { messaging_product: 'whatsapp', details } });

export const missing = (name: string): GraphError => refusal(131008, `Parameter '${name}' is missing`);
export const invalid = (details: string): GraphError => refusal(131009, details);

export const read = makeReader(({ place, isMissing, words }) =>
  isMissing ? missing(place) : invalid(words.startsWith('must ') ? `Parameter '${place}' ${words}` : words),
);

export const failureItem = (code: number, details: string): object => ({
  code,
  title: titleOf(code),
  message: titleOf(code),
  error_data: { details },
  href: HREF,
});

/** The error for a rate limit: of the number that sends, or else of the business account. */
export const throttled = (ctx: Context, { method, note }: Readonly<{ method: string; note: string | undefined }>) =>
  accountThrottled(
    ctx,
    'whatsapp',
    method.endsWith('number/messages')
      ? refusal(130429, 'Message failed to send because there were too many messages sent from this phone number')
      : refusal(80007, 'The WhatsApp Business Account has reached its rate limit.'),
    note,
  );

export type Right = 'management' | 'messaging';

export const requireAccount = (actor: Actor, account: string, right: Right) =>
  requireGranted(actor, account, `whatsapp_business_${right}`);
