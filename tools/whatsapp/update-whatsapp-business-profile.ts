import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { numberId, numberOf, VERTICALS, WHATSAPP, WHATSAPP_ERRORS, WhatsappProfile } from './number.ts';

export const updateWhatsappBusinessProfile = defineTool({
  name: 'update_whatsapp_business_profile',
  summary: 'Change the business profile that people see on WhatsApp; fields you leave out stay the same.',
  http: { method: 'PUT', path: '/platforms/whatsapp/phone-numbers/{phone_number_id}/business-profile' },
  effect: 'update',
  act: 'connect',
  idempotent: true,
  openWorld: true,
  access: { scope: 'accounts:manage' },
  needs: 'phone numbers',
  input: z.object({
    phone_number_id: numberId,
    about: z.string().trim().min(1).max(139).optional().describe('Short text below the name.'),
    address: z.string().max(256).optional().describe('Address.'),
    description: z.string().max(512).optional().describe('Description.'),
    email: z
      .string()
      .trim()
      .max(128)
      .regex(/^$|^[^\s@]+@[^\s@]+$/, 'must be an e-mail address')
      .optional()
      .describe('Email.'),
    websites: z.array(z.httpUrl().max(256)).max(2).optional().describe('At most two URLs.'),
    vertical: z.enum(VERTICALS).optional().describe('Industry.'),
    profile_picture_handle: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe('Handle of a picture that was uploaded to Meta (Resumable Upload API).'),
  }),
  output: WhatsappProfile,
  errors: [...WHATSAPP_ERRORS],
  async run({ phone_number_id, ...change }, { authority }, { numbers }: Module<'numbers'>) {
    const profile = await numbers.setProfile(authority, numberOf({ phone_number_id }), change);
    return { messaging_product: WHATSAPP.platform, ...profile };
  },
});
