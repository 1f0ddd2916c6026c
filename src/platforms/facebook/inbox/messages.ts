import { graphMessages, MESSAGE_PARTS, type Messenger } from '../../graph/messaging.ts';
import { graphPrivateReply } from '../../graph/private-replies.ts';
import { pageAt, pageNamed } from '../accounts/places.ts';
import { asPage } from '../api.ts';

export const messenger = Object.freeze<Messenger>({
  platform: 'messenger',
  ownerOf: pageNamed,
  hasPages: true,
  hasMarks: true,
  request: asPage,
});

/** Messages of a page to people who wrote to it. Tags are not supported: Facebook refuses messages after the window. */
export const messages = graphMessages(
  messenger,
  Object.freeze({ ...MESSAGE_PARTS, text: Object.freeze({ max: 2000, counting: 'chars' }) }),
);

export const privateReply = graphPrivateReply(messenger, pageAt);
