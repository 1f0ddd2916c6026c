import type { PlatformSlug } from '#kernel/platforms.ts';
import type { AddedPlaceMedia, PlaceMedia, Places } from '#platforms/business.ts';
import type { Comments, Listed, CreatedComment, Mentions, Paging, Reviews } from '#platforms/interactions.ts';
import type { BubbleRequest, MessageParts, Messages, SentMessage } from '#platforms/messages.ts';
import type { PlatformComment, PlatformConversation, PlatformMention, PlatformReview } from '#platforms/inbox-types.ts';
import type { SendCall, SendState, Sending } from '#platforms/sending.ts';
import type { AccountCall } from '#platforms/call.ts';
import type { Platform } from '#platforms/platform.ts';
import { accountOf, makeNetwork, refusedAs, throttledFor, type Verdict } from './network.ts';
import { fakePlatform } from './fake.ts';

export { lost, pending, revoked, silent, times, unsent, type Verdict } from './network.ts';

export const blocked = refusedAs('blocked', 'Not from you.');
export const refused = refusedAs('window_closed', 'Too late to answer.');
export const noSuchThing = refusedAs('not_found', 'Unknown.');
export const broken: Verdict = { error: new Error('a bug') };
export const throttled = throttledFor(7);
export const blind: Verdict = { settled: 'unknown' };
export const absent: Verdict = { settled: 'absent' };

/** One effect people see. */
type Seen = Readonly<{ op: string; account: string; id: string; mark: string; ask: unknown }>;

export type Social = ReturnType<typeof makeSocial>;

/** A network without HTTP: what people wrote on it, what was sent into it, and what the next calls meet. */
export function makeSocial() {
  let made = 0;
  const net = {
    ...makeNetwork(),
    seen: [] as Seen[],
    /** By post. */
    comments: new Map<string, PlatformComment[]>(),
    mentions: [] as PlatformMention[],
    /** By account. */
    reviews: new Map<string, PlatformReview[]>(),
    gone: new Set<string>(),
    liked: new Set<string>(),
    hidden: new Set<string>(),
    callsOf: (op: string) => net.calls.filter((call) => call.endsWith(` ${op}`)).length,
    /** The texts people got from an account, in order. */
    texts: (account: string) =>
      net.seen.filter((one) => one.account === account).map(({ ask }) => (ask as { text?: string }).text),
    /** Sends something people see, once per mark where the platform keeps marks. */
    sending<Ask, Made>(
      op: string,
      madeOf: (id: string, ask: Ask) => Made,
      { idempotent = false, prepares = false } = {},
    ): Sending<Ask, Made> {
      const find = (mark: string) => net.seen.find((one) => one.mark === mark);
      const send = (call: SendCall, ask: Ask, { correlationId: mark }: SendState) =>
        net.act(call, op, () => {
          const known = idempotent ? find(mark) : undefined;
          const id = known?.id ?? `${op}-${(made += 1)}`;
          const account = accountOf(call);
          const answer = madeOf(id, ask);
          if (!known) net.seen.push({ op, account, id, mark, ask });
          return answer;
        });
      return {
        send,
        ...(prepares && { prepare: (call: SendCall) => net.act(call, `${op}.prepare`, () => ({ upload: made })) }),
        ...(idempotent
          ? { idempotent: true as const }
          : {
              async settle(call: SendCall, ask: Ask, { correlationId: mark }: SendState) {
                const { error, settled } = await net.meet(call, `${op}.settle`);
                if (error) throw error;
                const known = find(mark);
                if (typeof settled === 'object') return madeOf(settled.id, ask);
                return settled ?? (known ? madeOf(known.id, ask) : 'unknown');
              },
            }),
      };
    },
  };
  return net;
}

function pageOf<T>(all: readonly T[], { limit, cursor }: Paging): Listed<T> {
  const from = Number(cursor ?? 0);
  const next = from + limit < all.length ? String(from + limit) : undefined;
  return { items: all.slice(from, from + limit), ...(next !== undefined && { cursor: next }) };
}

type Traits = Readonly<{ idempotent?: boolean; prepares?: boolean }>;

