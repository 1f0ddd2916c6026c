/** Texts as X shows them, with shortened links and detected entities. */
import { tableOf } from '#kernel/text/table.ts';
import { weightedLinks } from '#kernel/text/weighted.ts';
import { randomText } from '../kit/ids.ts';
import { present, some } from '../kit/api/fields.ts';
import type { Entities, PostText } from './docs.ts';
import type { Users } from './world.ts';

export type Texts = ReturnType<typeof makeTexts>;

const ESCAPES: ReadonlyMap<string, string> = tableOf({ '&': '&amp;', '<': '&lt;', '>': '&gt;' });
const PLAIN = Object.fromEntries([...ESCAPES].map(([plain, escaped]) => [escaped, plain]));
const escape = (words: string) => words.replaceAll(/[&<>]/g, (one) => ESCAPES.get(one)!);
const MAX_SHOWN_LENGTH = 30;
const MENTION = /(?<![\w@])@(\w{1,15})(?!\w)/g;
const HASHTAG = /(?<![\p{L}\p{N}_&])#([\p{L}\p{N}_]*\p{L}[\p{L}\p{N}_]*)/gu;
export const CASHTAG = /(?<![\w$])\$([A-Za-z]{1,6})(?!\w)/g;

const shortLink = () => `https://t.co/${randomText(15).replaceAll(/[-_]/g, '').slice(0, 10).padEnd(10, '0')}`;
const points = (text: string) => Array.from(text).length;

export const plainText = ({ text, entities: { urls = [] } }: PostText): string =>
  urls
    .reduce((words, { url, expanded_url, media_key }) => words.replace(url, media_key ? '' : expanded_url), text)
    .replaceAll(/&(?:lt|gt|amp);/g, (one) => PLAIN[one]!)
    .trim();

export function makeTexts(users: Users) {
  const namedIn = (words: string) =>
    [...words.matchAll(MENTION)].flatMap((match) => {
      const user = users.named(match[1] ?? '');
      return user === undefined ? [] : [{ match, username: users.nameOf(user), id: user.id }];
    });

  /** Composes the text to show. Positions count code points, and a file adds a link at the end. */
  function compose(words: string, file?: Readonly<{ media_key: string; expanded_url: string }>): PostText {
    const normal = words.normalize('NFC');
    const found: { url: string; expanded_url: string; display_url: string; media_key?: string }[] = [];
    let text = '';
    let at = 0;
    for (const { start, end } of weightedLinks(normal)) {
      const link = normal.slice(start, end);
      const expanded_url = /^https?:\/\//i.test(link) ? link : `http://${link}`;
      const plain = expanded_url.replace(/^https?:\/\/(?:www\.)?/i, '');
      const url = shortLink();
      const display_url = plain.length > MAX_SHOWN_LENGTH ? `${plain.slice(0, MAX_SHOWN_LENGTH)}…` : plain;
      found.push({ url, expanded_url, display_url });
      text += `${escape(normal.slice(at, start))}${url}`;
      at = end;
    }
    text += escape(normal.slice(at));
    if (file !== undefined) {
      const url = shortLink();
      found.push({ url, ...file, display_url: `pic.x.com/${url.slice(-10)}` });
      text = `${text} ${url}`.trim();
    }
    const span = (from: number, length: number) => {
      const start = points(text.slice(0, from));
      return { start, end: start + points(text.slice(from, from + length)) };
    };
    const tags = (form: RegExp) =>
      some([...text.matchAll(form)].map(({ index, 0: all, 1: tag = '' }) => ({ ...span(index, all.length), tag })));
    const entities: Entities | undefined = present({
      urls: some(found.map((one) => ({ ...span(text.indexOf(one.url), one.url.length), ...one }))),
      mentions: some(namedIn(text).map(({ match, ...who }) => ({ ...span(match.index, match[0].length), ...who }))),
      hashtags: tags(HASHTAG),
      cashtags: tags(CASHTAG),
    });
    return { text, entities: entities ?? {} };
  }

  return Object.freeze({ compose, named: (words: string) => [...new Set(namedIn(words).map(({ id }) => id))] });
}
