import type { Scene, SendCase } from './subject.ts';

type Seen = SendCase['seen'];

/** Says something in the conversation of a scene. */
export const say = ({ rest, conversation }: Scene, text: string, more: object = {}) =>
  rest(`POST /v1/inbox/conversations/${conversation}/messages`, { text, ...more });

/** Writes below the post of a scene. */
export const comment = ({ rest, post }: Scene, text: string) => rest(`POST /v1/inbox/comments/${post}`, { text });

/** A message in the conversation. */
export const messageCase = (seen: Seen): SendCase => ({
  call: ({ conversation }) => `POST /v1/inbox/conversations/${conversation}/messages`,
  ask: (_scene, text) => ({ text }),
  seen,
});

/** A reply to the comment. */
export const replyCase = (seen: Seen): SendCase => ({
  call: ({ post }) => `POST /v1/inbox/comments/${post}`,
  ask: ({ comment }, text) => ({ text, comment_id: comment }),
  seen,
});

/** A comment on the post. */
export const commentCase = (seen: Seen): SendCase => ({
  call: ({ post }) => `POST /v1/inbox/comments/${post}`,
  ask: (_scene, text) => ({ text }),
  seen,
});

/** The reply to the review. */
export const reviewReplyCase = (seen: Seen): SendCase => ({
  call: ({ review }) => `POST /v1/inbox/reviews/${review}/reply`,
  ask: (_scene, text) => ({ text }),
  seen,
});
