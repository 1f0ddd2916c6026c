/** The capability that each of these pages needs of accounts. It is the only one that the server sends to them. */
export const ABILITIES = {
  analytics: 'post metrics',
  exports: 'sync of posts',
  inbox: 'list mentions',
} as const;

export type Ability = (typeof ABILITIES)[keyof typeof ABILITIES];
