import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import type { Inbox, InboundEvent } from '../inbound.ts';
import type { Mentions, Paging } from '../interactions.ts';
import type { PlatformMention } from '../inbox-types.ts';
import { backfillBy, postEventsOf } from '../shared/inbox/backfill.ts';
import { plainComment } from '../shared/comments.ts';
import { readable, text, word } from '../shared/fields.ts';
import { path } from '../shared/rest.ts';
import { isOrganization, postUrl, readPage, sessionOf, Urn } from './api.ts';
import { CAN, readPeople, readPerson, writing } from './comments.ts';
import { list } from './reads.ts';
import { COMMENT } from './rules.ts';
import { plainText } from './text.ts';

/** How many posts and notifications per organization the backfill reads. */
const BACKFILL = { posts: 25, notices: 100 };

/** A post or comment in a notification; the URN of a comment may lack a part of its thread. */
const CommentContent = z.object({ entity: Urn, owner: word, text: word, parentComment: text });
type CommentContent = z.output<typeof CommentContent>;
const view = CommentContent.optional().catch(undefined);
const urn = Urn.optional().catch(undefined);

export const Notice = z.object({
  organizationalEntity: Urn,
  action: z.string(),
  sourcePost: urn,
  decoratedSourcePost: view,
  generatedActivity: urn,
  decoratedGeneratedActivity: z.object({ comment: view, share: view }).catch({ comment: undefined, share: undefined }),
  lastModifiedAt: z.number(),
});
type Notice = z.output<typeof Notice>;

const commentUrn = (named: string): string => named.replace(/^urn:li:comment:\((?!urn:)/, '$&urn:li:');

/** The events in a notification; likes and reshares are left out, as the event catalogue has no event for them. */
export function eventsIn(notice: Notice): readonly InboundEvent[] {
  const mention = notice.action === 'SHARE_MENTION' ? mentionIn(notice) : undefined;
  if (mention) return [{ kind: 'mention', mention }];
  return /^(?:ADMIN_)?COMMENT(?:_EDIT|_DELETE)?$/.test(notice.action) ? commentIn(notice) : [];
}

/** The events of a comment; the notification also names the post by its activity, which becomes an alias. */
function commentIn(notice: Notice): readonly InboundEvent[] {
  const { action, organizationalEntity: page_id, sourcePost, decoratedSourcePost, lastModifiedAt } = notice;
  const message: Partial<CommentContent> = notice.decoratedGeneratedActivity.comment ?? {};
  const { entity = notice.generatedActivity, owner = '', text: words = '', parentComment } = message;
  const platform_post_id = decoratedSourcePost?.entity ?? sourcePost;
  if (entity === undefined || platform_post_id === undefined) return [];
  const platform_id = commentUrn(entity);
  if (action === 'COMMENT_DELETE') return [{ kind: 'comment_gone', platform_id }];
  const comment = plainComment({
    platform_id,
    platform_post_id,
    parent_id: parentComment && commentUrn(parentComment),
    page_id,
    author: { id: owner, name: '' },
    is_owner: owner === page_id || action === 'ADMIN_COMMENT',
    text: words,
    created_at: lastModifiedAt,
    capabilities: CAN,
  });
  const also = { kind: 'alias', thing: 'post', platform_id: platform_post_id } as const;
  return [
    ...(sourcePost === undefined || sourcePost === platform_post_id ? [] : [{ ...also, alias: sourcePost }]),
    { kind: 'comment', comment, ...(action === 'COMMENT_EDIT' && { edited: true }) },
  ];
}

function mentionIn(notice: Notice): PlatformMention | undefined {
  const { share = notice.decoratedSourcePost } = notice.decoratedGeneratedActivity;
  const post = share?.entity ?? notice.generatedActivity ?? notice.sourcePost;
  if (post === undefined) return undefined;
  return {
    platform_id: post,
    platform_post_id: post,
    page_id: notice.organizationalEntity,
    mention_type: 'post',
    author: { id: share?.owner ?? '', name: '' },
    text: plainText(share?.text ?? ''),
    media: [],
    created_at: notice.lastModifiedAt,
  };
}

/** Adds the URL and the name of the author to a mention. */
export async function introduce(call: AccountCall, mention: PlatformMention): Promise<PlatformMention> {
  const { author, platform_id: post } = mention;
  const person = author.id === '' ? author : await readPerson(call, author.id);
  return { ...mention, author: person, permalink: postUrl(call.hosts, post) };
}

/** Reads notifications, the newest first; LinkedIn stores them for 60 days. */
async function readNotices(call: AccountCall, page: string, actions: string, paging: Paging) {
  const where = path`/rest/organizationalEntityNotifications?q=criteria&organizationalEntity=${{ page }}`;
  const request = { ...where, path: `${where.path}&actions=List(${actions})` };
  const { elements, cursor } = await readPage(call, request, paging);
  return { notices: readable(Notice, elements), cursor };
}

/** Mentions of organizations; LinkedIn does not report those of members. */
export const mentions: Mentions = {
  text: COMMENT,
  reply: writing,
  async list(call, { page = '', ...paging }) {
    if (!isOrganization(page)) return { items: [] };
    const { notices, cursor } = await readNotices(call, page, 'SHARE_MENTION', paging);
    const mentioned = notices.flatMap((notice) => mentionIn(notice) ?? []);
    const people = await readPeople(
      call,
      mentioned.flatMap(({ author }) => author.id || []),
    );
    const items = mentioned.map((one) => ({
      ...one,
      author: people.get(one.author.id) ?? one.author,
      permalink: postUrl(call.hosts, one.platform_id),
    }));
    return { items, cursor };
  },
};

/** Backfills each organization's newest posts, and comments and mentions from its notifications. */
export const inbox: Inbox = {
  history: backfillBy(({ session }) =>
    sessionOf(session).organizations.flatMap((pageId) => [
      {
        name: `posts of ${pageId}`,
        read: async (call) => ({ events: postEventsOf((await list(call, { limit: BACKFILL.posts, pageId })).posts) }),
      },
      {
        name: `notifications of ${pageId}`,
        async read(call) {
          const page = { limit: BACKFILL.notices };
          const { notices } = await readNotices(call, pageId, 'COMMENT,SHARE_MENTION', page);
          return { events: notices.flatMap(eventsIn) };
        },
      },
    ]),
  ),
};
