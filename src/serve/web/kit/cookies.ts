import type { RequestContext } from '#kernel/route.ts';

type Traits = Readonly<{ rootUrl: string; name: string; seconds: number }>;

/** Cookie flags, written here because behind a proxy Koa sees plain http and refuses to set Secure. */
export const flagsOf = (rootUrl: string): string =>
  ['Path=/', 'HttpOnly', 'SameSite=Lax', ...(rootUrl.startsWith('https:') ? ['Secure'] : [])].join('; ');

/** A cookie for this server's pages. ROOT_URL decides its flags, and it never has a Domain. */
export function makeCookie({ rootUrl, name, seconds }: Traits) {
  const https = rootUrl.startsWith('https:');
  const full = `${https ? '__Host-' : ''}rostra-${name}`;
  const fixed = flagsOf(rootUrl);

  return Object.freeze({
    read: (ctx: RequestContext) => ctx.cookies.get(full, { signed: false }),
    write: (ctx: RequestContext, value: string) =>
      ctx.append('Set-Cookie', `${full}=${value}; Max-Age=${seconds}; ${fixed}`),
    clear: (ctx: RequestContext) => ctx.append('Set-Cookie', `${full}=; Max-Age=0; ${fixed}`),
  });
}
