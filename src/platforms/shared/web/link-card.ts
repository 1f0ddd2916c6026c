import { cut } from '#kernel/text/length.ts';
import type { UnauthenticatedCall } from '../../call.ts';
import { trySend } from '../rest.ts';

/** A link card whose picture has not been uploaded yet. */
export type Card = Readonly<{
  uri: string;
  title: string;
  description: string;
  picture?: Readonly<{ body: Uint8Array; type: string }> | undefined;
}>;

/** Bluesky has the lowest limit and accepts no larger picture. */
const MOST_THUMB_BYTES = 1_000_000;

const MOST_PAGE_BYTES = 512 * 1024;
const DEADLINE_MS = 8000;
const MOST_TITLE = 300;
const MOST_DESCRIPTION = 1000;

/** Builds a link card from the linked page; undefined if the page does not respond. */
export async function readCard(call: UnauthenticatedCall, uri: string): Promise<Card | undefined> {
  const answer = await trySend(call, {
    method: 'GET',
    url: uri,
    headers: { accept: 'text/html, application/xhtml+xml', 'accept-encoding': 'identity' },
    given: true,
    template: '/{page}',
    maxBytes: MOST_PAGE_BYTES,
    overflow: 'truncate',
    deadlineMs: DEADLINE_MS,
    redirects: 3,
  });
  const type = answer?.headers['content-type'] ?? '';
  if (answer?.status !== 200 || !/^(?:text\/html|application\/xhtml\+xml)\b/i.test(type)) return undefined;
  // The HTML parser is loaded only when a first card is made.
  const { decodePage, readPage } = await import('./page-metadata.ts');
  const metadata = readPage(decodePage(answer.body, type));
  if (!metadata) return undefined;
  return {
    uri,
    title: cut(metadata.title, MOST_TITLE),
    description: cut(metadata.description, MOST_DESCRIPTION),
    picture: metadata.image === undefined ? undefined : await readPicture(call, metadata.image, uri),
  };
}

async function readPicture(call: UnauthenticatedCall, image: string, page: string): Promise<Card['picture']> {
  const url = URL.parse(image, page);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  const answer = await trySend(call, {
    method: 'GET',
    url: url.href,
    headers: { accept: 'image/*' },
    given: true,
    template: '/{picture}',
    maxBytes: MOST_THUMB_BYTES,
    deadlineMs: DEADLINE_MS,
    redirects: 3,
  });
  if (answer?.status !== 200 || answer.body.byteLength > MOST_THUMB_BYTES) return undefined;
  const type = pictureType(answer.body);
  return type === undefined ? undefined : { body: answer.body, type };
}

/** Detects the type of a picture by its first bytes, as the declared content type is not trusted. */
function pictureType(body: Uint8Array): string | undefined {
  const start = Buffer.from(body.subarray(0, 12)).toString('latin1');
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('RIFF') && start.slice(8) === 'WEBP') return 'image/webp';
  return /^GIF8[79]a/.test(start) ? 'image/gif' : undefined;
}
