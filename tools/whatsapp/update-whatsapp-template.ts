import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { Done } from '../fields.ts';
import type { Module } from '../modules.ts';
import { WHATSAPP, WHATSAPP_ERRORS } from './number.ts';
import { components, templateAccount, templateId } from './template.ts';

export const updateWhatsappTemplate = defineTool({
  name: 'update_whatsapp_template',
  summary: 'Replace the parts of a message template; Meta reviews it again.',
  http: { method: 'PUT', path: '/platforms/whatsapp/templates/{template_id}' },
  effect: 'update',
  act: 'connect',
  idempotent: true,
  openWorld: true,
  access: { scope: 'accounts:manage' },
  needs: 'message templates',
  input: z.object({ template_id: templateId, components, account_id: templateAccount }),
  output: Done,
  errors: [...WHATSAPP_ERRORS, 'whatsapp.template_not_found', 'whatsapp.template_paused', 'resource.conflict'],
  async run({ template_id, account_id, components: parts }, { authority }, { templates }: Module<'templates'>) {
    return templates.update(authority, { on: WHATSAPP, id: template_id, accountId: account_id }, parts);
  },
});
