import { z } from 'zod';
import type { SendBegun } from '#call/sends.ts';
import { defineTool } from '#call/tool.ts';
import { Done } from '../fields.ts';
import type { Module } from '../modules.ts';
import { callerOf } from '../platform-calls.ts';
import { numberId, numberOf, WHATSAPP_ERRORS } from './number.ts';

export const verifyWhatsappCode = defineTool({
  name: 'verify_whatsapp_code',
  summary: 'Prove that a phone number is yours, with the code from request_whatsapp_code.',
  http: { method: 'POST', path: '/platforms/whatsapp/phone-numbers/{phone_number_id}/verify-code' },
  effect: 'update',
  act: 'connect',
  openWorld: true,
  access: { scope: 'accounts:manage' },
  needs: 'phone numbers',
  input: z.object({
    phone_number_id: numberId,
    code: z
      .string()
      .trim()
      .max(16)
      .regex(/^\d+(?:[ -]\d+)*$/, 'must be digits')
      .transform((code) => code.replaceAll(/\D/g, ''))
      .describe('The code, digits only.'),
  }),
  output: Done,
  errors: [...WHATSAPP_ERRORS],
  async run({ code, ...ref }, call, { numbers }: Module<'numbers'>) {
    return numbers.verifyCode(callerOf(call), numberOf(ref), code);
  },
  async resume(begun: SendBegun, { code, ...ref }, call, { numbers }) {
    return numbers.verifyCode(callerOf(call), numberOf(ref), code, begun);
  },
});
