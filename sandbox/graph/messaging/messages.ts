import { DAY } from '#kernel/clock.ts';
import { badParam, GraphError } from '../api/errors.ts';
import type { Message, Page, Person, Piece, Thread } from '../docs.ts';
import { newId } from '../ids.ts';
import { FILE_TYPES, MESSAGE_FIELDS, readMessage, type MessageLimits, type Outgoing } from './rules.ts';
import type { Threads } from './threads.ts';
import { requireWrite } from '../oauth/tokens.ts';
import { pageAt, type Call, type Methods, type GraphWorld } from '../world.ts';

const WINDOW = DAY;
const AGENT_WINDOW = 7 * DAY;
const LARGEST = Object.freeze({ image: 8, audio: 25, video: 25, file: 25 });
const MB = 1024 * 1024;
const TYPES = Object.freeze(['RESPONSE', 'UPDATE', 'MESSAGE_TAG', 'UTILITY'] as const);
const ACTIONS = Object.freeze(['MARK_SEEN', 'TYPING_ON', 'TYPING_OFF', 'REACT', 'UNREACT'] as const);
const PARAMS = [
  'message',
  'messaging_type',
  'notification_type',
  'payload',
  'persona_id',
  'recipient',
  'reply_to',
  'sender_action',
  'tag',
  'thread_control',
];
/** The only tag left since April 2026. */
const TAG = 'HUMAN_AGENT';

export type MessagingTerms = Readonly<{
  right: Readonly<{ scopes: readonly string[]; task: string }>;
  limits: MessageLimits;
  noUser: number;
  closed: number;
  /** Whether the response to a private reply includes the recipient's id. */
  namesRecipient: boolean;
}>;

const MESSENGER: MessagingTerms = Object.freeze({
  right: { scopes: ['pages_messaging'], task: 'MESSAGING' },
  limits: { longestText: 2000, lengthOf: (text: string) => text.length, mostFiles: 30, bare: [] },
  noUser: 2_018_001,
  closed: 2_018_278,
  namesRecipient: false,
});

const noUser = ({ noUser: subcode }: MessagingTerms) => badParam('No matching user found', { subcode });
const closed = ({ closed: subcode }: MessagingTerms) =>
  new GraphError(10, '(#10) This message is sent outside of allowed window. Learn more about the new policy here', {
    subcode,
  });

type PrivateTarget = Readonly<{ id: string; person: Person }>;

/** Private replies, on platforms that have them. */
export type PrivateReplies = Readonly<{
  /** The author of the comment or post that a recipient names; throws if it cannot be replied to. */
  target(page: Page, recipient: Readonly<Record<string, unknown>>): PrivateTarget | undefined;
  /** Records the private reply; throws if there already is one. Inside a transaction. */
  answered(id: string, message: string | undefined): void;
}>;

type Target = Readonly<{ person: Person; about?: string }>;

function makeRecipients(
  { people }: GraphWorld,
  threads: Threads,
  replies: PrivateReplies | undefined,
  terms: MessagingTerms,
) {
  return function recipient(call: Call, page: Page): Target {
    const to = call.params.object('recipient');
    if (to === undefined) throw badParam('The parameter recipient is required');
    const target = replies?.target(page, to);
    if (target !== undefined) return { person: target.person, about: target.id };
    const { id } = to;
    if (typeof id !== 'string' && typeof id !== 'number')
      throw badParam('Param recipient must name an id, comment_id, post_id or user_ref');
    const person = people.byPsid(page.id, String(id));
    // A person who never contacted the Page has no id that it could use.
    if (person === undefined || threads.of(page.id, person.id) === undefined) throw noUser(terms);
    return { person };
  };
}

function checkType(type: string, mime: string): void {
  if (type !== 'file' && !mime.startsWith(`${type}/`) && !(type === 'audio' && mime === 'video/mp4'))
    throw badParam('Upload attachment failure: the type of the file does not fit', { subcode: 2018047 });
}

