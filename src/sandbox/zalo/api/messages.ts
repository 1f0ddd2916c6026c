/** What an official account sends: messages with all their parts, and reactions. */
import type { Fields, Tie, Upload } from '../docs.ts';
import { invalid, overLimit, unsupported, ZaloError } from '../errors.ts';
import type { Saying } from '../talk.ts';
import { isRecord, makeCalls, textOf, userOf, vietnamTime, type Call, type Parts, type ZaloRoute } from './calls.ts';
import { UPLOAD_LIMITS } from './uploads.ts';

const WEEK_MS = 7 * 86_400_000;
const MOST_TEXT = 2000;
const MOST_BUTTONS = 5;
const MOST_TITLE = 100;
const MOST_QUERY = 1000;
const MOST_SMS = 160;
const MOST_ELEMENTS = 5;
const REACTIONS: ReadonlySet<string> = new Set(['/-heart', '/-strong', ':>', ':o', ':-((', ':-h', '/-remove']);

/** What a message says, and how its event is called. */
type Content = Readonly<{ kind: string; said: Saying }>;

/** Reads the buttons of a message. */
function buttonsIn(list: unknown): readonly Fields[] {
  if (!Array.isArray(list) || list.length === 0) throw invalid('buttons is invalid');
  if (list.length > MOST_BUTTONS) throw overLimit(`more than ${MOST_BUTTONS} buttons`);
  for (const button of list as unknown[]) {
    if (!isRecord(button)) throw invalid('button is invalid');
    textOf(button, 'title', MOST_TITLE);
    const { type, payload } = button;
    if (type === 'oa.query.show' || type === 'oa.query.hide') textOf(button, 'payload', MOST_QUERY);
    else if (!isRecord(payload)) throw invalid('payload of a button is invalid');
    else if (type === 'oa.open.url') {
      if (!/^https?:\/\/\S+$/i.test(textOf(payload, 'url'))) throw invalid('url of a button is invalid');
    } else if (type === 'oa.open.phone') textOf(payload, 'phone_code');
    else if (type === 'oa.open.sms') {
      textOf(payload, 'phone_code');
      textOf(payload, 'content', MOST_SMS);
    } else throw unsupported('type of a button is not supported');
  }
  return list as readonly Fields[];
}

/** Files that an account has uploaded and that are still there, and pictures that Zalo fetches itself. */
function makeFiles({ world }: Pick<Parts, 'world'>) {
  const { docs, files, fetching, hosts, options } = world;
  const urlOf = (blob: string) => `${hosts.cdn()}/${blob}`;

  function uploaded(account: string, id: string, kinds: readonly Upload['kind'][]): Upload {
    const found = docs.get('upload', id);
    if (found?.page_id !== account || !kinds.includes(found.kind)) throw invalid('attachment_id is invalid');
    if (found.at + WEEK_MS <= options.clock.now()) throw new ZaloError(-100, 'The attachment has expired');
    return found;
  }
  async function fetched(url: string, kind: 'image' | 'gif'): Promise<string> {
    const { bytes, mimes } = UPLOAD_LIMITS[kind];
    const blob = await fetching.media(url, bytes);
    if (blob === undefined) throw invalid('url cannot be fetched');
    if (!mimes.includes(blob.mime)) throw unsupported('the file is of no supported type');
    return blob.id;
  }

  return Object.freeze({
    async picture(account: string, element: Fields, kind: 'image' | 'gif'): Promise<Fields> {
      const { attachment_id: id, url } = element;
      const blob =
        typeof id === 'string' && id !== ''
          ? uploaded(account, id, [kind]).blob
          : await fetched(textOf({ url }, 'url'), kind);
      return { type: kind, payload: { thumbnail: urlOf(blob), url: urlOf(blob) } };
    },
    file(account: string, token: string): Fields {
      const { id, name, size } = docs.get('blob', uploaded(account, token, ['file']).blob)!;
      const type = name.split('.').at(-1) ?? '';
      return { type: 'file', payload: { url: urlOf(id), size: String(size), name, checksum: files.sha256(id), type } };
    },
  });
}

