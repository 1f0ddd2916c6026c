/** Chats of numbers with customers, and what the app is told of them. */
import { randomBytes } from 'node:crypto';
import { seconds } from '../../kit/ids.ts';
import type { Customers } from '../customers.ts';
import type { Bubble, Chat, Customer, PhoneNumber } from '../docs.ts';
import { failureItem } from '../errors.ts';
import type { World } from '../world.ts';

const DAY = 86_400_000;

export type Chats = ReturnType<typeof makeChats>;
type Draft = Pick<Bubble, 'type' | 'content' | 'text'> & Partial<Bubble>;
/** What comes with a message beside its content. */
type Beside = Readonly<{ referral?: object; errors?: readonly object[] }>;

const newMessageId = (): string => `wamid.${randomBytes(33).toString('base64')}`;

/** What statuses tell the app of a message. */
function makeStatuses({ nodes, clock, settings }: World, customers: Customers, tell: Tell) {
  /** Moves a message on, and tells the app; states that lie behind are not gone back to. */
  function become(id: string, state: Bubble['state']): void {
    const bubble = nodes.change('bubble', id, { state });
    const number = nodes.get('number', bubble.page_id);
    const chat = nodes.get('chat', bubble.parent_id);
    const customer = chat === undefined ? undefined : customers.byId(chat.parent_id);
    if (number === undefined || customer === undefined || chat === undefined) return;
    const { wa_id, user_id } = customers.idsOf(customer, number);
    const category = bubble.template?.category.toLowerCase() ?? 'service';
    const isBilled = state === 'sent' || state === 'delivered';
    const { failure, callback_data } = bubble;
    tell(number, 'messages', {
      statuses: [
        {
          id,
          status: state,
          timestamp: String(seconds(clock.now())),
          ...(wa_id !== undefined && { recipient_id: wa_id }),
          ...(user_id !== undefined && { recipient_user_id: user_id }),
          ...(callback_data !== undefined && { biz_opaque_callback_data: callback_data }),
          ...(isBilled && {
            conversation: {
              id: chat.id,
              ...(state === 'sent' && { expiration_timestamp: String(seconds(clock.now() + DAY)) }),
              origin: { type: category },
            },
            pricing: { billable: category !== 'service', pricing_model: 'PMP', category, type: 'regular' },
          }),
          ...(failure !== undefined && { errors: [failureItem(failure.code, failure.details)] }),
        },
      ],
    });
    if (state === 'delivered' && bubble.template !== undefined && settings.get('template_opens_window'))
      nodes.change('chat', chat.id, { opened_at: clock.now() });
  }

  function deliver({ id, state }: Bubble): void {
    if (state === 'sent' && !settings.get('skip_delivered')) become(id, 'delivered');
  }
  /** What became of a message that was accepted. */
  function settle(bubble: Bubble): void {
    nodes.remove('due', bubble.id);
    if (bubble.failure !== undefined) {
      become(bubble.id, 'failed');
      return;
    }
    become(bubble.id, 'sent');
    if (settings.get('auto_delivery')) deliver({ ...bubble, state: 'sent' });
  }

  return Object.freeze({ become, deliver, settle });
}

type Tell = (number: PhoneNumber, field: string, value: object) => void;

