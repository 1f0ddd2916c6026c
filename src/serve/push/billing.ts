import { readBytes } from '../../kernel/body.ts';
import { fail } from '../../kernel/errors.ts';
import type { Route } from '../../kernel/route.ts';
import { sendJson } from '../http/answer.ts';
import { JSON_BODY } from '../http/body.ts';

/** The engine's side of the payment provider's events. */
export type BillingIntake = Readonly<{
  /** Throws where no billing is configured. */
  expects(): void;
  accept(body: Uint8Array, signature: string): Promise<void>;
}>;

/** Bodies held in memory at once: the sender is unauthenticated until its body is read. */
const AT_ONCE = 16;

/** `/push/billing`: the body is read as it came, because its signature covers every byte. */
export function billingPushRoutes(intake: BillingIntake): readonly Route[] {
  let held = 0;
  return Object.freeze<Route[]>([
    {
      path: '/push/billing',
      around(_ctx, next) {
        intake.expects();
        return next();
      },
      async POST(ctx) {
        if (held >= AT_ONCE) fail('http.503', { retryAfter: 5 });
        held += 1;
        try {
          const body = await readBytes(ctx.req, JSON_BODY);
          await intake.accept(body, ctx.get('stripe-signature'));
          sendJson(ctx, 200, { received: true });
        } finally {
          held -= 1;
        }
      },
    },
  ]);
}
