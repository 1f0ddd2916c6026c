import { isLoopback } from '../net/addresses.ts';
import { emailOf } from '../text/email.ts';
import { MAIL } from './names.ts';
import { parsed, type Values } from './reader.ts';
import type { Parse } from './values.ts';

/** The mail server, and the sender of its mails; undefined if no mails are sent. */
export type MailSettings =
  | Readonly<{
      host: string;
      port: number;
      /** Whether the connection begins with TLS, changes to TLS with STARTTLS, or stays unencrypted. */
      tls: 'at once' | 'starttls' | 'off';
      login: Readonly<{ user: string; password: string }> | undefined;
      from: Readonly<{ name: string; address: string }>;
    }>
  | undefined;

/** The settings of mail. */
export function mail({ allOrNone }: Values): MailSettings {
  const [url, from] = allOrNone(MAIL) ?? [];
  if (url === undefined || from === undefined) return undefined;
  return Object.freeze({ ...parsed('SMTP_URL', url, smtpUrl), from: parsed('MAIL_FROM', from, sender) });
}

const KNOWN = { 'smtp:': { port: 587, tls: 'starttls' }, 'smtps:': { port: 465, tls: 'at once' } } as const;
const FORM = 'must look like smtp://user:password@mail.example.org:587 or smtps://…, with both percent-encoded';

const smtpUrl: Parse<Omit<NonNullable<MailSettings>, 'from'>> = (value, wrong) => {
  const url = URL.parse(value);
  if (
    !url ||
    !/^smtps?:$/.test(url.protocol) ||
    url.hostname === '' ||
    !/^\/?$/.test(url.pathname) ||
    url.hash !== ''
  ) {
    return wrong(FORM);
  }
  const { protocol, hostname: host, port, username, password, search } = url;
  if (search !== '' && search !== '?tls=off') wrong('can end only with ?tls=off');
  if (protocol === 'smtps:' && search !== '') wrong('starts with smtps:// and ends with ?tls=off: leave one out');
  if ((username === '') !== (password === '')) wrong('must have both a user and a password, or neither');
  if (username !== '' && search !== '') wrong('ends with ?tls=off and has a password, which would be sent unencrypted');
  const known = KNOWN[protocol as keyof typeof KNOWN];
  // A mail server on this machine rarely has a certificate.
  const isPlain = protocol === 'smtp:' && (search !== '' || isLoopback(`http://${host}`));
  return {
    host: host.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? known.port : Number(port),
    tls: isPlain ? 'off' : known.tls,
    login: username === '' ? undefined : { user: decoded(username, wrong), password: decoded(password, wrong) },
  };
};

function decoded(text: string, wrong: (why: string) => never): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return wrong(FORM);
  }
}

const sender: Parse<Readonly<{ name: string; address: string }>> = (value, wrong) => {
  const named = /^(?:"?([^"<>]*?)"?\s*<([^<>\s]+)>|([^<>\s]+))$/.exec(value);
  const address = emailOf(named?.[2] ?? named?.[3] ?? '');
  if (address === undefined) return wrong('must be an address such as Rostra <social@example.org>');
  return { name: named?.[1] || 'Rostra', address };
};
