import { graphMessages, type Messenger } from '../../graph/messaging.ts';
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

/** Messages of a page to people who wrote to it. Tags are not supported: outside the window Facebook refuses. */
export const messages = graphMessages(
  messenger,
  Object.freeze({
    text: Object.freeze({ max: 1000, counting: 'chars' }),
    attachments: Object.freeze({
      kinds: Object.freeze(['image', 'video', 'audio', 'file'] as const),
      sources: Object.freeze(['media_id', 'url', 'platform_attachment_id'] as const),
      max_bytes: 25 * 1024 * 1024,
      captions: 'bubble',
    }),
    buttons: Object.freeze({ types: Object.freeze(['url', 'postback'] as const), text_max: 640 }),
    cards: Object.freeze({ max: 10 }),
    quick_replies: Object.freeze({ max: 13 }),
    reply_to: true,
  }),
);

/** A message to the author of a comment on a post of a page. */
export const privateReply = graphPrivateReply(messenger, pageAt);
