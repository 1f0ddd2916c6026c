/** The conversations of a business account: lists, pictures and rules for sending. */
import { DAY } from '#kernel/clock.ts';
import type { Context } from 'koa';
import { z } from 'zod';
import { asText } from '../../kit/api/checks.ts';
import { utf16 } from '../../kit/api/shapes.ts';
import { fileHost } from '../../kit/public.ts';
import type { Conversation, Fields, Message } from '../docs.ts';
import { BusinessError, noSuchThing } from '../errors.ts';
import type { Parts } from '../parts.ts';
import type { Saying, Talk } from '../talk.ts';
import { newId } from '../world.ts';
import { cut, makeCalls, read, some, words, type Call } from './calls.ts';

const MB = 1024 * 1024;
const NEWEST = 20;

const card = (type: string, longest: number) =>
  z.looseObject({
    type: z.literal(type),
    title: utf16(40).refine(Boolean, 'is empty'),
    buttons: z
      .array(
        z.looseObject({
          type: z.literal('REPLY'),
          title: utf16(longest).refine(Boolean, 'is empty'),
          id: utf16(40).default(''),
        }),
      )
      .min(1)
      .max(3),
  });
const Sent = z.discriminatedUnion('message_type', [
  z.looseObject({ message_type: z.literal('TEXT'), text: z.object({ body: utf16(6000).refine(Boolean, 'is empty') }) }),
  z.looseObject({ message_type: z.literal('IMAGE'), image: z.object({ media_id: some }) }),
  z.looseObject({ message_type: z.literal('SHARE_POST'), share_post: z.object({ item_id: some }) }),
  z.looseObject({
    message_type: z.literal('TEMPLATE'),
    template: z.discriminatedUnion('type', [card('QA_BUTTON_CARD', 20), card('QA_LINK_CARD', 40)]),
  }),
  z.looseObject({ message_type: z.literal('SENDER_ACTION'), sender_action: z.enum(['MARK_READ', 'TYPING']) }),
]);
const CONTENTS = ['text', 'image', 'share_post', 'template', 'sender_action'];

/** A card as lists show it; in pushes it has elements. */
function cardOf({ type, elements }: Fields): object {
  const [{ title, buttons }] = elements as readonly [{ title: string; buttons: readonly Fields[] }];
  const taps = buttons.map(({ text, ...button }) => ({ ...button, title: text }));
  return { type: asText(type).toUpperCase(), title, buttons: taps };
}

function makeView({ names, talk }: Parts) {
  const upper = ({ id, role }: ReturnType<Talk['userOf']>) => ({ id, role: role.toUpperCase() });
  function viewOf(
    of: Conversation,
    { id: message_id, isOwn, type, body, at: timestamp, source, quoted }: Message,
  ): object {
    const ends = { sender: talk.nameOf(of, isOwn), recipient: talk.nameOf(of, !isOwn) };
    const users = { from_user: upper(talk.userOf(of, isOwn)), to_user: upper(talk.userOf(of, !isOwn)) };
    const content = type === 'template' ? cardOf(body) : body;
    const what = { message_id, conversation_id: of.id, message_type: type.toUpperCase(), timestamp, [type]: content };
    const quote = quoted !== undefined && { referenced_message_info: { referenced_message_id: quoted } };
    return { ...what, ...ends, ...users, ...quote, message_tag: { source } };
  }
  function participant(of: Conversation, isOwn: boolean): object {
    const { id, name: display_name } = names.creator(isOwn ? of.page_id : of.person);
    const follows = !isOwn && { is_follower: of.follows };
    return { ...upper(talk.userOf(of, isOwn)), display_name, profile_image: names.avatarOf(id), ...follows };
  }
  return { viewOf, participant };
}

function makeSayings({ world, posts }: Parts) {
  const { docs, settings, options } = world;
  const { clock } = options;
  /** Checks the content of a message. */
  return function sayingOf({ params, caller }: Call, of: Conversation): Saying | undefined {
    const sent = read(Sent, params.values, 'body');
    const kind = sent.message_type.toLowerCase();
    const others = CONTENTS.filter((name) => name !== kind && params.values[name] !== undefined);
    if (others.length > 0) throw words.invalid(`${others[0]} cannot come with ${sent.message_type}`);
    const quoted = params.object('referenced_message_info')?.['referenced_message_id'] as string | undefined;
    if (quoted !== undefined && (sent.message_type !== 'TEXT' || docs.get('message', quoted)?.parent_id !== of.id))
      throw words.invalid('referenced_message_id is invalid');
    if (sent.message_type === 'SENDER_ACTION') return undefined;
    if (sent.message_type === 'TEXT') return { type: 'text', body: sent.text, quoted };
    if (sent.message_type === 'TEMPLATE') {
      const { type, title, buttons } = sent.template;
      const elements = [{ title, buttons: buttons.map(({ title: text, id }) => ({ type: 'REPLY', text, id })) }];
      return { type: 'template', body: { type: type.toLowerCase(), elements } };
    }
    if (sent.message_type === 'IMAGE') {
      const picture = docs.get('picture', sent.image.media_id);
      if (picture?.page_id !== caller.person || picture.at <= clock.now() - 30 * DAY)
        throw words.invalid('media_id is invalid');
      if (!settings.get('image_send')) throw words.noScope();
      return { type: 'image', body: sent.image };
    }
    const post = posts.get(sent.share_post.item_id);
    if (post?.page_id !== caller.person) throw noSuchThing('post');
    return { type: 'share_post', body: { embed_url: posts.embedOf(post), video_id: post.id } };
  };
}

