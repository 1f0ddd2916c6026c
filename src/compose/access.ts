import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeOAuth } from '#oauth/index.ts';
import { eraseMigrations } from '#db/providers/migrations.ts';
import { makeAudit } from '#engine/audit/index.ts';
import { endBilling } from '#engine/billing/removal.ts';
import { makeIdentity } from '#engine/identity/index.ts';
import { makeCallers } from '#engine/keys/callers.ts';
import { makeKeys } from '#engine/keys/index.ts';
import { makeMails } from '#engine/mail/index.ts';
import { makeNotifications } from '#engine/mail/notifications.ts';
import { smtpTransport } from '#engine/mail/transport.ts';
import { makeSignin } from '#engine/signin/index.ts';
import { makeUsers } from '#engine/users/index.ts';
import { makePeople } from '#engine/users/people.ts';
import type { Networks } from './network.ts';
import type { Setup } from './setup.ts';

/** Callers: API keys, OAuth, the identity provider, and signed-in people. */
export function makeAccess(
  { base, config, sealer, deadlines, plannedPlatforms, mailTransport }: Setup,
  { outbound, sessions }: Networks,
) {
  const { rootUrl, links, oauth: options } = config;
  const oauth = makeOAuth({ ...base, sealer, outbound, rootUrl, links, options });
  const identity =
    config.identity && makeIdentity({ ...base, outbound, ...config.identity, deadlineMs: deadlines.identity });
  const readerOf = (token: string) => (identity?.issued(token) ? identity : oauth);
  const callers = makeCallers({
    ...base,
    verifyToken: (token) => readerOf(token).verifyToken(token),
    readDashboardToken: (token) => readerOf(token).readDashboardToken(token),
  });
  function forget(): void {
    callers.forget();
    oauth.forget();
  }
  const transport = config.mail && (mailTransport ?? smtpTransport(config.mail));
  const mails = makeMails({ ...base, sealer, transport });
  const notifications = makeNotifications({ ...base, rootUrl, queueMail: mails.queue });
  const ownAddressOnly = identity !== undefined;
  const users = makeUsers({
    ...base,
    defaultPlan: config.defaultPlan,
    plannedPlatforms,
    testers: config.beta.testers,
    ownAddressOnly,
    readyRevoke: sessions.readyRevoke,
    async onRemoved(tx, workspaceId, now) {
      await endBilling(tx, workspaceId, now);
      await eraseMigrations(tx.db, workspaceId);
    },
    forget,
  });
  const signin = makeSignin({
    ...base,
    rootUrl,
    queueMail: mails.queue,
    addUser: users.createWithin,
    ownAddressOnly,
    onSignIn: () => rmSync(join(config.dataDir, 'first-run.txt'), { force: true }),
    forget,
  });
  const people = makePeople({ ...base, rootUrl, queueMail: mails.queue, ownAddressOnly, forget });
  const keys = makeKeys({ ...base, forget: callers.forget });
  return Object.freeze({
    oauth,
    callers,
    forget,
    users,
    people,
    signin,
    mails,
    notifications,
    keys,
    audit: makeAudit(base),
  });
}

export type Access = ReturnType<typeof makeAccess>;
