export const REST = '/v1';
/** The base path of operations for the dashboard's scripts, which are identified by their session. */
export const DASHBOARD_REST = '/dashboard/v1';
export const MCP = '/mcp';
/** Pages about every operation, error, event and scope. */
export const REFERENCE = '/reference';
/** The sandbox, whose console is at this path. */
export const SANDBOX = '/sandbox';

type Area = Readonly<{
  path: string;
  /** Pages for a browser: only at this path, or below it too. */
  pages?: 'alone' | 'below';
  /** Called only by programs: refusals are always JSON envelopes, whatever the client accepts. */
  programs?: true;
  /** The rest of an address that may be opened after sign-in. Without this pattern, none may be. */
  afterSignIn?: RegExp;
}>;

/** Areas of the server's URLs; a nested area comes after its parent. */
export const AREAS: readonly Area[] = Object.freeze<Area[]>([
  { path: '/', pages: 'alone', afterSignIn: /^$/ },
  { path: '/.well-known', programs: true },
  { path: '/assets' },
  { path: '/billing', pages: 'below' },
  { path: '/connect', pages: 'below' },
  {
    path: '/dashboard',
    pages: 'below',
    afterSignIn: /^(?:\/[a-z-]{1,40}(?:\/[\w-]{1,64})?)?(?:\?[\w=&%+.:,;~!'()*@$/?-]{0,1000})?$/,
  },
  { path: DASHBOARD_REST, programs: true },
  { path: '/files' },
  { path: '/forgot', pages: 'alone' },
  { path: '/healthz', programs: true },
  { path: '/invite', pages: 'below' },
  { path: '/join', pages: 'alone' },
  { path: '/llms.txt' },
  { path: MCP, programs: true },
  { path: '/media' },
  { path: '/metrics', programs: true },
  { path: '/migrate', programs: true },
  { path: '/new-password', pages: 'alone' },
  { path: '/oauth' },
  { path: '/oauth/authorize', pages: 'below' },
  { path: '/oauth/consent', pages: 'below', afterSignIn: /^\/[\w-]{1,128}$/ },
  { path: '/openapi.json', programs: true },
  { path: '/push', programs: true },
  { path: '/readyz', programs: true },
  { path: REFERENCE, pages: 'below' },
  { path: '/review', pages: 'below', afterSignIn: /^(?:\/[\w-]{1,64})?$/ },
  { path: SANDBOX, pages: 'alone', afterSignIn: /^(?:\/[\w.:%@-]{1,300}){0,6}$/ },
  { path: '/setup', pages: 'alone' },
  { path: '/sign-in', pages: 'alone' },
  { path: '/sign-out', pages: 'alone' },
  { path: '/skills' },
  { path: '/upload' },
  { path: REST, programs: true },
]);

/** Whether a request target equals a path or is below it. */
export function isWithin(path: string, target: string): boolean {
  if (!target.startsWith(path)) return false;
  const next = target[path.length];
  return next === undefined || next === '/' || next === '?';
}

/** The innermost area of a request target. */
export function areaOf(target: string): Area | undefined {
  return AREAS.findLast(({ path }) => (path === '/' ? /^\/(?:$|\?)/.test(target) : isWithin(path, target)));
}

export function isPage(target: string): boolean {
  const area = areaOf(target);
  if (area?.pages === 'alone') return /^\/?(?:$|\?)/.test(target.slice(area.path.length));
  return area?.pages === 'below';
}

/** Whether an address may be opened after sign-in: only pages of this server may. */
export function isAfterSignIn(address: string): boolean {
  const area = areaOf(address);
  return area?.afterSignIn?.test(address.slice(area.path.length)) === true;
}
