import type { Clock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import type { PlatformSetup } from '#kernel/config/platform-setup.ts';
import { makeActivityRoutes } from './live/activity.ts';
import { makeAnalyticsRoutes } from './live/analytics.ts';
import { makeAccountsRoutes } from './live/accounts.ts';
import { makeAssistantsRoutes } from './live/assistants.ts';
import { makeBillingRoutes } from './settings/billing.ts';
import { makeCalendarRoutes } from './live/calendar.ts';
import { makeComposeRoutes } from './live/compose.ts';
import { makeExportsRoutes } from './live/exports.ts';
import type { Frame } from './frame.ts';
import { makeInboxRoutes } from './live/inbox.ts';
import { makeKeysRoutes } from './settings/keys.ts';
import { makeMediaRoutes } from './live/media.ts';
import { makeMigrationRoutes, type MigrationSource } from './live/migration.ts';
import { makePeopleRoutes, type PeopleAccess } from './people/index.ts';
import { makePasswordRoutes, type PasswordAccess } from './settings/password.ts';
import { makePostsRoutes } from './live/posts.ts';
import { makeRepliesRoutes } from './live/replies.ts';
import { makeSettingsRoutes, type DevicesAccess } from './settings/settings.ts';
import { makePostingTimesRoutes } from './settings/posting-times.ts';
import { makeRedirectsRoutes } from './settings/redirects.ts';
import { makeNotificationsRoutes } from './settings/notifications.ts';
import { makeTimezoneRoutes } from './settings/timezone.ts';
import { makeUsageRoutes } from './settings/usage.ts';
import { makeTodayRoutes } from './live/today.ts';
import { makeWebhooksRoutes } from './live/webhooks.ts';
import type { ShownOnceDeps } from './settings/shown-once.ts';
import type { Trail } from '../kit/trail.ts';
import type { TitleOf } from '../kit/titles.ts';
import type { Handler, Route } from '#kernel/route.ts';

export type DashboardDeps = Readonly<{
  config: Pick<Config, 'rootUrl' | 'sandbox' | 'stripe'>;
  clock: Clock;
  sealer: ShownOnceDeps['sealer'];
  frame: Frame;
  signin: PasswordAccess & DevicesAccess;
  people: PeopleAccess['people'];
  pause: PeopleAccess['pause'];
  workspaceName: PeopleAccess['workspaceName'];
  trail: Trail;
  titleOf: TitleOf;
  setups: readonly PlatformSetup[];
  /** The providers from which accounts can be migrated. */
  providers: readonly MigrationSource[];
}>;

/** The pages for signed-in people. Others see `front` at `/`. */
export function makeDashboardRoutes(deps: DashboardDeps, front: Handler): readonly Route[] {
  const { frame, config, clock, sealer, signin, titleOf, trail, setups, providers } = deps;
  return Object.freeze([
    ...makeTodayRoutes({ frame, config, clock }, front),
    ...makeAccountsRoutes(frame, setups, titleOf),
    ...makeInboxRoutes(frame),
    ...makeRepliesRoutes(frame),
    ...makeCalendarRoutes(frame),
    ...makeComposeRoutes(frame),
    ...makePostsRoutes(frame, clock),
    ...makeMediaRoutes(frame),
    ...makeAssistantsRoutes(frame, config),
    ...makeAnalyticsRoutes(frame, clock),
    ...makeWebhooksRoutes(frame),
    ...makeActivityRoutes(frame),
    ...makeExportsRoutes(frame),
    ...makeMigrationRoutes({ frame, providers, hasSandbox: config.sandbox }),
    ...makeKeysRoutes(frame, { ...config, sealer }),
    ...makeSettingsRoutes(frame, signin, trail, config),
    ...makePeopleRoutes(frame, deps, { ...config, sealer }),
    ...makeRedirectsRoutes(frame),
    ...makeTimezoneRoutes(frame),
    ...makeNotificationsRoutes(frame),
    ...makePostingTimesRoutes(frame),
    ...makeUsageRoutes(frame, config),
    ...makeBillingRoutes(frame),
    ...makePasswordRoutes(frame, signin, trail),
  ]);
}
