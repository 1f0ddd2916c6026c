import { signal } from '@preact/signals';
import type * as Length from '#kernel/text/length.ts';
import type * as Limits from '#kernel/text/limits.ts';

/** How platforms count; undefined until it is loaded. It is large, and the server counts as well. */
export const counting = signal<(typeof Length & typeof Limits) | undefined>(undefined);

/** What to say if it cannot be loaded. Browsers import a file that failed only into a new page. */
export const UNCOUNTED =
  'Texts cannot be counted here, as a part of this page is missing. Load the page again; what you wrote is kept.';

/** Loads it after the page, which does not wait for it. */
export async function loadCounting(): Promise<void> {
  if (counting.value !== undefined) return;
  const [length, limits] = await Promise.all([import('#kernel/text/length.ts'), import('#kernel/text/limits.ts')]);
  counting.value = { ...length, ...limits };
}
