import { join } from 'node:path';
import { setupsOf } from '#engine/accounts/setups.ts';
import { originalAtWork, takeOver, type TakeOver } from '#engine/pause/index.ts';
import { makeGauges } from '#engine/readiness/gauges.ts';
import { makeReadiness } from '#engine/readiness/index.ts';
import { fail } from '#kernel/errors.ts';
import { LARGEST_FILE_BYTES } from '#kernel/limits/sizes.ts';
import { isPlatform } from '#kernel/platforms.ts';
import { supportedBy } from '#platforms/support.ts';
import { makeHttp } from '#serve/http/app.ts';
import { fileRoutes } from '#serve/http/file-routes.ts';
import { mediaRoutes } from '#serve/http/media-routes.ts';
import { forwardRoutes } from '#serve/forward/index.ts';
import { sandboxRoutes } from '#serve/http/sandbox.ts';
import { programApi } from '#serve/http/rest.ts';
import { siteFileRoutes } from '#serve/http/site-files.ts';
import { makeMcp } from '#serve/mcp/index.ts';
import { billingPushRoutes } from '#serve/push/billing.ts';
import { pushRoutes } from '#serve/push/index.ts';
import { refusedWhilePaused } from '#serve/push/paused.ts';
import { makePages } from '#serve/web/index.ts';
import { sendProblem } from '#serve/web/kit/problem.ts';
import { makeUploadPage } from '#serve/web/upload/index.ts';
import type { Access } from './access.ts';
import type { Engine } from './engine.ts';
import type { Networks } from './network.ts';
import { card, ROOT, skills, version } from './package.ts';
import type { Setup } from './setup.ts';

/** The facades over the operations: REST, MCP, pages, media, inbound pushes and the sandbox. */
export function makeFacades(
  setup: Setup,
  { host, sandbox, networkOf, quotas }: Networks,
  access: Access,
  engine: Engine,
) {
  const { base, config, pause, platforms, toolsets, sealer, deadlines } = setup;
  const { log, clock } = base;
  const { callers, oauth, signin, users, audit } = access;
  const { modules, invoke, idempotency, pollers } = engine;
  const { rootUrl } = config;
  const supported = supportedBy(platforms.values());
  const mcp = makeMcp({ toolsets, supported, invoke, callers, rootUrl, links: config.links, card, skills, log, clock });
  const pages = makePages({
    config,
    connect: modules.accounts.connect,
    invites: modules.invites,
    workspaceName: users.workspaceName,
    paymentOutcome: modules.billing.outcome,
    signin,
    people: modules.people,
    audit,
    oauth,
    toolsets,
    invoke,
    isConsole: (path) => sandbox !== undefined && !config.onThisMachine && sandbox.isConsole(path),
    log,
    clock,
    sealer,
    version,
    root: ROOT,
    setups: setupsOf({
      platforms,
      rootUrl,
      networkOf,
      hasApp: (app) => config.credentials[app] !== undefined,
      isSet: (setting) => config.platformSettings[setting] !== undefined,
    }),
    providers: modules.migrations.providers,
    pause: { ...pause, takeOver: (options) => endPause(setup, engine, options) },
    doctor: setup.doctor,
    titleOf: (slug) => (isPlatform(slug) ? platforms.get(slug)?.title : undefined),
  });
  const routes = [
    ...pages.routes,
    ...oauth.routes,
    ...mediaRoutes(modules.media, modules.inbox.attachments, makeUploadPage({ media: modules.media, log })),
    ...fileRoutes(modules.exports),
    ...forwardRoutes(modules.migrations),
    ...siteFileRoutes(config.siteFiles),
    ...refusedWhilePaused([...billingPushRoutes(modules.billing), ...pushRoutes(modules.inbound.pushes)], pause.refuse),
    ...(sandbox ? sandboxRoutes(sandbox.app, pages.guardConsole) : []),
  ];
  const health = makeReadiness({ ...base, loops: [...pollers, modules.delivery], paused: pause.state });
  const isPaused = () => pause.state() !== undefined;
  const gauges = makeGauges({ ...base, dataDir: config.dataDir, version, quotas, problems: health, isPaused });
  const handle = makeHttp({
    config: { ...config, allowedHosts: [...config.allowedHosts, host, ...mediaHost(config)] },
    toolsets,
    invoke,
    restApi: programApi(callers),
    pageApi: pages.restApi,
    mcp,
    idempotency,
    audit,
    log,
    mounts: [mcp.middleware],
    routes,
    health,
    meter: base.meter,
    trace: base.trace,
    gauges,
    sendProblem: (ctx, error) => sendProblem(ctx, error, rootUrl),
    stallMs: deadlines.stall,
    uploads: { maxFileBytes: LARGEST_FILE_BYTES, spoolDir: join(config.dataDir, 'spool') },
  });
  return Object.freeze({ handle, invoke, toolsets, supported });
}

/** Ends the pause and starts the background work. */
async function endPause({ base, config, pause }: Setup, { modules }: Engine, options: TakeOver): Promise<number> {
  const original = await originalAtWork(base.store, config.installation);
  if (original !== undefined) {
    const message = `The server that this is a copy of still runs, on ${original}.`;
    fail('resource.conflict', { message, next: 'End that server first, or delete this copy.' });
  }
  const givenUp = await takeOver(
    { ...base, installation: config.installation, giveUpDue: modules.posts.giveUpDue },
    options,
  );
  await pause.lookAgain();
  return givenUp ?? 0;
}

function mediaHost({ mediaPublicUrl }: Setup['config']): readonly string[] {
  return mediaPublicUrl === undefined ? [] : [new URL(mediaPublicUrl).host];
}
