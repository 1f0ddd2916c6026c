import { graphMessages, type Messenger } from '../../graph/messaging.ts';
import { graphPrivateReply } from '../../graph/private-replies.ts';
import type { MessageParts } from '../../messages.ts';
import { asAccount, ownerOf, userOf } from '../api.ts';

const WEEK_MS = 7 * 86_400_000;

export const messenger = Object.freeze<Messenger>({
  platform: 'instagram',
  ownerOf,
  selfOf: userOf,
  hasPages: false,
  hasMarks: false,
  request: (call, _owner, ask, schema) => asAccount(call, ask, schema),
});

const PARTS = Object.freeze({
  text: Object.freeze({ max: 1000, counting: 'bytes' }),
  attachments: Object.freeze({
    kinds: Object.freeze(['image', 'video', 'audio', 'file'] as const),
    sources: Object.freeze(['media_id', 'url'] as const),
    max_bytes: 25 * 1024 * 1024,
    pulls: true,
    captions: 'bubble',
  }),
  buttons: Object.freeze({ types: Object.freeze(['url', 'postback'] as const), text_max: 640 }),
  cards: Object.freeze({ max: 10 }),
  quick_replies: Object.freeze({ max: 13 }),
  reply_to: true,
} satisfies MessageParts);

/** Messages to people who wrote to the account; a person may answer them for a week. */
export const messages = graphMessages(messenger, Object.freeze({ ...PARTS, tags: { HUMAN_AGENT: WEEK_MS } }));

/** The same by Facebook login: without a tag, but with attachments that were uploaded before. */
export const pageMessages = graphMessages(
  messenger,
  Object.freeze({
    ...PARTS,
    attachments: Object.freeze({
      ...PARTS.attachments,
      sources: Object.freeze(['media_id', 'url', 'platform_attachment_id'] as const),
    }),
  }),
);

/** A message to the author of a comment on a post of the account. */
export const privateReply = graphPrivateReply(messenger, ownerOf);
