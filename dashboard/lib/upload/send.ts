import { BASE, refusalOf, type Call } from '../call.ts';
import type { MediaItem } from '../operations.ts';
import type { Send } from './uploads.ts';

/** Larger files are sent to an upload URL. */
const MOST_AT_ONCE = 50 * 1024 * 1024;

type UploadDeps = Readonly<{ token: string; zone: string; call: Call; newRequest(): XMLHttpRequest }>;
type Progress = (share: number) => void;

/** Returns a function that uploads files. It uses XMLHttpRequest, because only that reports progress. */
export function makeUpload({ token, zone, call, newRequest }: UploadDeps): Send<MediaItem> {
  const sendForm = makeSendForm({ token, zone });

  async function sendApart(
    request: XMLHttpRequest,
    file: File,
    cancelled: AbortSignal,
    onShare: Progress,
  ): Promise<MediaItem> {
    const { media_id, upload_url } = await call('get_media_upload_url', {
      media_type: file.type,
      filename: file.name,
      size_bytes: file.size,
    });
    cancelled.throwIfAborted();
    request.open('PUT', upload_url);
    request.setRequestHeader('Content-Type', file.type);
    await sent(request, file, { zone, onShare });
    cancelled.throwIfAborted();
    return call('verify_media_upload', { media_id });
  }

  return (file, key, onShare) => {
    const request = newRequest();
    const cancelling = new AbortController();
    return {
      arrived:
        file.size > MOST_AT_ONCE
          ? sendApart(request, file, cancelling.signal, onShare)
          : sendForm<MediaItem>(request, { path: '/media/upload', fields: { file }, key, onShare }),
      cancel() {
        cancelling.abort(new Error('Cancelled.'));
        request.abort();
      },
    };
  };
}

type Form = Readonly<{ path: string; fields: Readonly<Record<string, File | string>>; key: string; onShare: Progress }>;

/** Returns a function that calls an operation with a form, and reports how much of it has been sent. */
export function makeSendForm({ token, zone }: Pick<UploadDeps, 'token' | 'zone'>) {
  return async <A>(request: XMLHttpRequest, { path, fields, key, onShare }: Form): Promise<A> => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    request.open('POST', `${BASE}${path}`);
    request.setRequestHeader('Rostra-Page', token);
    request.setRequestHeader('Idempotency-Key', key);
    return JSON.parse(await sent(request, form, { zone, onShare })) as A;
  };
}

type How = Readonly<{ zone: string; onShare: Progress }>;

/** Sends a request and returns its response. A refusal rejects with the server's message. */
function sent(request: XMLHttpRequest, body: FormData | File, { zone, onShare }: How): Promise<string> {
  return new Promise((resolve, reject) => {
    request.upload.addEventListener('progress', ({ loaded, total }) => onShare(total === 0 ? 1 : loaded / total));
    request.addEventListener('load', () => {
      // The session has ended; reloading leads to sign-in and back.
      if (request.status === 401) location.reload();
      if (request.status < 300) resolve(request.responseText);
      else reject(refusalIn(request, zone));
    });
    request.addEventListener('error', () => reject(new Error('The connection was lost.')));
    request.addEventListener('abort', () => reject(new Error('Cancelled.')));
    request.send(body);
  });
}

function refusalIn({ status, responseText }: XMLHttpRequest, zone: string): Error {
  try {
    return refusalOf(status, JSON.parse(responseText), zone);
  } catch {
    return new Error('The server did not accept the file.');
  }
}
