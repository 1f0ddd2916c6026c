import { z } from 'zod';
import { listOf, shape, text } from '../../kit/api/shapes.ts';
import type { Fields, Tie, Upload } from '../docs.ts';
import { invalid, ZaloError } from '../errors.ts';
import type { Saying } from '../talk.ts';
import { makeCalls, read, userOf, vietnamTime, type Call, type Parts, type ZaloRoute } from './calls.ts';
import { pictureAt } from './uploads.ts';

const WEEK_MS = 7 * 86_400_000;
const MOST_ELEMENTS = 5;
const REACTIONS: ReadonlySet<string> = new Set(['/-heart', '/-strong', ':>', ':o', ':-((', ':-h', '/-remove']);

const [title, some] = [text(100), text(2000)];
const button = <T extends string, P extends z.ZodType>(type: T, payload: P) =>
  shape({ type: z.literal(type), title, payload });
const Buttons = listOf(
  z.discriminatedUnion('type', [
    button('oa.query.show', text(1000)),
    button('oa.query.hide', text(1000)),
    button('oa.open.url', shape({ url: z.string().regex(/^https?:\/\/\S+$/i) })),
    button('oa.open.phone', shape({ phone_code: some })),
    button('oa.open.sms', shape({ phone_code: some, content: text(160) })),
  ]),
  5,
);
const picture = { url: z.string().optional(), attachment_id: z.string().optional() };
const length = z.coerce.number().positive();
const Media = z.discriminatedUnion('media_type', [
  shape({ media_type: z.literal('image'), ...picture }),
  shape({ media_type: z.literal('gif'), ...picture, width: length, height: length }),
  shape({ media_type: z.literal('sticker'), attachment_id: some }),
]);
const elements = listOf(
  shape({ title, subtitle: z.string().optional(), image_url: z.string().optional() }),
  MOST_ELEMENTS,
);
const Template = z.discriminatedUnion('template_type', [
  shape({ template_type: z.literal('media'), elements: z.tuple([Media]) }),
  shape({ template_type: z.literal('list'), elements, buttons: Buttons.optional() }),
  shape({ template_type: z.literal('request_user_info'), elements, buttons: Buttons.optional() }),
  shape({ template_type: z.undefined().optional(), buttons: Buttons }),
]);
const Message = shape({
  text: z.string().max(2000).default(''),
  quote_message_id: z.string().optional(),
  attachment: z
    .discriminatedUnion('type', [
      shape({ type: z.literal('file'), payload: shape({ token: some }) }),
      shape({ type: z.literal('template'), payload: Template }),
    ])
    .nullish(),
});
type Message = z.output<typeof Message>;
type Template = z.output<typeof Template>;

type Content = Readonly<{ kind: string; said: Saying }>;

/** The files an account has uploaded, and pictures that Zalo downloads. */
function makeFiles({ world }: Pick<Parts, 'world'>) {
  const { docs, files, hosts, options } = world;
  const urlOf = (blob: string) => `${hosts.cdn()}/${blob}`;

  function uploaded(account: string, id: string, kind: Upload['kind']): string {
    const found = docs.get('upload', id);
    if (found?.page_id !== account || found.kind !== kind) throw invalid('attachment_id is invalid');
    if (found.at + WEEK_MS <= options.clock.now()) throw new ZaloError(-100, 'The attachment has expired');
    return found.blob;
  }

  return Object.freeze({
    async picture(account: string, kind: 'image' | 'gif', { attachment_id: id = '', url = '' }): Promise<Fields> {
      const blob = id === '' ? (await pictureAt(world, url, kind)).id : uploaded(account, id, kind);
      return { type: kind, payload: { thumbnail: urlOf(blob), url: urlOf(blob) } };
    },
    file(account: string, token: string): Fields {
      const { id, name, size } = docs.get('blob', uploaded(account, token, 'file'))!;
      const type = name.split('.').at(-1) ?? '';
      return { type: 'file', payload: { url: urlOf(id), size: String(size), name, checksum: files.sha256(id), type } };
    },
  });
}

