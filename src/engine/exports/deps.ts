import type { Base, OpenPublished, Sessions } from '#call/ports.ts';
import type { Platforms } from '#platforms/lookup.ts';
import type { Provider } from './insight/provider.ts';

export type ExportDeps = Base &
  Readonly<{
    sessions: Pick<Sessions, 'use'>;
    platforms: Platforms;
    /** Listens to videos and looks at pictures; empty where none is configured. */
    provider: Provider;
    openPublished: OpenPublished;
  }>;
