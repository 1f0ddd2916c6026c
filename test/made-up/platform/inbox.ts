import * as z from 'zod';
import type { AccountCall } from '#platforms/call.ts';
import type { Comments, CreatedComment, Mentions, Reviews } from '#platforms/interactions.ts';
import type { Messages, SentMessage } from '#platforms/messages.ts';
import type {
  Person as PersonRecord,
  PlatformComment,
  PlatformConversation,
  PlatformMention,
  PlatformMessage,
  PlatformReview,
} from '#platforms/inbox-types.ts';
import type { Sending } from '#platforms/sending.ts';
import { isMissing } from '#platforms/shared/errors.ts';
import { path } from '#platforms/shared/rest.ts';
import { Id, Made, Nothing, Person, readPage, request, session, Time } from './api.ts';
import { findMark } from './posts.ts';

export const CommentBody = z.object({
  id: Id,
  under: Id,
  parent: Id.optional(),
  stall: Id,
  text: z.string(),
  at: Time,
  author: Person,
  own: z.boolean(),
});
export const ThreadBody = z.object({ id: Id, stall: Id, person: Person });
export const MessageBody = z.object({
  id: Id,
  at: Time,
  from: z.enum(['owner', 'them']),
  text: z.string().optional(),
  mark: z.string().optional(),
  file: Id.optional(),
});
export const MentionBody = z.object({ id: Id, at: Time, text: z.string(), stall: Id, person: Person });
export const ReviewBody = z.object({
  id: Id,
  at: Time,
  rating: z.number(),
  text: z.string(),
  stall: Id,
  person: Person,
  reply: z.object({ text: z.string(), at: Time }).optional(),
});

const personOf = ({ id, name, handle }: z.output<typeof Person>): PersonRecord => ({ id, name, username: handle });

export const commentOf = ({
  id,
  under,
  parent,
  stall,
  text,
  at,
  author,
  own,
}: z.output<typeof CommentBody>): PlatformComment => ({
  platform_id: id,
  platform_post_id: under,
  parent_id: parent,
  page_id: stall,
  author: personOf(author),
  is_owner: own,
  text,
  media: [],
  created_at: at,
  like_count: 0,
  reply_count: 0,
  is_hidden: false,
  is_liked: false,
  capabilities: { can_reply: true, can_delete: true, can_hide: !own, can_like: true, can_private_reply: !own },
});

export const threadOf = ({ id, stall, person }: z.output<typeof ThreadBody>): PlatformConversation => ({
  platform_id: id,
  page_id: stall,
  participant: personOf(person),
});

/** A file is behind the login: it is named, not shown. */
export const messageOf = ({ id, at, from, text = '', mark, file }: z.output<typeof MessageBody>): PlatformMessage => ({
  platform_id: id,
  direction: from === 'owner' ? 'outgoing' : 'incoming',
  text,
  attachments: file === undefined ? [] : [{ type: 'image', ref: file }],
  created_at: at,
  correlation_id: mark,
});

export const mentionOf = ({ id, at, text, stall, person }: z.output<typeof MentionBody>): PlatformMention => ({
  platform_id: id,
  platform_post_id: id,
  page_id: stall,
  mention_type: 'post',
  author: personOf(person),
  text,
  media: [],
  created_at: at,
});

export const reviewOf = ({
  id,
  at,
  rating,
  text,
  stall,
  person,
  reply,
}: z.output<typeof ReviewBody>): PlatformReview => ({
  platform_id: id,
  rating,
  author: personOf(person),
  text,
  location: stall,
  created_at: at,
  updated_at: reply?.at ?? at,
  ...(reply && { reply: { text: reply.text, updated_at: reply.at } }),
});

/** A send with a mark, by which it is found when its answer is lost. */
function sending<Ask, Body extends z.ZodType, Result>(
  ask: (ask: Ask) => Readonly<{ path: string; ids?: Readonly<Record<string, string>>; json: object }>,
  body: Body,
  made: (body: z.output<Body>) => Result,
  found: (id: string) => Result,
): Sending<Ask, Result> {
  return {
    async send(call, asked, { correlationId: mark }) {
      const { json, ...rest } = ask(asked);
      return made(await request(call, { method: 'POST', ...rest, json: { ...json, mark } }, body));
    },
    async settle(call, _ask, { correlationId }) {
      const settled = await findMark(call, correlationId);
      return settled === 'absent' ? settled : found(settled.made.id);
    },
  };
}

