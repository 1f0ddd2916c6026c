import { graphMessages, MESSAGE_PARTS, type Messenger } from '../../graph/messaging.ts';
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
  request: (call, _owner, request, schema) => asAccount(call, request, schema),
});

const PARTS = Object.freeze({
  ...MESSAGE_PARTS,
  text: Object.freeze({ max: 1000, counting: 'bytes' }),
  attachments: Object.freeze({ ...MESSAGE_PARTS.attachments, pulls: true }),
} satisfies MessageParts);

/** Messages to people who wrote to the account; a person may answer them for a week. */
export const messages = graphMessages(
  messenger,
  Object.freeze({
    ...PARTS,
    attachments: Object.freeze({ ...PARTS.attachments, sources: Object.freeze(['media_id', 'url'] as const) }),
    tags: { HUMAN_AGENT: WEEK_MS },
  }),
);

/** The same by Facebook login: without a tag, but with attachments that were uploaded before. */
export const pageMessages = graphMessages(messenger, PARTS);

/** A message to the author of a comment on a post of the account. */
export const privateReply = graphPrivateReply(messenger, ownerOf);
