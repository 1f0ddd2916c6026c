import { signal } from '@preact/signals';
import type * as Length from '#kernel/text/length.ts';
import type * as Limits from '#kernel/text/limits.ts';

/** How platforms count; undefined until it is loaded. It is large, and the server counts as well. */
export const counting = signal<(typeof Length & typeof Limits) | undefined>(undefined);

/** Loads it after the page, which does not wait for it. */
export async function loadCounting(): Promise<void> {
  const [length, limits] = await Promise.all([import('#kernel/text/length.ts'), import('#kernel/text/limits.ts')]);
  counting.value = { ...length, ...limits };
}
