import type { Context } from 'koa';
import { z } from 'zod';
import { answer, route } from '../../kit/api/routes.ts';
import { shape } from '../../kit/api/shapes.ts';
import { receiveFile } from '../../kit/files.ts';
import { randomText } from '../../kit/ids.ts';
import { bearerOf } from '../../kit/oauth/secrets.ts';
import type { Asset } from '../docs.ts';
import { badInput, badToken, denied, illegal, notFound, notPermitted, notReady } from '../errors.ts';
import type { World } from '../world.ts';
import { read, type Call, type Parts, type Routes } from './calls.ts';

const PART_BYTES = 4_194_304;
const MB = 1024 * 1024;
const LINK_MS = 24 * 3_600_000;

const KINDS = Object.freeze({
  image: { bytes: 36 * MB, mimes: /^image\/(?:jpeg|png|gif)$/ },
  video: { bytes: 500 * MB, mimes: /^video\/mp4$/ },
  document: {
    bytes: 100 * MB,
    mimes: /^application\/(?:pdf|x-cfb|msword|vnd\.(?:ms-powerpoint|openxmlformats-officedocument\..+))$/,
  },
});
type Kind = keyof typeof KINDS;

const Begin = shape({
  initializeUploadRequest: shape({
    owner: z.string().regex(/^urn:li:(?:person|organization):[\w-]+$/, 'must be a member or an organization'),
    fileSizeBytes: z.int().min(1).max(KINDS.video.bytes).optional(),
  }),
});
const Finish = shape({
  finalizeUploadRequest: shape({ video: z.string(), uploadToken: z.string(), uploadedPartIds: z.array(z.string()) }),
});
const partsOf = ({ kind, size }: Asset) => (kind === 'video' ? Math.ceil(size / PART_BYTES) : 1);

export type Assets = ReturnType<typeof makeAssets>;

/** The files of posts and their states. */
export function makeAssets({ docs, options: { clock }, settings }: World) {
  function stateOf({ ready_at, failed }: Asset): string {
    if (ready_at === undefined) return 'WAITING_UPLOAD';
    if (ready_at > clock.now()) return 'PROCESSING';
    return failed === true ? 'PROCESSING_FAILED' : 'AVAILABLE';
  }
  return Object.freeze({
    stateOf,
    /** Returns a file that its owner can use in a post. */
    usable(urn: string, owner: string): Asset {
      const asset = docs.get('asset', urn);
      if (asset?.page_id !== owner)
        throw badInput('content', 'INVALID_VALUE_FOR_FIELD', `${urn} is not owned by the author`);
      const state = stateOf(asset);
      if (state !== 'AVAILABLE') throw notReady(state, urn);
      return asset;
    },
    arrived(asset: Asset, { id: blob, mime }: Readonly<{ id: string; mime: string }>): void {
      const failed = settings.get('processing_fails') || !KINDS[asset.kind].mimes.test(mime);
      docs.change('asset', asset.id, { blob, failed, ready_at: clock.now() + settings.get('processing_ms') });
    },
  });
}