export function messageRoutes(parts: Parts) {
  const { world, talk } = parts;
  const { docs, files, options, apiHost } = world;
  const { clock, store } = options;
  const call = makeCalls(parts);
  const { viewOf, participant } = makeView(parts);
  const sayingOf = makeSayings(parts);

  function conversationOf({ caller }: Call, id: string): Conversation {
    const found = docs.get('conversation', id);
    if (found?.page_id !== caller.person) throw words.invalid('conversation_id is invalid');
    return found;
  }
  const named = (one: Call) => conversationOf(one, one.params.required('conversation_id'));

  function send(one: Call): object {
    const { params } = one;
    // Direct replies to comments are only for accounts of some countries.
    if (params.object('direct_reply') !== undefined) throw words.noScope();
    if (params.required('recipient_type') !== 'CONVERSATION') throw words.invalid('recipient_type is invalid');
    const of = conversationOf(one, params.required('recipient'));
    const saying = sayingOf(one, of);
    if (saying === undefined) return { message: { message_id: '' } };
    talk.check(of);
    return { message: { message_id: store.write(() => talk.fromAccount(of, saying, 'API')).id } };
  }
  async function keep({ params, caller }: Call): Promise<object> {
    const file = params.files.get('file');
    if (params.required('media_type') !== 'IMAGE' || file === undefined) throw words.invalid('file is missing');
    if (file.bytes.length > 3 * MB) throw words.invalid('The file is larger than 3 MB');
    const blob = await files.keep(file.bytes, file.name);
    if (!['image/jpeg', 'image/png'].includes(blob.mime)) throw new BusinessError(40_908, 'Unsupported file type');
    const picture = { id: newId(), at: clock.now(), page_id: caller.person, blob: blob.id };
    return { media_id: store.write(() => docs.put('picture', picture)).id };
  }
  /** The URL of a file in a message, which works for a day and needs a token. */
  function download(one: Call): object {
    const message = docs.get('message', one.params.required('message_id'));
    const id = one.params.required('media_id');
    const type = one.params.oneOf('media_type', ['IMAGE', 'VIDEO'])?.toLowerCase();
    if (type === undefined) throw words.invalid('media_type is missing');
    if (message?.parent_id !== named(one).id || message.type !== type || message.body['media_id'] !== id)
      throw noSuchThing('media');
    return { download_url: `${apiHost('business')()}/media/${id}?x-expires=${clock.now() + DAY}` };
  }

  return [
    call('GET', '/business/message/conversation/list/', 'message.list.read', (one) => {
      const type = one.params.oneOf('conversation_type', ['SINGLE', 'STRANGER']);
      if (type === undefined) throw words.invalid('conversation_type is missing');
      const all = docs
        .list('conversation', { page: one.caller.person })
        .filter(
          ({ answered, at, written_at }) =>
            written_at !== undefined && answered === (type === 'SINGLE') && at > clock.now() - 90 * DAY,
        );
      const { page, ...rest } = cut(one, all.toReversed(), 100, 'limit');
      const conversations = page.map(({ id: conversation_id, at, referral }) => ({
        conversation_id,
        update_time: at,
        up_time: at,
        ...(referral.ad.length + referral.short_link.length > 0 && { referral }),
      }));
      return { conversations, ...rest };
    }),
    call('GET', '/business/message/content/list/', 'message.list.read', (one) => {
      const of = named(one);
      const messages = talk.messages(of).slice(-NEWEST).toReversed();
      return {
        messages: messages.map((message) => viewOf(of, message)),
        participants: [participant(of, true), participant(of, false)],
      };
    }),
    call('POST', '/business/message/send/', 'message.list.send', send),
    call('POST', '/business/message/media/upload/', 'message.list.send', keep),
    call('POST', '/business/message/media/download/', 'message.list.read', download),
  ];
}

export function mediaHost({ world: { docs, files, options }, login }: Parts) {
  return (ctx: Context, [id = '']: readonly string[]): void => {
    const person = login.business.holder(ctx.get('x-user'))?.person;
    const isFresh = Number(ctx.URL.searchParams.get('x-expires')) > options.clock.now();
    const isSeen = docs.list('message', { page: person ?? '' }).some(({ body }) => body['media_id'] === id);
    const blob = docs.get('blob', docs.get('picture', id)?.blob ?? id);
    if (isFresh && isSeen && blob !== undefined) fileHost(files, () => blob)(ctx, [id]);
    else Object.assign(ctx, { status: 403, body: 'AccessDenied' });
  };
}
