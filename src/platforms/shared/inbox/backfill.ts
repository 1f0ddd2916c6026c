import * as z from 'zod';
import type { AccountCall } from '../../call.ts';
import type { InboundBatch, InboundEvent } from '../../inbound.ts';
import type { ListedPost } from '../../posts.ts';
import type { Person, PlatformConversation } from '../../inbox-types.ts';
import { isRefusal } from '../../retry-policy.ts';

/** One read of a list; `after` is the cursor of the next read, absent at the end. */
export type Stretch = Readonly<{ events: readonly InboundEvent[]; after?: string | undefined }>;

/** A list that a backfill reads. `name` is for the log; `reads` limits the number of reads (1 by default). */
export type BackfillPart = Readonly<{
  name: string;
  reads?: number;
  read(call: AccountCall, after: string | undefined): Promise<Stretch>;
}>;

/** The remaining parts (the first is being read), and the number of reads and the cursor of that one. */
const Position = z.object({ left: z.array(z.string()), reads: z.int(), after: z.string().optional() });

/** Reads the parts of a backfill one after the other; a part that the platform refuses is skipped. */
export function backfillBy(partsOf: (call: AccountCall) => readonly BackfillPart[]) {
  return async function history(call: AccountCall, cursor: unknown): Promise<InboundBatch> {
    const parts = partsOf(call);
    const at = Position.safeParse(cursor).data ?? { left: parts.map(({ name }) => name), reads: 0 };
    const [name, ...rest] = at.left;
    const behind = { left: rest, reads: 0 };
    const part = parts.find((one) => one.name === name);
    if (part === undefined) return { events: [], cursor: behind, more: rest.length > 0 };
    try {
      const { events, after } = await part.read(call, at.after);
      const goesOn = after !== undefined && at.reads + 1 < (part.reads ?? 1);
      const next = goesOn ? { ...at, reads: at.reads + 1, after } : behind;
      return { events, cursor: next, more: next.left.length > 0 };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return { events: [], cursor: behind, more: rest.length > 0, skipped: [{ page: part.name, error }] };
    }
  };
}

/** Converts listed posts to inbound events, so that their comments can be read. */
export function postEventsOf(posts: readonly ListedPost[]): readonly InboundEvent[] {
  return posts.map(({ platform_post_id, page_id, text, permalink, media, metrics, created_at }) => ({
    kind: 'post',
    post: {
      platform_id: platform_post_id,
      page_id,
      text,
      permalink,
      thumbnail: media.find(({ type }) => type === 'image')?.url,
      comment_count: metrics?.comments ?? 0,
      like_count: metrics?.likes ?? 0,
      published_at: created_at,
    },
  }));
}

/** Adds the person's profile by calling `read`, unless the conversation already has their name. */
export async function introduced(
  conversation: PlatformConversation,
  read: (person: string) => Promise<Omit<Person, 'id'>>,
): Promise<PlatformConversation> {
  const { participant } = conversation;
  if (participant.name !== '') return conversation;
  return { ...conversation, participant: { ...participant, ...(await read(participant.id)) } };
}
