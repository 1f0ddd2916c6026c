import type { Authority, Workspace } from '#kernel/authority.ts';

export type Caller = Readonly<{
  kind: 'key' | 'oauth' | 'dashboard';
  /** Key id, or the id of the token's grant. */
  id: string;
  name: string;
  userId: string;
  workspace: Workspace;
  authority: Authority;
  /** Set when a dashboard token belongs to a person without a user here: all they may do is create one. */
  newcomer?: Readonly<{
    email: string;
    name: string;
    /** The identity provider vouches for the email address: an existing user who has it is this person. */
    vouched?: boolean | undefined;
  }>;
}>;
