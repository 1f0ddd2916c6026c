import { z } from 'zod';
import { defineTool, recordedAnswer } from '#call/tool.ts';
import type { Module } from '../modules.ts';

export const createPortalSession = defineTool({
  name: 'create_portal_session',
  summary: 'Create a page where a person manages the subscription: card, invoices, plan, cancellation.',
  http: { method: 'POST', path: '/billing/portal' },
  effect: 'create',
  act: 'admin',
  openWorld: true,
  access: { admin: true },
  pastDue: 'exempt',
  input: z.object({
    return_url: z.string().min(1).max(2048).optional().describe('Where the page leads back to.'),
  }),
  output: z.looseObject({ url: z.string() }),
  errors: ['resource.not_supported', 'resource.not_found', 'auth.oauth.invalid_redirect'],
  async run({ return_url }, { authority }, { billing }: Module<'billing'>) {
    return billing.createPortal(authority, return_url);
  },
  resume: recordedAnswer,
});
