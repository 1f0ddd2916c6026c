import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { WHATSAPP, WHATSAPP_ERRORS } from './number.ts';
import { templateAccount, templateId, WhatsappTemplate } from './template.ts';

export const getWhatsappTemplate = defineTool({
  name: 'get_whatsapp_template',
  summary: 'Get a message template with its parts, its variables and whether it is approved.',
  http: { method: 'GET', path: '/platforms/whatsapp/templates/{template_id}' },
  effect: 'read',
  openWorld: true,
  access: { scope: 'accounts:read' },
  needs: 'message templates',
  input: z.object({ template_id: templateId, account_id: templateAccount }),
  output: WhatsappTemplate,
  errors: [...WHATSAPP_ERRORS, 'whatsapp.template_not_found'],
  async run({ template_id, account_id }, { authority }, { templates }: Module<'templates'>) {
    return templates.read(authority, { on: WHATSAPP, id: template_id, accountId: account_id });
  },
});