function commentsOf(net: Social, traits: Traits): Comments {
  const known = (post: string) => {
    const all = net.comments.get(post);
    if (!all) throw noSuchThing.error!;
    return all;
  };
  const one = (post: string, comment: string) => {
    const found = known(post).find(({ platform_id }) => platform_id === comment);
    if (!found) throw noSuchThing.error!;
    return found;
  };
  return {
    text: { max: 100, counting: 'chars' },
    list: (call, { post }, page) =>
      net.act(call, 'comments.list', () =>
        pageOf(
          known(post).filter(({ parent_id }) => !parent_id),
          page,
        ),
      ),
    replies: (call, { post, comment }, page) =>
      net.act(call, 'comments.replies', () => {
        one(post, comment);
        return pageOf(
          known(post).filter(({ parent_id }) => parent_id === comment),
          page,
        );
      }),
    reply: net.sending<Parameters<NonNullable<Comments['reply']>['send']>[1], CreatedComment>(
      'comments.reply',
      (id, { post, comment }) => {
        if (comment !== undefined) one(post, comment);
        return { comment_id: id };
      },
      traits,
    ),
    isComment: (call, { post, comment }) =>
      net.act(
        call,
        'comments.is_comment',
        () => net.gone.has(comment) || known(post).some(({ platform_id }) => platform_id === comment),
      ),
    remove: (call, { post, comment }) =>
      net.act(call, 'comments.remove', () => {
        if (net.gone.has(comment)) return;
        one(post, comment);
        net.gone.add(comment);
        net.comments.set(
          post,
          known(post).filter(({ platform_id }) => platform_id !== comment),
        );
      }),
    hide: (call, { post, comment }, hidden) =>
      net.act(call, 'comments.hide', () => {
        one(post, comment);
        if (hidden) net.hidden.add(comment);
        else net.hidden.delete(comment);
      }),
    like: (call, { post, comment }, liked) =>
      net.act(call, 'comments.like', () => {
        one(post, comment);
        if (liked) net.liked.add(comment);
        else net.liked.delete(comment);
      }),
    privateReply: net.sending<{ post: string; comment: string; text: string }, SentMessage>(
      'comments.private_reply',
      (message_id, { post, comment }) => {
        one(post, comment);
        return {
          message_id,
          conversation: { platform_id: `thread-${comment}`, participant: { id: 'fan', name: 'Fan' } },
        };
      },
      traits,
    ),
  };
}

const EVERYTHING: MessageParts = Object.freeze({
  text: { max: 1000, counting: 'chars' },
  attachments: {
    kinds: ['image', 'video'],
    sources: ['media_id', 'url', 'platform_attachment_id'],
    max_bytes: 100_000,
    captions: true,
  },
  buttons: { types: ['url', 'postback'], text_max: 640, unique_payloads: true },
  cards: { max: 5 },
  quick_replies: { max: 3 },
  lists: true,
  reply_to: true,
  tags: { HUMAN_AGENT: 604_800_000 },
} as const);

function messagesOf(net: Social, parts: MessageParts, traits: Traits): Messages {
  return {
    parts,
    bubble: net.sending<BubbleRequest, SentMessage>('messages.send', (message_id) => ({ message_id }), traits),
    seen: (call, _conversation: PlatformConversation) => net.act(call, 'messages.seen', () => {}),
  };
}

function mentionsOf(net: Social): Mentions {
  return {
    text: { max: 100, counting: 'chars' },
    list: (call, page) =>
      net.act(call, 'mentions.list', () => {
        if (page.page !== undefined && net.gone.has(page.page)) throw noSuchThing.error!;
        return pageOf(
          net.mentions.filter(({ page_id }) => page_id === page.page),
          page,
        );
      }),
    reply: net.sending<Parameters<NonNullable<Mentions['reply']>['send']>[1], CreatedComment>(
      'mentions.reply',
      (id) => ({
        comment_id: id,
      }),
    ),
  };
}

function reviewsOf(net: Social): Reviews {
  const replied = (call: AccountCall, review: string, reply: PlatformReview['reply']) => {
    const account = accountOf(call);
    const all = net.reviews.get(account) ?? [];
    if (!all.some(({ platform_id }) => platform_id === review)) throw noSuchThing.error!;
    net.reviews.set(
      account,
      all.map((one) => (one.platform_id === review ? { ...one, reply } : one)),
    );
  };
  return {
    text: { max: 40, counting: 'bytes' },
    list: (call, page) => net.act(call, 'reviews.list', () => pageOf(net.reviews.get(accountOf(call)) ?? [], page)),
    reply: {
      idempotent: true,
      send: (call, { review, text }) =>
        net.act(call, 'reviews.reply', () => {
          replied(call, review, { text, updated_at: call.now(), ...(text === 'Wait' && { state: 'PENDING' }) });
          // One that says so has to be looked at first.
          return { reply_id: `answer to ${review}`, ...(text === 'Wait' && { state: 'PENDING' }) };
        }),
    },
    removeReply: (call, review) => net.act(call, 'reviews.remove_reply', () => replied(call, review, undefined)),
  };
}

