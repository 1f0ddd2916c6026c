import * as z from 'zod';
import type { PlatformSlug } from '../../kernel/platforms.ts';
import type { Issue, OutgoingPost } from '../posts.ts';

/** The reader of what posts may carry in `platform_data` for one platform. */
export function platformOptions<T extends z.ZodObject>(slug: PlatformSlug, schema: T) {
  return Object.freeze({
    /** The options of a post; none if any is invalid. */
    optionsOf: (post: OutgoingPost): Partial<z.output<T>> => schema.safeParse(post.options).data ?? {},
    /** What is wrong with the options of a post. */
    optionIssues: (post: OutgoingPost): readonly Issue[] =>
      (schema.safeParse(post.options).error?.issues ?? []).map(({ path, message }) => ({
        field: ['platform_data', slug, ...path].join('.'),
        message,
      })),
  });
}

const MOST_ALT = 1000;

/** Alt texts of images, in the order of the media; null for one without. */
export const altTexts = (most: number) =>
  z
    .array(z.string().max(MOST_ALT, `takes at most ${MOST_ALT} characters each`).nullable())
    .max(most)
    .optional();
