import { MINUTE } from '#kernel/clock.ts';
import { createHmac } from 'node:crypto';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { Connected, PageProfile } from '#platforms/connect.ts';
import type { InboundBatch, InboundEvent, PollBatch } from '#platforms/inbound.ts';
import type { Push, PushRequest, PushTarget, PushTrust, PushedEvent } from '#platforms/push.ts';
import type {
  PlatformComment,
  PlatformConversation,
  PlatformMention,
  PlatformMessage,
  PlatformReview,
} from '#platforms/inbox-types.ts';
import type { AccountCall, Session } from '#platforms/call.ts';
import { PlatformError } from '#platforms/errors.ts';
import type { CreatorInfo, Platform } from '#platforms/platform.ts';
import type { ListedPost } from '#platforms/posts.ts';
import type { Comments } from '#platforms/interactions.ts';
import type { Messages } from '#platforms/messages.ts';
import { fakePlatform } from './fake.ts';

export const SECRET = 'the secret of our app';
export const VERIFY_TOKEN = 'the token we agreed on';

export const DAWN = Date.UTC(2026, 0, 15, 8);

/** What a fake platform answers, and what it was asked; a test changes it as it goes. */
export function makeInboundScript() {
  return {
    complete: undefined as ((fact: InboundEvent) => InboundEvent) | undefined,
    completed: [] as InboundEvent[],
    history: undefined as ((cursor: unknown) => InboundBatch | Promise<InboundBatch>) | undefined,
    poll: undefined as ((cursor: unknown) => PollBatch | Promise<PollBatch>) | undefined,
    polled: [] as unknown[],
    pages: undefined as readonly PageProfile[] | undefined,
    /** Happens while pages are read. */
    meanwhile: undefined as (() => Promise<unknown>) | undefined,
    subscribed: [] as string[],
    sessions: [] as Session[],
    subscribe: undefined as ((page: string) => void) | undefined,
    registered: [] as unknown[],
    posts: undefined as readonly ListedPost[] | undefined,
    listed: [] as unknown[],
    /** How many pages of posts are empty before the first that is not. */
    blank: 0,
    /** Pages whose posts are not shown. */
    refused: new Set<string | undefined>(),
    isSame: undefined as NonNullable<Platform['posts']>['isSame'],
    limits: undefined as (() => Readonly<Record<string, number>>) | undefined,
    creator: undefined as (() => CreatorInfo) | undefined,
    comments: true as boolean | Comments,
    /** Other members of its push than those of an app. */
    push: undefined as Partial<Push> | undefined,
    when: undefined as 'unpushed' | undefined,
    messages: undefined as Messages | undefined,
  };
}

export type InboundScript = ReturnType<typeof makeInboundScript>;

/** A fake platform that can do whatever its `script` had something for when it was made. */
export function inboundPlatform(slug: PlatformSlug, script: InboundScript): Platform {
  const never = async (): Promise<never> => {
    throw new Error('not scripted');
  };
  const unlisted: Comments = { text: { max: 100, counting: 'chars' }, list: never, isComment: never };
  return fakePlatform(slug, {
    hosts: { real: { web: 'https://told.test' }, sandbox: ({ web }) => ({ web }) },
    connect: {
      kind: 'direct',
      form: [],
      required: ['who'],
      async login(_call, { who = '' }): Promise<Connected> {
        const profile = { platform_user_id: who, username: who, name: who.toUpperCase() };
        return { profile, session: { who }, ...(script.pages && { pages: script.pages }) };
      },
    },
    posts: {
      rules: RULES,
      publish: {
        steps: () => [{ name: 'post', kind: 'idempotent' }],
        run: async ({ post }) => ({ id: `made of ${post.text}` }),
        finish: ({ post }) => ({ platform_post_id: (post as { id: string }).id, permalink: 'https://told.test/made' }),
      },
      ...(script.isSame && { isSame: script.isSame }),
      ...(script.posts && {
        syncDepth: 4,
        list: async (_call, page) => {
          script.listed.push(page);
          if (script.refused.has(page.pageId)) throw new PlatformError('refused', 'blocked', 'Not for you.');
          if (script.blank > 0) return { posts: [], cursor: `blank${(script.blank -= 1)}` };
          const from = Number(page.cursor?.replace(/^blank.*/, '') ?? 0);
          const mine = script.posts!.filter(({ page_id }) => page_id === undefined || page_id === page.pageId);
          const cursor = from + page.limit < mine.length ? String(from + page.limit) : undefined;
          return { posts: mine.slice(from, from + page.limit), cursor };
        },
      }),
    },
    ...(script.comments && { comments: script.comments === true ? unlisted : script.comments }),
    push: {
      scope: 'app',
      handshake: {
        challenge: ['challenge'],
        answer: (body, { token }, { verifyToken }) => (token === verifyToken ? { type: 'text', body } : undefined),
      },
      verify: ({ headers, body }, { app }) =>
        app.some((secret) => headers['x-told-signature'] === signatureOf(body, secret)),
      read: ({ body }) => JSON.parse(Buffer.from(body).toString()) as readonly PushedEvent[],
      confirmDeletion: ({ path }, { url, code }) =>
        path === 'deletion' ? { url, confirmation_code: code } : undefined,
      register: async (_call, ask) => void script.registered.push(ask),
      ...(script.complete && {
        complete: async (_call: AccountCall, fact: InboundEvent) => {
          script.completed.push(fact);
          return script.complete!(fact);
        },
      }),
      ...script.push,
    },
    ...(script.messages && { messages: script.messages }),
    inbox: {
      ...(script.history && { history: async (_call: AccountCall, cursor: unknown) => script.history!(cursor) }),
      ...(script.poll && {
        poll: {
          everyMs: MINUTE,
          ...(script.when && { when: script.when }),
          read: async (_call: AccountCall, cursor: unknown) => {
            script.polled.push(cursor);
            return script.poll!(cursor);
          },
        },
      }),
    },
    ...(script.pages && {
      pages: {
        read: async ({ session }: AccountCall) => {
          await script.meanwhile?.();
          const ids = script.pages!.map(({ platform_page_id }) => platform_page_id);
          return { pages: script.pages!, session: { ...session, pages: ids } };
        },
        subscribe: async ({ session }: AccountCall, page: string) => {
          script.sessions.push(session);
          script.subscribe?.(page);
          script.subscribed.push(page);
        },
      },
    }),
    ...(script.limits && { limits: async () => script.limits!() }),
    ...(script.creator && { creatorInfo: async () => script.creator!() }),
  });
}

