import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { Done } from '../fields.ts';
import type { Module } from '../modules.ts';
import { numberId, WHATSAPP, WHATSAPP_ERRORS } from './number.ts';
import { templateName } from './template.ts';

export const deleteWhatsappTemplate = defineTool({
  name: 'delete_whatsapp_template',
  summary: 'Delete a message template in all its languages; its name cannot be used again for 30 days.',
  http: { method: 'DELETE', path: '/platforms/whatsapp/accounts/{account_id}/templates' },
  effect: 'delete',
  act: 'connect',
  openWorld: true,
  access: { scope: 'accounts:manage' },
  needs: 'message templates',
  input: z.object({ account_id: numberId, name: templateName }),
  output: Done,
  errors: [...WHATSAPP_ERRORS, 'whatsapp.template_not_found', 'resource.conflict'],
  async run({ account_id, name }, { authority }, { templates }: Module<'templates'>) {
    return templates.remove(authority, { on: WHATSAPP, accountId: account_id }, name);
  },
});
