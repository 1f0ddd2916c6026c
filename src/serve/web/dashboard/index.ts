import type { Clock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import type { PlatformSetup } from '#kernel/config/platform-setup.ts';
import { makeAccountsRoutes } from './accounts.ts';
import { makeBillingRoutes } from './billing.ts';
import { makeConnectionsRoutes } from './connections.ts';
import { makeCalendarRoutes } from './calendar.ts';
import { makeComposeRoutes } from './compose.ts';
import type { Frame } from './frame.ts';
import { makeInboxRoutes } from './inbox.ts';
import { makeKeysRoutes } from './keys.ts';
import { makeMediaRoutes } from './media.ts';
import { makePasswordRoutes, type PasswordAccess } from './password.ts';
import { makePostsRoutes } from './posts.ts';
import { makeRedirectsRoutes } from './redirects.ts';
import { makeTimezoneRoutes } from './timezone.ts';
import { makeTodayRoutes } from './today.ts';
import type { Trail } from '../kit/trail.ts';
import type { TitleOf } from '../kit/titles.ts';
import type { Handler, Route } from '#kernel/route.ts';

export type DashboardDeps = Readonly<{
  config: Pick<Config, 'rootUrl' | 'sandbox'>;
  clock: Clock;
  frame: Frame;
  signin: PasswordAccess;
  trail: Trail;
  titleOf: TitleOf;
  setups: readonly PlatformSetup[];
}>;

/** The pages of signed-in people; others see `front` at `/`. */
export function makeDashboardRoutes(
  { frame, config, clock, signin, titleOf, trail, setups }: DashboardDeps,
  front: Handler,
): readonly Route[] {
  return Object.freeze([
    ...makeTodayRoutes({ frame, config, clock }, front),
    ...makeAccountsRoutes(frame, setups, titleOf),
    ...makeInboxRoutes(frame),
    ...makeCalendarRoutes(frame),
    ...makeComposeRoutes(frame),
    ...makePostsRoutes(frame),
    ...makeMediaRoutes(frame),
    ...makeConnectionsRoutes(frame, config),
    ...makeKeysRoutes(frame, config),
    ...makeRedirectsRoutes(frame),
    ...makeTimezoneRoutes(frame),
    ...makeBillingRoutes(frame),
    ...makePasswordRoutes(frame, signin, trail),
  ]);
}
