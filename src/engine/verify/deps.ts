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
    /** The sessions of the server, whose calls `observe` looks at. */
    sessionsOver(observe: Recorder['over']): Pick<Sessions, 'use'>;
    media: MediaSource &
      Readonly<{
        upload(
          workspace: Workspace,
          given: Readonly<{ file: AsyncIterable<Uint8Array>; filename: string }>,
        ): Promise<Readonly<{ id: string }>>;
        remove(authority: Authority, id: string): Promise<void>;
      }>;
    /** What this server answers where a platform asks whether a push address is its own. */
    handshake(slug: string, path: string, query: Readonly<Record<string, string>>): Promise<HandshakeAnswer>;
    /** The verify token of the push address of an app; undefined where no app is configured. */
    verifyTokenOf(slug: PlatformSlug, network: Network): string | undefined;
    pushUrl(network: Network): string;
    /** Whether the platforms of a network can reach that URL. */
    isReachable(network: Network): boolean;
    rootUrl: string;
  }>;

/** What is verified: a platform, or one account of it. */
export type Subject = Readonly<{
  platform: Platform;
  network: Network;
  account: AccountRow | undefined;
  /** Our id or the platform's of the page that is posted to, where it is not the default one. */
  page: string | undefined;
}>;

/** What stays on the platform though nothing should, and where. */
export type Remains = Readonly<{ what: string; address: string | undefined }>;

/** Who watches: gets each check when it is done, and what is made on the platform, once it says where. */
export type Progress = Readonly<{ checked(check: Check): void; made(address: string): void }>;

/** Acts for the account. */
export type Use = <T>(act: (call: AccountCall) => Promise<T>) => Promise<T>;

/** A verification that is under way; `use` acts for the account, where there is one. What it leaves behind is added. */
export type Work = Subject &
  Readonly<{ trail: Trail; recorder: Recorder; use: Use | undefined; progress: Progress; remains: Remains[] }>;
