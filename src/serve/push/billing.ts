import type { Route } from '#kernel/route.ts';
import { sendJson } from '../http/answer.ts';
import { makeBodies } from './bodies.ts';

/** The engine's side of the payment provider's events. */
export type BillingIntake = Readonly<{
  /** Throws if no billing is configured. */
  expects(): void;
  accept(body: Uint8Array, signature: string): Promise<void>;
}>;

/** Largest bodies in memory at once. */
const AT_ONCE = 16;

/** `/push/billing`: the raw body is needed, as the signature covers every byte. */
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
