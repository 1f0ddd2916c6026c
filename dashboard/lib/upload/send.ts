import { BASE, refusalOf, type Call } from '../call.ts';
import type { Session } from '../frame/session.ts';
import type { MediaItem } from '../operations.ts';
import type { Send } from './uploads.ts';

/** Larger files are sent to an upload URL. */
const MOST_AT_ONCE = 50 * 1024 * 1024;

type UploadDeps = Readonly<{
  /** The token of the page. */
  token(): string;
  /** Called when a request was refused because of its session. */
  check: Session['check'];
  zone: string;
  call: Call;
  newRequest(): XMLHttpRequest;
}>;
type FormDeps = Pick<UploadDeps, 'token' | 'check' | 'zone'>;
type Progress = (share: number) => void;

/** Returns a function that uploads files. It uses XMLHttpRequest, because only that reports progress. */
export function makeUpload({ call, newRequest, ...deps }: UploadDeps): Send<MediaItem> {
  const { zone } = deps;
  const sendForm = makeSendForm(deps);

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
    const { signal } = cancelling;
    return {
      arrived:
        file.size > MOST_AT_ONCE
          ? sendApart(request, file, signal, onShare)
          : sendForm<MediaItem>(request, { path: '/media/upload', fields: { file }, key, onShare, cancelled: signal }),
      cancel() {
        cancelling.abort(new Error('Cancelled.'));
        request.abort();
      },
    };
  };
}

type Form = Readonly<{
  path: string;
  fields: Readonly<Record<string, File | string>>;
  key: string;
  onShare: Progress;
  cancelled?: AbortSignal;
}>;

/**
 * Returns a function that calls an operation with a form, and reports how much of it has been sent. It sends the form
 * again if only its token was out of date.
 */
export function makeSendForm({ token, check, zone }: FormDeps) {
  return async <A>(request: XMLHttpRequest, { path, fields, key, onShare, cancelled }: Form): Promise<A> => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    async function send(): Promise<A> {
      request.open('POST', `${BASE}${path}`);
      request.setRequestHeader('Rostra-Page', token());
      request.setRequestHeader('Idempotency-Key', key);
      return JSON.parse(await sent(request, form, { zone, onShare })) as A;
    }
    const used = token();
    try {
      return await send();
    } catch (error) {
      if (request.status !== 401 && request.status !== 403) throw error;
      await check().catch(() => undefined);
      cancelled?.throwIfAborted();
      if (token() === used) throw error;
      return send();
    }
  };
}

type How = Readonly<{ zone: string; onShare: Progress }>;

/** Sends a request and returns its response. A refusal rejects with the server's message. */
function sent(request: XMLHttpRequest, body: FormData | File, { zone, onShare }: How): Promise<string> {
  return new Promise((resolve, reject) => {
    request.upload.addEventListener('progress', ({ loaded, total }) => onShare(total === 0 ? 1 : loaded / total));
    request.addEventListener('load', () => {
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
