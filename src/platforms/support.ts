import type { MessageParts } from './messages.ts';
import { directOf } from './connect.ts';
import { kindsOf } from './lookup.ts';
import type { Platform } from './platform.ts';

/** The features of a platform or kind of account, derived from its connector's members. */
export function supportOf(platform: Platform) {
  return Object.freeze({
    ...accountFeatures(platform),
    ...postFeatures(platform),
    ...answerFeatures(platform),
    ...messageFeatures(platform),
    'inbox by push': platform.push !== undefined,
    'inbox by polling': platform.inbox?.poll !== undefined,
    'phone numbers': platform.numbers !== undefined,
    'message templates': platform.templates !== undefined,
    'location media': platform.places !== undefined,
  });
}

function accountFeatures(platform: Platform) {
  const { connect, posts } = platform;
  return {
    'connect by consent': connect.kind === 'oauth',
    'connect by our form': directOf(connect) !== undefined,
    'exchange of a code': connect.kind === 'oauth',
    'refresh without the person': connect.refresh !== undefined,
    'revoke on disconnect': connect.revoke !== undefined,
    pages: platform.pages !== undefined,
    'sync of posts': posts?.list !== undefined,
    'creator info': platform.creatorInfo !== undefined,
    'remaining limits': platform.limits !== undefined,
  };
}

function postFeatures({ posts }: Platform) {
  const rules = posts?.rules;
  return {
    'post text': rules?.text_only === true,
    'post images': (rules?.media.supported_image_types.length ?? 0) > 0,
    'post video': (rules?.media.supported_video_types.length ?? 0) > 0,
    'post document': (rules?.media.documents?.length ?? 0) > 0,
    'several images': rules?.carousel.supported === true,
    thread: rules?.threads.supported === true,
    'first comment': (rules?.first_comment ?? false) !== false,
    unpublish: posts?.remove !== undefined,
    'post metrics': posts?.metrics !== undefined,
  };
}

function answerFeatures({ comments, reviews, mentions }: Platform) {
  return {
    'list comments': comments !== undefined,
    'list replies': comments !== undefined && (comments.replies !== undefined || comments.list === undefined),
    'reply to a comment': comments?.reply !== undefined,
    'delete a comment': comments?.remove !== undefined,
    'hide a comment': comments?.hide !== undefined,
    'like a comment': comments?.like !== undefined,
    'private reply': comments?.privateReply !== undefined,
    'list reviews': reviews !== undefined,
    'reply to a review': reviews?.reply !== undefined,
    'list mentions': mentions?.list !== undefined,
    'reply to a mention': mentions?.reply !== undefined,
  };
}

function messageFeatures({ messages }: Platform) {
  const parts: Partial<MessageParts> = messages?.parts ?? {};
  const kinds = parts.attachments?.kinds ?? [];
  const sources = parts.attachments?.sources ?? [];
  return {
    'read conversations': messages !== undefined,
    'send a message': messages !== undefined,
    'message with image': kinds.includes('image'),
    'message with video': kinds.includes('video'),
    'message with audio': kinds.includes('audio'),
    'message with file': kinds.includes('file'),
    'attachment by platform id': sources.includes('platform_attachment_id'),
    'voice message': parts.attachments?.voice === true,
    'buttons in a message': parts.buttons !== undefined,
    cards: parts.cards !== undefined,
    'quick replies': parts.quick_replies !== undefined,
    'list message': parts.lists === true,
    'reply to a message': parts.reply_to === true,
    'message tag': parts.tags !== undefined,
    'mark as read': messages?.seen !== undefined,
  };
}

export type Capability = keyof ReturnType<typeof supportOf>;

/** Features of connecting and receiving, which are not requested for an account. */
const ITSELF: ReadonlySet<Capability> = new Set([
  'connect by consent',
  'connect by our form',
  'exchange of a code',
  'refresh without the person',
  'revoke on disconnect',
  'inbox by push',
  'inbox by polling',
]);

const usable = new WeakMap<Platform, readonly Capability[]>();

function usableOf(platform: Platform): readonly Capability[] {
  const known = usable.get(platform);
  if (known !== undefined) return known;
  const support = Object.entries(supportOf(platform)) as [Capability, boolean][];
  const found = support.flatMap(([feature, can]) => (can && !ITSELF.has(feature) ? [feature] : []));
  usable.set(platform, found);
  return found;
}

/** The features an account can use; `granted` are the scopes of its login, if known. */
export function capabilitiesOf(platform: Platform, granted: readonly string[] | undefined): readonly Capability[] {
  const { connect } = platform;
  const scopes = connect.kind === 'oauth' ? connect.scopes : undefined;
  if (scopes === undefined || granted === undefined) return usableOf(platform);
  const lacking: ReadonlySet<string> = new Set(scopes.lacking(granted));
  return usableOf(platform).filter((feature) => !lacking.has(feature));
}

/** The features that at least one kind of account of these platforms has. */
export function supportedBy(platforms: Iterable<Platform>): ReadonlySet<Capability> {
  const kinds = [...platforms].flatMap(kindsOf);
  const able = kinds.flatMap(([, platform]) => Object.entries(supportOf(platform)).filter(([, can]) => can));
  return new Set(able.map(([capability]) => capability as Capability));
}
