import { DAY } from '#kernel/clock.ts';
import type { Mail } from '#kernel/people/mail.ts';

type To = Readonly<{ workspaceId: string; userId: string; email: string; rootUrl: string }>;

/** The mail with the link for a new password. */
export function passwordLink({ workspaceId, userId, email: to, rootUrl }: To, link: string, expiresAt: number): Mail {
  const text = `Somebody asked for a new password for ${to} on ${hostOf(rootUrl)}. To choose one, open this link:

${link}

It works once, within an hour.

If you did not ask for it, ignore this mail: your password stays as it is.
`;
  return { workspaceId, userId, kind: 'password', to, subject: 'Choose a new password for Rostra', text, expiresAt };
}

/** The mail that tells people that their password was changed, in case it was not them. */
export function passwordChanged({ workspaceId, userId, email: to, rootUrl }: To, now: number): Mail {
  const text = `The password of ${to} on ${hostOf(rootUrl)} was changed, and the browsers that were signed in with the old one are signed out.

If it was not you, choose another one at once with “Forgot your password?” on the sign-in page, and end connected apps there. The operator of that server can also disable your user.
`;
  return {
    workspaceId,
    userId,
    kind: 'password',
    to,
    subject: 'Your Rostra password was changed',
    text,
    expiresAt: now + DAY,
  };
}

const hostOf = (rootUrl: string) => new URL(rootUrl).host;
