import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { INTERVALS, PAID_TIERS } from '#kernel/plans.ts';
import type { CheckoutBegun } from '#engine/billing/index.ts';
import type { Module } from '../modules.ts';

const address = (what: string) => z.string().min(1).max(2048).optional().describe(what);

export const createCheckout = defineTool({
  name: 'create_checkout',
  summary: 'Create a page where a person pays for a plan, or confirms a change of plan.',
  http: { method: 'POST', path: '/billing/checkout' },
  effect: 'create',
  act: 'admin',
  openWorld: true,
  access: { admin: true },
  pastDue: 'exempt',
  input: z.object({
    tier: z.enum(PAID_TIERS).describe('Plan to buy; list_plans has their prices.'),
    interval: z.enum(INTERVALS).default('month').describe('How often to pay.'),
    success_url: address('Where to go once paid; {CHECKOUT_SESSION_ID} in it becomes the session id.'),
    cancel_url: address('Where to go when nothing is bought.'),
  }),
  output: z.looseObject({ url: z.string(), session_id: z.string() }),
  errors: ['resource.not_supported', 'resource.conflict', 'auth.oauth.invalid_redirect'],
  async run(input, { authority }, { billing }: Module<'billing'>) {
    return billing.createCheckout(authority, input);
  },
  async resume(begun: CheckoutBegun, _input, { authority }, { billing }) {
    return billing.resumeCheckout(authority, begun);
  },
});
