import { join } from 'node:path';
import type { Modules } from '#tools/modules.ts';
import type { Audit } from '#engine/audit/index.ts';
import type { AccountPages } from '#call/ports.ts';
import { makeAccounts } from '#engine/accounts/index.ts';
import { makePageFinder } from '#engine/accounts/page-finder.ts';
import { makePages } from '#engine/accounts/pages.ts';
import { disconnect, disconnectAll } from '#engine/accounts/disconnect.ts';
import { makeApps } from '#engine/apps/index.ts';
import { makeAuditReader } from '#engine/audit/reader.ts';
import { makeBilling } from '#engine/billing/index.ts';
import { makeBrands } from '#engine/brands/index.ts';
import { makeDelivery } from '#engine/delivery/index.ts';
import { makeExports } from '#engine/exports/index.ts';
import { makeProvider } from '#engine/exports/insight/provider.ts';
import { makeEvents } from '#engine/events/index.ts';
import { makeIdempotency } from '#engine/idempotency/index.ts';
import { makeInbound } from '#engine/inbox/inbound.ts';
import { makeInbox } from '#engine/inbox/index.ts';
import { makeAttachmentAddresses, type AttachmentAddresses } from '#engine/inbox/read/attachment-addresses.ts';
import { recordPosts } from '#engine/inbox/record/record.ts';
import type { Answers } from '#engine/leash/answers.ts';
import type { Held } from '#engine/leash/held.ts';
import type { HeldFiles } from '#serve/holding.ts';
import { makeMedia, type Media } from '#engine/media/media.ts';
import { openMediaFiles } from '#engine/media/storage/open-files.ts';
import { makeAccountFinder } from '#engine/numbers/find.ts';
import { makeNumbers } from '#engine/numbers/index.ts';
import { makeInvites } from '#engine/invites/index.ts';
import { takeInvite } from '#engine/invites/state.ts';
import { makeUnits } from '#engine/metering/units.ts';
import { makeUsage } from '#engine/metering/index.ts';
import { makePlaces } from '#engine/places/index.ts';
import { makeExternalImport } from '#engine/publishing/create/external.ts';
import { makePublishing, PUBLISH_WAIT_MS } from '#engine/publishing/index.ts';
import { makeRedirects } from '#engine/redirects/index.ts';
import { makeReplies } from '#engine/replies/index.ts';
import { makeTemplates } from '#engine/templates/index.ts';
import { makeTimes } from '#engine/times/index.ts';
import { warnOfVersions } from '#engine/readiness/versions.ts';
import { newId } from '#kernel/ids.ts';
import { makeJwtVerifiers } from '#kernel/net/jwks.ts';
import type { Access } from './access.ts';
import type { Networks } from './network.ts';
import { USER_AGENT } from './package.ts';
import { makeInvoke } from '#serve/invoke.ts';
import { traceCalls } from '#serve/tracing.ts';
import { openLeash } from './leash.ts';
import { openMigrations } from './migrations.ts';
import { makePayments } from './payments.ts';
import type { Setup } from './setup.ts';
import { makeUpkeep } from './upkeep.ts';

/** Creates the modules that operations call, and the background work. */
export async function makeEngine(
  setup: Setup,
  network: Networks,
  { oauth, users, people, keys, signin, mails, notifications, audit, forget }: Access,
) {
  const { base, config, sealer, crash, platforms, plannedPlatforms } = setup;
  const { outbound, calling, apps, quotas, networkOf, sessions } = network;
  const media = await openMedia(setup, network);
  const pages = makePageFinder(base);
  const posts = openPublishing(setup, network, media, pages);
  const units = makeUnits(config.profileUnits);
  const accountPages = makePages({ ...base, sessions, platforms, disconnect, units });
  const addresses = makeAttachmentAddresses({ ...base, sealer, rootUrl: config.rootUrl });
  const inbound = openInbound(setup, network, { pages: accountPages, addresses });
  const find = makeAccountFinder(base);
  const inbox = makeInbox({ ...base, sessions, media, pages, platforms, crash, outbound, addresses, find });
  const delivery = openDelivery(setup, network);
  const idempotency = makeIdempotency({ ...base, sealer, crash });
  const redirects = makeRedirects(base);
  const { admit: admitRedirect } = redirects;
  const accounts = makeAccounts({
    ...base,
    calling,
    sessions,
    apps,
    quotas,
    networkOf,
    sealer,
    platforms,
    rootUrl: config.rootUrl,
    admitRedirect,
    takeInvite,
    units,
    plannedPlatforms,
    beforeConnected: inbound.beforeConnected,
    onConnected: inbound.onConnected,
    pages: accountPages,
    importExternal: makeExternalImport({ platforms }),
    recordPosts,
  });
  const payments = { provider: makePayments(setup, network), planWithout: config.planWithout };
  const billing = makeBilling({ ...base, ...payments, rootUrl: config.rootUrl, admitRedirect, forget, crash });
  const exports = openExports(setup, network, media);
  const leash = openLeash(setup, { idempotency, media, inbox, forget, invoke: (...call) => invoke(...call) });
  const modules: Modules = Object.freeze({
    accounts,
    audit: makeAuditReader(base),
    apps: makeApps({
      ...base,
      sealer,
      platforms,
      bare: calling.bare,
      networkOf,
      disconnectAll,
      endPushes: sessions.endPushes,
    }),
    billing,
    actions: leash.actions,
    connections: leash.connections,
    brands: makeBrands({ ...base, units, readyRevoke: sessions.readyRevoke }),
    delivery,
    events: makeEvents(base),
    exports,
    inbound,
    inbox,
    invites: makeInvites({ ...base, sealer, rootUrl: config.rootUrl, connections: accounts.connect.invited }),
    keys,
    lists: base.lists,
    media,
    migrations: openMigrations(setup, network),
    people,
    notifications,
    numbers: makeNumbers({ sessions, platforms, find, sends: inbox.sends }),
    places: makePlaces({ store: base.store, platforms, media, sends: inbox.sends }),
    posts,
    redirects,
    replies: makeReplies(base),
    signin,
    times: makeTimes({ ...base, heldTimes: leash.heldTimes }),
    templates: makeTemplates({ ...base, sessions, platforms, find, sends: inbox.sends }),
    usage: makeUsage({ ...base, pagesCount: config.profileUnits }),
    users,
  });
  const invoke = openInvoke(setup, modules, { held: leash.held, audit });
  const upkeep = makeUpkeep({
    ...base,
    ...modules,
    sessions,
    oauth,
    accountPages,
    mails,
    idempotency,
    written: audit,
    runAction: leash.runAction,
    sweepFiles: leash.sweepFiles,
    warnOfVersions: () => warnOfOurVersions(setup, network),
  });
  return Object.freeze({ modules, invoke, idempotency, ...upkeep });
}

