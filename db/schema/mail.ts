import type { MailKind } from '#kernel/people/mail.ts';
import type { NotificationKind } from '#kernel/people/notifications.ts';

/** Tables of what waits to be mailed. Conventions are in database.ts. */
export type MailTables = {
  mails: MailsTable;
  mail_notifications: MailNotificationsTable;
};

/** Mails that wait to be sent; `sealed` has the recipient and the text, which may contain a link with a token. */
type MailsTable = {
  id: string;
  workspace_id: string;
  /** The user to whom it goes; null if the recipient has none yet. */
  user_id: string | null;
  kind: MailKind;
  sealed: string;
  created_at: number;
  expires_at: number;
};

/** Events that people of a workspace are told of in the next mail. */
type MailNotificationsTable = {
  event_id: string;
  workspace_id: string;
  kind: NotificationKind;
  resource_id: string;
  summary: string;
  created_at: number;
};
