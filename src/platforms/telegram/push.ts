import * as z from 'zod';
import { MINUTE } from '#kernel/clock.ts';
import { safeEqual } from '#kernel/sign.ts';
import type { AccountCall } from '../call.ts';
import type { Inbox, PollBatch } from '../inbound.ts';
import type { Push, PushRequest, PushedEvent } from '../push.ts';
import { isRefused, unlessRefused } from '../shared/errors.ts';
import { readable } from '../shared/fields.ts';
import { pushedJson } from '../shared/rest.ts';
import { request, botOf, type BotCall, Done, sessionOf } from './api.ts';
import { eventsOf } from './inbound/events.ts';
import { ownerIn, ownerOf } from './inbound/owner.ts';
import { ALLOWED_UPDATES, Update } from './inbound/update.ts';

const SECRET = 'x-telegram-bot-api-secret-token';

/** Stops the spinner on a tapped button; errors are ignored. */
const answerTap = (bot: BotCall, id: string): Promise<unknown> =>
  request(bot, 'answerCallbackQuery', { json: { callback_query_id: id } }, Done).catch(() => undefined);

const Webhook = z.object({ url: z.string(), allowed_updates: z.array(z.string()).default([]) });

export const push: Push = {
  scope: 'account',
  verify: ({ headers }, { account }) => account !== undefined && safeEqual(headers[SECRET] ?? '', account),
  read({ body, metadata = {}, hosts = {} }: PushRequest): readonly PushedEvent[] {
    const update = Update.safeParse(pushedJson(body));
    if (!update.success) return [];
    return eventsOf(update.data, ownerIn(metadata, hosts)).map((event) => ({ event }));
  },
  async complete(call, event) {
    if (event.kind === 'postback') await answerTap(botOf(call), event.platform_id);
    return event;
  },
  async subscribe(call, { callback, secret }) {
    const json = { url: callback, secret_token: secret, allowed_updates: ALLOWED_UPDATES };
    await request(botOf(call), 'setWebhook', { json }, Done);
    return { kept: callback };
  },
  async isSubscribed(call, kept) {
    const { url, allowed_updates: allowed } = await request(botOf(call), 'getWebhookInfo', {}, Webhook);
    // A subscription made by an earlier version may include fewer kinds of updates.
    return url === kept && ALLOWED_UPDATES.every((name) => allowed.includes(name));
  },
  unsubscribe: async (call) => void (await unlessRefused(request(botOf(call), 'deleteWebhook', {}, Done))),
};

const PAGE_SIZE = 100;

/** For this long after a poll is refused, a webhook that this server just created is assumed to be the cause. */
const WEBHOOK_SETTLES_MS = MINUTE;

const Refused = z.object({ since: z.number(), last: z.number() });

/** The number of the next update, and since when polls are refused because of a webhook. */
const Cursor = z.object({ next: z.number().optional(), refused: Refused.optional().catch(undefined) }).catch({});

async function poll(call: AccountCall, cursor: unknown): Promise<PollBatch> {
  const bot = botOf(call);
  const owner = ownerOf(sessionOf(call.session), call.hosts);
  const { next, refused } = Cursor.parse(cursor ?? {});
  const json = { limit: PAGE_SIZE, allowed_updates: ALLOWED_UPDATES, ...(next !== undefined && { offset: next }) };
  try {
    const given = await request(bot, 'getUpdates', { json }, z.array(z.looseObject({ update_id: z.number() })));
    const updates = readable(Update, given);
    const events = updates.flatMap((update) => eventsOf(update, owner));
    await Promise.all(updates.flatMap(({ callback_query: tap }) => (tap ? [answerTap(bot, tap.id)] : [])));
    const last = given.at(-1)?.update_id;
    const batch = {
      cursor: { next: last === undefined ? next : last + 1 },
      more: given.length === PAGE_SIZE,
    };
    return next === undefined ? { ...batch, events: [], baseline: events } : { ...batch, events };
  } catch (error) {
    if (!isRefused(error, 'duplicate')) throw error;
    // A webhook makes Telegram refuse polls. At first it may be our own; after a while it is foreign and deleted.
    const last = call.now();
    const since = refused && last - refused.last < WEBHOOK_SETTLES_MS ? refused.since : last;
    if (last - since < WEBHOOK_SETTLES_MS)
      return { events: [], cursor: { next, refused: { since, last } }, more: false };
    await request(bot, 'deleteWebhook', {}, Done);
    return { events: [], cursor: { next }, more: false };
  }
}

/** Polling for servers that Telegram cannot reach. */
export const inbox: Inbox = { poll: { everyMs: 5000, when: 'unpushed', read: poll } };
