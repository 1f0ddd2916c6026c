import type { AccountRow } from '../../db/accounts.ts';
import type { Network } from '../../db/schema.ts';
import type { Acting, Hosts, OpenedMedia, OutgoingMedia, Platform } from '../platforms/platform.ts';

/** Where a post or message takes a media item from (spec: `source`, `source_type`). */
export type MediaRef = Readonly<{
  source: string;
  source_type: 'url' | 'media_id' | 'platform_attachment_id';
  type?: 'image' | 'video' | 'audio' | 'file' | undefined;
}>;

/** What publishing needs of the media room. */
export type MediaSource = Readonly<{
  /**
   * The facts of the items, in order, without fetching anything; `ref` of each answer is what `open` takes.
   * Refuses media.not_found and media.not_ready.
   */
  describe(workspaceId: string, refs: readonly MediaRef[]): Promise<readonly OutgoingMedia[]>;
  /**
   * The bytes of an item; a URL is fetched under the address guard and typed by its content. They count as held until
   * `until` settles, and who opens more than all may hold waits for others to end.
   */
  open(workspaceId: string, ref: string, until: Promise<unknown>): Promise<OpenedMedia>;
}>;

/** Acting for a connected account: its session is fresh, refreshed once when refused, and flagged when dead. */
export type Sessions = Readonly<{
  /** Where a platform is reached on a network. */
  hosts(platform: Platform, network: Network): Hosts;
  use<T>(account: AccountRow, act: (acting: Acting) => Promise<T>): Promise<T>;
}>;

export type { CrashPoint } from './crash-points.ts';
