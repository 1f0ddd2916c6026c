/** What WhatsApp refuses, in the words of its list of error codes. */
import type { Context } from 'koa';
import { GraphError } from '../graph/api/errors.ts';
import { asSession, holds } from '../graph/oauth/tokens.ts';
import type { Actor, Session } from '../graph/oauth/tokens.ts';
import type { Gate } from '../kit/api/gate.ts';

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

export const titleOf = (code: number): string => TITLES[code] ?? 'Something went wrong';

/** A refusal by its code. */
export const refusal = (code: number, details: string): GraphError =>
  new GraphError(code, `(#${code}) ${titleOf(code)}`, { data: { messaging_product: 'whatsapp', details } });

export const missing = (name: string): GraphError => refusal(131008, `Parameter '${name}' is missing`);
export const invalid = (details: string): GraphError => refusal(131009, details);

/** A failure as updates tell of it. */
export const failureItem = (code: number, details: string): object => ({
  code,
  title: titleOf(code),
  message: titleOf(code),
  error_data: { details },
  href: HREF,
});

/** A gate at which refusals have the status that WhatsApp gives their code; ordered ones have their own. */
export const withStatuses =
  (gate: Gate, limitsAs400: () => boolean): Gate =>
  (ctx, call, run) =>
    gate(ctx, call, async (passage) => {
      try {
        await run(passage);
      } catch (error) {
        if (!(error instanceof GraphError) || error.detail.status !== undefined) throw error;
        const limit = LIMITS.has(error.number) && !limitsAs400() ? 429 : undefined;
        const status = limit ?? STATUSES[error.number] ?? 400;
        throw new GraphError(error.number, error.message, { ...error.detail, status });
      }
    });

const BLOCKED = Object.freeze({ type: 'whatsapp', call_count: 100, total_cputime: 25, total_time: 30 });

/** A used-up limit: of a number where messages are sent, else of the WhatsApp account. */
export function throttled(ctx: Context, { method, note }: Readonly<{ method: string; note: string | undefined }>) {
  const usage = [{ ...BLOCKED, estimated_time_to_regain_access: 5 }];
  ctx.set('X-Business-Use-Case-Usage', JSON.stringify({ [note ?? '']: usage }));
  return method.endsWith('number/messages')
    ? refusal(130429, 'Message failed to send because there were too many messages sent from this phone number')
    : refusal(80007, 'The WhatsApp Business Account has reached its rate limit.');
}

/** A caller who may act on a WhatsApp account: its grant names the account and holds the right. */
export function requireAccount(actor: Actor, account: string, right: 'management' | 'messaging'): Session {
  const session = asSession(actor);
  const scope = `whatsapp_business_${right}`;
  if (!session.grant.pages.includes(account))
    throw new GraphError(
      100,
      `Unsupported request. Object with ID '${account}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`,
      { type: 'GraphMethodException', subcode: 33 },
    );
  if (!holds(session, scope)) throw new GraphError(10, `(#10) This call requires the ${scope} permission`);
  return session;
}
