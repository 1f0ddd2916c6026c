/** The upload host: it receives bytes from an offset, or downloads the file from a URL. */
import type { Context } from 'koa';
import type { Gate } from '../../kit/api/gate.ts';
import { TwinError } from '../../kit/api/errors.ts';
import type { Page } from '../docs.ts';
import { brokenToken } from '../api/errors.ts';
import { tokenOf } from '../api/server.ts';
import { requireWrite } from '../oauth/tokens.ts';
import type { GraphWorld } from '../world.ts';

type Upload = Readonly<{
  id: string;
  page_id: string;
  blob: string;
  /** The size in bytes; undefined until it is announced or the file has arrived. */
  file_size?: number;
  received: number;
  uploaded: boolean;
}>;

export type Uploads = Readonly<{
  /** The first part of the path on the host, such as `video-upload`. */
  path: string;
  right: Readonly<{ scopes: readonly string[]; task: string }>;
  find(id: string): Upload | undefined;
  change(id: string, patch: Partial<Pick<Upload, 'blob' | 'received' | 'file_size'>>): void;
  uploaded(id: string): Promise<unknown>;
}>;

const LARGEST = 1024 * 1024 * 1024;

/** The upload host has its own error format. */
class UploadError extends TwinError {
  readonly retriable: boolean;

  constructor(status: number, type: string, message: string, retriable = false) {
    super(status, type, message);
    this.retriable = retriable;
  }

  body(): object {
    return { debug_info: { retriable: this.retriable, type: this.code, message: this.message } };
  }

  /** The rest of the body is not read, so the connection has to be closed. */
  override headers(): Readonly<Record<string, string>> {
    return { Connection: 'close' };
  }
}

const tooMany = () => new UploadError(400, 'PartialRequestError', 'More bytes came than were announced');

function number(ctx: Context, name: string): number {
  const value = ctx.get(name);
  if (!/^\d{1,12}$/.test(value))
    throw new UploadError(400, 'PartialRequestError', `The header ${name} must be a number of bytes`);
  return Number(value);
}

/** Receives the bytes of an upload, or downloads them. */
function makeReceiving({ files, fetching }: GraphWorld, uploads: Uploads) {
  async function receive(ctx: Context, { id, blob, received, file_size }: Upload): Promise<void> {
    const size = number(ctx, 'file_size');
    const from = number(ctx, 'offset');
    if (size === 0 || size > LARGEST || (file_size !== undefined && file_size !== size))
      throw new UploadError(400, 'ProcessingFailedError', 'The file size is not acceptable');
    if (from > received)
      throw new UploadError(
        400,
        'OffsetInvalidError',
        `Request starting offset is invalid; ${received} bytes are here`,
        true,
      );
    // Check before reading the body, because no response can be sent on a connection cut in the middle.
    if (from + (ctx.request.length ?? 0) > size) throw tooMany();
    const writer = files.writer(blob, from, (end) => uploads.change(id, { received: end, file_size: size }));
    try {
      for await (const chunk of ctx.req) {
        const bytes = chunk as Buffer;
        if (writer.at() + bytes.length > size) throw tooMany();
        writer.add(bytes);
      }
    } finally {
      // Keep what has arrived, so that the next request continues from there.
      writer.flush();
    }
    if (writer.at() < size)
      throw new UploadError(400, 'PartialRequestError', 'Partial request (did not match length of file)', true);
  }

  async function fetchFile(url: string, { id }: Upload): Promise<void> {
    const blob = await fetching.media(url, LARGEST);
    if (blob === undefined)
      throw new UploadError(400, 'ProcessingFailedError', 'The file could not be downloaded from its address');
    uploads.change(id, { blob: blob.id });
  }

  return Object.freeze({ receive, fetchFile });
}

/** Serves `/rupload`: GET returns the progress, POST adds bytes. */
export function uploadHost(
  world: GraphWorld,
  gate: Gate,
  uploads: Uploads,
): (ctx: Context, segments: readonly string[]) => Promise<void> {
  const { tokens, people } = world;
  const { receive, fetchFile } = makeReceiving(world, uploads);

  /** Returns the upload of a URL, if the caller may fill it. */
  function open(ctx: Context, id: string): Upload {
    const token = tokenOf(ctx, undefined);
    // The host accepts a token only in the Authorization header, with the scheme `OAuth`.
    if (token === undefined || !ctx.get('authorization').startsWith('OAuth '))
      throw brokenToken('Invalid OAuth access token.');
    const actor = tokens.actor(token, undefined);
    const upload = uploads.find(id);
    const page: Page | undefined = upload && people.page(upload.page_id);
    if (upload === undefined || page === undefined)
      throw new UploadError(404, 'NotFoundError', 'There is no such upload');
    requireWrite(actor, page, people, uploads.right);
    return upload;
  }

  return async function answerUpload(ctx, [kind, version = '', id = '', ...more]) {
    if (kind !== uploads.path || !/^v\d{1,3}\.0$/.test(version) || more.length > 0) return;
    if (ctx.method !== 'POST' && ctx.method !== 'GET') {
      ctx.status = 405;
      return;
    }
    await gate(ctx, { verb: 'rupload', method: `${ctx.method} rupload` }, async ({ entry, before, after }) => {
      entry.note = id;
      if (ctx.method === 'GET') {
        ctx.body = { offset: open(ctx, id).received };
        return;
      }
      const token = tokenOf(ctx, undefined);
      entry.person = token === undefined ? undefined : tokens.claimsOf(token)?.person;
      ctx.state['page'] = open(ctx, id).page_id;
      await before();
      const upload = open(ctx, id);
      const url = ctx.get('file_url');
      if (upload.uploaded) ctx.req.resume();
      else {
        if (url === '') await receive(ctx, upload);
        else await fetchFile(url, upload);
        await uploads.uploaded(id);
      }
      await after(true);
      ctx.body = { success: true };
    });
  };
}
