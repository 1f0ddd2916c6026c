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
import type { Workshop } from './pictures/workshop.ts';
import type { Spool } from './spool.ts';
import type { MediaFiles, StoredFile } from './storage/files.ts';

export type MediaDeps = Readonly<{
  store: Pick<Store, 'db' | 'write'>;
  lists: Lists;
  files: MediaFiles;
  clock: Pick<Clock, 'now'>;
  newId: typeof newId;
  outbound: Pick<Outbound, 'send' | 'refusesHost'>;
  addresses: Addresses;
  rootUrl: string;
  /** The base URLs at which the platforms of each network reach this server. */
  bases: Readonly<Record<Network, string>>;
  maxBytes: number;
  spool: Spool;
  cleanStored: CleanStored;
  workshop: Workshop;
  /** Published files keep their camera metadata. */
  keepMetadata: boolean;
  warn: Log['warn'];
  present(row: MediaRow): MediaItem;
  /** Tries to remove the bytes of a deleted or failed item; the sweep removes what is left. */
  forget(file: StoredFile): Promise<void>;
}>;
