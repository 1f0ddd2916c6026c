import { isCallable, isLoopbackName } from './net/addresses.ts';
import { fail } from './errors.ts';

/** Matches what URL parsers silently drop or change, because then another address would be visited than was checked. */
const UNSOUND = /[^\x21-\u{10ffff}]|[#\\]|^[a-z]+:(?!\/\/[^/?])|^[a-z]+:\/\/[^/?]*@/iu;

/** Checks the URL to which a browser is sent after an account is connected; throws if it is not allowed. */
export function checkRedirectUri(value: string, field: string): string {
  const url = UNSOUND.test(value) ? null : URL.parse(value);
  if (url && isCallable(url) && isAllowed(url)) return value;
  fail('validation.field_invalid', {
    message: `${field} must be an https address (http for localhost only), without user name, password or fragment.`,
    meta: { field },
  });
}

/** Numeric hosts are allowed on this machine only. */
function isAllowed({ protocol, hostname }: URL): boolean {
  if (isLoopbackName(hostname)) return protocol === 'https:' || protocol === 'http:';
  return protocol === 'https:' && !/^[\d.]+$/.test(hostname) && !hostname.startsWith('[');
}
