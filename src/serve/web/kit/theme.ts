import type { RequestContext } from '#kernel/route.ts';
import { flagsOf } from './cookies.ts';

/** The themes of the pages. Without a choice they follow the system. */
export const THEMES = Object.freeze(['system', 'light', 'dark'] as const);
export type Theme = (typeof THEMES)[number];

const COOKIE = 'rostra-theme';
const YEAR_SECONDS = 365 * 86_400;

/** The theme chosen in this browser. */
export function themeOf(ctx: RequestContext): Theme {
  const kept = ctx.cookies.get(COOKIE, { signed: false });
  return THEMES.find((one) => one === kept) ?? 'system';
}

export function keepTheme(ctx: RequestContext, theme: Theme, rootUrl: string): void {
  const age = theme === 'system' ? 0 : YEAR_SECONDS;
  ctx.append('Set-Cookie', `${COOKIE}=${theme}; Max-Age=${age}; ${flagsOf(rootUrl)}`);
}
