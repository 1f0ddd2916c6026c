import type { Authority, Workspace } from '#kernel/authority.ts';

/** Who calls, and with which authority. */
export type Caller = Readonly<{
  kind: 'key' | 'oauth' | 'dashboard';
  /** Key id, or the id of the token's grant. */
  id: string;
  name: string;
  userId: string;
  workspace: Workspace;
  authority: Authority;
  /** Set when a dashboard token is about a person who has no user here yet: all they may do is become one. */
  newcomer?: Readonly<{
    email: string;
    name: string;
    /** The identity host vouches for the address: a user who has it, by now, is this person. */
    vouched?: boolean | undefined;
  }>;
}>;
