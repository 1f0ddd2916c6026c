import type { PlatformAnswer, PlatformRequest, Reading, UnauthenticatedCall } from '#platforms/call.ts';
import { QuotaSpent } from '#platforms/app/quotas.ts';
import type { PlatformError } from '#platforms/errors.ts';
import { shouldHaveBeen } from '#platforms/shared/fields.ts';
import { flawsOf, type Flaw } from './shape.ts';

export type Exchange = Readonly<{ request: PlatformRequest }> & {
  answer?: PlatformAnswer;
  reading?: Reading;
  /** Why there was no response. */
  failure?: string;
};

export type Recorder = ReturnType<typeof makeRecorder>;

/** How many levels of a response are inspected. */
const DEEPEST = 12;

export function makeRecorder() {
  let exchanges: Exchange[] = [];
  const byAnswer = new WeakMap<PlatformAnswer, Exchange>();

  return Object.freeze({
    /** Returns the same call, with its requests recorded. */
    over<C extends UnauthenticatedCall>(call: C): C {
      return {
        ...call,
        async http(request: PlatformRequest): Promise<PlatformAnswer> {
          const exchange: Exchange = { request };
          exchanges.push(exchange);
          try {
            const answer = await call.http(request);
            exchange.answer = answer;
            byAnswer.set(answer, exchange);
            return answer;
          } catch (error) {
            // Nothing was sent.
            if (error instanceof QuotaSpent) exchanges = exchanges.filter((one) => one !== exchange);
            exchange.failure = (error as Error).message;
            throw error;
          }
        },
        observe(answer: PlatformAnswer, reading: Reading): void {
          const exchange = byAnswer.get(answer);
          if (exchange) exchange.reading = reading;
        },
      };
    },

    /** Returns what was recorded since the last call of this function. */
    take(): readonly Exchange[] {
      const taken = exchanges;
      exchanges = [];
      return taken;
    },
  });
}

/** How a response differs from what the connector relies on. */
export function flawsIn({ answer, reading, failure }: Exchange): readonly Flaw[] {
  if (failure !== undefined) return [{ at: '', expected: 'an answer', seen: 'none' }];
  const { body, error, schema } = reading ?? {};
  if (error)
    return isListed(error) ? [] : [{ at: '', expected: 'an answer or an error that is listed', seen: nameOf(error) }];
  const isRefused = answer !== undefined && answer.status >= 400 && reading !== undefined;
  if (isRefused) return [{ at: '', expected: 'an answer', seen: `HTTP ${answer.status}` }];
  return [...(schema ? flawsOf(schema, body) : []), ...unreadableIn(body)];
}

/** Whether an error is in the connector's table. */
const isListed = (error: PlatformError): boolean => !error.unlisted && error.kind !== 'unknown';

export function nameOf({ status, details: { code, subcode } }: PlatformError): string {
  const parts = [status, code, subcode].filter((part) => part !== undefined);
  return parts.length === 0 ? 'an error' : `the error ${parts.join('/')}`;
}

/** The flaws of list entries that were skipped as unreadable. */
function unreadableIn(body: unknown, at = '', depth = 0): readonly Flaw[] {
  if (typeof body !== 'object' || body === null || depth > DEEPEST) return [];
  const schema = shouldHaveBeen(body);
  if (schema) return flawsOf(schema, body).map((flaw) => ({ ...flaw, at: [at, flaw.at].filter(Boolean).join('.') }));
  const parts = Object.entries(body).flatMap(([name, part]) => {
    const inside = Array.isArray(body) ? `${at}[]` : [at, name].filter(Boolean).join('.');
    return unreadableIn(part, inside, depth + 1);
  });
  return [...new Map(parts.map((flaw) => [JSON.stringify(flaw), flaw])).values()];
}
