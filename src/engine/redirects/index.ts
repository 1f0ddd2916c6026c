import {
  admitsRedirectUri,
  deleteRedirectUri,
  insertRedirectUri,
  listRedirectUris,
  type RedirectUriRow,
} from '#db/access/redirects.ts';
import type { Store } from '#db/store/store.ts';
import type { LogEntry } from '#db/store/tx.ts';
import type { Authority } from '#kernel/authority.ts';
import { isoTime, type Clock } from '#kernel/clock.ts';
import { fail, noSuch } from '#kernel/errors.ts';
import { newId } from '#kernel/ids.ts';
import { checkRedirectUri } from '#kernel/redirect-uri.ts';
import { sha256 } from '#kernel/sign.ts';

type RedirectDeps = Readonly<{ store: Store; clock: Clock }>;

function presentRedirect({ id, uri, label, created_at }: RedirectUriRow) {
  return { id, uri, label, created_at: isoTime(created_at) };
}

function entryOf({ workspace }: Authority, id: string, done: 'created' | 'deleted', uri: string): LogEntry {
  return {
    workspaceId: workspace,
    category: 'api',
    action: `redirect_uri_${done}`,
    status: 'success',
    resourceId: id,
    summary: `Redirect URI ${uri} ${done}`,
  };
}

/** The addresses to which a workspace's connections may redirect; any address if none is registered. */
export function makeRedirects({ store, clock }: RedirectDeps) {
  return Object.freeze({
    list: async (authority: Authority) => (await listRedirectUris(store.db, authority)).map(presentRedirect),

    async create(authority: Authority, uri: string, label: string | undefined) {
      checkRedirectUri(uri, 'uri');
      const now = clock.now();
      const row = {
        id: newId('rdr', now),
        workspace_id: authority.workspace,
        uri,
        uri_hash: sha256(uri),
        label: label ?? null,
        created_at: now,
      };
      const made = await store.write(async (tx) => {
        if (!(await insertRedirectUri(tx.db, row))) return false;
        await tx.log(entryOf(authority, row.id, 'created', uri));
        await tx.key?.record(presentRedirect(row));
        return true;
      });
      if (!made) fail('validation.redirect_uri_duplicate', { meta: { field: 'uri' } });
      return presentRedirect(row);
    },

    async remove(authority: Authority, id: string) {
      const deleted = await store.write(async (tx) => {
        const uri = await deleteRedirectUri(tx.db, authority, id);
        if (uri === undefined) return false;
        await tx.log(entryOf(authority, id, 'deleted', uri));
        return true;
      });
      if (!deleted) noSuch('redirect_uri', id);
      return { success: true, ok: true, id };
    },

    /** Once an address is registered, refuses all addresses that are not exactly equal to a registered one. */
    async admit(workspaceId: string, uri: string, field = 'redirect_uri'): Promise<void> {
      if (await admitsRedirectUri(store.db, workspaceId, sha256(uri))) return;
      fail('auth.oauth.invalid_redirect', { message: `This ${field} is not registered.`, meta: { field } });
    },
  });
}

export type Redirects = ReturnType<typeof makeRedirects>;
