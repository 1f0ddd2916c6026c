import * as z from 'zod';
import { PushedId } from '../graph/fields.ts';
import { tableOf } from '#kernel/text/table.ts';
import type { AccountCall } from '../call.ts';
import { Id, listOf, Success } from '../graph/api.ts';
import { appSubscription, graphPush } from '../graph/push.ts';
import type { Push, PushedEvent } from '../push.ts';
import { asAccount, graph } from './api.ts';
import { eventsOf } from './inbound.ts';
import { sessionOf } from './session.ts';

const FIELDS = ['messages', 'smb_message_echoes', 'account_update', 'message_template_status_update'].join(',');
const SUBSCRIBED = '/{waba}/subscribed_apps';

const AccountUpdate = z.object({
  event: z.string(),
  ban_info: z
    .object({ waba_ban_state: z.string().catch('') })
    .optional()
    .catch(undefined),
  /** The shared business account, if it is not the one of the entry. */
  waba_info: z.object({ waba_id: PushedId }).optional().catch(undefined),
});

/** Updates of a business account that end the app's access, with the reason to show. */
const ENDS: ReadonlyMap<string, string> = tableOf({
  PARTNER_REMOVED: 'The app was removed from the WhatsApp Business Account.',
  PARTNER_APP_UNINSTALLED: 'The app was removed from the WhatsApp Business Account.',
  ACCOUNT_DELETED: 'The WhatsApp Business Account was deleted.',
  DISABLED_UPDATE: 'WhatsApp has disabled the business account.',
});

/** Ban states in which a business account is still active. */
const STAYING: ReadonlySet<string> = new Set(['SCHEDULE_FOR_DISABLE', 'REINSTATE']);

export const push = Object.freeze<Push>({
  ...graphPush({
    title: 'WhatsApp',
    owner: 'user',
    login: 'login_id',
    change(field, value, { owner }) {
      if (field === 'account_update') return ended(value, owner);
      if (field !== 'messages' && field !== 'smb_message_echoes') return undefined;
      const { number: user, events } = eventsOf(value) ?? { events: [] };
      return events.map((event) => ({ user, event }));
    },
  }),
  // One Meta app may serve both WhatsApp and Facebook.
  signedBy: ['facebook'],
  ...appSubscription({ request: graph }, { object: 'whatsapp_business_account', fields: FIELDS }),
  async subscribe(call) {
    await asAccount(call, { method: 'POST', path: SUBSCRIBED, json: {} }, Success);
    return {};
  },
  isSubscribed,
  async unsubscribe(call, _kept, isShared) {
    // The subscription belongs to the business account, so other numbers may still need it.
    if (!isShared) await asAccount(call, { method: 'DELETE', path: SUBSCRIBED }, Success);
  },
});

function ended(value: unknown, owner: string): readonly PushedEvent[] {
  const parsed = AccountUpdate.safeParse(value);
  if (!parsed.success) return [];
  const { event, ban_info, waba_info } = parsed.data;
  const why = ENDS.get(event);
  if (why === undefined || STAYING.has(ban_info?.waba_ban_state ?? '')) return [];
  const having = { name: 'waba_id', value: waba_info?.waba_id ?? owner };
  return [{ having, event: { kind: 'revoked', why } }];
}

const Apps = listOf(z.object({ whatsapp_business_api_data: z.object({ id: Id }) }));

async function isSubscribed(call: AccountCall): Promise<boolean> {
  const { app_id: own } = sessionOf(call.session);
  const { data } = await asAccount(call, { method: 'GET', path: SUBSCRIBED }, Apps);
  return data.some(({ whatsapp_business_api_data: { id } }) => own === undefined || id === own);
}
