import { isRecord, objectIn } from './calls.ts';
import { PRIVACY, type About, type Fields } from '../docs.ts';
import { refuse } from '../errors.ts';

const MOST_TITLE = 100;
const MOST_DESCRIPTION = 5000;
const MOST_TAGS = 500;
const CATEGORIES: ReadonlySet<string> = new Set('1 2 10 15 17 19 20 22 23 24 25 26 27 28 29'.split(' '));

const invalid = (what: string, message: string) => refuse(400, `invalid${what}`, message, 'youtube.video');

const FRESH: About = Object.freeze({
  title: 'unknown',
  description: '',
  tags: [],
  categoryId: '22',
  privacyStatus: 'public',
  madeForKids: false,
  embeddable: true,
  license: 'youtube',
  publicStatsViewable: true,
  containsSyntheticMedia: false,
});

function textsOf(snippet: Fields): Pick<About, 'title' | 'description' | 'tags' | 'categoryId' | 'defaultLanguage'> {
  const { title, description = '', tags = [], categoryId = '22', defaultLanguage } = snippet;
  if (typeof title !== 'string' || title.trim() === '' || title.length > MOST_TITLE || /[<>]/.test(title))
    throw invalid('Title', 'The request metadata specifies an invalid or empty video title.');
  if (typeof description !== 'string' || Buffer.byteLength(description) > MOST_DESCRIPTION || /[<>]/.test(description))
    throw invalid('Description', 'The request metadata specifies an invalid video description.');
  const words = Array.isArray(tags) ? (tags as unknown[]) : [undefined];
  // A tag with a space counts with the quotation marks that it needs.
  const length = words.reduce<number>(
    (sum, tag) => sum + String(tag).length + (/\s/.test(String(tag)) ? 2 : 0) + 1,
    -1,
  );
  if (!words.every((tag) => typeof tag === 'string' && !/[<>]/.test(tag)) || length > MOST_TAGS)
    throw invalid('Tags', 'The request metadata specifies invalid video keywords.');
  if (typeof categoryId !== 'string' || !CATEGORIES.has(categoryId))
    throw invalid('CategoryId', 'The snippet.categoryId property specifies an invalid category ID.');
  const language = typeof defaultLanguage === 'string' ? { defaultLanguage } : {};
  return { title, description, tags: words as string[], categoryId, ...language };
}

function statusOf(status: Fields, before: About, now: number): Partial<About> {
  const { privacyStatus = before.privacyStatus, publishAt, selfDeclaredMadeForKids, ...rest } = status;
  const known = PRIVACY.find((word) => word === privacyStatus);
  if (known === undefined) throw invalid('VideoMetadata', 'The privacy status is invalid.');
  const at = publishAt === undefined ? undefined : Date.parse(publishAt as string);
  if (at !== undefined && (known !== 'private' || !(at > now)))
    throw invalid('PublishAt', 'The request metadata specifies an invalid scheduled publishing time.');
  const flags = ['embeddable', 'publicStatsViewable', 'containsSyntheticMedia'].flatMap((name) =>
    typeof rest[name] === 'boolean' ? [[name, rest[name]]] : [],
  );
  return {
    privacyStatus: known,
    publishAt: at,
    ...(typeof selfDeclaredMadeForKids === 'boolean' && { madeForKids: selfDeclaredMadeForKids }),
    ...(rest['license'] === 'creativeCommon' && { license: 'creativeCommon' }),
    ...Object.fromEntries(flags),
  };
}

const PARTS: ReadonlySet<string> = new Set(
  'id snippet status contentDetails statistics processingDetails recordingDetails'.split(' '),
);

const recordedIn = ({ recordingDate }: Fields): Pick<About, 'recordingDate'> => ({
  recordingDate: typeof recordingDate === 'string' ? recordingDate : undefined,
});

/** Reads the metadata of a video. Parts that are not named stay as they are. */
export function readAbout(body: Fields, parts: readonly string[], now: number, before: About = FRESH): About {
  for (const part of parts) {
    if (!PARTS.has(part)) throw refuse(400, 'unknownPart', `'${part.slice(0, 40)}'`, 'youtube.part');
  }
  const hasSnippet = parts.includes('snippet') && (before !== FRESH || isRecord(body['snippet']));
  const { defaultLanguage: _, ...rest } = before;
  return {
    ...(hasSnippet ? rest : before),
    ...(hasSnippet && textsOf(objectIn(body, 'snippet'))),
    ...(parts.includes('status') && statusOf(objectIn(body, 'status'), before, now)),
    ...(parts.includes('recordingDetails') && recordedIn(objectIn(body, 'recordingDetails'))),
  };
}