const RULES = Object.freeze({
  text: { max_length: 100, counting_mode: 'chars' },
  media: {
    max_image_size_bytes: 1,
    max_video_size_bytes: 1,
    supported_image_types: [],
    supported_video_types: [],
    sources: [],
  },
  carousel: { supported: false, min_items: 0, max_items: 0, allow_video: false, images_only: true },
  text_only: true,
  threads: { supported: false, max_segments: 1 },
  first_comment: false,
  visibilities: ['public'],
} as const);

/** What a connector verifies the pushes of an app with. */
export const trusting = (secret: string, verifyToken = VERIFY_TOKEN): PushTrust => ({
  hosts: {},
  settings: {},
  now: () => DAWN,
  callback: 'https://here.test/push',
  app: [secret],
  verifyToken,
  jwt: async () => undefined,
});

export const signatureOf = (body: Uint8Array, secret: string) =>
  createHmac('sha256', secret).update(body).digest('hex');

/** Pushes to an address of each account, signed with its secret; what was subscribed and ended is kept. */
export function accountPush(more: Partial<Push> = {}) {
  const targets: PushTarget[] = [];
  const ended: unknown[] = [];
  const push: Partial<Push> = {
    scope: 'account',
    verify: ({ headers, body }, { account }) =>
      account !== undefined && headers['x-told-signature'] === signatureOf(body, account),
    subscribe: async (_call, target) => {
      targets.push(target);
      return { kept: { n: targets.length } };
    },
    unsubscribe: async (_call, kept) => void ended.push(kept),
    ...more,
  };
  return { push, targets, ended };
}

/** A push as its platform sends it, or as somebody else does who has another secret. */
export function requestOf(told: readonly PushedEvent[], { path = '', secret = SECRET } = {}): PushRequest {
  const body = Buffer.from(JSON.stringify(told));
  return { path, headers: { 'x-told-signature': signatureOf(body, secret), 'content-type': 'application/json' }, body };
}

/** Sends a push to its address, as its platform does, or as somebody else who has another secret; gives the answer. */
export async function sendPush(url: string, told: readonly PushedEvent[], secret = SECRET) {
  const { headers, body } = requestOf(told, { secret });
  const answer = await fetch(url, { method: 'POST', headers, body: body as Uint8Array<ArrayBuffer> });
  return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
}

/** What one reading brings, where the next one begins, and whether there is more. */
export const reading = (cursor: unknown, events: readonly InboundEvent[] = [], more = false): InboundBatch => ({
  events,
  cursor,
  more,
});

const person = (id: string) => ({ id, name: `Person ${id}` });

export function comment(id: string, more: Partial<PlatformComment> = {}): PlatformComment {
  return {
    platform_id: id,
    platform_post_id: 'post-1',
    author: person('fan'),
    is_owner: false,
    text: `comment ${id}`,
    media: [],
    created_at: DAWN,
    like_count: 0,
    reply_count: 0,
    is_hidden: false,
    is_liked: false,
    capabilities: { can_reply: true, can_delete: true, can_hide: true, can_like: true, can_private_reply: true },
    ...more,
  };
}

export const thread = (id = 'fan', more: Partial<PlatformConversation> = {}): PlatformConversation => ({
  platform_id: id,
  participant: person(id),
  ...more,
});

function message(id: string, more: Partial<PlatformMessage> = {}): PlatformMessage {
  return { platform_id: id, direction: 'incoming', text: `message ${id}`, attachments: [], created_at: DAWN, ...more };
}

export const said = (id: string, more: Partial<PlatformMessage> = {}, conversation = thread()): InboundEvent => ({
  kind: 'message',
  conversation,
  message: message(id, more),
});

export const commented = (id: string, more: Partial<PlatformComment> = {}): InboundEvent => ({
  kind: 'comment',
  comment: comment(id, more),
});

const mention = (id: string, more: Partial<PlatformMention> = {}): PlatformMention => ({
  platform_id: id,
  platform_post_id: `of-${id}`,
  mention_type: 'post',
  author: person('fan'),
  text: `mention ${id}`,
  media: [],
  created_at: DAWN,
  ...more,
});

export const mentioned = (id: string, more: Partial<PlatformMention> = {}): InboundEvent => ({
  kind: 'mention',
  mention: mention(id, more),
});

export const review = (id: string, more: Partial<PlatformReview> = {}): PlatformReview => ({
  platform_id: id,
  rating: 5,
  author: person('fan'),
  text: `review ${id}`,
  created_at: DAWN,
  updated_at: DAWN,
  ...more,
});

export const reviewed = (id: string, more: Partial<PlatformReview> = {}): InboundEvent => ({
  kind: 'review',
  review: review(id, more),
});
