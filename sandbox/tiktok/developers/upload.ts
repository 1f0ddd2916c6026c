/** The upload host, which accepts chunks only in order. */
import { HOUR } from '#kernel/clock.ts';
import type { Context } from 'koa';
import { answer, route, type Caller } from '../../kit/api/routes.ts';
import type { Publication, Upload } from '../docs.ts';
import { DeveloperError } from '../errors.ts';
import type { Parts } from '../parts.ts';

const MIMES: ReadonlySet<string> = new Set(['video/mp4', 'video/quicktime', 'video/webm']);

const refuse = (status: number, what: string) => new DeveloperError(status, `upload_${status}`, what);

export function uploadRoutes({ world: { docs, files, options, settings }, publications }: Parts) {
  const { clock, store } = options;

  /** The position of a chunk, which must follow the last one; 'again' if it is the last one repeated. */
  function placeOf(
    ctx: Context,
    { total, chunk, count, stored }: Upload,
  ): Readonly<{ from: number; end: number }> | 'again' {
    const [, first, last, of] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(ctx.get('content-range')) ?? [];
    if (first === undefined) throw refuse(416, 'The Content-Range is invalid');
    const [from, end] = [Number(first), Number(last) + 1];
    const ends = (at: number) => (at >= (count - 1) * chunk ? total : at + chunk);
    if (Number(of) !== total || end !== ends(from) || from % chunk !== 0)
      throw refuse(416, 'The Content-Range is wrong');
    if (ctx.request.length !== end - from) throw refuse(400, 'The Content-Length is wrong');
    if (end === stored && !settings.get('upload_refuses_repeats')) return 'again';
    if (from !== stored) throw refuse(416, `The next part begins at ${stored}`);
    return { from, end };
  }
  async function receive(ctx: Context, { id, blobs: [blob = ''], upload }: Publication): Promise<void> {
    const place = placeOf(ctx, upload!);
    if (place === 'again') {
      ctx.req.resume();
      return;
    }
    const { from, end } = place;
    const writer = files.writer(blob, from);
    try {
      for await (const part of ctx.req) writer.add(part as Buffer);
      writer.flush();
    } finally {
      // Keep a chunk only if all of it has arrived.
      if (writer.at() !== end) files.write(blob, from, new Uint8Array());
    }
    if (end === upload!.total) await files.finish(blob);
    store.write(() => {
      const now = docs.get('publication', id)!;
      if (now.upload!.stored !== from) return;
      docs.change('publication', id, { upload: { ...now.upload!, stored: end } });
      if (end === now.upload!.total) publications.uploaded(id);
    });
  }

  return [
    route<Caller>(
      'PUT',
      '/video/',
      {
        isOpen: true,
        isStream: true,
        about: (params) => docs.get('publication', params.text('upload_id') ?? '')?.page_id,
      },
      async ({ ctx, params }) => {
        const found = docs.get('publication', params.required('upload_id'));
        if (found?.upload === undefined) throw refuse(404, 'The upload cannot be found');
        const isOver = found.at + HOUR <= clock.now() || found.status === 'FAILED';
        if (isOver || found.upload.token !== params.required('upload_token'))
          throw refuse(403, 'The upload URL has expired');
        if (!MIMES.has(ctx.get('content-type'))) throw refuse(400, 'The Content-Type is not supported');
        await receive(ctx, found);
        const { stored, total } = docs.get('publication', found.id)!.upload!;
        return answer('', stored === total ? 201 : 206, { 'content-range': ctx.get('content-range') });
      },
    ),
  ];
}