/** Opens the chats of the twin; writes belong in a transaction. */
export function makeChats(world: World, customers: Customers) {
  const { nodes, clock, updates, settings, pushes, store } = world;

  const tell: Tell = ({ id, page_id, digits }, field, value) =>
    updates.change(page_id, field, {
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: digits, phone_number_id: id },
      ...value,
    });
  const { become, deliver, settle } = makeStatuses(world, customers, tell);

  const of = (number: string, customer: string) =>
    nodes.list('chat', { page: number }).find(({ parent_id }) => parent_id === customer);
  function open(number: string, customer: string): Chat {
    const now = clock.now();
    const id = `chat ${number} ${customer}`;
    return (
      of(number, customer) ?? nodes.put('chat', { id, at: now, page_id: number, parent_id: customer, updated_at: now })
    );
  }
  const bubbles = (chat: string) => nodes.list('bubble', { parent: chat });

  function add(chat: Chat, isOwn: boolean, draft: Draft): Bubble {
    const now = clock.now();
    const patch = { updated_at: now, ...(!isOwn && { opened_at: now }) };
    nodes.change('chat', chat.id, patch);
    return nodes.put('bubble', {
      id: newMessageId(),
      at: now,
      page_id: chat.page_id,
      parent_id: chat.id,
      isOwn,
      isByApp: false,
      choices: [],
      state: isOwn ? 'accepted' : 'delivered',
      ...draft,
    });
  }

  /** The time of what was accepted so long ago that it is settled. */
  function due(): void {
    const now = clock.now();
    const over = nodes.list('due').filter(({ at }) => at <= now);
    if (over.length === 0) return;
    store.write(() => {
      for (const { id } of over) {
        const bubble = nodes.get('bubble', id);
        if (bubble !== undefined) settle(bubble);
      }
    });
  }

  return Object.freeze({
    of,
    bubbles,
    due,
    deliver,
    tell,
    open,
    add,
    isOpen: (chat: Chat | undefined) => chat?.opened_at !== undefined && chat.opened_at + DAY > clock.now(),
    /** Keeps a message of the app; what becomes of it is settled at once or later. */
    send(number: PhoneNumber, customer: Customer, draft: Draft): Bubble {
      const bubble = add(open(number.id, customer.id), true, { ...draft, isByApp: true });
      const delay = settings.get('status_delay_ms');
      nodes.put('due', { id: bubble.id, at: clock.now() + delay });
      if (delay === 0) settle(bubble);
      else
        world.later(delay, () => {
          due();
          pushes.kick();
        });
      return bubble;
    },
    /** The customer sees everything that has come. */
    read(chat: Chat): void {
      for (const bubble of bubbles(chat.id)) {
        if (!bubble.isOwn || !bubble.isByApp || (bubble.state !== 'sent' && bubble.state !== 'delivered')) continue;
        deliver(bubble);
        become(bubble.id, 'read');
      }
    },
  });
}

export type Phones = ReturnType<typeof makePhones>;

/** What is typed on phones, and how the app is told of it. */
export function makePhones({ nodes, settings }: World, customers: Customers, { open, add, tell }: Chats) {
  /** What tells the app who a message is from. */
  function sender(customer: Customer, number: PhoneNumber) {
    const { wa_id, user_id } = customers.idsOf(customer, number);
    const { name, username } = customer;
    const contact = { profile: { name, ...(username !== undefined && { username }) }, wa_id, user_id };
    return {
      contacts: settings.get('missing_contacts') ? {} : { contacts: [contact] },
      from: { from: wa_id, from_user_id: user_id },
    };
  }

  return Object.freeze({
    sender,
    /** A message that the business typed on its own phone. */
    echo(number: PhoneNumber, customer: Customer, draft: Draft): Bubble {
      const bubble = add(open(number.id, customer.id), true, { ...draft, state: 'delivered' });
      const { wa_id, user_id } = customers.idsOf(customer, number);
      const echo = { from: number.digits, to: wa_id, to_user_id: user_id, id: bubble.id, type: draft.type };
      const said = { timestamp: String(seconds(bubble.at)), [draft.type]: draft.content };
      tell(number, 'smb_message_echoes', { message_echoes: [{ ...echo, ...said }] });
      return bubble;
    },
    receive(number: PhoneNumber, customer: Customer, draft: Draft, beside: Beside = {}): Bubble {
      const bubble = add(open(number.id, customer.id), false, draft);
      const { contacts, from } = sender(customer, number);
      const about = draft.context === undefined ? undefined : nodes.get('bubble', draft.context);
      const context = about && { context: { from: about.isOwn ? number.digits : from.from, id: about.id } };
      const item = { ...from, id: bubble.id, timestamp: String(seconds(bubble.at)), type: draft.type };
      const content = draft.content === undefined ? {} : { [draft.type]: draft.content };
      tell(number, 'messages', { ...contacts, messages: [{ ...item, ...context, ...content, ...beside }] });
      return bubble;
    },
  });
}
