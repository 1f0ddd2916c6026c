import type { Route } from '#kernel/route.ts';
import type { Visitors } from '../sign-in/visitors.ts';

/** Tells the script of a page who is signed in now, so that the page can stay after another sign-in. */
export const makeSessionRoute = (visitors: Pick<Visitors, 'current'>): Route => ({
  path: '/dashboard/session',
  async GET(ctx) {
    const current = await visitors.current(ctx);
    ctx.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
    ctx.body = current;
  },
});
