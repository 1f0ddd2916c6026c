import type { AccountRow } from '#db/access/accounts.ts';
import type { Network } from '#db/schema/database.ts';
import type { AppFinder, Base, MediaSource, PageFinder, Sessions } from '#call/ports.ts';
import type { Authority, Workspace } from '#kernel/authority.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { AccountCall, Hosts, UnauthenticatedCall } from '#platforms/call.ts';
import type { Platforms } from '#platforms/lookup.ts';
import type { Platform } from '#platforms/platform.ts';
import type { HandshakeAnswer } from '#platforms/push.ts';
import type { Recorder } from './recorder.ts';
import type { Check, Trail } from './trail.ts';

export type VerifyDeps = Base &
  Readonly<{
    platforms: Platforms;
    apps: Pick<AppFinder, 'find'>;
    pages: PageFinder;
    calling: Readonly<{
      hosts(platform: Platform, network: Network): Hosts;
      bare(platform: Platform, network: Network): UnauthenticatedCall;
    }>;
    networkOf(slug: PlatformSlug): Network;
    sessionsOver(observe: Recorder['over']): Pick<Sessions, 'use'>;
    media: MediaSource &
      Readonly<{
        upload(
          workspace: Workspace,
          given: Readonly<{ file: AsyncIterable<Uint8Array>; filename: string }>,
        ): Promise<Readonly<{ id: string }>>;
        remove(authority: Authority, id: string): Promise<void>;
      }>;
    /** Responds to a platform's verification of a webhook address. */
    handshake(slug: string, path: string, query: Readonly<Record<string, string>>): Promise<HandshakeAnswer>;
    /** The verify token of an app's webhook address; undefined if no app is configured. */
    verifyTokenOf(slug: PlatformSlug, network: Network): string | undefined;
    pushUrl(network: Network): string;
    /** Whether a network's platforms can reach that URL. */
    isReachable(network: Network): boolean;
    rootUrl: string;
  }>;

/** What is verified: a platform, or one account of it. */
export type Subject = Readonly<{
  platform: Platform;
  network: Network;
  account: AccountRow | undefined;
  /** The page to post to, if not the default one. */
  page: string | undefined;
}>;

/** Something that could not be removed from the platform, and its URL. */
export type Remains = Readonly<{ what: string; address: string | undefined }>;

/** Receives each completed check, and the URL of what is created. */
export type Progress = Readonly<{ checked(check: Check): void; made(address: string): void }>;

export type Use = <T>(act: (call: AccountCall) => Promise<T>) => Promise<T>;

/** A running verification; `use` calls the platform as the account, if there is one. Remains are added to it. */
export type Work = Subject &
  Readonly<{ trail: Trail; recorder: Recorder; use: Use | undefined; progress: Progress; remains: Remains[] }>;
