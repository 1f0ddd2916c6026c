import { isCallable, isLoopbackName } from './net/addresses.ts';
import { fail } from './errors.ts';

/** What a URL parser silently drops or rewrites: the checked address would not be the visited one. */
const UNSOUND = /[^\x21-\u{10ffff}]|[#\\]|^[a-z]+:(?!\/\/[^/?])|^[a-z]+:\/\/[^/?]*@/iu;

/** The address a browser may be sent to after connecting an account; any other is refused. */
export function checkRedirectUri(value: string, field: string): string {
  const url = UNSOUND.test(value) ? null : URL.parse(value);
  if (url && isCallable(url) && isAllowed(url)) return value;
  fail('validation.field_invalid', {
    message: `${field} must be an https address (http for localhost only), without user name, password or fragment.`,
    meta: { field },
  });
}

/** A numeric host is no public address, except on this machine. */
function isAllowed({ protocol, hostname }: URL): boolean {
  if (isLoopbackName(hostname)) return protocol === 'https:' || protocol === 'http:';
  return protocol === 'https:' && !/^[\d.]+$/.test(hostname) && !hostname.startsWith('[');
}