/** Reads what a message of an account says. */
function makeReader(parts: Pick<Parts, 'world'>) {
  const sources = makeFiles(parts);

  async function media(account: string, text: string, elements: unknown): Promise<Content> {
    const [element, ...more] = Array.isArray(elements) ? (elements as unknown[]) : [];
    if (!isRecord(element) || more.length > 0) throw invalid('elements is invalid');
    const { media_type: kind } = element;
    if (kind === 'image' || kind === 'gif') {
      if (kind === 'gif' && !(Number(element['width']) > 0 && Number(element['height']) > 0))
        throw invalid('width or height is invalid');
      const attachments = [await sources.picture(account, element, kind)];
      return { kind, said: { type: kind === 'gif' ? 'gif' : 'photo', text, attachments } };
    }
    if (kind !== 'sticker') throw unsupported('media_type is not supported');
    const id = textOf(element, 'attachment_id');
    return { kind, said: { type: 'sticker', text, attachments: [{ type: 'sticker', payload: { id, url: '' } }] } };
  }

  function elementsOf(kind: string, text: string, payload: Fields): Content {
    const { elements, buttons } = payload;
    const list = (Array.isArray(elements) ? elements : []) as unknown[];
    if (list.length === 0) throw invalid('elements is invalid');
    if (list.length > MOST_ELEMENTS) throw overLimit(`more than ${MOST_ELEMENTS} elements`);
    const shown = list.map((element) => {
      if (!isRecord(element)) throw invalid('element is invalid');
      const { subtitle: description = '', image_url: thumbnail = '' } = element;
      return { type: 'link', payload: { title: textOf(element, 'title', MOST_TITLE), description, thumbnail } };
    });
    const own = buttons === undefined ? {} : { buttons: buttonsIn(buttons) };
    return { kind, said: { type: 'links', text, attachments: shown, ...own } };
  }

  return async function read(account: string, message: Fields): Promise<Content> {
    const { attachment, text = '' } = message;
    if (typeof text !== 'string') throw invalid('text is invalid');
    if (text.length > MOST_TEXT) throw overLimit(`text is longer than ${MOST_TEXT} characters`);
    if (attachment === undefined || attachment === null) {
      if (text.trim() === '') throw invalid('text is empty');
      return { kind: 'text', said: { type: 'text', text, attachments: [] } };
    }
    if (!isRecord(attachment) || !isRecord(attachment['payload'])) throw invalid('attachment is invalid');
    const { type, payload } = attachment as { type: unknown; payload: Fields };
    if (type === 'file') {
      const attachments = [sources.file(account, textOf(payload, 'token'))];
      return { kind: 'file', said: { type: 'nosupport', text: '', attachments } };
    }
    if (type !== 'template') throw unsupported('type of the attachment is not supported');
    const { template_type: template, elements, buttons } = payload;
    if (template === 'media') return media(account, text, elements);
    if (template === 'list') return elementsOf('list', text, payload);
    if (template === 'request_user_info') return elementsOf('template', text, payload);
    if (template !== undefined) throw unsupported('template_type is not supported');
    if (text.trim() === '') throw invalid('text is empty');
    return { kind: 'text', said: { type: 'text', text, attachments: [], buttons: buttonsIn(buttons) } };
  };
}

/** The calls that write to people. */
export function messageRoutes(parts: Parts): readonly ZaloRoute[] {
  const { world, ties, talk, events } = parts;
  const { docs, options } = world;
  const call = makeCalls(world);
  const read = makeReader(parts);

  async function send({ params, caller }: Call, find: (recipient: Fields) => Tie) {
    const account = caller.person;
    const [recipient, message] = [params.object('recipient'), params.object('message')];
    if (recipient === undefined || message === undefined) throw invalid('recipient or message is missing');
    const tie = find(recipient);
    const quote = message['quote_message_id'];
    const quoted = quote === undefined ? undefined : docs.get('message', textOf(message, 'quote_message_id'));
    if (quote !== undefined && quoted?.parent_id !== tie.id) throw invalid('quote_message_id is invalid');
    talk.check(tie);
    const { kind, said } = await read(account, message);
    return options.store.write(() => {
      // Fetching a picture takes its time.
      const now = ties.get(tie.id)!;
      talk.check(now);
      const { message: made, quota } = talk.fromAccount(now, kind, { ...said, quoted: quoted?.id });
      const { until, ...left } = quota as { until: number } & Fields;
      const { day, time } = vietnamTime(until);
      const answer = { message_id: made.id, user_id: tie.id, sent_time: String(made.at) };
      return { ...answer, quota: { ...left, expired_date: `${time} ${day}` } };
    });
  }

  function react(account: string, recipient: Fields, action: Fields): object {
    const tie = userOf(parts, account, recipient);
    const icon = textOf(action, 'react_icon');
    const message = docs.get('message', textOf(action, 'react_message_id'));
    if (!REACTIONS.has(icon)) throw invalid('react_icon is invalid');
    if (message?.parent_id !== tie.id) throw invalid('react_message_id is invalid');
    talk.check(tie);
    options.store.write(() => {
      docs.change('message', message.id, { reactions: { ...message.reactions, [account]: icon } });
      const about = { message: { msg_id: message.id, react_icon: icon } };
      events.fromAccount(tie, 'oa_reacted_message', about);
    });
    return { message_id: message.id, user_id: tie.id };
  }

  const quota = ({ params, caller }: Call) => {
    const tie = userOf(parts, caller.person, { user_id: params.required('user_id') });
    const { until, ...left } = talk.quotaOf(tie);
    const { day, time } = vietnamTime(until);
    return { ...left, expired_date: `${time} ${day}`, last_interaction: tie.acted_at ?? null };
  };

  return [
    call('POST', '/v3.0/oa/message/cs', (one) => send(one, (recipient) => userOf(parts, one.caller.person, recipient))),
    call('POST', '/v2.0/oa/message', (one) => {
      const { params, caller } = one;
      const [recipient, action] = [params.object('recipient') ?? {}, params.object('sender_action')];
      if (action !== undefined) return react(caller.person, recipient, action);
      if (recipient['anonymous_id'] === undefined) throw new ZaloError(-240, 'This API is no longer supported');
      return send(one, (given) => {
        const tie = ties.get(textOf(given, 'anonymous_id'));
        if (tie?.page_id !== caller.person || tie.conversation !== textOf(given, 'conversation_id'))
          throw invalid('anonymous_id is invalid');
        return tie;
      });
    }),
    call('POST', '/v3.0/oa/quota/message', quota),
    // The older one is also asked for the account as a whole.
    call('POST', '/v2.0/oa/quota/message', (one) =>
      one.params.text('user_id') === undefined ? talk.paidQuotaOf(one.caller.person) : quota(one),
    ),
  ];
}
