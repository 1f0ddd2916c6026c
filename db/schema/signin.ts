import type { Role } from '#kernel/people/roles.ts';

/** Tables of sessions and of the links with which people become users. Conventions are in database.ts. */
export type SigninTables = {
  web_sessions: WebSessionsTable;
  setup_links: SetupLinksTable;
  invitations: InvitationsTable;
  password_links: PasswordLinksTable;
};

/** A browser that is signed in; the id is the SHA-256 of its cookie. */
type WebSessionsTable = {
  id: string;
  user_id: string;
  created_at: number;
  /** The idle timeout or the maximum lifetime, whichever ends first. */
  expires_at: number;
  /** The browser's User-Agent header. */
  agent: string | null;
};

/** Links for setting up a new server; the id is the SHA-256 of the token. */
type SetupLinksTable = { id: string; expires_at: number };

/** People who were invited to a workspace and have not joined yet. */
type InvitationsTable = {
  id: string;
  workspace_id: string;
  token_hash: string;
  email: string;
  role: Role;
  invited_by: string;
  created_at: number;
  expires_at: number;
};

/** Links with which people who forgot their password set a new one. */
type PasswordLinksTable = { token_hash: string; user_id: string; created_at: number; expires_at: number };
