/** Operations by REST. */
export const REST = '/v1';
/** The same for the scripts of the dashboard, who are known by their session. */
export const DASHBOARD_REST = '/dashboard/v1';
export const MCP = '/mcp';
/** The stand-in network, with its console at the address itself. */
export const SANDBOX = '/sandbox';

type Area = Readonly<{
  path: string;
  /** People open it in a browser: this address alone, or everything below it too. */
  pages?: 'alone' | 'below';
  /** What may follow the path where sign-in leads back to; absent where it never does. */
  afterSignIn?: RegExp;
}>;

/** Every area of the server's addresses. An area inside another stands after it. */
export const AREAS: readonly Area[] = Object.freeze<Area[]>([
  { path: '/', pages: 'alone', afterSignIn: /^$/ },
  { path: '/.well-known' },
  { path: '/assets' },
  { path: '/billing', pages: 'below' },
  { path: '/connect', pages: 'below' },
  {
    path: '/dashboard',
    pages: 'below',
    afterSignIn: /^(?:\/[a-z-]{1,40}(?:\/[\w-]{1,64})?)?(?:\?[\w=&%+.:-]{0,200})?$/,
  },
  { path: DASHBOARD_REST },
  { path: '/files' },
  { path: '/healthz' },
  { path: '/invite', pages: 'below' },
  { path: '/llms.txt' },
  { path: MCP },
  { path: '/media' },
  { path: '/metrics' },
  { path: '/migrate' },
  { path: '/oauth' },
  { path: '/oauth/authorize', pages: 'below' },
  { path: '/oauth/consent', pages: 'below', afterSignIn: /^\/[\w-]{1,128}$/ },
  { path: '/openapi.json' },
  { path: '/push' },
  { path: '/readyz' },
  { path: SANDBOX, pages: 'alone', afterSignIn: /^(?:\/[\w.:%@-]{1,300}){0,6}$/ },
  { path: '/setup', pages: 'alone' },
  { path: '/sign-in', pages: 'alone' },
  { path: '/sign-out', pages: 'alone' },
  { path: '/skills' },
  { path: '/upload' },
  { path: REST },
]);

/** Whether a request target (path and query) is an address or lies below it. */
export function isWithin(path: string, target: string): boolean {
  if (!target.startsWith(path)) return false;
  const next = target[path.length];
  return next === undefined || next === '/' || next === '?';
}

/** The innermost area that a request target lies in. */
export function areaOf(target: string): Area | undefined {
  return AREAS.findLast(({ path }) => (path === '/' ? /^\/(?:$|\?)/.test(target) : isWithin(path, target)));
}

/** Whether a request target is one that people open in a browser. */
export function isPage(target: string): boolean {
  const area = areaOf(target);
  if (area?.pages === 'alone') return /^\/?(?:$|\?)/.test(target.slice(area.path.length));
  return area?.pages === 'below';
}

/** Whether sign-in may lead on to an address: a path of ours without a query. */
export function isAfterSignIn(address: string): boolean {
  const area = areaOf(address);
  return area?.afterSignIn?.test(address.slice(area.path.length)) === true;
}
