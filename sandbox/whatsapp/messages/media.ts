/** Files of apps and customers. Their URLs work for five minutes. */
import { DAY } from '#kernel/clock.ts';
import type { Context } from 'koa';
import { Readable } from 'node:stream';
import { safeEqual } from '#kernel/sign.ts';
import { badParam, brokenToken, unknownObject } from '../../graph/api/errors.ts';
import { newId } from '../../graph/ids.ts';
import { tokenOf } from '../../graph/api/server.ts';
import { live, type Call, type Methods } from '../../graph/world.ts';
import type { Gate } from '../../kit/api/gate.ts';
import type { Blob } from '../../kit/files.ts';
import { seconds } from '../../kit/ids.ts';
import { hmac } from '../../kit/oauth/secrets.ts';
import { requireProduct } from '../business/numbers.ts';
import type { Media } from '../docs.ts';
import { missing, requireAccount } from '../errors.ts';
import { methodsOf, type World } from '../world.ts';
import type { FileRef } from './content.ts';

const UPLOADED = 30 * DAY;
const RECEIVED = 7 * DAY;
const URL_LIFE = 5 * 60_000;
const MB = 1024 * 1024;
const RULES: Readonly<Record<string, Readonly<{ most: number; mime: RegExp }>>> = Object.freeze({
  image: { most: 5 * MB, mime: /^image\/(?:jpeg|png)$/ },
  video: { most: 16 * MB, mime: /^video\/(?:mp4|3gpp)$/ },
  audio: { most: 16 * MB, mime: /^audio\/(?:aac|amr|mpeg|mp4|x-m4a|ogg)|^video\/mp4$/ },
  sticker: { most: MB / 2, mime: /^image\/webp$/ },
  document: { most: 100 * MB, mime: /./ },
});
const ANY = { most: MB, mime: /./ };

function flawOf({ type, isVoice }: FileRef, { mime, size }: Pick<Blob, 'mime' | 'size'>): string | undefined {
  const rule = RULES[type] ?? ANY;
  const bare = mime.split(';')[0] ?? '';
  if (size > rule.most) return `The file is larger than ${rule.most} bytes`;
  if (rule.mime.test(bare) && (isVoice !== true || bare === 'audio/ogg')) return undefined;
  return `A file of type ${bare} cannot be sent as ${isVoice === true ? 'a voice message' : type}`;
}

export type MediaFiles = ReturnType<typeof openMedia>;

export function openMedia(world: World) {
  const { nodes, clock, files, fetching, store } = world;
  const secret = store.secret('whatsapp lookaside');

  function keep(number: string, blob: Blob, life: number, mime = blob.mime): Media {
    const media = { id: newId(), at: clock.now(), page_id: number, blob: blob.id, mime, sha256: files.sha256(blob.id) };
    return nodes.put('media', { ...media, until: clock.now() + life });
  }
  function found(id: string): Media | undefined {
    const media = nodes.get('media', id);
    return media === undefined || media.until <= clock.now() ? undefined : media;
  }

  return Object.freeze({
    found: (id: string) => live(found(id), id),
    proofOf: (id: string, until: string) => hmac(secret, 'sha256', `${id} ${until}`).digest('hex'),
    uploaded: (number: string, blob: Blob, mime: string) => keep(number, blob, UPLOADED, mime),
    received: (number: string, blob: Blob) => keep(number, blob, RECEIVED),
    /** The file of a message; `flaw` says why it cannot be delivered. */
    async resolve(number: string, ref: FileRef): Promise<{ media?: string; flaw?: string }> {
      if (ref.id !== undefined) {
        const media = found(ref.id);
        if (media?.page_id !== number)
          throw badParam(`Param ${ref.type}['id'] is not a valid whatsapp business account media attachment ID`);
        const flaw = flawOf(ref, { mime: media.mime, size: files.size(media.blob) });
        return flaw === undefined ? { media: media.id } : { flaw };
      }
      const blob = await fetching.media(ref.link ?? '', (RULES[ref.type] ?? ANY).most);
      if (blob === undefined) return { flaw: 'The file cannot be downloaded from its address' };
      const flaw = flawOf(ref, blob);
      return flaw === undefined ? { media: keep(number, blob, UPLOADED).id } : { flaw };
    },
  });
}

export function mediaMethods(world: World, { found, proofOf, uploaded }: MediaFiles): Methods {
  const { nodes, clock, files } = world;
  const { reads, writes, changes } = methodsOf(world);

  /** Throws if a file has expired or belongs to another number. */
  function check({ params }: Call, { id }: Media): void {
    const { page_id } = found(id);
    if ((params.text('phone_number_id') ?? page_id) !== page_id) throw unknownObject(id);
  }

  return Object.freeze({
    'POST number/media': writes('number', 'messaging', ['messaging_product', 'file', 'type'], async (call, { id }) => {
      requireProduct(call);
      const file = call.params.files.get('file');
      if (file === undefined) throw missing('file');
      const blob = await files.keep(file.bytes, file.name);
      return { id: uploaded(id, blob, call.params.text('type') ?? file.mime).id };
    }),
    'GET media': reads('media', 'messaging', ['phone_number_id'], (call, media) => {
      check(call, media);
      const { id, mime, sha256, blob } = media;
      const until = String(seconds(clock.now() + URL_LIFE));
      const query = new URLSearchParams({ mid: id, ext: until, hash: proofOf(id, until) }).toString();
      const url = `${world.lookaside()}/whatsapp_business/attachments/?${query}`;
      const file_size = String(files.size(blob));
      return { messaging_product: 'whatsapp', url, mime_type: mime, sha256, file_size, id };
    }),
    'DELETE media': changes('media', 'messaging', ['phone_number_id'], (call, media) => {
      check(call, media);
      nodes.remove('media', media.id);
    }),
  });
}

export function mediaHost({ nodes, files, tokens, clock }: World, { found, proofOf }: MediaFiles, gate: Gate) {
  return (ctx: Context, rest: readonly string[]) =>
    gate(ctx, { verb: 'lookaside', method: 'GET lookaside' }, async ({ entry, before, after }) => {
      const { mid = '', ext = '', hash = '' } = Object.fromEntries(ctx.URL.searchParams);
      const token = tokenOf(ctx, undefined);
      entry.note = mid;
      entry.person = tokens.claimsOf(token ?? '')?.person;
      await before();
      if (token === undefined) throw brokenToken('Invalid OAuth access token.');
      const actor = tokens.actor(token, undefined);
      const isGood = safeEqual(hash, proofOf(mid, ext)) && Number(ext) * 1000 > clock.now();
      if (rest.join('/') !== 'whatsapp_business/attachments' || ctx.method !== 'GET' || !isGood)
        throw unknownObject(mid);
      const { blob, mime, page_id } = found(mid);
      requireAccount(actor, nodes.get('number', page_id)?.page_id ?? '', 'messaging');
      await after(false);
      ctx.status = 200;
      ctx.set({ 'Content-Type': mime, 'Content-Disposition': 'attachment' });
      ctx.length = files.size(blob);
      ctx.body = Readable.from(files.pieces(blob));
    });
}
