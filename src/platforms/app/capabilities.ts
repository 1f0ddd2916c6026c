import type { Capability } from '../support.ts';

/** A list of features that one permission of a platform usually grants. */
const group = <const C extends readonly Capability[]>(...features: C): C => features;

export const PUBLISHING = group(
  'post text',
  'post images',
  'post video',
  'post document',
  'several images',
  'thread',
  'first comment',
);

export const READING_COMMENTS = group('list comments', 'list replies');

export const ANSWERING_COMMENTS = group(
  'reply to a comment',
  'delete a comment',
  'hide a comment',
  'like a comment',
  'first comment',
  'reply to a mention',
);

export const SENDING_MESSAGES = group(
  'send a message',
  'message with image',
  'message with video',
  'message with audio',
  'message with file',
  'attachment by platform id',
  'voice message',
  'buttons in a message',
  'cards',
  'quick replies',
  'list message',
  'reply to a message',
  'message tag',
  'private reply',
);

export const MESSAGING = group('read conversations', 'mark as read', ...SENDING_MESSAGES);
