import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';

export const getCheckoutStatus = defineTool({
  name: 'get_checkout_status',
  summary: 'Show whether a checkout was paid, and whether the workspace is blocked.',
  http: { method: 'GET', path: '/billing/checkout/status' },
  effect: 'read',
  openWorld: true,
  access: { admin: true },
  pastDue: 'exempt',
  input: z.object({ session_id: z.string().min(1).max(255).describe('Of create_checkout.') }),
  output: z.looseObject({
    session_id: z.string(),
    status: z.enum(['open', 'complete', 'expired']),
    tier: z.string(),
    billing_blocked: z.boolean(),
  }),
  errors: ['resource.not_supported', 'resource.not_found'],
  async run({ session_id }, { authority }, { billing }: Module<'billing'>) {
    return billing.checkoutStatus(authority, session_id);
  },
});
