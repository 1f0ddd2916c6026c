import { deleteConnectedClient, listConnectedClients } from '#db/access/oauth-clients.ts';
import type { Store } from '#db/store/store.ts';
import { isoTime, type Clock } from '#kernel/clock.ts';
import { SCOPE } from './constants.ts';

export type ConnectedApp = Readonly<{
  client_id: string;
  name: string;
  /** Hosts it redirects to. */
  hosts: readonly string[];
  scope: string;
  connected_at: string;
  last_refreshed_at: string;
}>;

export function makeApps({ store, clock }: Readonly<{ store: Store; clock: Clock }>) {
  return Object.freeze({
    async list(userId: string): Promise<readonly ConnectedApp[]> {
      const rows = await listConnectedClients(store.db, userId, clock.now());
      return rows.map((row) => {
        // A client without registration has no row: its id is the URL of its document.
        const uris = row.redirect_uris === null ? [row.client_id] : row.redirect_uris;
        const hosts = [...new Set(uris.map((uri) => URL.parse(uri)?.host ?? uri))];
        return Object.freeze({
          client_id: row.client_id,
          name: row.name ?? hosts[0]!,
          hosts,
          scope: SCOPE,
          connected_at: isoTime(row.connected_at),
          last_refreshed_at: isoTime(row.used_at),
        });
      });
    },
    /** Ends a user's grants to a client; access tokens stay valid until they expire. False if there was none. */
    revoke: (userId: string, clientId: string): Promise<boolean> =>
      store.write((tx) => deleteConnectedClient(tx.db, userId, clientId)),
  });
}
