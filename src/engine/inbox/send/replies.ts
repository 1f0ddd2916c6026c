import type { AccountRow } from '#db/access/accounts.ts';
import type { PageRow } from '#db/access/pages.ts';
import { markAnswered } from '#db/inbox/answers.ts';
import { refuseDead } from '#call/accounts.ts';
import { partOf, type SendBegun, type SendContext, type Sent } from '#call/sends.ts';
import type { Clock } from '#kernel/clock.ts';
import type { InboundEvent } from '#platforms/inbound.ts';
import type { CreatedComment } from '#platforms/interactions.ts';
import { notSupported } from '#platforms/lookup.ts';
import type { SentMessage } from '#platforms/messages.ts';
import type { PlatformComment } from '#platforms/inbox-types.ts';
import type { Served } from '../read/comment-lookup.ts';
import type { CommentRef, CommentReads } from '../read/comments.ts';
import { missing, type Lookup } from '../read/lookup.ts';
import { interactionId } from '../record/ids.ts';
import { record } from '../record/record.ts';
import { selfOf } from '../record/recording.ts';
import { messageContent, sentAs } from './messages.ts';
import type { SendingModule } from './sending.ts';
import { refuseLong } from './text-rules.ts';

type ReplyDeps = Readonly<{ clock: Clock; lookup: Lookup; comments: CommentReads; sending: SendingModule }>;

export type CommentReplyRequest = Omit<CommentRef, 'comment_id'> &
  Readonly<{ text: string; comment_id?: string | undefined }>;
type PrivateReplyRequest = CommentReplyRequest & Readonly<{ comment_id: string }>;

/** Our own comment as the inbox shows it until the platform lists it. */
function ownComment(
  { account, page, post }: Readonly<{ account: AccountRow; page: PageRow | undefined; post: string }>,
  comment: Readonly<{ text: string; parent: string | undefined; made: CreatedComment; now: number }>,
): PlatformComment {
  return {
    platform_id: comment.made.comment_id,
    platform_post_id: post,
    parent_id: comment.parent,
    page_id: page?.platform_page_id,
    author: selfOf(account, page),
    is_owner: true,
    text: comment.text,
    media: [],
    created_at: comment.now,
    permalink: comment.made.permalink,
    like_count: 0,
    reply_count: 0,
    is_hidden: false,
    is_liked: false,
    capabilities: { can_reply: true, can_delete: true, can_hide: false, can_like: true, can_private_reply: false },
  };
}

export function makeReplies({ clock, lookup, comments, sending }: ReplyDeps) {
  /** The post to reply to, with its connector; refuses platforms without comments. */
  async function ready({ authority }: SendContext, request: CommentReplyRequest, capability: string): Promise<Served> {
    const { post_id, account_id, comment_id } = request;
    return comments.served(await lookup.postOf(authority, post_id, account_id, comment_id), capability);
  }

  /** The page that replies; refuses accounts that cannot act at the moment. */
  function actor({ account, page }: Served) {
    refuseDead(account);
    return lookup.pageForCall(account, page?.platform_page_id ?? null);
  }

  async function answer(call: SendContext, request: CommentReplyRequest, begun?: SendBegun) {
    const { post_id, comment_id, text } = request;
    const where = await ready(call, request, 'comments.reply');
    const { account, post } = where;
    const { reply, text: rule } = where.comments;
    if (reply === undefined) return notSupported(account.platform, 'comments.reply');
    refuseLong(text, rule);
    const page = await actor(where);
    const comment = comment_id === undefined ? undefined : (await comments.commentRefOf(where, comment_id)).comment;
    return sending.send<CreatedComment>(
      {
        kind: 'reply',
        account,
        workspace: call.workspace,
        metered: true,
        begun,
        request: { place: { post, comment }, content: text },
        parts: [partOf(reply, { post, page: page?.platform_page_id, comment, text })],
        presentError: comment_id === undefined ? missing('post', post_id) : missing('comment', comment_id),
        async keep(tx, reply) {
          const now = clock.now();
          const own = ownComment({ account, page, post }, { text, parent: comment, made: reply, now });
          await record(tx, account, [{ kind: 'comment', comment: own }], { silent: false, now });
        },
      },
      call.signal,
    );
  }

  async function answerInPrivate(call: SendContext, request: PrivateReplyRequest, begun?: SendBegun) {
    const { comment_id, text } = request;
    const where = await ready(call, request, 'comments.private_reply');
    const { account, post } = where;
    const { privateReply } = where.comments;
    if (privateReply === undefined) return notSupported(account.platform, 'comments.private_reply');
    const rule = where.platform.messages?.parts.text;
    if (rule !== undefined) refuseLong(text, rule);
    const page = await actor(where);
    const { comment } = await comments.commentRefOf(where, comment_id);
    const location = { post, comment };
    return sending.send<SentMessage>(
      {
        kind: 'private_reply',
        account,
        workspace: call.workspace,
        metered: true,
        begun,
        request: { place: location, content: text },
        parts: [partOf(privateReply, { post, page: page?.platform_page_id, comment, text })],
        presentError: missing('comment', comment_id),
        async keep(tx, sent, { correlationId }) {
          await markAnswered(tx.db, { accountId: account.id, ...location }, 'send');
          // If the platform does not return the conversation, a webhook will report the message in it.
          if (sent.conversation === undefined) return;
          const now = clock.now();
          const message = sentAs(messageContent({ kind: 'text', text }), sent, correlationId, now);
          const event: InboundEvent = { kind: 'message', conversation: sent.conversation, message };
          await record(tx, account, [event], { silent: false, now });
        },
      },
      call.signal,
    );
  }

  return Object.freeze({
    async reply(call: SendContext, request: CommentReplyRequest, begun?: SendBegun) {
      return replied(await sending.settle(begun, call.signal, () => answer(call, request, begun)));
    },

    /** Replies to the author of a comment with a direct message. */
    async privateReply(call: SendContext, request: PrivateReplyRequest, begun?: SendBegun) {
      return answeredInPrivate(await sending.settle(begun, call.signal, () => answerInPrivate(call, request, begun)));
    },
  });
}

export function replied({ account, made: [made] }: Pick<Sent<CreatedComment>, 'account' | 'made'>) {
  return { success: true, comment_id: interactionId('comment', account.platform, made!.comment_id) };
}

function answeredInPrivate({ account, place: location, made: [made] }: Sent<SentMessage>) {
  const id = interactionId('comment', account.platform, (location as CommentLocation).comment);
  return { success: true, ok: true, id, message_id: made!.message_id };
}

type CommentLocation = Readonly<{ post: string; comment: string }>;
