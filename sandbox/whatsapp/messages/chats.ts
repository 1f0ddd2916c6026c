/** Chats between numbers and customers, messages from phones, and updates to the app. */
import { DAY } from '#kernel/clock.ts';
import { randomBytes } from 'node:crypto';
import { makeDue } from '../../kit/due.ts';
import { seconds } from '../../kit/ids.ts';
import type { Customers } from '../customers.ts';
import type { Bubble, Chat, Customer, PhoneNumber } from '../docs.ts';
import { failureItem } from '../errors.ts';
import type { World } from '../world.ts';

export type Chats = ReturnType<typeof makeChats>;
type Draft = Pick<Bubble, 'type' | 'content' | 'text'> & Partial<Bubble>;
type MessageExtras = Readonly<{ referral?: object; errors?: readonly object[]; group_id?: string }>;
type Tell = (number: PhoneNumber, field: string, value: object) => void;

function makeStatuses({ nodes, clock, settings }: World, { byId, idsOf }: Customers, tell: Tell) {
  function statusOf({ id, state, template, failure, callback_data, parent_id }: Bubble) {
    const category = template?.category.toLowerCase() ?? 'service';
    const expiry = state === 'sent' && { expiration_timestamp: String(seconds(clock.now() + DAY)) };
    return {
      id,
      status: state,
      timestamp: String(seconds(clock.now())),
      ...(callback_data !== undefined && { biz_opaque_callback_data: callback_data }),
      ...((state === 'sent' || state === 'delivered') && {
        conversation: { id: parent_id, ...expiry, origin: { type: category } },
        pricing: { billable: category !== 'service', pricing_model: 'PMP', category, type: 'regular' },
      }),
      ...(failure !== undefined && { errors: [failureItem(failure.code, failure.details)] }),
    };
  }
  /** Moves a message to its next state and reports it to the app. */
  function become(id: string, state: Bubble['state']): void {
    const bubble = nodes.change('bubble', id, { state });
    const [number, chat] = [nodes.get('number', bubble.page_id), nodes.get('chat', bubble.parent_id)];
    const customer = byId(chat?.parent_id ?? '');
    if (number === undefined || customer === undefined || chat === undefined) return;
    const { wa_id: recipient_id, user_id: recipient_user_id } = idsOf(customer, number);
    tell(number, 'messages', { statuses: [{ ...statusOf(bubble), recipient_id, recipient_user_id }] });
    if (state === 'delivered' && bubble.template !== undefined && settings.get('template_opens_window'))
      nodes.change('chat', chat.id, { opened_at: clock.now() });
  }
  function deliver({ id, state }: Bubble): void {
    if (state === 'sent' && !settings.get('skip_delivered')) become(id, 'delivered');
  }

  return Object.freeze({
    become,
    deliver,
    settle(id: string): void {
      const bubble = nodes.get('bubble', id);
      if (bubble === undefined) return;
      become(id, bubble.failure === undefined ? 'sent' : 'failed');
      if (bubble.failure === undefined && settings.get('auto_delivery')) deliver({ ...bubble, state: 'sent' });
    },
  });
}

/** Opens the chats. Callers write inside a transaction. */
export function makeChats(world: World, customers: Customers) {
  const { nodes, clock, updates, settings, pushes } = world;

  const tell: Tell = ({ id, page_id, digits }, field, value) =>
    updates.change(page_id, field, {
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: digits, phone_number_id: id },
      ...value,
    });
  const { become, deliver, settle } = makeStatuses(world, customers, tell);
  const due = makeDue(world, settle, pushes.kick);

  const of = (number: string, customer: string) =>
    nodes.list('chat', { page: number }).find(({ parent_id }) => parent_id === customer);
  const bubbles = (chat: string) => nodes.list('bubble', { parent: chat });

  function add({ id: page_id }: PhoneNumber, { id: customer }: Customer, isOwn: boolean, draft: Draft): Bubble {
    const now = clock.now();
    const fresh: Chat = { id: `chat ${page_id} ${customer}`, at: now, page_id, parent_id: customer, updated_at: now };
    const { id: parent_id } = of(page_id, customer) ?? nodes.put('chat', fresh);
    nodes.change('chat', parent_id, { updated_at: now, ...(!isOwn && { opened_at: now }) });
    const state = isOwn ? 'accepted' : 'delivered';
    const id = `wamid.${randomBytes(33).toString('base64')}`;
    const about = { id, at: now, page_id, parent_id, isOwn, isByApp: false, choices: [], state } as const;
    return nodes.put('bubble', { ...about, ...draft });
  }

  function sender(customer: Customer, number: PhoneNumber) {
    const { wa_id, user_id } = customers.idsOf(customer, number);
    const { name, username } = customer;
    const contacts = [{ profile: { name, username }, wa_id, user_id }];
    return {
      contacts: settings.get('missing_contacts') ? {} : { contacts },
      from: { from: wa_id, from_user_id: user_id },
    };
  }
  const itemOf = ({ id, type, at, content }: Bubble) => ({
    id,
    timestamp: String(seconds(at)),
    type,
    ...(content !== undefined && { [type]: content }),
  });

  return Object.freeze({
    of,
    bubbles,
    due,
    deliver,
    tell,
    sender,
    isOpen: (chat: Chat | undefined) => chat?.opened_at !== undefined && chat.opened_at + DAY > clock.now(),
    /** Stores a message of the app. Its status changes at once or later. */
    send(number: PhoneNumber, customer: Customer, draft: Draft): Bubble {
      const bubble = add(number, customer, true, { ...draft, isByApp: true });
      due.add(bubble.id, settings.get('status_delay_ms'));
      return bubble;
    },
    read(chat: Chat): void {
      for (const bubble of bubbles(chat.id)) {
        if (!bubble.isOwn || !bubble.isByApp || (bubble.state !== 'sent' && bubble.state !== 'delivered')) continue;
        deliver(bubble);
        become(bubble.id, 'read');
      }
    },
    /** Adds a message that somebody typed on the business's own phone. */
    echo(number: PhoneNumber, customer: Customer, draft: Draft): Bubble {
      const bubble = add(number, customer, true, { ...draft, state: 'delivered' });
      const { wa_id: to, user_id: to_user_id } = customers.idsOf(customer, number);
      const echo = { from: number.digits, to, to_user_id, ...itemOf(bubble) };
      tell(number, 'smb_message_echoes', { message_echoes: [echo] });
      return bubble;
    },
    receive(number: PhoneNumber, customer: Customer, draft: Draft, extra: MessageExtras = {}): Bubble {
      const bubble = add(number, customer, false, draft);
      const isSystem = draft.type === 'system';
      const { contacts, from: named } = sender(customer, number);
      // Service messages have no contacts, and the `from` of a hidden number is its last id.
      const from = isSystem ? { from: named.from } : named;
      const about = draft.context === undefined ? undefined : nodes.get('bubble', draft.context);
      const context = about && { context: { from: about.isOwn ? number.digits : from.from, id: about.id } };
      tell(number, 'messages', {
        ...(!isSystem && contacts),
        messages: [{ ...from, ...itemOf(bubble), ...context, ...extra }],
      });
      return bubble;
    },
  });
}
