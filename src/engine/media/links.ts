import type { Network } from '#db/schema/database.ts';
import type { MediaSource } from '#call/ports.ts';
import { MINUTE } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import { isPublicUrl } from '#kernel/net/addresses.ts';
import { isUrl } from '#platforms/media.ts';
import type { PictureSpec } from '#kernel/pictures/picture.ts';
import { withoutCameraData } from './clean/clean.ts';
import type { MediaDeps } from './deps.ts';
import type { Fitted } from './fitted.ts';
import { loadReady } from './item.ts';
import { cleanName, nameInUrl } from './names.ts';
import { readFetched } from './sources.ts';

const LEAST_MINUTES = 60;

/** Makes the URLs at which platforms fetch media: signed URLs of this server, or public URLs unchanged. */
export function makeLinks(
  { store, addresses, clock, bases, spool, keepMetadata }: MediaDeps,
  { fileFor }: Pick<Fitted, 'fileFor'>,
): Pick<MediaSource, 'unreachable' | 'link'> {
  const unreachable = (network: Network): string | undefined =>
    network === 'sandbox' || isPublicUrl(bases.real)
      ? undefined
      : 'is fetched by this platform from here: set ROOT_URL, or MEDIA_PUBLIC_URL, to a public https address';

  async function itemOf(workspaceId: string, ref: string, target: string | undefined) {
    if (!isUrl(ref)) return loadReady(store.db, workspaceId, ref);
    // A file that was fetched for a single call would be removed before the platform fetches it.
    if (target === undefined) throw new Error('an address of ours for a public one needs a target');
    const kept = await spool.fileOf(target, ref);
    const { content_type } = await readFetched(kept, ref);
    return { id: spool.nameOf(target, ref), filename: cleanName(nameInUrl(ref), content_type) };
  }

  /** The converted picture if it has to be converted; for a URL also the original, if it contains camera data. */
  async function changedOf(
    workspaceId: string,
    ref: string,
    { target, spec, theirs }: Readonly<{ target?: string; spec?: PictureSpec | undefined; theirs: boolean }>,
  ) {
    if (target === undefined || spec === undefined) return undefined;
    const made = await fileFor(workspaceId, ref, spec, { owner: target, theirs });
    if (made) {
      const { content_type } = await readFetched(made, ref);
      return { id: spool.nameIn(target, made), filename: cleanName(undefined, content_type) };
    }
    if (!isUrl(ref) || keepMetadata) return undefined;
    const kept = await spool.fileOf(target, ref);
    const { content_type } = await readFetched(kept, ref);
    return (await withoutCameraData(kept, content_type)) === kept ? undefined : itemOf(workspaceId, ref, target);
  }

  return {
    unreachable,

    async link(workspaceId, ref, { minutes, rehost = false, lasting = false, network, target, spec }) {
      const theirs = isUrl(ref) && !rehost;
      // If the platform cannot reach this server, it may still be able to fetch the original URL.
      if (theirs && unreachable(network) !== undefined) return ref;
      const changing = changedOf(workspaceId, ref, { ...(target !== undefined && { target }), spec, theirs });
      const changed = await (theirs ? changing.catch(() => undefined) : changing);
      if (theirs && !changed) return ref;
      const wrong = unreachable(network);
      if (wrong !== undefined)
        fail('validation.field_invalid', { message: `media: ${wrong}.`, meta: { field: 'media' } });
      const { id, filename } = changed ?? (await itemOf(workspaceId, ref, target));
      const expires_at = clock.now() + Math.max(minutes, LEAST_MINUTES) * MINUTE;
      if (lasting && target !== undefined) spool.lend(target, expires_at);
      const token = addresses.download({ id, expires_at, form: 'cleaned' });
      return `${bases[network]}/media/${token}/${encodeURIComponent(filename)}`;
    },
  };
}
