import type { Middleware } from 'koa';
import type { OAuth } from '#oauth/index.ts';
import type { Toolset } from '#call/tool.ts';
import type { People } from '#engine/users/people.ts';
import type { Signin } from '#engine/signin/index.ts';
import type { Audit } from '#engine/audit/index.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import type { PlatformSetup } from '#kernel/config/platform-setup.ts';
import type { Log } from '#kernel/log.ts';
import type { Sealer } from '#kernel/seal.ts';
import type { Invites } from '#engine/invites/index.ts';
import { DASHBOARD_REST } from '../http/areas.ts';
import type { RestApi } from '../http/rest.ts';
import type { Invoke } from '../invoke.ts';
import { makeAuditRoutes } from './audit/index.ts';
import { makeBillingReturns, type PaymentOutcome } from './billing/returns.ts';
import { makeConnectRoutes } from './connect/connect.ts';
import type { Connect } from './connect/pending.ts';
import { makeConsentRoutes } from './consent/consent.ts';
import { guardConsole } from './sign-in/console-guard.ts';
import { makeSessionRoute } from './dashboard/session.ts';
import { makeDashboardTokenRoutes } from './dashboard/token.ts';
import type { MigrationSource } from './dashboard/live/migration.ts';
import { makeReturn } from './dashboard/live/accounts.ts';
import { makeFrame } from './dashboard/frame.ts';
import { makeDashboardRoutes } from './dashboard/index.ts';
import { makeEndings } from './connect/outcomes.ts';
import { makeForms } from './kit/form-guard.ts';
import { makeHealthRoutes, type HealthDeps } from './health/index.ts';
import { withNotice } from './pause/notice.ts';
import { makeTakeOverRoutes, type PauseAccess } from './pause/take-over.ts';
import { makeInviteRoutes } from './invite/index.ts';
import { makeFrontPage } from './dashboard/front-page.ts';
import { makeDeniedTo, makeOperate } from './kit/operate.ts';
import { makeReferenceRoutes } from './reference/index.ts';
import { makeReviewRoutes } from './review/index.ts';
import { showRefusals } from './kit/refusals.ts';
import type { RequestState, Route } from '#kernel/route.ts';
import { makeScripts } from './live/scripts.ts';
import { makeJoinRoutes } from './sign-in/join.ts';
import { makeForgotRoutes } from './sign-in/forgot.ts';
import { makeNewPasswordRoutes } from './sign-in/new-password.ts';
import { makeSetupRoutes } from './sign-in/setup.ts';
import { makeSignInRoutes } from './sign-in/sign-in.ts';
import { styleRoutes } from './kit/stylesheet.ts';
import type { TitleOf } from './kit/titles.ts';
import { makeTrail } from './kit/trail.ts';
import { uploadScript } from './upload/script.ts';
import { makeVisitors } from './sign-in/visitors.ts';

/** How long a person may take to connect an account. */
const FORM_SECONDS = 15 * 60;
/** The sign-in page may stay open for days. */
const SIGN_IN_SECONDS = 30 * 86_400;

export type PagesDeps = Readonly<{
  config: Pick<Config, 'rootUrl' | 'sandbox' | 'consentPreset' | 'stripe'>;
  connect: Connect;
  invites: Pick<Invites, 'open'>;
  workspaceName(workspaceId: string): Promise<string>;
  paymentOutcome: PaymentOutcome;
  signin: Signin;
  people: Pick<People, 'keysOf' | 'mailsInvitations'>;
  audit: Pick<Audit, 'note' | 'rehearse'>;
  oauth: Pick<OAuth, 'interactions' | 'signDashboardToken'>;
  toolsets: readonly Toolset[];
  invoke: Invoke;
  /** Whether a path belongs to the sandbox console and needs a session; always false on a local server. */
  isConsole(path: string): boolean;
  log: Log;
  clock: Clock;
  sealer: Pick<Sealer, 'derive' | 'seal' | 'open'>;
  version: string;
  root: string;
  titleOf: TitleOf;
  setups: readonly PlatformSetup[];
  providers: readonly MigrationSource[];
  pause: PauseAccess;
  doctor: HealthDeps['doctor'];
}>;

/** The server's pages, the REST API for their scripts, and the guard of the sandbox console. */
export function makePages(
  deps: PagesDeps,
): Readonly<{ routes: readonly Route[]; restApi: RestApi; guardConsole: Middleware<RequestState> }> {
  const { config, sealer, log, signin, oauth, titleOf } = deps;
  const { rootUrl } = config;
  const forms = makeForms({ rootUrl, key: sealer.derive('form'), lifeSeconds: FORM_SECONDS });
  const signInForms = makeForms({ rootUrl, key: sealer.derive('door form'), lifeSeconds: SIGN_IN_SECONDS });
  const visitors = makeVisitors({
    rootUrl,
    key: sealer.derive('session form'),
    deviceKey: sealer.derive('device'),
    signin,
  });
  const trail = makeTrail(deps);
  const scripts = makeScripts(deps.root);
  const frame = makeFrame({
    visitors,
    operate: makeOperate(deps.toolsets, deps.invoke),
    deniedTo: makeDeniedTo(deps.toolsets),
    scripts,
    titleOf,
  });
  const endings = makeEndings({
    rootUrl,
    key: sealer.derive('connect result'),
    titleOf,
    dashboardPageOf: makeReturn(frame),
  });
  const frontPage = makeFrontPage(config, deps.version, signin.isSetupNeeded);
  const pages = [
    ...makeDashboardRoutes({ ...deps, frame, trail }, frontPage),
    ...makeSignInRoutes({ rootUrl, signin, visitors, forms: signInForms, trail }),
    ...makeSetupRoutes({ rootUrl, signin, visitors, forms: signInForms, trail }),
    ...makeJoinRoutes({ rootUrl, signin, visitors, forms: signInForms, trail }),
    ...makeForgotRoutes({ rootUrl, signin, visitors, forms: signInForms, trail }),
    ...makeNewPasswordRoutes({ rootUrl, signin, visitors, forms: signInForms, trail }),
    ...makeReviewRoutes(frame, titleOf),
    ...makeAuditRoutes(frame),
    ...makeTakeOverRoutes(frame, deps.pause),
    ...makeHealthRoutes(frame, { ...deps, isOwner: deps.pause.isOwner, paused: deps.pause.state }),
    ...makeConsentRoutes({
      interactions: oauth.interactions,
      visitors,
      operate: frame.operate,
      signin,
      trail,
      preset: config.consentPreset,
    }),
    ...endings.routes,
    ...makeBillingReturns(deps.paymentOutcome),
    ...makeConnectRoutes({ ...deps, forms, endings }),
    ...makeInviteRoutes(deps),
  ];
  const around = withNotice(deps.pause.state, showRefusals(log, rootUrl));
  return Object.freeze({
    routes: [
      ...pages.map((route) => ({ ...route, around })),
      // Requested by programs, so refusals are JSON envelopes and not pages.
      ...styleRoutes,
      scripts.route,
      uploadScript.route,
      ...makeReferenceRoutes({ toolsets: deps.toolsets, rootUrl }),
      makeSessionRoute(visitors),
      ...makeDashboardTokenRoutes({ frame, clock: deps.clock, signDashboardToken: oauth.signDashboardToken }),
    ],
    restApi: { base: DASHBOARD_REST, crossOrigin: false, reader: 'person', identify: visitors.scripted },
    guardConsole: guardConsole(deps.isConsole, visitors),
  });
}
