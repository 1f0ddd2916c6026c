import type { Route } from '#kernel/route.ts';
import { sendJson } from '../http/answer.ts';
import { makeBodies } from './bodies.ts';

/** The engine's side of events from the payment provider. */
export type BillingIntake = Readonly<{
  /** Throws if billing is not configured. */
  expects(): void;
  accept(body: Uint8Array, signature: string): Promise<void>;
}>;

/** How many bodies of the largest size fit in memory at the same time. */
const AT_ONCE = 16;

/** `/push/billing`. It needs the raw body, because the signature covers every byte. */
export function billingPushRoutes(intake: BillingIntake): readonly Route[] {
  const hold = makeBodies(AT_ONCE);
  return Object.freeze<Route[]>([
    {
      path: '/push/billing',
      around(_ctx, next) {
        intake.expects();
        return next();
      },
      async POST(ctx) {
        await hold(ctx, (body) => intake.accept(body, ctx.get('stripe-signature')));
        sendJson(ctx, 200, { received: true });
      },
    },
  ]);
}
