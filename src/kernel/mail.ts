/** A mail that the server sends to one person, in plain text. */
export type Mail = Readonly<{
  to: string;
  subject: string;
  text: string;
  /** It is not sent after this time, for example because its link has expired. */
  expiresAt: number;
}>;
