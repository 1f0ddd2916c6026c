import { z } from 'zod';
import type { SendBegun } from '#call/sends.ts';
import { defineTool } from '#call/tool.ts';
import { TEMPLATE_CATEGORIES } from '#platforms/business.ts';
import type { Module } from '../modules.ts';
import { callerOf } from '../platform-calls.ts';
import { numberId, WHATSAPP, WHATSAPP_ERRORS } from './number.ts';
import { components, language, templateName } from './template.ts';

export const createWhatsappTemplate = defineTool({
  name: 'create_whatsapp_template',
  summary: 'Submit a message template for approval by Meta, which takes minutes to days; nothing is sent to anyone.',
  http: { method: 'POST', path: '/platforms/whatsapp/accounts/{account_id}/templates', status: 201 },
  effect: 'create',
  act: 'connect',
  openWorld: true,
  access: { scope: 'accounts:manage' },
  needs: 'message templates',
  input: z.object({
    account_id: numberId,
    name: templateName.describe('Lower-case letters, digits and underscores.'),
    category: z.enum(TEMPLATE_CATEGORIES).describe('MARKETING promotes, UTILITY follows up an order or request.'),
    language,
    components,
  }),
  output: z.looseObject({ id: z.string(), status: z.string(), category: z.string() }),
  errors: [...WHATSAPP_ERRORS, 'resource.conflict'],
  async run({ account_id, ...draft }, call, { templates }: Module<'templates'>) {
    return templates.create(callerOf(call), { on: WHATSAPP, accountId: account_id }, draft);
  },
  async resume(begun: SendBegun, { account_id, ...draft }, call, { templates }) {
    return templates.create(callerOf(call), { on: WHATSAPP, accountId: account_id }, draft, begun);
  },
});
