import { DAY } from '#kernel/clock.ts';
import { graphMessages, MESSAGE_PARTS, type Messenger } from '../../graph/messaging.ts';
import { graphPrivateReply } from '../../graph/private-replies.ts';
import type { MessageParts } from '../../messages.ts';
import { asAccount, ownerOf, userOf } from '../api.ts';

const WEEK_MS = 7 * DAY;

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

/** Messages with Instagram login; with a tag, the account can reply to people for a week. */
export const messages = graphMessages(
  messenger,
  Object.freeze({
    ...PARTS,
    attachments: Object.freeze({ ...PARTS.attachments, sources: Object.freeze(['media_id', 'url'] as const) }),
    tags: { HUMAN_AGENT: WEEK_MS },
  }),
);

/** Messages with Facebook login: no tag extends the window, but ids of uploaded attachments are accepted. */
export const pageMessages = graphMessages(messenger, PARTS);

export const privateReply = graphPrivateReply(messenger, ownerOf);
