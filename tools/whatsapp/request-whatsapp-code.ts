import { z } from 'zod';
import type { SendBegun } from '#call/sends.ts';
import { defineTool } from '#call/tool.ts';
import { Done } from '../fields.ts';
import type { Module } from '../modules.ts';
import { callerOf } from '../platform-calls.ts';
import { numberId, numberOf, WHATSAPP_ERRORS } from './number.ts';

export const requestWhatsappCode = defineTool({
  name: 'request_whatsapp_code',
  summary: 'Have WhatsApp send a 6-digit code to a phone number, to verify it.',
  http: { method: 'POST', path: '/platforms/whatsapp/phone-numbers/{phone_number_id}/request-code' },
  effect: 'send',
  act: 'connect',
  openWorld: true,
  access: { scope: 'accounts:manage' },
  needs: 'phone numbers',
  input: z.object({
    phone_number_id: numberId,
    method: z.enum(['SMS', 'VOICE']).default('SMS').describe('By text message or by a call.'),
    language: z
      .string()
      .regex(/^[a-z]{2}_[A-Z]{2}$/, 'must be a language and a country, such as en_US')
      .max(5)
      .default('en_US')
      .describe('Language of the message (default en_US).'),
  }),
  output: Done,
  errors: [...WHATSAPP_ERRORS],
  async run({ method, language, ...ref }, call, { numbers }: Module<'numbers'>) {
    return numbers.requestCode(callerOf(call), numberOf(ref), { method, language });
  },
  async resume(begun: SendBegun, { method, language, ...ref }, call, { numbers }) {
    return numbers.requestCode(callerOf(call), numberOf(ref), { method, language }, begun);
  },
});
