import { z } from 'zod';
import type { SendBegun } from '#call/sends.ts';
import { defineTool } from '#call/tool.ts';
import { aliasOf } from '../fields.ts';
import type { Module } from '../modules.ts';
import { callerOf } from '../platform-calls.ts';
import { numberId, WHATSAPP, WHATSAPP_ERRORS } from './number.ts';
import { language, templateName, values } from './template.ts';

type Sent = Readonly<{ message_id: string; input: string; recipient: string; message_status?: string | undefined }>;

/** WhatsApp's response, with ids as in other messages. */
const answerOf = ({ message_id, input, recipient, message_status = 'accepted' }: Sent) => ({
  messaging_product: WHATSAPP.platform,
  contacts: [{ input, wa_id: recipient }],
  messages: [{ id: message_id, message_status }],
  message_id,
  message_ids: [message_id],
});

const RECIPIENT =
  'must be a phone number with its country code, such as +1 202-555-0123, or the participant_id of a conversation';

/** The digits of a phone number without a national prefix; undefined if there are none. */
function bareNumber(written: string): string | undefined {
  if (!/^\+?[\d\s().\-/\u2010-\u2015]+$/.test(written)) return undefined;
  return written.replace('(0)', '').replaceAll(/\D/g, '').replace(/^00/, '');
}

export const sendWhatsappTemplate = defineTool({
  name: 'send_whatsapp_template',
  summary: 'Send an approved template: the only way to write to people who have not written within 24 hours.',
  http: { method: 'POST', path: '/platforms/whatsapp/accounts/{account_id}/send-template' },
  effect: 'send',
  act: 'message',
  openWorld: true,
  access: { scope: 'dms:send' },
  needs: 'message templates',
  input: z.object({
    account_id: numberId,
    to: z
      .string()
      .trim()
      .max(160)
      .transform((to) => bareNumber(to) ?? to)
      .pipe(z.string().regex(/^[1-9]\d{4,14}$|^[A-Z]{2}\.\w{1,150}$/, RECIPIENT))
      .describe('Phone number with country code, as +1 202-555-0123, or the participant_id of a conversation.'),
    template_name: templateName,
    language,
    components: values,
  }),
  output: z.looseObject({
    messaging_product: z.literal('whatsapp'),
    contacts: z.array(z.looseObject({ input: z.string(), wa_id: z.string() })),
    messages: z.array(z.looseObject({ id: z.string(), message_status: z.string() })),
    message_ids: z.array(z.string()),
    message_id: aliasOf('message_ids', z.string()),
  }),
  errors: [
    ...WHATSAPP_ERRORS,
    'whatsapp.template_not_found',
    'whatsapp.template_paused',
    'whatsapp.frequency_cap',
    'whatsapp.pair_rate_limit',
    'whatsapp.throughput_exceeded',
    'whatsapp.user_opted_out',
    'whatsapp.undeliverable',
  ],
  async run({ account_id, ...request }, call, { inbox }: Module<'inbox'>) {
    return answerOf(await inbox.templates.send(callerOf(call), { on: WHATSAPP, accountId: account_id }, request));
  },
  async resume(begun: SendBegun, { account_id, ...request }, call, { inbox }) {
    return answerOf(
      await inbox.templates.send(callerOf(call), { on: WHATSAPP, accountId: account_id }, request, begun),
    );
  },
});
