import { SCOPES, type Scope } from '../scopes.ts';

const READS = (Object.keys(SCOPES) as Scope[]).filter((scope) => scope.endsWith(':read'));

type RoleWords = Readonly<{ title: string; meaning: string; scopes?: readonly Scope[] }>;

/** What people are in a workspace, with the scopes they have; without any, everything. */
const ROLES: Readonly<Record<'owner' | 'admin' | 'editor' | 'viewer', RoleWords>> = Object.freeze({
  owner: { title: 'Owner', meaning: 'Everything, and only the owner can delete the workspace or hand it over.' },
  admin: {
    title: 'Administrator',
    meaning: 'Everything but deleting the workspace or handing it over: also people, accounts, API keys and settings.',
  },
  editor: {
    title: 'Editor',
    meaning: 'Writes and publishes posts, answers the inbox, and decides about what assistants ask.',
    scopes: [...READS, 'posts:write', 'media:write', 'inbox:write', 'dms:send'],
  },
  viewer: { title: 'Viewer', meaning: 'Reads posts, inbox and analytics, and changes nothing.', scopes: READS },
});

export type Role = keyof typeof ROLES;

/** The roles that administrators give; the owner's is handed over. */
export const GIVEN_ROLES = Object.freeze(['admin', 'editor', 'viewer'] as const satisfies readonly Role[]);

/** The roles whose people may do everything but what is the owner's. */
export const ADMINISTRATORS = Object.freeze(['owner', 'admin'] as const satisfies readonly Role[]);

export const ALL_ROLES = Object.freeze(Object.keys(ROLES) as [Role, ...Role[]]);

/** A role in the words of the dashboard, and what it may do in a sentence. */
export const wordsOf = (role: Role): Readonly<{ title: string; meaning: string }> => ROLES[role];

/** The scopes of a role; undefined means all. */
export const scopesOf = (role: Role): readonly Scope[] | undefined => ROLES[role].scopes;
