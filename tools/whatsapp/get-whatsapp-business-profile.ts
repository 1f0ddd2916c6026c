import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { numberId, numberOf, WHATSAPP, WHATSAPP_ERRORS, WhatsappProfile } from './number.ts';

export const getWhatsappBusinessProfile = defineTool({
  name: 'get_whatsapp_business_profile',
  summary: 'Get the business profile that people see on WhatsApp.',
  http: { method: 'GET', path: '/platforms/whatsapp/phone-numbers/{phone_number_id}/business-profile' },
  effect: 'read',
  openWorld: true,
  access: { scope: 'accounts:read' },
  needs: 'phone numbers',
  input: z.object({ phone_number_id: numberId }),
  output: WhatsappProfile,
  errors: [...WHATSAPP_ERRORS],
  async run(ref, { authority }, { numbers }: Module<'numbers'>) {
    return { messaging_product: WHATSAPP.platform, ...(await numbers.profile(authority, numberOf(ref))) };
  },
});
