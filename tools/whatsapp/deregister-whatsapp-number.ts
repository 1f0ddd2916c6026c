import { z } from 'zod';
import type { SendBegun } from '#call/sends.ts';
import { defineTool } from '#call/tool.ts';
import { Done } from '../fields.ts';
import type { Module } from '../modules.ts';
import { callerOf } from '../platform-calls.ts';
import { numberId, numberOf, WHATSAPP_ERRORS } from './number.ts';

export const deregisterWhatsappNumber = defineTool({
  name: 'deregister_whatsapp_number',
  summary: 'Take a phone number off WhatsApp; it cannot send or receive until it is registered again.',
  http: { method: 'POST', path: '/platforms/whatsapp/phone-numbers/{phone_number_id}/deregister' },
  effect: 'update',
  act: 'connect',
  destructive: true,
  openWorld: true,
  access: { scope: 'accounts:manage' },
  needs: 'phone numbers',
  input: z.object({ phone_number_id: numberId }),
  output: Done,
  errors: [...WHATSAPP_ERRORS, 'resource.conflict'],
  async run(ref, call, { numbers }: Module<'numbers'>) {
    return numbers.deregister(callerOf(call), numberOf(ref));
  },
  async resume(begun: SendBegun, ref, call, { numbers }) {
    return numbers.deregister(callerOf(call), numberOf(ref), begun);
  },
});