function makeContent(parts: Pick<Parts, 'world'>) {
  const sources = makeFiles(parts);

  async function templated(account: string, words: string, payload: Template): Promise<Content> {
    if (payload.template_type === 'media') {
      const [element] = payload.elements;
      const { media_type: kind } = element;
      if (kind === 'sticker') {
        const attachments = [{ type: kind, payload: { id: element.attachment_id, url: '' } }];
        return { kind, said: { type: kind, text: words, attachments } };
      }
      const attachments = [await sources.picture(account, kind, element)];
      return { kind, said: { type: kind === 'gif' ? 'gif' : 'photo', text: words, attachments } };
    }
    const { template_type: kind, buttons = [] } = payload;
    if (kind === undefined) {
      if (words.trim() === '') throw invalid('text is empty');
      return { kind: 'text', said: { type: 'text', text: words, attachments: [], buttons } };
    }
    const attachments = payload.elements.map(({ title: name, subtitle = '', image_url: thumbnail = '' }) => ({
      type: 'link',
      payload: { title: name, description: subtitle, thumbnail },
    }));
    return { kind: kind === 'list' ? 'list' : 'template', said: { type: 'links', text: words, attachments, buttons } };
  }

  return async function content(account: string, { text: words, attachment }: Message): Promise<Content> {
    if (!attachment) {
      if (words.trim() === '') throw invalid('text is empty');
      return { kind: 'text', said: { type: 'text', text: words, attachments: [] } };
    }
    if (attachment.type === 'template') return templated(account, words, attachment.payload);
    const attachments = [sources.file(account, attachment.payload.token)];
    return { kind: 'file', said: { type: 'nosupport', text: '', attachments } };
  };
}

const Recipient = shape({ anonymous_id: z.string().optional(), conversation_id: z.string().optional() });
const Action = shape({ react_icon: some, react_message_id: some });

export function messageRoutes(parts: Parts): readonly ZaloRoute[] {
  const { world, ties, talk, events } = parts;
  const { docs, options } = world;
  const call = makeCalls(world);
  const content = makeContent(parts);
  function viewOf({ until, ...left }: ReturnType<typeof talk.quotaOf>): Fields {
    const { day, time } = vietnamTime(until);
    return { ...left, expired_date: `${time} ${day}` };
  }

  async function send({ params, caller }: Call, tie: Tie) {
    const message = read(Message, params.object('message'), 'message');
    const quoted = message.quote_message_id;
    if (quoted !== undefined && docs.get('message', quoted)?.parent_id !== tie.id)
      throw invalid('quote_message_id is invalid');
    talk.check(tie);
    const { kind, said: text } = await content(caller.person, message);
    return options.store.write(() => {
      // Read it again, because downloading a picture took time.
      const now = ties.get(tie.id)!;
      talk.check(now);
      const { message: made, quota } = talk.fromAccount(now, kind, { ...text, quoted });
      return { message_id: made.id, user_id: tie.id, sent_time: String(made.at), quota: viewOf(quota) };
    });
  }
  function react(account: string, tie: Tie, given: unknown): object {
    const { react_icon, react_message_id: id } = read(Action, given, 'sender_action');
    const message = docs.get('message', id);
    if (!REACTIONS.has(react_icon)) throw invalid('react_icon is invalid');
    if (message?.parent_id !== tie.id) throw invalid('react_message_id is invalid');
    talk.check(tie);
    options.store.write(() => {
      docs.change('message', id, { reactions: { ...message.reactions, [account]: react_icon } });
      events.fromAccount(tie, 'oa_reacted_message', { message: { msg_id: id, react_icon } });
    });
    return { message_id: id, user_id: tie.id };
  }
  const named = ({ params, caller }: Call) => userOf(parts, caller.person, params.object('recipient') ?? {});
  /** How many messages are left for a user, or in the account's quota of a kind. */
  const quota = ({ params, caller }: Call) => {
    const { person } = caller;
    const user_id = params.text('user_id');
    if (user_id !== undefined) {
      const { acted_at } = userOf(parts, person, { user_id });
      return { last_interaction: acted_at === undefined ? null : String(acted_at), cs_reply: {} };
    }
    params.required('quota_owner');
    const product_type = params.required('product_type');
    const quota_type = params.required('quota_type');
    if (params.oneOf('quota_owner', ['OA', 'APP']) !== 'OA' || product_type !== 'cs' || quota_type !== 'sub_quota')
      return [];
    const { remain, total } = talk.paidQuotaOf(person);
    return [{ asset_id: `cs_${person}`, product_type, quota_type, valid_through: '31/12/2030', total, remain }];
  };

  return [
    call('POST', '/v3.0/oa/message/cs', (one) => send(one, named(one))),
    call('POST', '/v2.0/oa/message', (one) => {
      const { params, caller } = one;
      const action = params.object('sender_action');
      if (action !== undefined) return react(caller.person, named(one), action);
      const { anonymous_id: id, conversation_id: conversation } = read(
        Recipient,
        params.object('recipient'),
        'recipient',
      );
      if (id === undefined) throw new ZaloError(-240, 'This API is no longer supported');
      const tie = ties.get(id);
      if (tie?.page_id !== caller.person || tie.conversation === undefined || tie.conversation !== conversation)
        throw invalid('anonymous_id is invalid');
      return send(one, tie);
    }),
    call('POST', '/v3.0/oa/quota/message', quota),
  ];
}