export function uploadRoutes({ world, api }: Parts, assets: Assets): Routes {
  const { docs, files, hosts, options } = world;
  const { clock, store } = options;

  function begin(call: Call, kind: Kind): object {
    const { owner, fileSizeBytes: size = 0 } = read(Begin, call.params.values, 'body').initializeUploadRequest;
    api.authorize(call, owner, 'post');
    if (kind === 'video' && size === 0)
      throw badInput('initializeUploadRequest/fileSizeBytes', 'MISSING_FIELD', 'field is required');
    const [name, uploadToken] = [`${kind === 'document' ? 'D' : 'C'}4E${randomText(12)}`, randomText(24)];
    const [id, until] = [`urn:li:${kind}:${name}`, clock.now() + LINK_MS];
    const own = { id, at: clock.now(), page_id: owner, by: call.caller.person };
    const asset: Asset = store.write(() => docs.put('asset', { ...own, kind, token: uploadToken, size, parts: {} }));
    const links = Array.from({ length: partsOf(asset) }, (_, at) => ({
      uploadUrl: `${hosts.upload()}/dms-uploads/${name}/${uploadToken}/${at}`,
      firstByte: at * PART_BYTES,
      lastByte: Math.min((at + 1) * PART_BYTES, size) - 1,
    }));
    if (kind === 'video')
      return { value: { video: id, uploadToken, uploadInstructions: links, uploadUrlsExpireAt: until } };
    return { value: { uploadUrlExpiresAt: until, uploadUrl: links[0]!.uploadUrl, [kind]: id } };
  }
  async function finish(call: Call): Promise<void> {
    const { video, uploadToken, uploadedPartIds } = read(Finish, call.params.values, 'body').finalizeUploadRequest;
    const asset = docs.get('asset', video);
    if (asset?.kind !== 'video') throw notFound(video);
    api.authorize(call, asset.page_id, 'post');
    const parts = Array.from({ length: partsOf(asset) }, (_, at) => asset.parts[at]);
    if (uploadToken !== asset.token) throw illegal('uploadToken does not match');
    if (uploadedPartIds.join('\n') !== parts.map((part) => part?.etag ?? '').join('\n'))
      throw illegal('uploadedPartIds must be the ETags of all parts in order');
    if (asset.ready_at !== undefined) return;
    const blobs = parts.map((part) => part!.blob);
    const blob = await files.join(blobs, 'video.mp4');
    store.write(() => assets.arrived(asset, blob));
  }
  /** The state of a file. A caller who may only write for a member sees only that member's videos. */
  function show(call: Call): object {
    const asset = docs.get('asset', call.keys[0]!);
    if (asset === undefined) throw notFound(call.keys[0]!);
    const { id, page_id: owner, blob, kind } = asset;
    api.authorize(call, owner, 'post');
    const reads = call.caller.scopes.some((scope) => scope === 'r_member_social' || scope.includes('organization'));
    if (kind !== 'video' && !reads) throw notPermitted(`GET ${id}`);
    const status = assets.stateOf(asset);
    return { id, owner, status, ...(status === 'AVAILABLE' && { downloadUrl: `${hosts.cdn()}/${blob}` }) };
  }
  return (Object.keys(KINDS) as Kind[]).flatMap((kind) => [
    ...api.resource(`/rest/${kind}s`, {
      'ACTION initializeUpload': (call) => begin(call, kind),
      ...(kind === 'video' && { 'ACTION finalizeUpload': finish }),
    }),
    ...api.resource(`/rest/${kind}s/{urn}`, { GET: show }),
  ]);
}

/** The upload host. The parts of a video need no token. */
export function uploadHost({ world, login }: Parts, assets: Assets): Routes {
  const { docs, files, options } = world;
  async function take(ctx: Context, { token = '', at = '' }: Readonly<Record<string, string>>): Promise<unknown> {
    const asset = docs.list('asset').find((one) => one.token === token);
    if (asset === undefined || !(Number(at) < partsOf(asset))) throw notFound('the upload');
    if (asset.at + LINK_MS <= options.clock.now()) throw denied('The upload address has expired');
    const { kind, size } = asset;
    const bearer = bearerOf(ctx.get('authorization'));
    if (kind !== 'video' && bearer === undefined) throw badToken();
    if (bearer !== undefined) login.tokens.grantOf(bearer);
    const most = kind === 'video' ? Math.min(PART_BYTES, size - Number(at) * PART_BYTES) : KINDS[kind].bytes;
    const blob = await receiveFile(files, ctx.req, { name: kind, mostBytes: most });
    if (blob === undefined || (kind === 'video' && blob.size !== most)) throw illegal('The upload has a wrong size');
    const etag = `/ambry-video/signedId/${randomText(16)}-${at}`;
    options.store.write(() => {
      const now = docs.get('asset', asset.id)!;
      if (kind === 'video') docs.change('asset', now.id, { parts: { ...now.parts, [at]: { etag, blob: blob.id } } });
      else if (now.ready_at === undefined) assets.arrived(now, blob);
    });
    return kind === 'video' ? answer('', 200, { etag }) : answer('', 201);
  }
  const terms = { isOpen: true, isStream: true };
  return (['PUT', 'POST'] as const).map((verb) =>
    route(verb, '/dms-uploads/{asset}/{token}/{at}', terms, ({ ctx, path }) => take(ctx, path)),
  );
}
