/** Graph's Resumable Upload API: turns a file of the app, such as a profile picture, into a handle. */
import type { Context } from 'koa';
import { readBody } from '../../body.ts';
import type { Gate } from '../../kit/api/gate.ts';
import type { Doc, DocStore } from '../../kit/docs.ts';
import { randomText } from '../../kit/ids.ts';
import { badParam, brokenToken, PARAM_WORDS } from '../api/errors.ts';
import { tokenOf } from '../api/server.ts';
import { asSession } from '../oauth/tokens.ts';
import { live, type Call, type GraphWorld, type Methods } from '../world.ts';

/** A file that becomes a handle; `at` is the time when the upload began. */
export type Upload = Doc & Readonly<{ person: string; mime: string; size: number; blob: string; handle?: string }>;

const LARGEST = 16 * 1024 * 1024;
const TYPES = ['image/jpeg', 'image/jpg', 'image/png', 'video/mp4', 'application/pdf'] as const;

export function openHandles(
  { clock, files, tokens }: GraphWorld,
  nodes: Pick<DocStore<{ upload: Upload }>, 'get' | 'put' | 'change' | 'list'>,
) {
  const methods: Methods = {
    'POST app/uploads': {
      params: ['file_name', 'file_length', 'file_type'],
      run({ params, actor }: Call) {
        const size = params.whole('file_length') ?? 0;
        const mime = params.oneOf('file_type', TYPES);
        if (size === 0 || size > LARGEST || mime === undefined)
          throw badParam('Params file_length and file_type are required');
        const { id: blob } = files.open(params.text('file_name') ?? 'file');
        const { person } = asSession(actor).claims;
        const id = `upload:${randomText(30)}`;
        return { id: nodes.put('upload', { id, at: clock.now(), person, mime, size, blob }).id };
      },
    },
    'GET upload': {
      params: [],
      run: (_: Call, id: string) => ({ id, file_offset: files.size(live(nodes.get('upload', id), id).blob) }),
    },
  };

  /** Accepts bytes of an upload; the response contains the handle once all bytes have arrived. */
  const receive = (gate: Gate) => (ctx: Context, rest: readonly string[]) =>
    gate(ctx, { verb: 'graph', method: 'POST upload' }, async ({ entry, before, after }) => {
      const token = tokenOf(ctx, undefined);
      if (token === undefined) throw brokenToken('Invalid OAuth access token.');
      entry.person = tokens.claimsOf(token)?.person;
      await before();
      const { person } = asSession(tokens.actor(token, undefined)).claims;
      const id = rest.at(-1) ?? '';
      const upload = live(nodes.get('upload', id), id);
      if (upload.person !== person) throw badParam('The upload was begun by somebody else');
      const offset = Number(ctx.get('file_offset') || 0);
      if (offset !== files.size(upload.blob)) throw badParam('The file_offset is not where the upload stopped');
      const bytes = await readBody(ctx, LARGEST);
      if (bytes === undefined || offset + bytes.length > upload.size) throw PARAM_WORDS.tooLong();
      files.write(upload.blob, offset, bytes);
      await after(true);
      ctx.status = 200;
      if (offset + bytes.length < upload.size) {
        ctx.body = { id, file_offset: offset + bytes.length };
        return;
      }
      await files.finish(upload.blob);
      const h = upload.handle ?? `4::${randomText(60)}`;
      nodes.change('upload', id, { handle: h });
      ctx.body = { h };
    });

  return Object.freeze({
    methods,
    receive,
    isUpload: (ctx: Context, rest: readonly string[]) =>
      ctx.method === 'POST' && rest.at(-1)?.startsWith('upload:') === true,
    blobOf: (handle: string) => nodes.list('upload').find((one) => one.handle === handle)?.blob,
  });
}
