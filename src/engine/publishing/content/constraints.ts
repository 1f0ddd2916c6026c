import type { PlatformSlug } from '../../../kernel/platforms.ts';
import { prepared } from '../../../kernel/text/prepared.ts';
import { kindsOf, type Platforms } from '../../../platforms/lookup.ts';
import type { PostRules } from '../../../platforms/posts.ts';
import { bounded } from './rules.ts';
import type { TextRule } from '../../../platforms/sending.ts';

/** The rules of every platform that publishes posts, and of each of its further kinds of account. */
type Constraints = Readonly<{ data: Readonly<Record<string, ReturnType<typeof wireConstraints>>> }>;

/** Prepares the answers of get_constraints: of one platform, or of all where none is named. */
export function makeConstraints(
  platforms: Platforms,
  maxBytes: number,
): (platform: PlatformSlug | undefined) => Constraints {
  const entries = [...platforms.values()].flatMap((platform) =>
    kindsOf(platform).flatMap(([name, { slug, posts }]) =>
      posts
        ? [
            {
              slug,
              entry: [name, wireConstraints({ ...posts.rules, media: bounded(posts.rules.media, maxBytes) })] as const,
            },
          ]
        : [],
    ),
  );
  const answerOf = (of: typeof entries): Constraints =>
    prepared({ data: Object.fromEntries(of.map(({ entry }) => entry)) });
  const all = answerOf(entries);
  const none = answerOf([]);
  const each = new Map(
    [...platforms.keys()].map((asked) => [asked, answerOf(entries.filter(({ slug }) => slug === asked))]),
  );
  return (platform) => (platform === undefined ? all : (each.get(platform) ?? none));
}

const wireRule = ({ max, counting }: TextRule) => ({ max_length: max, counting_mode: counting });

/** What get_constraints answers for a platform (clients.md § Post). */
function wireConstraints({ text, media, carousel, ...rules }: PostRules) {
  const { title, first_comment: comment } = rules;
  return {
    text: { ...text, max_hashtags: text.max_hashtags ?? null, max_mentions: text.max_mentions ?? null },
    media: {
      max_image_size_bytes: media.max_image_size_bytes,
      max_video_size_bytes: media.max_video_size_bytes,
      max_video_duration_sec: media.max_video_duration_sec ?? null,
      min_video_duration_sec: media.min_video_duration_sec ?? null,
      supported_image_types: media.supported_image_types,
      supported_video_types: media.supported_video_types,
      supported_document_types: media.documents ?? [],
      sources: media.sources,
    },
    carousel,
    threads: rules.threads,
    title: title ? { supported: true, required: title.required, ...wireRule(title) } : { supported: false },
    first_comment: comment ? { supported: true, ...wireRule(comment) } : { supported: false },
    board: { required: rules.board === 'required' },
    text_only: rules.text_only,
    visibilities: rules.visibilities,
    scheduling: { supported: true, mode: 'server_side' },
    supports_platform_attachment_id: media.sources.includes('platform_attachment_id'),
    supports_mixed_media: carousel.supported && carousel.allow_video,
  };
}
