/** What the server sends mails about. */
export const MAIL_KINDS = ['invitation', 'password', 'notification'] as const;

export type MailKind = (typeof MAIL_KINDS)[number];

/** A mail that the server sends to one person, in plain text. */
export type Mail = Readonly<{
  workspaceId: string;
  /** The user to whom it goes; it is not sent once they are disabled or removed. Null if they have none yet. */
  userId: string | null;
  kind: MailKind;
  to: string;
  subject: string;
  text: string;
  /** It is not sent after this time, for example because its link has expired. */
  expiresAt: number;
}>;
