import type { AccountRow } from '#db/access/accounts.ts';
import type { ListedConversation, OnPlatform } from '#db/inbox/lists.ts';
import type { MessageRow } from '#db/inbox/messages.ts';
import type { InboxPostRow } from '#db/inbox/posts.ts';
import type { ReviewRow } from '#db/inbox/reviews.ts';
import { sandboxMark } from '#call/accounts.ts';
import { isoTime } from '#kernel/clock.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { Platform } from '#platforms/platform.ts';
import type { CommentCapabilities, Person, PlatformComment, PlatformReview } from '#platforms/inbox-types.ts';
import type { AttachmentAddresses } from './attachment-addresses.ts';
import { presentAuthor } from '../record/events.ts';
import { interactionId } from '../record/ids.ts';
import { presentMetadata } from '../record/metadata.ts';
import { messageBlockOf } from './messaging-window.ts';

export function nameOf(name: string, username: string | null | undefined, id: string): string {
  return name || username || id;
}

export function presentPerson(person: Person) {
  return { ...presentAuthor(person), name: nameOf(person.name, person.username, person.id) };
}

/** A conversation in the API's format; `ownerId` is the owner of its workspace, whoever reads it. */
export function presentConversation(
  row: ListedConversation,
  { ownerId, platform, now }: Readonly<{ ownerId: string; platform: Platform | undefined; now: number }>,
) {
  return {
    id: row.id,
    user_id: ownerId,
    account_id: row.account_id,
    page_id: row.own_page_id ?? row.page_id,
    platform: row.platform,
    platform_id: row.platform_id,
    participant_id: row.participant_id,
    participant_name: nameOf(row.participant_name, row.participant_username, row.participant_id),
    participant_username: row.participant_username,
    participant_picture: row.participant_picture,
    status: row.status,
    unread_count: row.unread_count,
    last_message: row.last_message,
    last_message_at: isoTime(row.last_message_at),
    last_message_direction: row.last_message_direction,
    blocked: messageBlockOf(row, platform, row.account_status, now) ?? null,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

export function presentMessage(
  row: MessageRow,
  { platform, addresses }: Readonly<{ platform: PlatformSlug; addresses: AttachmentAddresses }>,
) {
  const attachments = addresses.shown(row).map(({ type, url }) => ({ type, url: url || null }));
  return {
    id: interactionId('dm', platform, row.platform_id),
    conversation_id: row.conversation_id,
    platform,
    platform_id: row.platform_id,
    account_id: row.account_id,
    direction: row.direction,
    sender_id: row.sender_id,
    sender_name: row.sender_name || row.sender_id,
    text: row.text,
    attachment_type: attachments[0]?.type ?? null,
    attachment_url: attachments[0]?.url ?? null,
    attachments,
    reply_to_message_id: row.reply_to === null ? null : interactionId('dm', platform, row.reply_to),
    status: row.status,
    status_updated_at: isoTime(row.status_updated_at),
    metadata: presentMetadata(row.metadata),
    created_at: isoTime(row.created_at),
  };
}

export function presentInboxPost(row: InboxPostRow & OnPlatform, ownerId: string) {
  return {
    id: row.id,
    user_id: ownerId,
    account_id: row.account_id,
    page_id: row.own_page_id ?? row.page_id,
    platform: row.platform,
    platform_id: row.platform_id,
    content: row.content,
    thumbnail: row.thumbnail,
    permalink: row.permalink,
    comment_count: row.comment_count,
    like_count: row.like_count,
    published_at: isoTime(row.published_at),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

/** What can be done with a comment, according to both the platform and the connector. */
function capabilitiesOf({ comments }: Platform, capabilities: CommentCapabilities): CommentCapabilities {
  return {
    can_reply: capabilities.can_reply && comments?.reply !== undefined,
    can_delete: capabilities.can_delete && comments?.remove !== undefined,
    can_hide: capabilities.can_hide && comments?.hide !== undefined,
    can_like: capabilities.can_like && comments?.like !== undefined,
    can_private_reply: capabilities.can_private_reply && comments?.privateReply !== undefined,
  };
}

/** What the platform does not return for a comment, but the store knows. */
type StoredComment = Readonly<{ inboxPostId: string; answered: boolean }>;

/** A comment in the API's format, including the field names that older clients use. */
export function presentComment(
  comment: PlatformComment,
  { account, platform, ...stored }: Readonly<{ account: AccountRow; platform: Platform }> & StoredComment,
) {
  const { author, text, media, is_liked, reply_count } = comment;
  const name = nameOf(author.name, author.username, author.id);
  const ours = (id: string) => interactionId('comment', platform.slug, id);
  return {
    id: ours(comment.platform_id),
    type: 'comment' as const,
    account_id: account.id,
    platform: platform.slug,
    platform_id: comment.platform_id,
    inbox_post_id: stored.inboxPostId,
    platform_post_id: comment.platform_post_id,
    parent_id: comment.parent_id === undefined ? null : ours(comment.parent_id),
    author: presentPerson(author),
    content: { text, media },
    text,
    author_id: author.id,
    author_name: name,
    author_username: author.username ?? null,
    author_picture: author.avatar_url ?? null,
    author_profile_url: author.profile_url ?? null,
    permalink: comment.permalink ?? null,
    is_owner: comment.is_owner,
    is_hidden: comment.is_hidden,
    is_liked,
    answered: stored.answered,
    liked_by_viewer: is_liked,
    like_count: comment.like_count,
    reply_count,
    has_replies: reply_count > 0,
    capabilities: capabilitiesOf(platform, comment.capabilities),
    created_at: isoTime(comment.created_at),
    metadata: { ...comment.metadata, ...sandboxMark(account) },
  };
}

/** A stored review in the form in which its platform lists it, without the reply. */
export function storedReview(row: ReviewRow): PlatformReview {
  const { platform_id, rating, author, text, media, created_at, updated_at, location } = row;
  return { platform_id, rating, author, text, media, location: location ?? undefined, created_at, updated_at };
}

const presentReply = ({ text, updated_at, state }: NonNullable<PlatformReview['reply']>) => ({
  text,
  updated_at: isoTime(updated_at),
  ...(state !== undefined && { state }),
});

export function presentReview(review: PlatformReview, account: AccountRow) {
  const { author, text, reply, location, media = [] } = review;
  const name = nameOf(author.name, author.username, author.id);
  return {
    id: interactionId('review', account.platform, review.platform_id),
    type: 'review' as const,
    account_id: account.id,
    platform: account.platform,
    platform_id: review.platform_id,
    rating: review.rating,
    author: presentPerson(author),
    author_name: name,
    text,
    content: { text, media },
    reply: reply === undefined ? null : presentReply(reply),
    answered: reply !== undefined,
    created_at: isoTime(review.created_at),
    updated_at: isoTime(review.updated_at),
    metadata: { ...(location !== undefined && { location }), ...sandboxMark(account) },
  };
}
