import { isCallable, isLoopbackName } from './net/addresses.ts';
import { fail } from './errors.ts';

/** What a URL parser drops or turns in silence: the address compared would not be the address visited. */
const UNSOUND = /[^\x21-\u{10ffff}]|[#\\]|^[a-z]+:(?!\/\/[^/?])|^[a-z]+:\/\/[^/?]*@/iu;

/** Answers an address where a browser may be sent after connecting an account; refuses every other. */
export function checkRedirectUri(value: string, field: string): string {
  const url = UNSOUND.test(value) ? null : URL.parse(value);
  if (url && isCallable(url) && isAllowed(url)) return value;
  fail('validation.field_invalid', {
    message: `${field} must be an https address (http for localhost only), without user name, password or fragment.`,
    meta: { field },
  });
}

/** A host that is a number is nobody's public address; on this machine it may be. */
function isAllowed({ protocol, hostname }: URL): boolean {
  if (isLoopbackName(hostname)) return protocol === 'https:' || protocol === 'http:';
  return protocol === 'https:' && !/^[\d.]+$/.test(hostname) && !hostname.startsWith('[');
}
