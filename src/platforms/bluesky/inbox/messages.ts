import * as z from 'zod';
import { MINUTE } from '#kernel/clock.ts';
import { lengthOf } from '#kernel/text/length.ts';
import type { BubbleRequest, Messages, SentMessage } from '../../messages.ts';
import type { AccountCall } from '../../call.ts';
import { MOST_PER_PAGE, type MessageView, chat, listMessages } from './chat.ts';
import { findMentioned } from '../posts/compose.ts';
import { sessionOf } from '../accounts/session.ts';
import { type Facet, facetsOf, findSpans } from '../posts/text.ts';
import { unfit } from '../../shared/errors.ts';

const MOST_CHARACTERS = 1000;
const MOST_BYTES = 10_000;
/** The greatest clock difference assumed between two servers. */
const SKEW_MS = 5 * MINUTE;
const MOST_PAGES = 5;

type Plan = Readonly<{
  text: string;
  facets: readonly Facet[];
  before: readonly string[];
}>;

const Sent = z.object({ id: z.string().min(1), sentAt: z.string().optional() });

/** Direct messages with text only. The chat service has no idempotency keys, so a lost response needs a lookup. */
export const messages = Object.freeze<Messages>({
  parts: { text: { max: MOST_CHARACTERS, counting: 'graphemes', max_bytes: MOST_BYTES } },
  bubble: {
    async prepare(call, { conversation, bubble }): Promise<Plan> {
      const text = textOf(bubble);
      const dids = await findMentioned(call, findSpans(text));
      const { messages } = await listMessages(call, conversation.platform_id, { limit: MOST_PER_PAGE });
      const before = messages.filter((message) => hasText(call, message, text)).map(({ id }) => id);
      return { text, facets: facetsOf(text, dids), before };
    },
    async send(call, { conversation }, { prepared: plan }) {
      const { text, facets } = plan as Plan;
      const message = { text, ...(facets.length > 0 && { facets }) };
      const post = { convoId: conversation.platform_id, message };
      return sentOf(await chat(call, { method: 'sendMessage', post }, Sent));
    },
    async settle(call, { conversation }, { prepared: plan, sentAt, taken }) {
      const { text, before } = plan as Plan;
      let cursor: string | undefined;
      for (let left = MOST_PAGES; left > 0; left--) {
        const page = await listMessages(call, conversation.platform_id, { limit: MOST_PER_PAGE, cursor });
        const recent = page.messages.filter((message) => Date.parse(message.sentAt) >= sentAt - SKEW_MS);
        // Of several equal messages the oldest is ours, because nothing else was sent during this send.
        const found = recent.findLast(
          (message) => hasText(call, message, text) && !before.includes(message.id) && !taken.has(message.id),
        );
        if (found) return sentOf(found);
        if (recent.length < page.messages.length || page.cursor === undefined) return 'absent';
        cursor = page.cursor;
      }
      return 'unknown';
    },
  },
  async seen(call, { platform_id: convoId }) {
    await chat(call, { method: 'updateRead', post: { convoId } }, z.unknown());
  },
});

function textOf(bubble: BubbleRequest['bubble']): string {
  const text = bubble.kind === 'text' ? bubble.text.toWellFormed() : '';
  if (text.trim() === '') throw unfit('Bluesky does not send messages without text.');
  if (Buffer.byteLength(text) > MOST_BYTES || lengthOf(text, 'graphemes') > MOST_CHARACTERS) {
    throw unfit(`Bluesky accepts at most ${MOST_CHARACTERS} characters and ${MOST_BYTES} bytes in a message.`);
  }
  return text;
}

/** Whether the account sent this text; the network may trim white space around it. */
function hasText(call: AccountCall, { sender, text: ownText }: MessageView, text: string): boolean {
  return sender.did === sessionOf(call.session).did && ownText.trim().normalize() === text.trim().normalize();
}

function sentOf({ id, sentAt }: z.output<typeof Sent>): SentMessage {
  const at = Date.parse(sentAt ?? '');
  return { message_id: id, created_at: Number.isNaN(at) ? undefined : at };
}
