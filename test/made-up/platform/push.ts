import { createHmac } from 'node:crypto';
import * as z from 'zod';
import { safeEqual } from '#kernel/sign.ts';
import { parseBigJson } from '#kernel/text/json.ts';
import type { AccountCall } from '#platforms/call.ts';
import type { Inbox, InboundEvent, SkippedPage } from '#platforms/inbound.ts';
import type { Push, PushRequest, PushedEvent } from '#platforms/push.ts';
import { isRefused } from '#platforms/shared/errors.ts';
import { path } from '#platforms/shared/rest.ts';
import { Id, listOf, Nothing, readPage, request, Time } from './api.ts';
import {
  CommentBody,
  commentOf,
  MentionBody,
  mentionOf,
  MessageBody,
  messageOf,
  ReviewBody,
  reviewOf,
  ThreadBody,
  threadOf,
} from './inbox.ts';
import { permalinkOf } from './posts.ts';

const ISSUER = 'https://plaza.test';

const hmac = (secret: string, text: string | Uint8Array) => createHmac('sha256', secret).update(text).digest('hex');

const Happening = z.discriminatedUnion('type', [
  z.object({ type: z.literal('comment'), comment: CommentBody }),
  z.object({ type: z.literal('message'), thread: ThreadBody, message: MessageBody }),
  z.object({ type: z.literal('referral'), id: Id, thread: ThreadBody, at: Time, ref: z.string() }),
  z.object({
    type: z.literal('postback'),
    id: Id,
    thread: ThreadBody,
    at: Time,
    title: z.string(),
    payload: z.string(),
  }),
  z.object({
    type: z.literal('receipt'),
    status: z.enum(['delivered', 'read', 'failed']),
    thread: Id,
    message: Id.optional(),
    mark: z.string().optional(),
    until: Time.optional(),
    at: Time,
  }),
  z.object({ type: z.literal('mention'), mention: MentionBody }),
  z.object({ type: z.literal('review'), review: ReviewBody }),
  z.object({ type: z.literal('alias'), thread: Id, alias: Id }),
  z.object({ type: z.literal('named'), ticket: z.string(), post: Id }),
  z.object({ type: z.literal('revoked') }),
  z.object({ type: z.literal('deletion') }),
]);

/** What happened, as the inbox knows it. */
function eventOf(happening: z.output<typeof Happening>, permalink: (id: string) => string | undefined): InboundEvent {
  switch (happening.type) {
    case 'comment':
      return { kind: 'comment', comment: commentOf(happening.comment) };
    case 'message':
      return { kind: 'message', conversation: threadOf(happening.thread), message: messageOf(happening.message) };
    case 'referral': {
      const { id, thread, at, ref } = happening;
      return { kind: 'referral', conversation: threadOf(thread), platform_id: id, referral: { ref, source: 'AD' }, at };
    }
    case 'postback': {
      const { id, thread, at, title, payload } = happening;
      return { kind: 'postback', conversation: threadOf(thread), platform_id: id, title, payload, at };
    }
    case 'receipt': {
      const { status, thread: conversation, message, mark, until: watermark, at } = happening;
      const failed = { code: 'platform.test_plaza.not_deliverable', message: 'The message got lost.' } as never;
      return {
        kind: 'receipt',
        status,
        conversation,
        message_ids: message === undefined ? undefined : [message],
        watermark,
        correlation_id: mark,
        ...(status === 'failed' && { error: failed }),
        at,
      };
    }
    case 'mention':
      return { kind: 'mention', mention: mentionOf(happening.mention) };
    case 'review':
      return { kind: 'review', review: reviewOf(happening.review) };
    case 'named': {
      const { ticket: was, post } = happening;
      return { kind: 'post_named', was, platform_id: post, permalink: permalink(post) };
    }
    case 'alias': {
      const { thread: platform_id, alias } = happening;
      return { kind: 'alias', thing: 'conversation', platform_id, alias };
    }
    case 'revoked':
      return { kind: 'revoked', why: 'The app was removed in the settings of Plaza.' };
    case 'deletion':
      return { kind: 'deletion' };
  }
}

function read({ body }: PushRequest): readonly PushedEvent[] {
  const happening = Happening.safeParse(parseBigJson(Buffer.from(body).toString()));
  return happening.success ? [{ event: eventOf(happening.data, () => undefined) }] : [];
}

/** Each account has an address with a secret; reviews come as JWTs. */
export const push: Push = {
  scope: 'account',
  handshake: {
    challenge: ['challenge'],
    answer: (challenge, _query, { account }) =>
      account === undefined ? undefined : { type: 'json', body: JSON.stringify({ proof: hmac(account, challenge) }) },
  },
  async verify({ headers, body }, { account, callback, hosts, jwt }) {
    const [, token] = /^Bearer (\S+)$/.exec(headers['authorization'] ?? '') ?? [];
    if (token !== undefined) {
      const jwksUrl = `${hosts['api']!}/keys`;
      return (await jwt(token, { jwksUrl, issuer: ISSUER, audience: callback })) !== undefined;
    }
    return account !== undefined && safeEqual(headers['x-plaza-signature'] ?? '', hmac(account, body));
  },
  read,
  reply: () => ({ thanks: true }),
  confirmDeletion: (request, { url, code }) =>
    read(request).some(({ event }) => event.kind === 'deletion') ? { status_page: url, code } : undefined,
  async subscribe(call, { callback, secret }) {
    const Subscribed = z.object({ id: Id, until: Time });
    const json = { callback, secret };
    const { id, until } = await request(call, { method: 'POST', path: '/subscriptions', json }, Subscribed);
    return { until, kept: id };
  },
  async isSubscribed(call, kept) {
    const ask = { method: 'GET', ...path`/subscriptions/${{ subscription: String(kept) }}` } as const;
    return (await request(call, ask, z.object({ active: z.boolean() }))).active;
  },
  unsubscribe: async (call, kept) =>
    void (await request(
      call,
      { method: 'DELETE', ...path`/subscriptions/${{ subscription: String(kept) }}` },
      Nothing,
    )),
};

const Stall = z.object({ id: Id });

/** The conversations of all stalls; a stall that refuses keeps no other one back. */
async function history(call: AccountCall) {
  const stalls = await readPage(call, { path: '/stalls' }, {}, Stall);
  const events: InboundEvent[] = [];
  const skipped: SkippedPage[] = [];
  for (const { id: stall } of stalls.items) {
    try {
      const { items: threads } = await readPage(call, { path: '/threads' }, { stall }, ThreadBody);
      for (const thread of threads) {
        const messages = await readPage(call, path`/threads/${{ thread: thread.id }}/messages`, {}, MessageBody);
        const conversation = threadOf(thread);
        events.push(
          ...messages.items.map((one) => ({ kind: 'message' as const, conversation, message: messageOf(one) })),
        );
      }
    } catch (error) {
      if (!isRefused(error, 'permission_denied')) throw error;
      skipped.push({ page: stall, error });
    }
  }
  return { events, cursor: null, more: false, skipped };
}

const POLL = { bucket: 'polls', units: 1 };

/** Nobody pushes here while a subscription is missing: then it is asked what happened. */
async function poll(call: AccountCall, cursor: unknown) {
  const query = { from: typeof cursor === 'string' ? cursor : '0' };
  const { items, next } = await request(call, { method: 'GET', path: '/events', query, cost: POLL }, listOf(Happening));
  return { events: items.map((one) => eventOf(one, (id) => permalinkOf(call.hosts, id))), cursor: next, more: false };
}

export const inbox: Inbox = { history, poll: { everyMs: 60_000, when: 'unpushed', cost: POLL, read: poll } };
