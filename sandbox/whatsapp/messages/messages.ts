import { DAY } from '#kernel/clock.ts';
import { badParam } from '../../graph/api/errors.ts';
import type { Call, Methods } from '../../graph/world.ts';
import { requireProduct } from '../business/numbers.ts';
import type { Customers } from '../customers.ts';
import type { Bubble, Customer, PhoneNumber } from '../docs.ts';
import { invalid, missing, refusal } from '../errors.ts';
import type { Templates } from '../templates/sending.ts';
import { methodsOf, type World } from '../world.ts';
import type { Chats } from './chats.ts';
import { FILE_TYPES, readContent, type Content } from './content.ts';
import type { MediaFiles } from './media.ts';

const LONGEST_DATA = 512;
/** A customer accepts a burst of messages, then one in this many seconds. */
const PAIR_SECONDS = 6;
const PARAMS = Object.freeze([
  ...'messaging_product recipient_type to recipient type context biz_opaque_callback_data status message_id'.split(' '),
  ...'typing_indicator text location reaction interactive template'.split(' '),
  ...FILE_TYPES,
]);

type Failure = NonNullable<Bubble['failure']>;
type Target = Readonly<{ customer: Customer; input: string; by: 'wa_id' | 'user_id' }>;
type Message = Content & Pick<Bubble, 'template'>;

/** Finds the recipient. A phone number takes precedence over a business-scoped id. */
const makeRecipients =
  (customers: Customers) =>
  ({ params }: Call, number: PhoneNumber): Target => {
    const [to, id] = [params.text('to'), params.text('recipient')];
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

/** Checks rate limits before a message is accepted, and decides what happens to it. */
function makeFate({ clock, settings, rates }: World, chats: Chats) {
  function spend({ id }: PhoneNumber, customer: Customer): void {
    const burst = settings.get('pair_limit');
    const isUsedUp = (name: string, key: string, limit: number, window_s: number) =>
      rates?.spend([{ name, key, limit, window_s, points: 1, sliding: true }]).exceeded === true;
    if (isUsedUp('throughput', id, settings.get('throughput'), 1))
      throw refusal(130429, 'Too many messages were sent from this phone number in a short period of time');
    if (isUsedUp('pair', `${id} ${customer.id}`, burst, burst * PAIR_SECONDS))
      throw refusal(131056, 'Too many messages were sent from this phone number to the same customer');
  }

  function failureOf(number: PhoneNumber, to: Customer, { template }: Message): Failure | undefined {
    const chat = chats.of(number.id, to.id);
    const since = clock.now() - DAY;
    const adverts = chats
      .bubbles(chat?.id ?? '')
      .filter(({ template: sent, failure, at }) => sent?.category === 'MARKETING' && !failure && at > since);
    const cap = settings.get('marketing_cap');
    const isAdvert = template?.category === 'MARKETING';
    const fates: readonly (readonly [isSo: boolean, code: number, details: string])[] = [
      [to.isStranger === true || to.blocked.includes(number.id), 131026, 'Message Undeliverable.'],
      [isAdvert && to.isOptedOut === true, 131050, 'The customer has stopped marketing messages'],
      [isAdvert && cap > 0 && adverts.length >= cap, 131049, 'The customer gets no more marketing messages today'],
      [
        template === undefined && !chats.isOpen(chat),
        131047,
        'Message failed to send because more than 24 hours have passed since the customer last replied.',
      ],
    ];
    const [, code = 0, details = ''] = fates.find(([isSo]) => isSo) ?? [];
    return code === 0 ? undefined : { code, details };
  }

  return Object.freeze({ spend, failureOf });
}

export function messageMethods(
  world: World,
  parts: Readonly<{ customers: Customers; chats: Chats; media: MediaFiles; templates: Templates }>,
): Methods {
  const { nodes, store, settings } = world;
  const { customers, chats, media, templates } = parts;
  const recipient = makeRecipients(customers);
  const { spend, failureOf } = makeFate(world, chats);

  function markRead({ params }: Call, number: PhoneNumber): object {
    params.oneOf('status', ['read']);
    const bubble = nodes.get('bubble', params.required('message_id'));
    if (bubble === undefined || bubble.isOwn || bubble.page_id !== number.id)
      throw invalid("Parameter 'message_id' is no message that this phone number has received");
    if ((params.object('typing_indicator') ?? { type: 'text' })['type'] !== 'text')
      throw invalid("Parameter 'typing_indicator.type' must be text");
    store.write(() => {
      for (const { id, isOwn, at } of chats.bubbles(bubble.parent_id))
        if (!isOwn && at <= bubble.at) nodes.change('bubble', id, { state: 'read' });
    });
    return { success: true };
  }

  function contextIn({ params }: Call, number: PhoneNumber): Pick<Bubble, 'context'> {
    const id = params.object('context')?.['message_id'];
    if (id === undefined) return {};
    if (typeof id !== 'string' || nodes.get('bubble', id)?.page_id !== number.id)
      throw invalid("Parameter 'context.message_id' is no message of this phone number");
    return { context: id };
  }

  async function send(call: Call, number: PhoneNumber): Promise<object> {
    const { params } = call;
    requireProduct(call);
    if (!number.isRegistered) throw refusal(133010, 'The phone number is not registered with the Cloud API');
    if (number.isBanned === true) throw refusal(131031, 'The WhatsApp Business Account has been restricted');
    if (params.text('status') !== undefined) return markRead(call, number);
    params.oneOf('recipient_type', ['individual']);
    const type = params.text('type') ?? 'text';
    const callback_data = params.text('biz_opaque_callback_data');
    if ((callback_data?.length ?? 0) > LONGEST_DATA)
      throw badParam(`Param biz_opaque_callback_data must be at most ${LONGEST_DATA} characters long`);
    const { customer, input, by } = recipient(call, number);
    const { file, ...content }: Message =
      type === 'template' ? templates.read(call, number.page_id) : readContent(params, type);
    if (content.template?.category === 'AUTHENTICATION' && by === 'user_id')
      throw refusal(131062, 'Authentication templates are sent to phone numbers');
    const context = contextIn(call, number);
    const { access_token: _token, ...asked } = params.values;
    spend(number, customer);
    const { flaw, ...attached } = file === undefined ? {} : await media.resolve(number.id, file);
    const bubble = store.write(() => {
      const flawed = flaw === undefined ? undefined : { code: 131053, details: flaw };
      const failure = failureOf(number, customer, content) ?? flawed;
      if (failure !== undefined && settings.get('refuse_at_once')) throw refusal(failure.code, failure.details);
      return chats.send(number, customer, {
        ...content,
        ...attached,
        ...context,
        asked,
        ...(callback_data !== undefined && { callback_data }),
        ...(failure !== undefined && { failure }),
      });
    });
    const known = by === 'wa_id' ? customer.digits : customers.userId(customer, number.page_id);
    return {
      messaging_product: 'whatsapp',
      contacts: [{ input, [by]: known }],
      messages: [{ id: bubble.id, ...(type === 'template' && { message_status: 'accepted' }) }],
    };
  }

  return { 'POST number/messages': methodsOf(world).writes('number', 'messaging', PARAMS, send) };
}
