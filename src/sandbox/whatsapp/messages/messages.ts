/** The one path of sending: who it goes to, what it says, and what will become of it. */
import { badParam } from '../../graph/api/errors.ts';
import type { Call, Methods } from '../../graph/world.ts';
import { makeNumberAt } from '../business/numbers.ts';
import type { Customers } from '../customers.ts';
import type { Bubble, Customer, PhoneNumber } from '../docs.ts';
import { invalid, missing, refusal } from '../errors.ts';
import type { Templates } from '../templates/sending.ts';
import type { World } from '../world.ts';
import type { Chats } from './chats.ts';
import { FILE_TYPES, readContent } from './content.ts';
import type { Content } from './content.ts';
import type { MediaFiles } from './media.ts';

const DAY = 86_400_000;
const LONGEST_DATA = 512;
/** A customer may get so many messages in a row, and then one in so many seconds. */
const PAIR_SECONDS = 6;
const PARAMS = Object.freeze([
  'messaging_product',
  'recipient_type',
  'to',
  'recipient',
  'type',
  'context',
  'biz_opaque_callback_data',
  'status',
  'message_id',
  'typing_indicator',
  'text',
  'location',
  'reaction',
  'interactive',
  'template',
  ...FILE_TYPES,
]);

type Failure = NonNullable<Bubble['failure']>;
type Target = Readonly<{ customer: Customer; input: string; by: 'wa_id' | 'user_id' }>;
type Message = Content & Readonly<{ template?: Bubble['template']; flaw?: Failure }>;

/** Who a message goes to: a phone number wins over a business-scoped id. */
function makeRecipients(customers: Customers) {
  return function recipient({ params }: Call, number: PhoneNumber): Target {
    const to = params.text('to');
    const id = params.text('recipient');
    if (to === undefined && id === undefined) throw missing('to');
    if (to !== undefined) {
      const digits = to.replaceAll(/[\s()+-]/g, '');
      if (!/^\d{5,15}$/.test(digits)) throw invalid('Recipient is not a valid phone number');
      if (digits === number.digits) throw refusal(131021, 'Recipient cannot be the sender');
      return { customer: customers.at(digits), input: to, by: 'wa_id' };
    }
    const customer = customers.byUserId(number.page_id, id ?? '');
    if (customer === undefined) throw invalid('Recipient is not a business-scoped user id of this business');
    return { customer, input: id ?? '', by: 'user_id' };
  };
}

/** What is counted before a message is taken, and what will become of one that was. */
function makeFate({ nodes, clock, settings, rates }: World, chats: Chats) {
  function spend({ id }: PhoneNumber, customer: Customer): void {
    const burst = settings.get('pair_limit');
    const charge = (name: string, key: string, limit: number, window_s: number) =>
      rates?.spend([{ name, key, limit, window_s, points: 1, sliding: true }]).exceeded === true;
    if (charge('throughput', id, settings.get('throughput'), 1))
      throw refusal(130429, 'Too many messages were sent from this phone number in a short period of time');
    if (charge('pair', `${id} ${customer.id}`, burst, burst * PAIR_SECONDS))
      throw refusal(131056, 'Too many messages were sent from this phone number to the same customer');
  }

  /** Why a message will not arrive; nothing when it will. */
  function failureOf(number: PhoneNumber, customer: Customer, { template, flaw }: Message): Failure | undefined {
    if (customer.isStranger === true || customer.blocked.includes(number.id))
      return { code: 131026, details: 'Message Undeliverable.' };
    if (template?.category === 'MARKETING') {
      if (customer.isOptedOut === true) return { code: 131050, details: 'The customer has stopped marketing messages' };
      const cap = settings.get('marketing_cap');
      const today = chats
        .bubbles(chats.of(number.id, customer.id)?.id ?? '')
        .filter(
          (one) => one.template?.category === 'MARKETING' && one.failure === undefined && one.at > clock.now() - DAY,
        );
      if (cap > 0 && today.length >= cap)
        return { code: 131049, details: 'The customer gets no more marketing messages today' };
    }
    if (template === undefined && !chats.isOpen(chats.of(number.id, customer.id)))
      return {
        code: 131047,
        details: 'Message failed to send because more than 24 hours have passed since the customer last replied.',
      };
    return flaw;
  }

  function contextOf({ params }: Call, number: PhoneNumber): string | undefined {
    const id = params.object('context')?.['message_id'];
    if (id === undefined) return undefined;
    if (typeof id !== 'string' || nodes.get('bubble', id)?.page_id !== number.id)
      throw invalid("Parameter 'context.message_id' is no message of this phone number");
    return id;
  }

  return Object.freeze({ spend, failureOf, contextOf });
}

