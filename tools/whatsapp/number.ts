import { z } from 'zod';
import type { PlatformCodes } from '#call/accounts.ts';
import { id, named } from '../fields.ts';
import { PLATFORM_ERRORS } from '../platform-calls.ts';

/** The platform of WhatsApp's operations, with its own error codes. */
export const WHATSAPP = Object.freeze({
  platform: 'whatsapp',
  noAccount: 'whatsapp.no_account',
  noTemplate: 'whatsapp.template_not_found',
} as const satisfies PlatformCodes);

/** Refusals of every operation that calls WhatsApp. */
export const WHATSAPP_ERRORS = [...PLATFORM_ERRORS, 'whatsapp.no_account', 'whatsapp.unknown'] as const;

export const numberId = id("account, or Meta's id of its number");

export const numberOf = ({ phone_number_id }: Readonly<{ phone_number_id: string }>) => ({
  on: WHATSAPP,
  id: phone_number_id,
});

const text = z.string().optional();

export const WhatsappProfile = named('WhatsappProfile', {
  messaging_product: z.literal('whatsapp'),
  about: text,
  address: text,
  description: text,
  email: text,
  profile_picture_url: text,
  vertical: text,
  websites: z.array(z.string()).optional(),
});

/** Industries that WhatsApp knows. */
export const VERTICALS = [
  'OTHER',
  'AUTO',
  'BEAUTY',
  'APPAREL',
  'EDU',
  'ENTERTAIN',
  'EVENT_PLAN',
  'FINANCE',
  'GROCERY',
  'GOVT',
  'HOTEL',
  'HEALTH',
  'NONPROFIT',
  'PROF_SERVICES',
  'RETAIL',
  'TRAVEL',
  'RESTAURANT',
  'ALCOHOL',
  'ONLINE_GAMBLING',
  'PHYSICAL_GAMBLING',
  'OTC_DRUGS',
] as const;
