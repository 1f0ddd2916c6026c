import type { Migration } from '../migrate/migrate.ts';
import { first } from './early/0001-first.ts';
import { oauth } from './early/0002-oauth.ts';
import { signin } from './early/0003-signin.ts';
import { inbox } from './early/0004-inbox.ts';
import { activity } from './early/0005-activity.ts';
import { choosing } from './early/0006-choices.ts';
import { idempotency } from './early/0007-idempotency.ts';
import { leases } from './early/0008-leases.ts';
import { goneKeys } from './early/0009-gone-keys.ts';
import { platformMedia } from './early/0010-platform-media.ts';
import { webhookCredentials } from './early/0011-webhook-credentials.ts';
import { timezone } from './early/0012-timezone.ts';
import { appsAndQuotas } from './early/0013-apps.ts';
import { subscriptions } from './early/0014-subscriptions.ts';
import { stepProgress } from './early/0015-step-progress.ts';
import { messageTemplates } from './early/0016-templates.ts';
import { reviewMedia } from './early/0017-reviews.ts';
import { invitations } from './early/0018-invites.ts';
import { billing } from './early/0019-billing.ts';
import { exporting } from './from-0020/0020-exports.ts';
import { migrating } from './from-0020/0021-migrations.ts';
import { notices } from './from-0020/0022-notices.ts';
import { reported } from './from-0020/0023-reported.ts';
import { processes } from './from-0020/0024-processes.ts';
import { dueTargets } from './from-0020/0025-due-targets.ts';
import { unanswered } from './from-0020/0026-unanswered.ts';
import { dailyMetrics } from './from-0020/0027-daily-metrics.ts';
import { connections } from './from-0020/0028-connections.ts';
import { pictures } from './from-0020/0029-pictures.ts';
import { signedAttempts } from './0030-signed-attempts.ts';
import { disabledUsers } from './0031-disabled-users.ts';
import { sessionAgents } from './0032-session-agents.ts';
import { search } from './0033-search.ts';
import { actionItems } from './0034-action-items.ts';
import { deletedExports } from './0035-deleted-exports.ts';
import { savedReplies } from './0036-saved-replies.ts';
import { targetIndexes } from './0037-target-indexes.ts';
import { draftFingerprints } from './0038-draft-fingerprints.ts';
import { fewerIndexes } from './0039-fewer-indexes.ts';
import { postingTimes } from './0040-posting-times.ts';
import { openActions } from './0041-open-actions.ts';
import { roles } from './0042-roles.ts';
import { actionClients } from './0043-action-clients.ts';
import { mails } from './0044-mails.ts';
import { shippedName, type ShippedChecksums } from './checksum.ts';
import checksums from './checksums.json' with { type: 'json' };

/** Written by `npm run generate`, which adds new migrations and never changes one. */
export const shipped: ShippedChecksums = checksums;

/** Versions count up from 1, and a released migration never changes. */
export const migrations: readonly Migration[] = Object.freeze(
  [
    first,
    oauth,
    signin,
    inbox,
    activity,
    choosing,
    idempotency,
    leases,
    goneKeys,
    platformMedia,
    webhookCredentials,
    timezone,
    appsAndQuotas,
    subscriptions,
    stepProgress,
    messageTemplates,
    reviewMedia,
    invitations,
    billing,
    exporting,
    migrating,
    notices,
    reported,
    processes,
    dueTargets,
    unanswered,
    dailyMetrics,
    connections,
    pictures,
    signedAttempts,
    disabledUsers,
    sessionAgents,
    search,
    actionItems,
    deletedExports,
    savedReplies,
    targetIndexes,
    draftFingerprints,
    fewerIndexes,
    postingTimes,
    openActions,
    roles,
    actionClients,
    mails,
  ].map((migration) => Object.freeze({ ...migration, checksums: shipped[shippedName(migration)] })),
);
