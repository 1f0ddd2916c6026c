import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { numberId, numberOf, WHATSAPP_ERRORS } from './number.ts';

export const getWhatsappNumberStatus = defineTool({
  name: 'get_whatsapp_number_status',
  summary: 'Ask WhatsApp whether a phone number is verified and registered.',
  http: { method: 'GET', path: '/platforms/whatsapp/phone-numbers/{phone_number_id}/status' },
  effect: 'read',
  openWorld: true,
  access: { scope: 'accounts:read' },
  needs: 'phone numbers',
  input: z.object({ phone_number_id: numberId }),
  output: z.looseObject({ verified: z.boolean(), registered: z.boolean() }),
  errors: [...WHATSAPP_ERRORS],
  async run(ref, { authority }, { numbers }: Module<'numbers'>) {
    return numbers.status(authority, numberOf(ref));
  },
});