function makeAttachments(world: GraphWorld, { right }: MessagingTerms) {
  const { nodes, fetching, clock, people, files } = world;

  async function fetchPiece(
    page: Page,
    file: Outgoing['files'][number],
  ): Promise<{ piece: Piece; attachment_id?: string }> {
    if (file.attachment_id !== undefined) {
      const known = nodes.get('attachment', file.attachment_id);
      if (known === undefined || known.page_id !== page.id || known.type !== file.type)
        throw badParam('Invalid attachment_id', { subcode: 2018074 });
      return { piece: { type: file.type, blob: known.blob } };
    }
    const most = LARGEST[file.type as keyof typeof LARGEST] * MB;
    const blob = await fetching.media(file.url ?? '', most);
    if (blob === undefined) throw badParam('Failed to fetch the file from the url', { subcode: 2018008 });
    checkType(file.type, blob.mime);
    return {
      piece: { type: file.type, blob: blob.id },
      ...(file.is_reusable && { attachment_id: saveAttachment(page, file.type, blob.id) }),
    };
  }

  function saveAttachment(page: Page, type: string, blob: string): string {
    return nodes.put('attachment', { id: newId(), at: clock.now(), page_id: page.id, type, blob }).id;
  }

  async function saveFile(call: Call, id: string): Promise<object> {
    const page = pageAt(world, id);
    requireWrite(call.actor, page, people, right);
    const attachment = call.params.object('message')?.['attachment'] as
      | { type?: unknown; payload?: { url?: unknown; is_reusable?: unknown } }
      | undefined;
    const type = FILE_TYPES.find((one) => one === attachment?.type);
    if (type === undefined) throw badParam(`Param message[attachment][type] must be one of {${FILE_TYPES.join(', ')}}`);
    const upload = call.params.files.get('filedata');
    if (upload !== undefined && upload.bytes.length > LARGEST[type] * MB)
      throw badParam('Attachment size exceeds allowable limit', { subcode: 2018109 });
    const url = attachment?.payload?.url;
    const fetched = async () => (typeof url === 'string' ? fetching.media(url, LARGEST[type] * MB) : undefined);
    const blob = upload === undefined ? await fetched() : await files.keep(upload.bytes, upload.name);
    if (blob === undefined) throw badParam('Upload attachment failure.', { subcode: 2018047 });
    checkType(type, blob.mime);
    return { attachment_id: saveAttachment(page, type, blob.id) };
  }

  return Object.freeze({ fetchPiece, saveFile });
}

function makeKeeping({ nodes }: GraphWorld, threads: Threads, replies: PrivateReplies | undefined) {
  function replyTo(call: Call, thread: Thread | undefined): string | undefined {
    const mid = call.params.object('reply_to')?.['mid'];
    if (mid === undefined) return undefined;
    const message = typeof mid === 'string' ? nodes.get('message', mid) : undefined;
    if (message === undefined || message.parent_id !== thread?.id)
      throw badParam('Param reply_to[mid] must be a message of this conversation');
    return message.id;
  }

  function put(
    page: Page,
    { person, about }: Target,
    content: Outgoing,
    reply_to: string | undefined,
    pieces: readonly Piece[],
  ): Message {
    // Check again inside the transaction, because two replies can race.
    if (about !== undefined) replies?.answered(about, undefined);
    const thread = threads.open(page.id, person.id);
    const { files: _files, template, bare, ...words } = content;
    const rich = template === undefined ? pieces : [{ type: 'template', payload: template } as const];
    const message = threads.fromPage(thread, {
      ...words,
      by_app: true,
      pieces: bare === undefined ? rich : [bare],
      ...(reply_to !== undefined && { reply_to }),
    });
    if (about !== undefined) replies?.answered(about, message.id);
    return message;
  }

  return Object.freeze({ replyTo, put });
}

