import * as z from 'zod';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { MediaRef } from '../media.ts';
import type { Issue, OptionsSchema, OutgoingPost, PostCheck } from '../posts.ts';
import type { Add } from './fits.ts';

/** Reports an issue with a post field (`part`: the index of the thread post) or with an option. */
type Say = Readonly<{ add(field: string, message: string, part?: number): void; option: Add }>;

export function platformOptions<T extends z.ZodObject>(slug: PlatformSlug, schema: T) {
  let shown: OptionsSchema | undefined;
  const nameOf = (...path: readonly PropertyKey[]) => ['platform_data', slug, ...path].join('.');
  /** The options of a post; empty if any is invalid. */
  const optionsOf = (post: OutgoingPost): Partial<z.output<T>> => schema.safeParse(post.options).data ?? {};
  const optionIssues = (post: OutgoingPost): readonly Issue[] =>
    (schema.safeParse(post.options, { reportInput: true }).error?.issues ?? []).map(({ path, input, message }) => ({
      field: nameOf(...path),
      message: path.length > 0 && input === undefined ? 'is required' : message,
    }));
  return Object.freeze({
    optionsOf,
    /** Makes a check of posts: validates their options, then runs `find` for rules that data cannot express. */
    checking(find: (post: OutgoingPost, say: Say) => void): PostCheck {
      function check(post: OutgoingPost): readonly Issue[] {
        const issues: Issue[] = [...optionIssues(post)];
        const add: Say['add'] = (field, message, part = 0) =>
          void issues.push({ field, message, ...(part > 0 && { segment_index: part - 1 }) });
        find(post, { add, option: (name, message) => add(nameOf(name), message) });
        return issues;
      }
      return Object.assign(check, { options: () => (shown ??= declared(schema)) });
    },
  });
}

/** The JSON Schema of the options, which callers read to fill them in. */
function declared(schema: z.ZodObject): OptionsSchema {
  const { properties = {}, required } = z.toJSONSchema(schema, {
    io: 'input',
    override({ jsonSchema }) {
      // The limit of JavaScript's integers is not a limit of the option.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return { type: 'object', properties, ...(required && { required }) };
}

const MOST_ALT = 1000;

/** Alt texts of images, in the order of the media; null for a medium without one. */
export const altTexts = (most: number) =>
  z
    .array(z.string().max(MOST_ALT, `takes at most ${MOST_ALT} characters each`).nullable())
    .max(most)
    .optional()
    .describe('Alt texts of the media, in order.');

export const webAddress = () =>
  z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).max(2000, 'takes at most 2000 characters');

export const optionImage = z.object({
  source: z.string().min(1).max(2048),
  source_type: z.enum(['media_id', 'url']).default('url'),
});

export function imageIn(option: unknown): readonly MediaRef[] {
  const { data } = optionImage.safeParse(option);
  return data ? [{ ...data, type: 'image' }] : [];
}
