import { sealJson } from '#db/schema/sealed.ts';
import type { Sealer } from '#kernel/seal.ts';

/** Replaces user and password in URLs that are stored or displayed. */
const MASK = '***';

/** User and password, percent-encoded. */
export type Credentials = Readonly<{ user: string; password: string }>;

/** A URL without its credentials: `masked` means the stored ones, `unclear` that only one of the two is masked. */
export type Address = Readonly<{ url: string; credentials: Credentials | 'masked' | 'unclear' | undefined }>;

const masked = (text: string) => (text === '' ? '' : MASK);

/** Separates user and password from a URL; one without them stays as written. */
export function splitAddress(text: string): Address {
  const url = new URL(text);
  const { username: user, password } = url;
  if (user === '' && password === '') return { url: text, credentials: undefined };
  url.username = masked(user);
  url.password = masked(password);
  const given = [user, password].filter((part) => part !== '');
  if (given.every((part) => part === MASK)) return { url: url.href, credentials: 'masked' };
  return { url: url.href, credentials: given.includes(MASK) ? 'unclear' : { user, password } };
}

/** Whether two URLs lead to the same server, so that stored credentials may be used for both. */
export function sharesCredentials(one: string, other: string): boolean {
  const [from, to] = [new URL(one), new URL(other)];
  return from.origin === to.origin && from.username === to.username && from.password === to.password;
}

/** The URL to call, including credentials. */
export function fullAddress(text: string, credentials: Credentials | undefined): string {
  if (credentials === undefined) return text;
  const url = new URL(text);
  url.username = credentials.user;
  url.password = credentials.password;
  return url.href;
}

export function sealCredentials(sealer: Sealer, id: string, credentials: Credentials): string {
  return sealJson(sealer, credentials, 'endpoint_credentials', id);
}

export function openCredentials(text: string): Credentials {
  return JSON.parse(text) as Credentials;
}
