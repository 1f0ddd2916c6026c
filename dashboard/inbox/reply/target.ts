import type { Comment, InboxThread, Input, OperationName } from '../../lib/operations.ts';
import type { Item, Kind } from '../list/items.ts';
import type { Draft } from './drafts.ts';
import type { Request } from './outbox.ts';
import type { MessageWindow } from './window.ts';

/** Where a reply goes, and how it is sent. */
export type Target = Readonly<{
  /** The label of the reply field. */
  label: string;
  /** The comment it replies to. */
  comment?: Comment | undefined;
  canBePrivate: boolean;
  isPrivate: boolean;
}> &
  (
    | Readonly<{ missing?: undefined; request(text: string): Request }>
    /** Says what the draft was written for that no longer exists. Nothing is sent until another target is chosen. */
    | Readonly<{ missing: string }>
  );

type About = Readonly<{
  item: Item;
  detail: InboxThread;
  comments: readonly Comment[];
  draft: Draft;
  messageWindow: MessageWindow | undefined;
}>;

/** The operations that answer an item, by its kind. */
export const ANSWERS: Readonly<Record<Kind, readonly OperationName[]>> = {
  conversation: ['send_dm'],
  comment: ['reply_to_comment', 'private_reply_to_comment'],
  post: ['reply_to_comment'],
  mention: ['reply_to_mention'],
  review: ['reply_to_review'],
};

/** The target of a reply in a thread; undefined if none is possible. */
export function targetOf(about: About): Target | undefined {
  const { item, detail } = about;
  const { accountId: account_id } = item;
  switch (item.kind) {
    case 'conversation':
      return messageTarget(about);
    case 'mention':
      return {
        ...IN_PUBLIC,
        label: `Answer ${item.name}`,
        request: (text) => ({ name: 'reply_to_mention', input: { account_id, mention_id: item.id, text } }),
      };
    case 'review': {
      const name = detail.review?.reply ? 'update_review_reply' : 'reply_to_review';
      return {
        ...IN_PUBLIC,
        label: name === 'reply_to_review' ? `Answer ${item.name}` : 'Another answer instead',
        request: (text) => ({ name, input: { account_id, review_id: item.id, text } }),
      };
    }
    default:
      return belowPost(about);
  }
}

const IN_PUBLIC = { canBePrivate: false, isPrivate: false };
const IN_PRIVATE = { canBePrivate: true, isPrivate: true };
const NO_COMMENT = 'The comment that this answers is not loaded, or is no longer there. Choose another one.';
const NOT_IN_PRIVATE =
  'This can no longer be answered in private. Untick "In private" to answer where all can read it.';

/** The chosen or open comment, or else the post. */
function belowPost({ item, detail: { comment, post }, comments, draft }: About): Target | undefined {
  const { to = comment?.id } = draft;
  const chosen = comments.find(({ id }) => id === to) ?? (to === comment?.id ? comment : undefined);
  if (chosen !== undefined) return commentTarget(chosen, draft);
  if (to !== undefined) return { ...IN_PUBLIC, label: 'Answer a comment', missing: NO_COMMENT };
  if (post === null) return undefined;
  const label = 'Comment on the post';
  if (draft.isPrivate === true) return { ...IN_PRIVATE, label, missing: NOT_IN_PRIVATE };
  const input = { account_id: item.accountId, post_id: post.id };
  return { ...IN_PUBLIC, label, request: (text) => ({ name: 'reply_to_comment', input: { ...input, text } }) };
}

function messageTarget({ item, draft, messageWindow }: About): Target {
  const { tag } = messageWindow ?? {};
  return {
    ...IN_PUBLIC,
    label: `Message to ${item.name}`,
    request: (text) => ({
      name: 'send_dm',
      input: { conversation_id: item.id, text, ...pressable(draft), ...(tag !== undefined && { message_tag: tag }) },
    }),
  };
}

/** The buttons of a message. Those without a title are left out. */
function pressable({ choices }: Draft): Pick<Input<'send_dm'>, 'quick_replies' | 'buttons'> {
  const rows = (choices?.rows ?? []).map(({ title, url = '' }) => ({ title: title.trim(), url: url.trim() }));
  const filled = rows.filter(({ title }) => title !== '');
  if (filled.length === 0) return {};
  if (choices?.as === 'quick_replies') return { quick_replies: filled.map(({ title }) => ({ title })) };
  return {
    buttons: filled.map(({ title, url }) =>
      url === '' ? { type: 'postback', title, payload: title } : { type: 'url', title, url },
    ),
  };
}

function commentTarget(comment: Comment, draft: Draft): Target | undefined {
  const { can_reply, can_private_reply } = comment.capabilities;
  const { id, account_id, platform_post_id: post_id, author } = comment;
  if (!can_private_reply && draft.isPrivate === true)
    return { ...IN_PRIVATE, comment, label: `Private message to ${author.name}`, missing: NOT_IN_PRIVATE };
  if (!can_reply && !can_private_reply) return undefined;
  const isPrivate = !can_reply || draft.isPrivate === true;
  const place = { account_id, post_id, comment_id: id };
  return {
    comment,
    canBePrivate: can_reply && can_private_reply,
    isPrivate,
    label: `${isPrivate ? 'Private message to' : 'Answer'} ${author.name}`,
    request: (text) =>
      isPrivate
        ? { name: 'private_reply_to_comment', input: { ...place, text } }
        : { name: 'reply_to_comment', input: { ...place, text } },
  };
}
