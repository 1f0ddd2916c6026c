import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import { graphPush, verifyTokenSetting } from '../graph/push.ts';
import { Key } from '../graph/push-values.ts';
import type { InboundEvent } from '../inbound.ts';
import type { Push, PushedEvent } from '../push.ts';
import { mentionOf } from './inbox/mentions.ts';
import { commentOf, readReply } from './inbox/replies.ts';
import { Thread } from './media.ts';

const Change = z.object({ field: z.string(), value: z.unknown() });
/** One update, or several about the same; `target_id` is the profile, or its post. */
const Update = z.object({ target_id: Key.optional().catch(undefined), values: z.unknown() });

const Root = z.object({ id: Key, owner_id: Key.optional(), username: z.string().optional() });
const Reply = Thread.extend({ root_post: Root });
const Deleted = z.object({ id: Key, owner: z.object({ owner_id: Key }).optional().catch(undefined) });

/** Only the dashboard of the app can set up webhooks. */
export const VERIFY_TOKEN = verifyTokenSetting('THREADS_VERIFY_TOKEN');

/** Webhooks of Threads, whose bodies have no entries, and the callbacks of the app. */
export const push = Object.freeze<Push>({
  ...graphPush({ title: 'Threads', byHand: VERIFY_TOKEN, eventsOf }),
  complete,
});

function eventsOf(body: unknown): readonly PushedEvent[] {
  const update = Update.safeParse(body);
  if (!update.success) return [];
  const { target_id: target, values } = update.data;
  return [values].flat().flatMap((value) => {
    const change = Change.safeParse(value);
    return (change.success ? pushedEvent(change.data, target) : undefined) ?? [];
  });
}

function pushedEvent({ field, value }: z.output<typeof Change>, target: string | undefined): PushedEvent | undefined {
  if (field === 'replies') {
    const { data: reply } = Reply.safeParse(value);
    if (reply === undefined) return undefined;
    const { id: post, owner_id: owner, username } = reply.root_post;
    const comment = commentOf(reply, { post, isOwn: reply.username === username });
    return { user: owner ?? target, event: { kind: 'comment', comment } };
  }
  if (field === 'mentions') {
    const { data: mention } = Thread.safeParse(value);
    return mention && { user: target, event: { kind: 'mention', mention: mentionOf(mention) } };
  }
  if (field === 'delete') {
    const { data: deleted } = Deleted.safeParse(value);
    const user = deleted?.owner?.owner_id ?? target;
    return deleted && { user, event: { kind: 'comment_gone', platform_id: deleted.id } };
  }
  return undefined;
}

/** Reads what a push omits of a reply: its files, and whether it is hidden. */
async function complete(call: AccountCall, event: InboundEvent): Promise<InboundEvent> {
  if (event.kind !== 'comment') return event;
  const { platform_id: comment, platform_post_id: post, is_owner } = event.comment;
  return { ...event, comment: commentOf(await readReply(call, comment), { post, isOwn: is_owner }) };
}