function openPublishing(
  { base, config, sealer, crash, platforms, deadlines, plannedPlatforms }: Setup,
  { quotas, networkOf, sessions }: Networks,
  media: Media,
  pages: ReturnType<typeof makePageFinder>,
) {
  return makePublishing({
    ...base,
    sessions,
    quotas,
    media,
    fetchFile: media.fetchFile,
    sealer,
    networkOf,
    pages,
    platforms,
    plannedPlatforms,
    crash,
    maxLatenessMs: config.publishMaxLatenessMs,
    waitMs: deadlines.publishWait ?? PUBLISH_WAIT_MS,
  });
}

function warnOfOurVersions({ base, config, platforms }: Setup, { networkOf }: Networks): void {
  const real = [...platforms.values()].filter(({ slug }) => networkOf(slug) === 'real');
  warnOfVersions({ ...base, platforms: real, settings: config.platformSettings });
}

async function openMedia({ base, config, sealer, workshop }: Setup, { pushUrl, outbound }: Networks) {
  const { rootUrl } = config;
  const files = await openMediaFiles({ ...base, config, outbound });
  return makeMedia({
    ...base,
    files,
    newId,
    outbound,
    sealer,
    rootUrl,
    bases: { real: config.mediaPublicUrl ?? rootUrl, sandbox: pushUrl('sandbox') },
    maxBytes: config.mediaMaxBytes,
    keepMetadata: config.mediaKeepMetadata,
    workshop,
    spoolDir: join(config.dataDir, 'spool'),
  });
}

function openInvoke(
  { base, pause, checkOutput = false }: Setup,
  modules: Modules,
  leash: Readonly<{ held: HeldFiles & Held & Answers; audit: Audit }>,
) {
  const { headers: meterHeaders } = modules.usage;
  const refusePaused = pause.refuse;
  const invoke = makeInvoke({ modules, log: base.log, meterHeaders, ...leash, refusePaused, checkOutput });
  return base.trace === undefined ? invoke : traceCalls(invoke, base.trace);
}

function openDelivery({ base, config, sealer, crash, deadlines }: Setup, { outbound }: Networks) {
  return makeDelivery({
    ...base,
    outbound,
    sealer,
    prefixes: config.webhookHeaderPrefixes,
    userAgent: USER_AGENT,
    ...(deadlines.delivery !== undefined && { deadlineMs: deadlines.delivery }),
    crash,
  });
}

function openExports(
  { base, config, sealer, platforms }: Setup,
  { sessions, outbound }: Networks,
  { openPublished }: Pick<Media, 'openPublished'>,
) {
  const provider = makeProvider(outbound, config.provider);
  return makeExports({ ...base, sessions, platforms, provider, openPublished, sealer, rootUrl: config.rootUrl });
}

function openInbound(
  { base, config, sealer, platforms, crash }: Setup,
  network: Networks,
  given: Readonly<{ pages: AccountPages; addresses: AttachmentAddresses }>,
) {
  const { calling, clientOf, apps, appsOf, sessions, quotas, isReachable, pushUrl, outbound } = network;
  return makeInbound({
    ...base,
    sessions,
    endPushes: sessions.endPushes,
    quotas,
    platforms,
    ...given,
    crash,
    disconnect,
    bare: calling.bare,
    clientOf,
    apps,
    appsOf,
    sealer,
    verifyJwt: makeJwtVerifiers({ ...base, outbound, owner: 'a platform', deadlineMs: calling.deadlineMs }),
    isReachable,
    pushUrl,
    codeKey: sealer.derive('deletion'),
    rootUrl: config.rootUrl,
  });
}

export type Engine = Awaited<ReturnType<typeof makeEngine>>;
