import type { MediaRow } from '#db/posts/media.ts';
import type { Network } from '#db/schema/database.ts';
import type { Store } from '#db/store/store.ts';
import type { Clock } from '#kernel/clock.ts';
import type { newId } from '#kernel/ids.ts';
import type { Lists } from '#kernel/pagination.ts';
import type { Outbound } from '#kernel/net/request.ts';
import type { Log } from '#kernel/log.ts';
import type { Addresses } from './addresses.ts';
import type { CleanStored } from './clean/clean.ts';
import type { MediaItem } from './item.ts';
import type { Spool } from './spool.ts';
import type { MediaFiles, StoredFile } from './storage/files.ts';

/** What the parts of the media module share. */
export type MediaDeps = Readonly<{
  store: Pick<Store, 'db' | 'write'>;
  lists: Lists;
  files: MediaFiles;
  clock: Pick<Clock, 'now'>;
  newId: typeof newId;
  outbound: Pick<Outbound, 'send' | 'refusesHost'>;
  addresses: Addresses;
  rootUrl: string;
  /** Where the platforms of each network reach this server. */
  bases: Readonly<Record<Network, string>>;
  maxBytes: number;
  /** What was fetched from URLs for posts and messages. */
  spool: Spool;
  cleanStored: CleanStored;
  warn: Log['warn'];
  present(row: MediaRow): MediaItem;
  /** Removes bytes whose item is gone or failed. That they cannot be removed now undoes nothing: the sweep finds them. */
  forget(file: StoredFile): Promise<void>;
}>;
