import type { Scope } from '../scopes.ts';

type NoticeWords = Readonly<{
  title: string;
  meaning: string;
  /** The scope of those who can do something about it; without one, administrators. */
  scope?: Scope;
}>;

/** What people are told of by mail, with the words of the dashboard. */
export const NOTICES = Object.freeze({
  posts: {
    title: 'Posts that failed',
    meaning: 'A post was not published, or not on all of its accounts.',
    scope: 'posts:write',
  },
  accounts: {
    title: 'Accounts to connect again',
    meaning: 'A platform no longer accepts the connection of an account.',
  },
  requests: {
    title: 'Requests of assistants',
    meaning: 'An assistant asks for something that a person must approve.',
    scope: 'posts:write',
  },
} as const satisfies Record<string, NoticeWords>);

export type NoticeKind = keyof typeof NOTICES;

export const NOTICE_KINDS = Object.freeze(Object.keys(NOTICES) as [NoticeKind, ...NoticeKind[]]);
