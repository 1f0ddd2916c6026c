import * as z from 'zod';
import { PushedId, maybePushedId } from '../graph/fields.ts';
import { completing } from '../graph/push-messages.ts';
import { byField, graphPush, reading, verifyTokenSetting } from '../graph/push.ts';
import type { Push, PushedEvent } from '../push.ts';
import { mentionOf } from './inbox/mentions.ts';
import { commentOf, readComment } from './inbox/replies.ts';
import { Thread } from './media.ts';

const Change = z.object({ field: z.string(), value: z.unknown() });
/** One change, or several to the same object; `target_id` is the profile or its post. */
const Update = z.object({ target_id: maybePushedId, values: z.unknown() });

const Root = z.object({ id: PushedId, owner_id: PushedId.optional(), username: z.string().optional() });
const Reply = Thread.extend({ root_post: Root });
const Deleted = z.object({ id: PushedId, owner: z.object({ owner_id: PushedId }).optional().catch(undefined) });

/** The verify token of webhooks, which can only be set up in the app's dashboard. */
export const VERIFY_TOKEN = verifyTokenSetting('THREADS_VERIFY_TOKEN');

type About = Readonly<{ target: string | undefined }>;

const readChange = byField<About, PushedEvent>({
  replies: reading(Reply, (reply, { target }) => {
    const { id: post, owner_id: user = target, username } = reply.root_post;
    const comment = commentOf(reply, { post, isOwn: reply.username === username });
    return { user, event: { kind: 'comment', comment } };
  }),
  mentions: reading(Thread, (mention, { target: user }) => {
    return { user, event: { kind: 'mention', mention: mentionOf(mention) } };
  }),
  delete: reading(Deleted, ({ id, owner }, { target }) => {
    return { user: owner?.owner_id ?? target, event: { kind: 'comment_gone', platform_id: id } };
  }),
});

/** Webhooks of Threads, which have a form without entries. */
export const push = Object.freeze<Push>({
  ...graphPush({ title: 'Threads', byHand: VERIFY_TOKEN, eventsOf }),
  // A push omits the files of a reply and whether it is hidden, so both are read.
  complete: completing({ comment: readComment }),
});

function eventsOf(body: unknown): readonly PushedEvent[] {
  const update = Update.safeParse(body);
  if (!update.success) return [];
  const { target_id: target, values } = update.data;
  return [values].flat().flatMap((value) => {
    const { data: change } = Change.safeParse(value);
    return (change && readChange(change.field, change.value, { target })) ?? [];
  });
}
