/** Kinds of effects; each operation other than a read declares the most serious one that it can have. */
export const ACTS = Object.freeze({
  draft: 'Prepares or files something that nobody outside the workspace sees.',
  post: 'Publishes a post, now or at a set time.',
  message: 'Sends a private message to a person.',
  comment: 'Answers a comment, mention or review in public.',
  moderate: 'Hides or likes the comment of somebody else, or takes that back.',
  delete: 'Removes something for good.',
  connect: 'Connects, changes or disconnects an account.',
  admin: 'Manages the workspace: keys, brands, webhooks, users and redirect URIs.',
} as const);

export type Act = keyof typeof ACTS;
