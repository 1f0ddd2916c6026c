import type { QueueMail } from '#db/outbox/mails.ts';
import type { InvitationRow } from '#db/access/signin.ts';
import type { Tx } from '#db/store/tx.ts';
import { HOUR, isoTime, type Clock } from '#kernel/clock.ts';
import { makeBackoff, type BackoffPolicy } from '#kernel/limits/backoff.ts';
import type { Mail } from '#kernel/people/mail.ts';
import { wordsOf } from '#kernel/people/roles.ts';
import { UNSEEN } from '#kernel/text/blank.ts';

/** Invitations can be revoked and made again, which must not flood strangers with mail. */
const WORKSPACE: BackoffPolicy = { free: 50, longest: HOUR };
const ADDRESS: BackoffPolicy = { free: 5, longest: HOUR };

type Invited = Pick<InvitationRow, 'workspace_id' | 'email' | 'role' | 'expires_at'>;

/** `owner` is the name of the owner of the workspace. */
type Words = Readonly<{ inviter: string; owner: string; link: string; rootUrl: string }>;

/** Mails invitations, as long as a workspace makes few of them. */
export function makeInvitationMails(clock: Clock, queueMail: QueueMail) {
  const workspaces = makeBackoff(clock, WORKSPACE);
  const addresses = makeBackoff(clock, ADDRESS);

  return Object.freeze({
    /** Queues the mail of an invitation within its transaction; false if there were too many of late. */
    async send(tx: Tx, invited: Invited, words: Words): Promise<boolean> {
      const { workspace_id, email } = invited;
      if (workspaces.pauseOf(workspace_id) > 0 || addresses.pauseOf(email) > 0) return false;
      workspaces.begin(workspace_id);
      addresses.begin(email);
      await queueMail(tx, mailOf(invited, words));
      return true;
    },
  });
}

function mailOf(
  { workspace_id: workspaceId, email: to, role, expires_at }: Invited,
  { inviter, owner, link, rootUrl }: Words,
): Mail {
  const { title, meaning } = wordsOf(role);
  const [day, time] = [isoTime(expires_at).slice(0, 10), isoTime(expires_at).slice(11, 16)];
  const text = `${plainName(inviter, 'Somebody')} invites you to work on the social accounts of ${plainName(owner, 'somebody')} on ${new URL(rootUrl).host}. To join, open this link:

${link}

Your role: ${title}. ${meaning}

The link works once, until ${day} ${time} UTC. If you do not know who invites you, ignore this mail.
`;
  return {
    workspaceId,
    userId: null,
    kind: 'invitation',
    to,
    subject: 'Invitation to a workspace on Rostra',
    text,
    expiresAt: expires_at,
  };
}

/** What could be read as an address or a link: strangers get these mails. */
const LINKS = /[/:@\\]|\p{L}\.\p{L}/u;
const UNSEEN_OR_SPACE = new RegExp(`[${UNSEEN}\\p{White_Space}]+`, 'gv');

/** A name in one line; names that look like a link are left out. */
function plainName(name: string, otherwise: string): string {
  return LINKS.test(name) ? otherwise : name.replaceAll(UNSEEN_OR_SPACE, ' ').trim() || otherwise;
}