const madeComment = (id: string): CreatedComment => ({ comment_id: id });
const madeOf = ({ id }: z.output<typeof Made>) => madeComment(id);
const TEXT = { max: 300, counting: 'chars' } as const;

/** A change of a comment; one that is gone is a success. */
async function change(
  call: AccountCall,
  comment: string,
  ask: Readonly<{ method: 'PATCH' | 'DELETE'; json?: object }>,
) {
  try {
    await request(call, { ...path`/comments/${{ comment }}`, ...ask }, Nothing);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

const PrivateBody = Made.extend({ thread: ThreadBody });

/** Nobody can list comments: they are pushed. */
export const comments: Comments = {
  text: TEXT,
  reply: sending(
    ({ post, comment, text }) => ({ path: '/comments', json: { post, parent: comment, text } }),
    Made,
    madeOf,
    madeComment,
  ),
  async isComment(call, { comment }) {
    try {
      await request(call, { method: 'GET', ...path`/comments/${{ comment }}` }, CommentBody);
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  },
  remove: (call, { comment }) => change(call, comment, { method: 'DELETE' }),
  hide: (call, { comment }, hidden) => change(call, comment, { method: 'PATCH', json: { hidden } }),
  like: (call, { comment }, liked) => change(call, comment, { method: 'PATCH', json: { liked } }),
  privateReply: sending(
    ({ comment, text }) => ({ path: '/private', json: { comment, text } }),
    PrivateBody,
    ({ id, thread }): SentMessage => ({ message_id: id, conversation: threadOf(thread) }),
    (id): SentMessage => ({ message_id: id }),
  ),
};

export const mentions: Mentions = {
  text: TEXT,
  async list(call, { cursor, page }) {
    const { items, cursor: next } = await readPage(
      call,
      { path: '/mentions' },
      { stall: page, from: cursor },
      MentionBody,
    );
    return { items: items.map(mentionOf), cursor: next };
  },
  reply: sending(
    ({ post, text }) => ({ ...path`/mentions/${{ mention: post }}/replies`, json: { text } }),
    Made,
    madeOf,
    madeComment,
  ),
};

export const reviews: Reviews = {
  text: TEXT,
  async list(call, { cursor }) {
    const { items, cursor: next } = await readPage(call, { path: '/reviews' }, { from: cursor }, ReviewBody);
    return { items: items.map(reviewOf), cursor: next };
  },
  reply: {
    idempotent: true,
    async send(call, { review, text }) {
      const ask = { method: 'PUT', ...path`/reviews/${{ review }}/reply`, json: { text } } as const;
      return { reply_id: (await request(call, ask, z.object({ id: z.string() }))).id };
    },
  },
  removeReply: async (call, review) =>
    void (await request(call, { method: 'DELETE', ...path`/reviews/${{ review }}/reply` }, Nothing)),
};

export const messages: Messages = {
  parts: {
    text: { max: 1000, counting: 'chars' },
    buttons: { types: ['postback'], text_max: 300, unique_payloads: true },
  },
  bubble: {
    // Nothing can be looked up: receipts have the mark of the send, and settle it.
    async send(call, { conversation, bubble }, { correlationId: mark }) {
      const { text, buttons } = bubble as Extract<typeof bubble, { kind: 'text' }>;
      const thread = path`/threads/${{ thread: conversation.platform_id }}/messages`;
      const { id } = await request(call, { method: 'POST', ...thread, json: { text, buttons, mark } }, Made);
      return { message_id: id };
    },
  },
  locate: async (call, ref) => ({
    url: `${call.hosts['api']!}/files/${encodeURIComponent(ref)}`,
    headers: { authorization: `Bearer ${session(call.session).access}` },
    content_type: 'image/png',
    filename: 'photo.png',
  }),
  seen: async (call, { platform_id: thread }) =>
    void (await request(call, { method: 'POST', ...path`/threads/${{ thread }}/seen` }, Nothing)),
};
