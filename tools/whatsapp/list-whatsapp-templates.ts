import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { cursor, limit, minor, named, pageShape } from '../fields.ts';
import type { Module } from '../modules.ts';
import { numberId, WHATSAPP, WHATSAPP_ERRORS } from './number.ts';
import { WhatsappTemplate } from './template.ts';

const Paging = named('WhatsappPaging', {
  cursors: z.looseObject({ before: z.string(), after: z.string() }),
  next: z.string().optional(),
});

export const listWhatsappTemplates = defineTool({
  name: 'list_whatsapp_templates',
  summary: 'List the message templates of a WhatsApp account; those with status APPROVED can be sent.',
  http: { method: 'GET', path: '/platforms/whatsapp/accounts/{account_id}/templates' },
  effect: 'read',
  openWorld: true,
  access: { scope: 'accounts:read' },
  needs: 'message templates',
  input: z.object({ account_id: numberId, limit: limit(25), cursor }),
  output: z.looseObject({ data: z.array(WhatsappTemplate), paging: Paging.meta(minor), ...pageShape }),
  errors: [...WHATSAPP_ERRORS],
  async run({ account_id, ...page }, { authority }, { templates }: Module<'templates'>) {
    const listed = await templates.list(authority, { on: WHATSAPP, accountId: account_id }, page);
    const { next_cursor: after } = listed;
    const query = new URLSearchParams({ limit: String(page.limit), cursor: after }).toString();
    const place = `/v1/platforms/whatsapp/accounts/${encodeURIComponent(account_id)}/templates?${query}`;
    return { ...listed, paging: { cursors: { before: '', after }, ...(after !== '' && { next: place }) } };
  },
});