/** The Send API: messages, private replies, sender actions and attachments. */
export function makeMessages(
  world: GraphWorld,
  threads: Threads,
  replies?: PrivateReplies,
  terms = MESSENGER,
): Methods {
  const { store, nodes, people, clock } = world;

  const recipient = makeRecipients(world, threads, replies, terms);

  function checkWindow(call: Call, thread: Thread | undefined, { person, about }: Target): void {
    const type = call.params.oneOf('messaging_type', TYPES);
    const tag = call.params.text('tag');
    if (type === 'UTILITY') throw badParam('A utility message needs an approved template');
    if (type === 'MESSAGE_TAG' && tag === undefined)
      throw badParam('The parameter tag is required with messaging_type MESSAGE_TAG');
    if (tag !== undefined && tag !== TAG)
      throw badParam(`Param tag must be one of {HUMAN_AGENT} - got "${tag.slice(0, 80)}"`);
    if (person.unavailable === true)
      throw new GraphError(551, "(#551) This person isn't available right now.", { subcode: 1545041 });
    if (about !== undefined) return;
    const since = clock.now() - (thread?.inbound_at ?? 0);
    if (since > (type === 'MESSAGE_TAG' ? AGENT_WINDOW : WINDOW)) throw closed(terms);
  }

  const { fetchPiece, saveFile } = makeAttachments(world, terms);

  function act(call: Call, page: Page, action: (typeof ACTIONS)[number]): object {
    const { person } = recipient(call, page);
    const thread = threads.of(page.id, person.id);
    if (thread === undefined) throw noUser(terms);
    if (call.params.text('message') !== undefined)
      throw badParam('A sender action cannot be sent together with a message');
    store.write(() => {
      if (action === 'MARK_SEEN') nodes.change('thread', thread.id, { unread: 0 });
      if (action === 'REACT' || action === 'UNREACT') {
        const { message_id, reaction } = call.params.object('payload') ?? {};
        const message = typeof message_id === 'string' ? nodes.get('message', message_id) : undefined;
        if (message?.parent_id !== thread.id) throw badParam('Invalid message_id in payload');
        nodes.change('message', message.id, { reaction: action === 'REACT' ? (reaction as string) : undefined });
      }
    });
    return { recipient_id: people.psid(page.id, person.id) };
  }

  const { replyTo, put } = makeKeeping(world, threads, replies);

  async function send(call: Call, id: string): Promise<object> {
    const page = pageAt(world, id);
    const { params } = call;
    requireWrite(call.actor, page, people, terms.right);
    const action = params.oneOf('sender_action', ACTIONS);
    params.oneOf('notification_type', ['REGULAR', 'SILENT_PUSH', 'NO_PUSH']);
    if (params.text('persona_id') !== undefined) throw badParam('Invalid persona id');
    if (action !== undefined) return act(call, page, action);
    const message = params.object('message');
    if (message === undefined) throw badParam('The parameter message is required');
    const strange = Object.keys(message).find((name) => !MESSAGE_FIELDS.includes(name));
    if (strange !== undefined) throw badParam(`Invalid keys "${strange.slice(0, 80)}" were found in param "message".`);
    const target = recipient(call, page);
    const known = threads.of(page.id, target.person.id);
    checkWindow(call, known, target);
    const content = readMessage(message, terms.limits);
    const reply_to = replyTo(call, known);
    const fetched: Awaited<ReturnType<typeof fetchPiece>>[] = [];
    for (const file of content.files) fetched.push(await fetchPiece(page, file));
    const sent = store.write(() =>
      put(
        page,
        target,
        content,
        reply_to,
        fetched.map(({ piece }) => piece),
      ),
    );
    const attachment_id = fetched.find((one) => one.attachment_id !== undefined)?.attachment_id;
    return {
      ...((target.about === undefined || terms.namesRecipient) && {
        recipient_id: people.psid(page.id, target.person.id),
      }),
      message_id: sent.id,
      ...(attachment_id !== undefined && { attachment_id }),
    };
  }

  return Object.freeze({
    'POST page/messages': { params: PARAMS, run: send },
    'POST page/message_attachments': { params: ['message', 'filedata', 'platform'], run: saveFile },
  });
}
