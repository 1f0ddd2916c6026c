import type { RequestContext, Route } from '#kernel/route.ts';
import { SANDBOX } from '#serve/http/areas.ts';
import { bodyOf } from '../../kit/operate.ts';
import type { Visitor } from '../../sign-in/visitors.ts';
import type { Frame } from '../frame.ts';

const PATH = '/dashboard/migration';

/** A provider from which accounts can be migrated. */
export type MigrationSource = Readonly<{ name: string; title: string }>;

type MigrationDeps = Readonly<{ frame: Frame; providers: readonly MigrationSource[]; hasSandbox: boolean }>;

/** The page that guides through a migration from another provider, step by step. */
export function makeMigrationRoutes({ frame, providers, hasSandbox }: MigrationDeps): readonly Route[] {
  const { forThose, operate, sendLive } = frame;

  async function show(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const asked = new URLSearchParams(ctx.querystring).get('provider');
    const provider = providers.find(({ name }) => name === asked) ?? providers[0]!;
    const first = {
      providers,
      provider,
      sandbox: hasSandbox ? `${SANDBOX}/${provider.name}` : null,
      get_migration: bodyOf(await operate(ctx, visitor, 'get_migration', { provider: provider.name })),
    };
    await sendLive(ctx, visitor, { name: 'migration', path: PATH, title: 'Migration', first });
  }

  return Object.freeze([{ path: PATH, GET: forThose('get_migration', show) }]);
}
