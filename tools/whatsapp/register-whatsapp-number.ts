import { z } from 'zod';
import type { SendBegun } from '#call/sends.ts';
import { defineTool } from '#call/tool.ts';
import { Done } from '../fields.ts';
import type { Module } from '../modules.ts';
import { callerOf } from '../platform-calls.ts';
import { numberId, numberOf, WHATSAPP_ERRORS } from './number.ts';

export const registerWhatsappNumber = defineTool({
  name: 'register_whatsapp_number',
  summary: 'Register a verified phone number with WhatsApp, so that it can send and receive.',
  http: { method: 'POST', path: '/platforms/whatsapp/phone-numbers/{phone_number_id}/register' },
  effect: 'update',
  act: 'connect',
  openWorld: true,
  access: { scope: 'accounts:manage' },
  needs: 'phone numbers',
  input: z.object({
    phone_number_id: numberId,
    pin: z
      .string()
      .trim()
      .max(6)
      .regex(/^\d{6}$/, 'must be 6 digits')
      .describe('6 digits: the two-step PIN of the number, or a new one to set and keep.'),
  }),
  output: Done,
  errors: [...WHATSAPP_ERRORS, 'resource.conflict'],
  async run({ pin, ...ref }, call, { numbers }: Module<'numbers'>) {
    return numbers.register(callerOf(call), numberOf(ref), pin);
  },
  async resume(begun: SendBegun, { pin, ...ref }, call, { numbers }) {
    return numbers.register(callerOf(call), numberOf(ref), pin, begun);
  },
});