/** `description` names what is wrong with an item before anything is sent. */
function placesOf(net: Social): Places {
  return {
    check: ({ description = '' }) =>
      description === 'unfit' ? [{ field: 'description', message: 'is no description' }] : [],
    addMedia: net.sending<PlaceMedia, AddedPlaceMedia>('places.add_media', (id, { category, description, media }) => ({
      id,
      category,
      description: description ?? '',
      created_at: Date.UTC(2026, 0, 15, 8),
      thumbnail_url: `https://photos.example/${id}/small`,
      media: { type: media.kind === 'video' ? 'video' : 'image', url: `https://photos.example/${id}` },
      ...(description === 'whole' && {
        width_pixels: 800,
        height_pixels: 600,
        attribution: { profile_name: 'Ada', profile_url: 'https://maps.example/ada' },
      }),
    })),
  };
}

const PAGES = [
  { platform_page_id: 'p1', name: 'Page One' },
  { platform_page_id: 'p2', name: 'Page Two' },
];

function bare(slug: PlatformSlug, pages?: typeof PAGES): Platform {
  return fakePlatform(slug, {
    connect: {
      kind: 'direct',
      form: [],
      required: ['token'],
      login: async (_call, { token }) => ({
        profile: { platform_user_id: `${slug}-${token}`, username: token!, name: `The ${token}` },
        session: { account: token },
        ...(pages && { pages }),
      }),
    },
    ...(pages && { pages: { read: async ({ session }) => ({ pages, session }) } }),
  });
}

/**
 * Fake platforms: twitter has everything and repeats nothing, threads may be repeated, facebook has pages,
 * linkedin lists mentions page by page, zalo sends text alone, google has reviews and places, telegram has nothing.
 */
export function socialPlatforms(net: Social): ReadonlyMap<PlatformSlug, Platform> {
  const all: readonly Platform[] = [
    {
      ...bare('twitter'),
      comments: commentsOf(net, {}),
      messages: messagesOf(net, EVERYTHING, { prepares: true }),
      mentions: mentionsOf(net),
    },
    {
      ...bare('threads'),
      comments: commentsOf(net, { idempotent: true }),
      messages: messagesOf(net, EVERYTHING, { idempotent: true }),
    },
    {
      ...bare('facebook', PAGES),
      comments: commentsOf(net, {}),
      messages: messagesOf(net, EVERYTHING, {}),
      mentions: { text: { max: 100, counting: 'chars' }, reply: mentionsOf(net).reply! },
    },
    {
      ...bare('linkedin', PAGES),
      mentions: mentionsOf(net),
    },
    {
      ...bare('zalo'),
      comments: {
        text: { max: 100, counting: 'chars' },
        list: commentsOf(net, {}).list,
        isComment: commentsOf(net, {}).isComment,
      },
      messages: { parts: { text: { max: 20, counting: 'chars' } }, bubble: messagesOf(net, EVERYTHING, {}).bubble },
    },
    { ...bare('google'), reviews: reviewsOf(net), places: placesOf(net) },
    bare('telegram'),
  ];
  return new Map(all.map((platform) => [platform.slug, platform]));
}

let told = 0;

/** A comment somebody wrote. */
export function aComment(post: string, more: Partial<PlatformComment> = {}): PlatformComment {
  told += 1;
  return {
    platform_id: `c${told}`,
    platform_post_id: post,
    author: { id: 'fan', name: 'Fan', username: 'fan' },
    is_owner: false,
    text: `Comment ${told}`,
    media: [],
    created_at: Date.UTC(2026, 0, 15, 8) + told,
    like_count: 0,
    reply_count: 0,
    is_hidden: false,
    is_liked: false,
    capabilities: { can_reply: true, can_delete: true, can_hide: true, can_like: true, can_private_reply: true },
    ...more,
  };
}

export function aMention(more: Partial<PlatformMention> = {}): PlatformMention {
  told += 1;
  return {
    platform_id: `n${told}`,
    platform_post_id: `elsewhere${told}`,
    mention_type: 'post',
    author: { id: 'fan', name: 'Fan' },
    text: `Mention ${told}`,
    media: [],
    created_at: Date.UTC(2026, 0, 15, 8) - told,
    ...more,
  };
}

export function aReview(created_at: number, more: Partial<PlatformReview> = {}): PlatformReview {
  told += 1;
  return {
    platform_id: `r${told}`,
    rating: 4,
    author: { id: 'guest', name: 'Guest' },
    text: `Review ${told}`,
    created_at,
    updated_at: created_at,
    ...more,
  };
}
