import type { MediaSource } from '#call/ports.ts';
import type { Authority } from '#kernel/authority.ts';
import type { Clock } from '#kernel/clock.ts';
import { ApiError } from '#kernel/errors.ts';
import { isUrl } from '#platforms/media.ts';
import { megabytes, typeWords, type ConvertedPicture } from '#kernel/pictures/picture.ts';
import { blameOf, nameMedium, postOf, type Against, type Found, type LookedUp } from './against.ts';
import { attachedTo, withMedia } from './compose.ts';
import type { Content } from './content.ts';
import { isConverted, picturesOf, type PicturePlace } from './pictures.ts';

/** The most conversions in one validation, and how long new ones are begun; each may take seconds. */
const MOST_TRIED = 16;
const MOST_MS = 10_000;

type Tried = Readonly<{ made: Omit<ConvertedPicture, 'key' | 'source'> | undefined }> | Readonly<{ refused: string }>;
type Conversions = Readonly<{ made: readonly Found[]; refused: readonly Found[] }>;

/** Tries to convert stored pictures that do not fit, if the post has no other errors. */
export function makeConversions({ media, clock }: Readonly<{ media: MediaSource; clock: Pick<Clock, 'now'> }>) {
  async function attempt(workspace: string, { item, spec }: PicturePlace): Promise<Tried> {
    try {
      return { made: await media.fit(workspace, item.ref, spec, {}) };
    } catch (error) {
      if (error instanceof ApiError) return { refused: error.message.replace(/^media: /, '').replace(/\.$/, '') };
      // The server failed or was too busy, which says nothing about the picture: publishing tries again.
      return { made: undefined };
    }
  }

  return async function convert(
    { workspace }: Authority,
    against: readonly Against[],
    { content, lookedUp, isSound }: Readonly<{ content: Content; lookedUp: LookedUp; isSound(one: Against): boolean }>,
  ): Promise<Conversions> {
    let left = MOST_TRIED;
    const until = clock.now() + MOST_MS;
    const made: Found[] = [];
    const refused: Found[] = [];
    for (const one of against) {
      const { post, places } = placesOf(one, content, lookedUp);
      for (const place of places) {
        const isTried = isSound(one) && left > 0 && clock.now() < until;
        if (isTried) left -= 1;
        const tried = isTried ? await attempt(workspace, place) : { made: undefined };
        const { field, segment_index } = place;
        const about = { ...blameOf(one), field, ...(segment_index !== undefined && { segment_index }) };
        if ('refused' in tried) refused.push(nameMedium(post, { ...about, message: tried.refused }));
        else made.push(nameMedium(post, { ...about, message: sentence(tried.made) }));
      }
    }
    return { made, refused };
  };
}

function sentence(made: Omit<ConvertedPicture, 'key' | 'source'> | undefined): string {
  if (made === undefined) return 'will be converted to fit';
  const { content_type, size_bytes, width, height } = made;
  return `will be converted to ${typeWords(content_type)}, ${megabytes(size_bytes)}, ${width} × ${height}`;
}

function placesOf(one: Against, content: Content, media: LookedUp) {
  const { connector, overrides } = one;
  const post = postOf(one, content, media);
  const attached = connector ? withMedia(attachedTo(connector, content, overrides), media.described) : [];
  const places = connector ? picturesOf(connector, post, attached) : [];
  return { post, places: places.filter((place) => !isUrl(place.item.ref) && isConverted(place)) };
}