/** Sending and marking as read. */
export function messageMethods(
  world: World,
  parts: Readonly<{ customers: Customers; chats: Chats; media: MediaFiles; templates: Templates }>,
): Methods {
  const { nodes, store, settings } = world;
  const { customers, chats, media, templates } = parts;
  const numberAt = makeNumberAt(world);
  const recipient = makeRecipients(customers);
  const { spend, failureOf, contextOf } = makeFate(world, chats);

  function markRead({ params }: Call, number: PhoneNumber): object {
    params.oneOf('status', ['read']);
    const bubble = nodes.get('bubble', params.required('message_id'));
    if (bubble === undefined || bubble.isOwn || bubble.page_id !== number.id)
      throw invalid("Parameter 'message_id' is no message that this phone number has received");
    if (params.text('typing_indicator') !== undefined && params.object('typing_indicator')?.['type'] !== 'text')
      throw invalid("Parameter 'typing_indicator.type' must be text");
    store.write(() => {
      for (const { id, isOwn, at } of chats.bubbles(bubble.parent_id))
        if (!isOwn && at <= bubble.at) nodes.change('bubble', id, { state: 'read' });
    });
    return { success: true };
  }

  async function withFile(number: PhoneNumber, said: Message): Promise<Message & { media?: string }> {
    if (said.file === undefined) return said;
    const { media: found, flaw } = await media.resolve(number.id, said.file);
    if (flaw !== undefined) return { ...said, flaw: { code: 131053, details: flaw } };
    return found === undefined ? said : { ...said, media: found };
  }

  async function send(call: Call, id: string): Promise<object> {
    const number = numberAt(call, id, 'messaging');
    const { params } = call;
    if (params.text('messaging_product') !== 'whatsapp') throw missing('messaging_product');
    if (!number.isRegistered) throw refusal(133010, 'The phone number is not registered with the Cloud API');
    if (number.isBanned === true) throw refusal(131031, 'The WhatsApp Business Account has been restricted');
    if (params.text('status') !== undefined) return markRead(call, number);
    params.oneOf('recipient_type', ['individual']);
    const type = params.text('type') ?? 'text';
    const callback_data = params.text('biz_opaque_callback_data');
    if ((callback_data?.length ?? 0) > LONGEST_DATA)
      throw badParam(`Param biz_opaque_callback_data must be at most ${LONGEST_DATA} characters long`);
    const to = recipient(call, number);
    const said: Message = type === 'template' ? templates.read(call, number.page_id) : readContent(params, type);
    if (said.template?.category === 'AUTHENTICATION' && to.by === 'user_id')
      throw refusal(131062, 'Authentication templates are sent to phone numbers');
    const context = contextOf(call, number);
    const { access_token: _token, ...asked } = params.values;
    spend(number, to.customer);
    const { file: _file, flaw, ...whole } = await withFile(number, said);
    const bubble = store.write(() => {
      const failure = failureOf(number, to.customer, { ...whole, ...(flaw !== undefined && { flaw }) });
      if (failure !== undefined && settings.get('refuse_at_once')) throw refusal(failure.code, failure.details);
      return chats.send(number, to.customer, {
        ...whole,
        asked,
        ...(context !== undefined && { context }),
        ...(callback_data !== undefined && { callback_data }),
        ...(failure !== undefined && { failure }),
      });
    });
    const known = to.by === 'wa_id' ? to.customer.digits : customers.userId(to.customer, number.page_id);
    return {
      messaging_product: 'whatsapp',
      contacts: [{ input: to.input, [to.by]: known }],
      messages: [{ id: bubble.id, ...(type === 'template' && { message_status: 'accepted' }) }],
    };
  }

  return Object.freeze({ 'POST number/messages': { params: PARAMS, run: send } });
}
