import { BASE } from './call.ts';
import type { MediaItem } from './operations.ts';
import { TOKEN } from './page.ts';
import { call } from './shell.tsx';

/** Larger files use an upload URL. */
const MOST_AT_ONCE = 50 * 1024 * 1024;

/** An upload in progress, and how to cancel it. */
export type Sending = Readonly<{ arrived: Promise<MediaItem>; cancel(): void }>;

/** Uploads a file; only XMLHttpRequest reports the progress. */
export function upload(file: File, key: string, onShare: (share: number) => void): Sending {
  const request = new XMLHttpRequest();
  const arrived = file.size > MOST_AT_ONCE ? sendApart(request, file, onShare) : sendHere(request, file, key, onShare);
  return { arrived, cancel: () => request.abort() };
}

async function sendHere(request: XMLHttpRequest, file: File, key: string, onShare: (share: number) => void) {
  const form = new FormData();
  form.append('file', file);
  request.open('POST', `${BASE}/media/upload`);
  request.setRequestHeader('Rostra-Page', TOKEN);
  request.setRequestHeader('Idempotency-Key', key);
  return JSON.parse(await sent(request, form, onShare)) as MediaItem;
}

async function sendApart(request: XMLHttpRequest, file: File, onShare: (share: number) => void): Promise<MediaItem> {
  const { media_id, upload_url } = await call('get_media_upload_url', {
    media_type: file.type,
    filename: file.name,
    size_bytes: file.size,
  });
  request.open('PUT', upload_url);
  request.setRequestHeader('Content-Type', file.type);
  await sent(request, file, onShare);
  return call('verify_media_upload', { media_id });
}

/** The answer to a request; a refusal rejects in the server's words. */
function sent(request: XMLHttpRequest, body: FormData | File, onShare: (share: number) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    request.upload.addEventListener('progress', ({ loaded, total }) => onShare(total === 0 ? 1 : loaded / total));
    request.addEventListener('load', () => {
      // The session ended: the page signs in and returns.
      if (request.status === 401) location.reload();
      if (request.status < 300) resolve(request.responseText);
      else reject(new Error(wordsOf(request.responseText)));
    });
    request.addEventListener('error', () => reject(new Error('The connection broke off.')));
    request.addEventListener('abort', () => reject(new Error('Cancelled.')));
    request.send(body);
  });
}

function wordsOf(text: string): string {
  try {
    return (JSON.parse(text) as { error: { message: string } }).error.message;
  } catch {
    return 'The server did not take the file.';
  }
}
