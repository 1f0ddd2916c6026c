import type { Route } from '#kernel/route.ts';

/** Refuses requests to these routes while the server is paused; the platforms send them again later. */
export function refusedWhilePaused(routes: readonly Route[], refuse: () => void): readonly Route[] {
  return routes.map((route) => {
    const { POST } = route;
    if (POST === undefined) return route;
    return {
      ...route,
      POST(ctx, params) {
        refuse();
        return POST(ctx, params);
      },
    };
  });
}
