import { excessesOf, type Counting } from './length.ts';
import { linksIn } from './links.ts';
import { hashtagsIn, mentionsIn } from './tags.ts';

type Most = number | null | undefined;

/** A platform's limits for texts; the dashboard gets them from get_constraints, where null means no limit. */
export type TextLimits = Readonly<{
  max_length: number;
  counting_mode: Counting;
  max_bytes?: number | undefined;
  max_hashtags?: Most;
  max_mentions?: Most;
  max_links?: Most;
}>;

/** Messages about the limits that a text exceeds; the dashboard shows the same while the text is typed. */
export function faultsOf(text: string, limits: TextLimits): readonly string[] {
  const { max_length: max, counting_mode: counting, max_bytes, max_hashtags, max_mentions, max_links } = limits;
  return [
    ...excessesOf(text, { max, counting, max_bytes }),
    ...tooMany('hashtags', max_hashtags, () => hashtagsIn(text)),
    ...tooMany('mentions', max_mentions, () => mentionsIn(text)),
    ...tooMany('links', max_links, () => new Set(linksIn(text).map(({ uri }) => uri)).size),
  ];
}

function tooMany(what: string, most: Most, count: () => number): readonly string[] {
  if (most === undefined || most === null) return [];
  const found = count();
  return found > most ? [`has more than ${most} ${what} (${found})`] : [];
}
