import type { Base, OpenPublished, Sessions } from '#call/ports.ts';
import type { Platforms } from '#platforms/lookup.ts';
import type { Provider } from './insight/provider.ts';

export type ExportDeps = Base &
  Readonly<{
    sessions: Pick<Sessions, 'use'>;
    platforms: Platforms;
    /** Transcribes videos and describes pictures; empty if not configured. */
    provider: Provider;
    openPublished: OpenPublished;
  }>;
