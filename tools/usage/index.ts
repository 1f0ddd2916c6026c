import { toolset } from '#call/tool.ts';
import { createCheckout } from './create-checkout.ts';
import { createPortalSession } from './create-portal-session.ts';
import { getCheckoutStatus } from './get-checkout-status.ts';
import { getUsage } from './get-usage.ts';
import { listPlans } from './list-plans.ts';

export const usage = toolset('usage', 'Usage and plans', 'Plans, and what is used of yours.', [
  getUsage,
  listPlans,
  createCheckout,
  createPortalSession,
  getCheckoutStatus,
]);
